// Options of new torrents: every value that cannot be used is refused by name.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { CreateTorrent } from '../../../src/services/api.ts'
import { newTorrentOptions } from '../../../src/services/making/new-torrent-options.ts'

const defaults = { createdBy: 'Tributary/1', nowSec: 77 }
const options = (request: Partial<CreateTorrent>) => newTorrentOptions({ path: '/x', ...request }, defaults)

test('defaults', () => {
  assert.deepEqual(options({}), {
    format: 'hybrid',
    pieceLength: null,
    announceTiers: [],
    webSeeds: [],
    private: false,
    source: null,
    comment: null,
    createdBy: 'Tributary/1',
    creationDateSec: 77,
  })
})

test('trackers: repeats and empty tiers go, order stays', () => {
  const trackers = [['http://a.example/x', 'http://a.example/x'], [], ['http://a.example/x', ' udp://b.example:1 ']]
  assert.deepEqual(options({ trackers }).announceTiers, [['http://a.example/x'], ['udp://b.example:1']])
})

test('an empty text and 0 stand for none', () => {
  const none = options({ created_by: '', comment: '', source: '', creation_date: 0, piece_length: 0 })
  assert.equal(none.createdBy, null)
  assert.equal(none.comment, null)
  assert.equal(none.source, null)
  assert.equal(none.creationDateSec, null)
  assert.equal(none.pieceLength, null)
})

test('what cannot be used is refused, naming the parameter', () => {
  const long = 'x'.repeat(5000)
  const wrong: [Partial<CreateTorrent>, string][] = [
    [{ trackers: [['ftp://a.example/x']] }, 'trackers'],
    [{ trackers: [['http://a.example/a b']] }, 'trackers'],
    [{ trackers: [Array.from({ length: 201 }, (_, i) => `http://a.example/${i}`)] }, 'trackers'],
    [{ web_seeds: ['udp://a.example:1'] }, 'web_seeds'],
    [{ web_seeds: ['nothing'] }, 'web_seeds'],
    [{ web_seeds: Array.from({ length: 101 }, (_, i) => `http://a.example/${i}`) }, 'web_seeds'],
    [{ piece_length: 1000 }, 'piece_length'],
    [{ piece_length: 2 ** 28 }, 'piece_length'],
    [{ comment: long }, 'comment'],
    [{ source: long }, 'source'],
    [{ created_by: long }, 'created_by'],
    [{ creation_date: -1 }, 'creation_date'],
    [{ creation_date: 1.5 }, 'creation_date'],
    [{ creation_date: 1e15 }, 'creation_date'],
  ]
  for (const [request, name] of wrong) {
    assert.throws(
      () => options(request),
      (error: unknown) =>
        error instanceof AppError && error.code === 'InvalidParameter' && error.message.startsWith(`${name}: `),
      name,
    )
  }
})
