// Paths of other clients: mapped by the longest beginning, whole parts only, never climbing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { checkMap, mappedPath, type PathMap } from '../../../src/services/import/import-paths.ts'

const MAP: PathMap = [
  ['/downloads', '/srv/d'],
  ['/downloads/films/', '/films'],
  ['C:\\Down', '/win'],
]

test('the longest beginning counts, part by part', () => {
  const cases: [string, string][] = [
    ['/downloads', '/srv/d'],
    ['/downloads/', '/srv/d'],
    ['/downloads//a/b', '/srv/d/a/b'],
    ['/downloads/films', '/films'],
    ['/downloads/films/x', '/films/x'],
    ['/downloadsX/a', '/downloadsX/a'],
    ['C:\\Down\\a\\b', '/win/a/b'],
    ['/a\\b', '/a\\b'],
    ['/', '/'],
  ]
  for (const [named, ours] of cases) assert.equal(mappedPath(named, MAP), ours, named)
  assert.equal(mappedPath('/x', [['/', '/all']]), '/all/x')
})

test('what is no path here, or climbs, is refused', () => {
  const refused = (error: unknown): boolean => error instanceof AppError && error.code === 'InvalidParameter'
  for (const named of ['relative', 'D:\\x', '/downloads/../etc', '..', 'C:\\Down\\..\\..\\etc', '\\\\host\\share']) {
    assert.throws(() => mappedPath(named, MAP), refused, named)
  }
  for (const map of [[['', '/a']], [['/a', 'b']], [['/a', '/b\0']]] as PathMap[])
    assert.throws(() => checkMap(map), refused)
})
