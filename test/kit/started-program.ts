// A program of another project that a test starts, speaks with and ends, such as a player.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Characters of what it says that are kept. */
const MAX_TEXT = 1_000_000

/** A program that runs, and what it has said. */
export interface StartedProgram {
  readonly child: ChildProcess
  /** All that it has said so far, on both of its outputs: its first million characters. */
  text(): string
  /** Ends it, and waits until it has gone. */
  stop(): Promise<void>
}

/** What may be said of a start. */
export interface ProgramOptions {
  /** Default: that of the test. */
  readonly env?: NodeJS.ProcessEnv
  /** It starts others, which are to end with it: it gets a process group of its own. */
  readonly hasOthers?: boolean
}

/** Starts a command: a program and its arguments. A program that is not there makes stop() reject. */
export function startProgram([program = '', ...args]: readonly string[], options: ProgramOptions = {}): StartedProgram {
  const { env = process.env, hasOthers = false } = options
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env, detached: hasOthers })
  let text = ''
  const keep = (chunk: Buffer): void => {
    if (text.length < MAX_TEXT) text += chunk.toString()
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  child.stdin.on('error', () => undefined)
  const gone = once(child, 'exit')
  gone.catch(() => undefined)
  return {
    child,
    text: () => text,
    async stop() {
      const runs = child.exitCode === null && child.signalCode === null && child.pid !== undefined
      if (runs && hasOthers) process.kill(-(child.pid ?? 0), 'SIGKILL')
      else child.kill('SIGKILL')
      await gone
    },
  }
}
