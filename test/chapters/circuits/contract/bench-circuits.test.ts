// The benchmark of circuits in its shortest form: it prints figures of a pure relay and of three hops as they come, and
// ends.

import { test } from 'node:test'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../../kit/project-root.ts'

const LIMIT_MS = 180_000

async function shortRun(): Promise<string> {
  const { IPV8_CHECKOUT: _, ...env } = process.env
  const program = join(projectRoot, 'dist/test/chapters/circuits/bench/circuits.js')
  const args = [program, '--level', 'quick', '--rounds', '1', '--seconds', '0.3']
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: LIMIT_MS, maxBuffer: 1 << 24 })
  return stdout
}

test('bench-circuits prints what a relay and three hops give and cost', { timeout: LIMIT_MS }, async () => {
  const text = await shortRun()
  // Lines that come while it runs.
  const relay =
    /^[\d:]+ pure relay, 1 circuit: tributary: ([\d.]+) MB\/s, ([\d.]+) CPU-s\/GiB, (\d+) cells\/s, ([\d.]+) CPU us\/cell$/m
  const found = relay.exec(text)
  assert.ok(found !== null, text)
  for (const figure of found.slice(1)) assert.ok(Number(figure) > 0, text)
  assert.match(text, /^[\d:]+ pure relay, 1 circuit, backward: tributary: \d/m)
  for (const way of ['up', 'down']) assert.match(text, new RegExp(`^[\\d:]+ 3 hops ${way}: tributary: [1-9]\\d*`, 'm'))
  // And the tables at the end.
  assert.match(text, /^## pure relay, 1 circuit$/m)
  assert.match(text, /^\| pure relay, 1 circuit +\| CPU us\/cell/m)
  assert.match(text, /py-ipv8 is missing/)
})
