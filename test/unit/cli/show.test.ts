// What people read on a terminal.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chosenFile, chosenOf } from '../../../src/cli/chosen.ts'
import { linksOf, playerArguments } from '../../../src/cli/player.ts'
import type { Download, DownloadFile } from '../../../src/client/core-routes.ts'
import { screenLines } from '../../../src/cli/watch-lines.ts'
import { barText, percentText, plainText, printable, tableText, timeText } from '../../../src/cli/show.ts'

test('times, parts', () => {
  const times: [number, string][] = [
    [0, '0s'],
    [59, '59s'],
    [61, '1m 1s'],
    [3600, '1h 0m'],
    [90_000, '1d 1h'],
    [8_640_000, '∞'],
  ]
  for (const [seconds, text] of times) assert.equal(timeText(seconds), text)
  assert.deepEqual([percentText(0.9999), percentText(1), percentText(0)], ['99.9%', '100%', '0.0%'])
  assert.deepEqual([barText(0.5, 4), barText(2, 4), barText(-1, 2)], ['██░░', '████', '░░'])
})

test('tables are flush, and lines end where the terminal does', () => {
  const columns = [{ head: 'A' }, { head: 'N', right: true }, { head: 'NAME' }]
  const rows = [
    ['aa', '1', 'short'],
    ['b', '10', 'long name \u001b[31m'],
  ]
  assert.equal(
    tableText(columns, rows, Number.POSITIVE_INFINITY),
    'A    N  NAME\naa   1  short\nb   10  long name \ufffd[31m\n',
  )
  assert.equal(tableText(columns, rows, 14), 'A    N  NAME\naa   1  short\nb   10  long …\n')
})

test('any answer as indented lines, without control characters', () => {
  const value = { a: 1, list: [{ x: 'y\n', z: [] }, 'w'], none: {}, deep: { b: null } }
  assert.equal(plainText(value), 'a: 1\nlist:\n  - x: y\ufffd\n    z: (none)\n  - w\nnone: {}\ndeep:\n  b: null\n')
  assert.equal(printable('a\u202eb\u0007\u009b'), 'a\ufffdb\ufffd\ufffd')
})

test('a download is found by what is typed, or said to be one of several', () => {
  const row = (infohash: string, name: string): Download =>
    ({ infohash: infohash.padEnd(40, '0'), infohash_v2: null, name }) as unknown as Download
  const all = [row('abcd1', 'Film'), row('abcd2', 'Film two'), row('beef', 'dead')]
  const found = (text: string): string => chosenOf(all, text).name
  assert.equal(found('Film'), 'Film')
  assert.equal(found('two'), 'Film two')
  assert.equal(found('beef'), 'dead')
  assert.equal(found(`ABCD2${'0'.repeat(35)}`), 'Film two')
  assert.throws(() => found('abcd'), /2 downloads are like abcd/)
  assert.throws(() => found('film'), /2 downloads/)
  assert.throws(() => found('none\u001b'), /no download like none\ufffd\./)
  const files = [
    { index: 0, name: 'a/1.mkv' },
    { index: 1, name: 'a/0.mkv' },
  ] as unknown as DownloadFile[]
  assert.deepEqual([chosenFile(files, '1').index, chosenFile(files, '0.mkv').index], [1, 1])
  assert.throws(() => chosenFile(files, 'mkv'), /2 files/)
})

test('a playlist becomes arguments of a player', () => {
  const links = linksOf(
    '#EXTM3U\n#PLAYLIST:x\n#EXTINF:-1,a\n#EXTVLCOPT:input-slave=http://s/1#http://s/2\nhttp://f/1\n#EXTINF:-1,b\nhttp://f/2\n',
  )
  assert.deepEqual(playerArguments('mpv', links), [
    ...['--{', '--sub-file=http://s/1', '--sub-file=http://s/2', 'http://f/1', '--}'],
    'http://f/2',
  ])
  assert.deepEqual(playerArguments('/usr/bin/vlc', links), [
    'http://f/1',
    ':input-slave=http://s/1#http://s/2',
    'http://f/2',
  ])
  assert.deepEqual(playerArguments('ffplay', links), ['http://f/1', 'http://f/2'])
})

test('a watched list draws no more lines than the terminal has, those that move first', () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => ({
    name: `download ${at}`,
    progress: at === 9000 ? 0.5 : 1,
    status: 'DLSTATUS_SEEDING',
    queued: false,
    size: 1000,
    speed_down: at === 9000 ? 500 : 0,
    speed_up: 0,
    eta: 10,
    num_connected_peers: 0,
    total_pieces: 1,
  })) as unknown as Download[]
  const lines = screenLines(rows, { columns: 60, rows: 24 })
  assert.equal(lines.length, 23)
  assert.match(lines[0] ?? '', /^download 9000/)
  assert.equal(lines.at(-1), 'and 9978 more')
  for (const line of lines) assert.ok([...line].length < 60)
  assert.equal(screenLines(rows.slice(0, 3), { columns: 60, rows: 24 }).length, 3)
  assert.equal(screenLines(rows, { columns: 60, rows: 1 }).length, 1)
})
