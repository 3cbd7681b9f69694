// Plain flags of a start are read as the reader of all commands reads them; what is not plain is left to that.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import fc from 'fast-check'
import { addStartCommand } from '../../../src/cli/commands.ts'
import { readPlainFlags, type StartFlags } from '../../../src/cli/start-flags.ts'

/** Null: refused. */
function byCommander(args: readonly string[]): StartFlags | null {
  const found: StartFlags[] = []
  const program = new Command('tributary').exitOverride().configureOutput({ writeErr: () => undefined })
  addStartCommand(program, flags => void found.push(flags))
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => undefined })
  try {
    program.parse(['start', ...args], { from: 'user' })
  } catch {
    return null
  }
  return found[0] ?? null
}

const NAMES = ['--state-dir', '--port', '--host', '--api-key', '--api-key-file', '--log-level', '--set', '--nothing']
const VALUES = ['/a b', '0', '', '-', '--port', '-x', 'a.b=c', 'a.b=', 'a.b', 'A.b=c', 'a.b=c=d\ne', 'a.b=-1']

test('what is read plainly is what the reader of all commands makes of it', () => {
  const pair = fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES))
  const odd = fc.constantFrom(...NAMES, ...VALUES).map(word => [word])
  const args = fc.array(fc.oneof({ weight: 9, arbitrary: pair }, odd), { maxLength: 6 }).map(parts => parts.flat())
  let plain = 0
  fc.assert(
    fc.property(args, words => {
      const flags = readPlainFlags(words)
      if (flags === null) return
      plain += 1
      assert.deepEqual({ ...byCommander(words) }, flags)
    }),
    { numRuns: 2000 },
  )
  assert.ok(plain > 200, `${plain} of them`)
})

test('all flags in their plain form are read without it', () => {
  const words = NAMES.slice(0, -1).filter(name => name !== '--api-key-file')
  const flags = readPlainFlags(words.flatMap(name => [name, name === '--set' ? 'a.b=c' : 'x']))
  assert.deepEqual(flags?.set, [['a.b', 'c']])
  assert.equal(Object.keys(flags).length, words.length)
})
