// Lines of the command line by what a terminal has room for: `watch`, `info`, sizes in three systems of units, names
// of strangers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellsOf, cutTo, fitTo } from '../../../src/cli/cells.ts'
import { infoText } from '../../../src/cli/info-text.ts'
import { printable, tableText } from '../../../src/cli/show.ts'
import { bytesOf, plainRateText, rateText, sizeText } from '../../../src/cli/units.ts'
import { plainLine, screenLines, watchLine } from '../../../src/cli/watch-lines.ts'
import { downloadRow } from './download-row.ts'

const LONG = 'Sintel.2010.Durian.Open.Movie.Project.2160p.BluRay.Remux.HEVC.DTS-HD.MA.5.1'

test('a line of watch has speed, time left and state where there are 80 columns, and more where there are more', () => {
  const row = downloadRow({ name: LONG })
  const at = (columns: number): string => screenLines([row], { columns, rows: 24 })[0] ?? ''
  assert.equal(at(80), 'Sintel.2010.Durian.Ope… █░░░░░░░░░░  12.3%   1.5 MiB/s   1h 23m  downloading')
  assert.match(at(120), /^Sintel.* [█░]+ {2}12\.3% {3}143 MiB {3}1\.5 MiB\/s {3}1h 23m {3}12 peers {2}downloading$/)
  assert.match(at(160), /1\.5 MiB\/s {3}2\.0 KiB\/s {3}1h 23m/)
  assert.equal(at(40), 'Sintel.2010…  12.3%   1.5 MiB/s 1h 23m')
  const stopped = screenLines([{ ...row, status: 'DLSTATUS_STOPPED', speed_down: 0 }], { columns: 40, rows: 24 })
  assert.match(stopped[0] ?? '', / 12\.3% +stopped$/)
  for (let columns = 1; columns < 300; columns += 1) assert.ok(cellsOf(at(columns)) < Math.max(2, columns), at(columns))
})

test('columns stay where they are, whatever letters the names have', () => {
  const names = ['Sintel', '千と千尋の神隠し 2001 宮崎駿 ブルーレイ 劇場版', 'e\u0301te\u0301', '🎬 film', 'عربي']
  const lines = names.map(name => watchLine(downloadRow({ name }), 79))
  const places = lines.map(line => cellsOf(line.slice(0, line.indexOf('12.3%'))))
  assert.deepEqual(new Set(places).size, 1, lines.join('\n'))
  for (const line of lines) assert.ok(cellsOf(line) <= 79)
})

test('without a terminal a line has all of it', () => {
  const line = plainLine(downloadRow({ speed_up: 0 }))
  assert.equal(
    line,
    `${'Sintel'.padEnd(40)} ${'██'.padEnd(24, '░')}  12.3%  143 MiB  1.5 MiB/s  1h 23m  12 peers  downloading`,
  )
})

test('info says the facts in words and units', () => {
  const text = infoText(downloadRow())
  for (const line of [
    'Sintel',
    '  State      downloading',
    '  Done       12.3% of 143 MiB',
    '  Down       1.5 MiB/s, limit 2.0 MiB/s',
    '  Time left  1h 23m',
    '  Peers      12 connected, 3 of them seeds; trackers know 40 peers and 7 seeds',
    '  Moved      17.2 MiB down, 1.0 KiB up, ratio 0.50',
    '  Seeds      as long as the settings say',
    '  Labels     films, blender',
    '  Trackers   1',
  ])
    assert.ok(text.split('\n').includes(line), `${line}\n${text}`)
  assert.match(text, /^ {2}Added {6}2026-11-2\d \d\d:\d\d$/m)
  for (const raw of ['DLSTATUS', '1795375563', 'vod_', '0.123', ' -2', 'undefined', 'Anonymity', 'Error'])
    assert.ok(!text.includes(raw), `${raw}\n${text}`)
  const other = infoText(
    downloadRow({
      progress: 1,
      seeding_ratio: 2,
      seeding_time: -1,
      hops: 1,
      stalled_volume: '/mnt',
      error: 'no\u001b',
    }),
  )
  assert.match(other, /Seeds +until ratio 2, without an end in time\n/)
  assert.match(other, /Anonymity +1 hop\n/)
  assert.match(other, /State +downloading; the disk at \/mnt does not answer\n/)
  assert.match(other, /Error +no\ufffd\n/)
  assert.ok(!/Time left|Copies/.test(other))
})

