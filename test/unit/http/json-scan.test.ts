// The look at a body before it is parsed: what is too deep, what only looks so, and that it goes in turns.

import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import { scanJson } from '../../../src/http/json-scan.ts'

const scan = async (text: string | Buffer): Promise<string> => {
  try {
    await scanJson(Buffer.from(text))
    return 'fine'
  } catch (error) {
    return (error as Error).message
  }
}
const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
/** Longer than a turn, so that what follows lies in another one. */
const FILL = 'x'.repeat(600 * 1024)

test('64 levels are fine, 65 are not, wherever they lie', async () => {
  assert.equal(await scan(nested(64)), 'fine')
  assert.match(await scan(nested(65)), /deeper than 64/)
  assert.match(await scan(`{"a":"${FILL}","b":${'{"c":'.repeat(70)}`), /deeper than 64/)
  assert.equal(await scan(`{"a":[${'[],'.repeat(5000)}[]]}`), 'fine')
})

test('brackets in texts do not count, whatever is escaped, also where a turn ends', async () => {
  const deep = '['.repeat(100)
  for (const text of [deep, `\\"${deep}`, `\\\\\\"${deep}`, `${deep}\\\\`]) {
    assert.equal(await scan(`{"a":"${text}"}`), 'fine', text)
    for (let more = -3; more <= 3; more++) {
      const fill = 'y'.repeat(512 * 1024 - 6 + more)
      assert.equal(await scan(`{"a":"${fill}${text}"}`), 'fine', `${text} ${more}`)
    }
  }
  for (const text of ['\\\\', 'a\\\\\\\\']) assert.match(await scan(`{"a":"${text}",${deep}`), /deeper/, text)
})

test('a million values at most', async () => {
  assert.equal(await scan(`[${'0,'.repeat(999_998)}0]`), 'fine')
  assert.match(await scan(`[${'0,'.repeat(1_000_000)}0]`), /1000000 values/)
})

test('16 MB go in turns, and what is too deep ends at once', async () => {
  const body = Buffer.alloc(16 * 1024 * 1024, '"x\\"[{ ",[],')
  let turns = 0
  let done = false
  const looking = scan(body.fill(0x78, 1024, body.length - 1024)).finally(() => {
    done = true
  })
  while (!done) {
    await nextTurn()
    turns += 1
  }
  assert.match(await looking, /fine|deeper/)
  assert.ok(turns >= 30, `${turns} turns`)
  assert.throws(() => void scanJson(Buffer.alloc(16 * 1024 * 1024, '[')), /deeper/)
})
