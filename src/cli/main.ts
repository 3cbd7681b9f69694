#!/usr/bin/env node
// The command line begins here. A plain start reads its few flags itself; everything else, and a start with anything
// unusual, is for the reader of all commands (commands.ts), which is loaded then.

import { readPlainFlags } from './start-flags.ts'
import { runStart, type Work } from './start-node.ts'

/** The work of a plain start; null: this is none. The flags are dropped: a key among them must not stay in memory. */
function plainStart(): Work | null {
  if (process.argv[2] !== 'start') return null
  const flags = readPlainFlags(process.argv.slice(3))
  if (flags === null) return null
  process.argv.splice(2)
  return runStart(flags)
}

async function readCommand(): Promise<Work | null> {
  const { readArguments } = await import('./commands.ts')
  return readArguments()
}

async function main(): Promise<void> {
  const work = plainStart() ?? (await readCommand())
  if (work !== null) process.exitCode = await work()
}

// Not awaited at the top: the bundle is a script, and scripts cannot.
void main()
