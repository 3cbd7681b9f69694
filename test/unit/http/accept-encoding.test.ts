// Accept-Encoding: the coding with the greatest weight, ours first among equals, none where none is wanted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseCoding } from '../../../src/http/accept-encoding.ts'

const rows: readonly (readonly [string, 'zstd' | 'gzip' | null])[] = [
  ['', null],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZip;Q=0.5', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip;q=1.0, zstd;q=0.9', 'gzip'],
  ['gzip;q=0.5,zstd;q=0.5', 'zstd'],
  ['gzip;q=0', null],
  ['gzip;q=0.000', null],
  ['gzip;q=0, *', 'zstd'],
  ['*', 'zstd'],
  ['*;q=0', null],
  ['*;q=0, gzip;q=0.1', 'gzip'],
  ['identity', null],
  ['identity;q=0', null],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['identity, gzip;q=0.5', null],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['deflate, br', null],
  ['gzip;q=2', null],
  ['gzip;q=', null],
  ['gzip;level=9', null],
  [',,;q=1, ,gzip', 'gzip'],
  ['gzip ; q=0.3 , zstd;q=0.2', 'gzip'],
]

test('the coding that the client prefers', () => {
  for (const [header, expected] of rows) assert.equal(chooseCoding(header, ['zstd', 'gzip']), expected, header)
  assert.equal(chooseCoding('zstd, gzip;q=0.1', ['gzip']), 'gzip')
  assert.equal(chooseCoding('zstd', ['gzip']), null)
})
