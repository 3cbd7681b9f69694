// Lines of the log as the page shows them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsOf, readLogLine, wantedLines } from '../../../src/web/model/log-lines.ts'

const LINES = [
  '{"level":"info","time":"2026-11-28T09:36:41.000Z","part":"dht","msg":"nodes were found","count":12}',
  '{"level":"warn","time":"2026-11-28T09:36:42.000Z","part":"tracker","msg":"no answer"}',
  '{"level":"fatal","time":"x","msg":"the end"}',
  'last words of a library',
  '[1,2]',
].map(readLogLine)

test('a line is time, level, part, and a text with its facts; another text is what it is', () => {
  assert.deepEqual(LINES[0], {
    atMs: Date.UTC(2026, 10, 28, 9, 36, 41),
    level: 'info',
    part: 'dht',
    text: 'nodes were found (count 12)',
  })
  assert.deepEqual(LINES[2], { atMs: null, level: 'error', part: '', text: 'the end' })
  assert.deepEqual(LINES[3], { atMs: null, level: 'info', part: '', text: 'last words of a library' })
  assert.equal(LINES[4]?.text, '[1,2]')
})

test('narrowed by level and worse, part, and words in any case and order', () => {
  const textsOf = (choice: Partial<Parameters<typeof wantedLines>[1]>) =>
    wantedLines(LINES, { level: 'debug', part: '', words: '', ...choice }).map(({ text }) => text)
  assert.deepEqual(textsOf({ level: 'warn' }), ['no answer', 'the end'])
  assert.deepEqual(textsOf({ part: 'dht' }), ['nodes were found (count 12)'])
  assert.deepEqual(textsOf({ words: ' FOUND dht ' }), ['nodes were found (count 12)'])
  assert.deepEqual(textsOf({ words: 'found tracker' }), [])
  assert.equal(textsOf({}).length, LINES.length)
  assert.deepEqual(partsOf(LINES), ['dht', 'tracker'])
})

test('what others write does nothing in the page, and is bounded', () => {
  const hostile = JSON.stringify({
    level: 'info',
    part: 'p\u202e',
    msg: 'a\u0007\u001b[31m\u200b\u2066b\u2028c',
    by: 'x'.repeat(1e5),
  })
  const { part, text } = readLogLine(hostile)
  assert.equal(part, 'p\ufffd')
  assert.match(text, /^a\ufffd\ufffd\[31m\ufffd\ufffdb\ufffdc \(by x+/)
  assert.equal(text.length, 2000)
})
