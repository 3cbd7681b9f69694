// Names in place of a torrent's: applied, taken back, and what is no name.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import { type FileNames, MAX_RENAMED, namedFiles, renamed } from '../../../src/wire/metainfo/renamed-files.ts'
import { MAX_PATH_BYTES } from '../../../src/wire/metainfo/safe-path.ts'
import type { TorrentFile } from '../../../src/wire/metainfo/torrent-types.ts'
import { safeUrlPath } from '../../../src/wire/metainfo/web-seed-urls.ts'
import { runSteps } from '../../../src/wire/steps.ts'

const refuses = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

const filesOf = (...paths: string[]): TorrentFile[] =>
  paths.map((path, index) => ({ index, path: path.split('/'), length: 1, offset: index, padding: false }))

const own = filesOf('Show/one/a.mkv', 'Show/one/b.mkv', 'Show/two/a.mkv', 'Show/readme')

/** Renames one after the other, as a download is. */
function after(...changes: [path: string, name: string][]): { names: FileNames; files: readonly TorrentFile[] } {
  let names: FileNames = []
  let files: readonly TorrentFile[] = own
  for (const [path, name] of changes) {
    names = runSteps(renamed(files, names, path.split('/'), name)).names
    files = runSteps(namedFiles(files, names))
  }
  return { names, files }
}

const paths = (files: readonly TorrentFile[]): string[] => files.map(({ path }) => path.join('/'))

test('files and folders get other names, one after the other; web seeds keep the names of the torrent', () => {
  const { names, files } = after(['Show/one', '1'], ['Show/1/a.mkv', 'x.mkv'], ['Show', 'My show'], ['My show/1', 'I'])
  assert.deepEqual(paths(files), ['My show/I/x.mkv', 'My show/I/b.mkv', 'My show/two/a.mkv', 'My show/readme'])
  assert.deepEqual(files.map(safeUrlPath), own.map(safeUrlPath))
  // From the torrent's own files at once, as after a restart.
  assert.deepEqual(runSteps(namedFiles(own, names)), files)
  const back = after(['Show/one', '1'], ['Show/1', 'one'])
  assert.deepEqual([back.names, back.files], [[], own])
  assert.equal(runSteps(renamed(own, [], ['Show', 'one'], 'one')).isSame, true)
})

test('a name that another one of the torrent has, in any case, is refused; its own in another case is not', () => {
  const rename = (path: string, name: string) => runSteps(renamed(own, [], path.split('/'), name))
  for (const name of ['b.mkv', 'B.MKV']) assert.throws(() => rename('Show/one/a.mkv', name), refuses('StateConflict'))
  for (const name of ['two', 'README', 'TWO']) assert.throws(() => rename('Show/one', name), refuses('StateConflict'))
  assert.deepEqual(rename('Show/one/a.mkv', 'A.MKV').path, ['Show', 'one', 'A.MKV'])
  for (const path of ['', 'Show/three', 'Show/one/a.mkv/x', 'show', 'Show/one/', '../Show', 'Show/../Show'])
    assert.throws(() => rename(path, 'x'), refuses('FileNotFound'), path)
})

test('what is no name of a file is refused: paths, reserved names, marks that hide or turn, too long', () => {
  const bad = [
    ...['', '.', '..', '../x', '/x', 'a/b', 'a\\b', 'a\0b', 'a\nb', 'x.', 'x ', '   '],
    ...['CON', 'nul.txt', 'COM1', 'lpt9.mkv', 'aux'],
    ...['\u202egpj.exe', 'a\u2066b', '\u200f', '\u200b', '\u200b\u200d\ufeff', '\ufeffx', '\ud800', 'a\udc00'],
    ...['x'.repeat(256), 'é'.repeat(128), 'x'.repeat(4000)],
  ]
  for (const name of bad)
    assert.throws(() => runSteps(renamed(own, [], ['Show', 'readme'], name)), refuses('InvalidParameter'), name)
  const good = [
    'x'.repeat(255),
    '<img src=x onerror=alert(1)>',
    '.hidden',
    'שלום.mkv',
    '👩‍👩‍👧.mkv',
    '__proto__',
    'a?*"',
  ]
  for (const name of good) assert.deepEqual(paths(after(['Show/readme', name]).files).at(-1), `Show/${name}`)
})

test('neither a path below a renamed folder nor all names together grow without end', () => {
  const deep = filesOf(`a/${'d/'.repeat(60)}${'x'.repeat(200)}`, `a/${'long/'.repeat(380)}end`)
  const longest = MAX_PATH_BYTES - Buffer.byteLength(deep[1]?.path.slice(1).join('/') ?? '') - 1
  assert.throws(() => runSteps(renamed(deep, [], ['a'], 'n'.repeat(longest + 1))), refuses('InvalidParameter'))
  assert.equal(runSteps(renamed(deep, [], ['a'], 'n'.repeat(longest))).isSame, false)
  const many = filesOf(...Array.from({ length: MAX_RENAMED + 1 }, (_, n) => `t/${n}`))
  const names: FileNames = many.slice(0, MAX_RENAMED).map(({ path }) => [path.join('/'), `r${path.at(-1)}`] as const)
  const named = runSteps(namedFiles(many, names))
  assert.throws(() => runSteps(renamed(named, names, ['t', String(MAX_RENAMED)], 'x')), refuses('InvalidParameter'))
  // One that has another name already may get a further one.
  assert.equal(runSteps(renamed(named, names, ['t', 'r0'], 'again')).names.length, MAX_RENAMED)
})