test('one size in three systems of units', () => {
  const sizes: [number, string, string][] = [
    [0, '0 B', '0 B'],
    [999, '999 B', '999 B'],
    [1024, '1.0 KiB', '1.0 kB'],
    [150_000_000, '143 MiB', '150 MB'],
    [99.96 * 1024, '100 KiB', '102 kB'],
    [1023.6 * 1024, '1.0 MiB', '1.0 MB'],
    [1.5 * 1024 ** 3, '1.5 GiB', '1.6 GB'],
    [7e18, '6217 PiB', '7000 PB'],
  ]
  for (const [bytes, binary, decimal] of sizes)
    assert.deepEqual(
      [sizeText(bytes, 'binary'), sizeText(bytes, 'decimal'), sizeText(bytes, 'bits')],
      [binary, decimal, decimal],
    )
  assert.equal(sizeText(150_000_000), '143 MiB', 'binary is the default, as in the dashboard')
  assert.deepEqual([rateText(0.5), plainRateText(0), rateText(1e6, 'decimal')], ['', '0 B/s', '1.0 MB/s'])
  assert.deepEqual([rateText(1e6, 'bits'), plainRateText(0, 'bits')], ['8.0 Mbit/s', '0 bit/s'])
})

test('what is shown can be typed', () => {
  const typed: [string, number | null][] = [
    ['0', 0],
    ['500000', 500_000],
    ['500k', 512_000],
    ['1M', 1_048_576],
    ['1.5 MiB/s', 1_572_864],
    ['2MB', 2_000_000],
    ['2kB/s', 2000],
    ['8Mbit', 1_000_000],
    ['8 Mbit/s', 1_000_000],
    ['1G', 1024 ** 3],
    ['64KiB', 65_536],
    ['100 B', 100],
    ['800bit', 100],
    ['1Mb', null],
    ['-1', null],
    ['', null],
    ['k', null],
    ['1e3', null],
    ['1x', null],
    ['999999999999T', null],
    [`1${'0'.repeat(5000)}`, null],
  ]
  for (const [text, bytes] of typed) assert.equal(bytesOf(text), bytes, text)
  for (const bytes of [1, 1000, 123_456_789, 1e12])
    for (const units of ['binary', 'decimal'] as const) {
      const read = bytesOf(sizeText(bytes, units)) ?? Number.NaN
      assert.ok(Math.abs(read - bytes) <= bytes * 0.05, `${bytes} ${units}: ${read}`)
    }
})

test('names of strangers: nothing that a terminal obeys, that turns others round, that is unseen', () => {
  for (const bad of [
    '\u001b',
    '\u0007',
    '\n',
    '\t',
    '\u009b',
    '\u202e',
    '\u2066',
    '\u200b',
    '\u200f',
    '\u061c',
    '\ufeff',
    '\u2060',
    '\u00ad',
    '\u3164',
    '\u{e0041}',
    '\ud800',
    '\u2028',
  ])
    assert.equal(printable(`a${bad}b`), 'a\ufffdb', JSON.stringify(bad))
  assert.equal(printable('می\u200cخواهم'), 'میخواهم', 'a joiner of Persian goes without a mark')
  assert.equal(printable('👩\u200d🚀'), '👩🚀')
  assert.equal(printable(`a${'\u0301'.repeat(4000)}b`), `a${'\u0301'.repeat(4)}b`)
  assert.equal(printable('Amélie 千と千尋 עברית'), 'Amélie 千と千尋 עברית')
})

test('cells of a terminal', () => {
  assert.deepEqual(['', 'abc', '千と', 'e\u0301', '🎬', '…█'].map(cellsOf), [0, 3, 4, 1, 2, 2])
  assert.deepEqual(
    [cutTo('千と千尋', 5), cutTo('千と千尋', 8), cutTo('abc', 0), cutTo('abc', 1)],
    ['千と…', '千と千尋', '', '…'],
  )
  assert.deepEqual([fitTo('千と', 6), fitTo('千と', 6, true), fitTo('abcdef', 3)], ['千と  ', '  千と', 'ab…'])
  const columns = [{ head: 'A' }, { head: 'NAME' }]
  assert.equal(
    tableText(
      columns,
      [
        ['千と', 'x'],
        ['b', '千と千尋'],
      ],
      9,
    ),
    'A     NA…\n千と  x\nb     千…\n',
  )
})
