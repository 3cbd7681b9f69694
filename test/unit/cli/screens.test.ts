// What `top` draws on screens of any size, and how lines of the log are chosen, shown and followed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellsOf } from '../../../src/cli/cells.ts'
import { isWanted, logText, newLines } from '../../../src/cli/log-lines.ts'
import { SORTS, topLines, topRoom } from '../../../src/cli/top-lines.ts'
import { downloadRow } from './download-row.ts'

const states = { downloading: 2, seeding: 30, queued: 0, stopped: 1, trouble: 1 }
const totals = { count: 34, speed_down: 3 * 1024 * 1024, speed_up: 0, states } as unknown as Parameters<
  typeof topLines
>[0]['totals']
const [byDown] = SORTS
const rows = Array.from({ length: 34 }, (_, at) => downloadRow({ name: `千と千尋 ${at}` }))

test('top has totals, as many downloads as fit, and its keys', () => {
  const lines = topLines({ totals, rows, sort: byDown }, { columns: 80, rows: 24 })
  assert.equal(lines.length, 23)
  assert.equal(lines[0], '↓ 3.0 MiB/s  ↑ 0 B/s  34 downloads, 2 downloading, 30 seeding, 1 stopped, 1 tr…')
  assert.match(lines[2] ?? '', /^千と千尋 0 .*1\.5 MiB\/s {3}1h 23m {2}downloading$/)
  assert.match(lines.at(-1) ?? '', /^and 14 more {2}by download {2}q quit {2}d download {2}u upload {2}p progress/)
  for (const columns of [1, 2, 10, 40, 80, 120, 300])
    for (const height of [1, 2, 3, 4, 12, 50]) {
      const drawn = topLines({ totals, rows, sort: byDown }, { columns, rows: height })
      assert.ok(drawn.length <= Math.max(1, height - 1), `${columns}x${height}`)
      for (const line of drawn) assert.ok(cellsOf(line) <= Math.max(1, columns - 1), line)
    }
  assert.equal(topRoom({ rows: 1 }), 1)
})

test('top without downloads says what to do', () => {
  const none = { count: 0, speed_down: 0, speed_up: 0, states: {} } as unknown as typeof totals
  const lines = topLines({ totals: none, rows: [], sort: byDown }, { columns: 80, rows: 24 })
  assert.deepEqual(lines.slice(0, 3), [
    '↓ 0 B/s  ↑ 0 B/s  0 downloads',
    '',
    'No downloads yet: tributary add MAGNET|FILE',
  ])
})

const lineOf = (level: string, part: string, msg: string): string =>
  JSON.stringify({ level, time: '2026-11-28T09:36:41.711Z', part, port: 7759, msg })

test('a line of the log for people', () => {
  assert.equal(logText(lineOf('info', 'overlay', 'it runs')), '2026-11-28 09:36:41 info  overlay: it runs (port 7759)')
  assert.equal(logText('{"level":"warn","time":"x","msg":"a\\u001b[2J"}'), 'x warn  a\ufffd[2J')
  assert.equal(logText('no JSON \u0007'), 'no JSON \ufffd')
  assert.equal(logText('[1]'), '[1]')
  assert.equal(logText('null'), 'null')
  assert.equal(logText('{}').trim(), '')
})

test('lines by level and part', () => {
  const wanted = (level: 'debug' | 'warn' | 'error' | null, part: string | null) =>
    ['debug', 'info', 'warn', 'error', 'fatal'].filter(one => isWanted(lineOf(one, 'dht', ''), { level, part }))
  assert.deepEqual(wanted('warn', null), ['warn', 'error', 'fatal'])
  assert.deepEqual(wanted('debug', 'dht').length, 5)
  assert.deepEqual(wanted(null, 'dh'), [])
  assert.equal(isWanted('no JSON', { level: 'error', part: null }), false)
  assert.equal(isWanted('no JSON', { level: null, part: null }), true)
})

test('what is new in the end of a log, whether it grows, moves on, repeats itself or begins again', () => {
  const fresh = (before: string, now: string) => {
    const { lines, missed } = newLines([...before], [...now])
    return `${lines.join('')}${missed ? '!' : ''}`
  }
  assert.equal(fresh('', 'ab'), 'ab')
  assert.equal(fresh('ab', 'ab'), '')
  assert.equal(fresh('ab', 'abc'), 'c')
  assert.equal(fresh('abc', 'cde'), 'de')
  assert.equal(fresh('abab', 'ababab'), 'ab')
  assert.equal(fresh('abc', 'xyz'), 'xyz!')
  assert.equal(fresh('abc', ''), '!')
  const long = Array.from({ length: 1000 }, () => 'same')
  const began = process.cpuUsage()
  assert.deepEqual(newLines([...long, 'x'], [...long, 'y']).missed, true)
  assert.ok(process.cpuUsage(began).user < 2_000_000)
})
