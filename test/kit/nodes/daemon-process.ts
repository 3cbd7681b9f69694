// A program of another project, running beside a test: started, watched, killed at the end.

import { type ChildProcess, spawn } from 'node:child_process'
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'

export interface DaemonProcess {
  readonly child: ChildProcess
  /** What it printed so far (the last 64 KiB). */
  output(): string
  /** Throws with the output when the program has ended. */
  assertRunning(): void
  stop(): Promise<void>
  /** Asks it to end, and waits until it has: what it keeps is on disk then. */
  quit(): Promise<void>
}

/**
 * What runs before the programs of other projects, for what is started within: `hostPrefix.run(['nsenter', ...],
 * start)`.
 */
export const hostPrefix = new AsyncLocalStorage<readonly string[]>()

/** A command with the prefix that holds now. */
export function prefixed(program: string, args: readonly string[]): { program: string; args: readonly string[] } {
  const [first = program, ...rest] = [...(hostPrefix.getStore() ?? []), program, ...args]
  return { program: first, args: rest }
}

/** Starts `program`; its output is kept for the report of a failing test. */
export function startDaemon(program: string, args: readonly string[], env: Record<string, string> = {}): DaemonProcess {
  const command = prefixed(program, args)
  const child = spawn(command.program, command.args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let text = ''
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-65536)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ended = once(child, 'exit')
  const over = () => child.exitCode !== null || child.signalCode !== null
  return {
    child,
    output: () => text,
    assertRunning() {
      if (over()) throw new Error(`${program} ended: ${text}`)
    },
    async quit() {
      if (over()) return
      child.kill('SIGTERM')
      await ended
    },
    async stop() {
      if (over()) return
      child.kill('SIGKILL')
      await ended
    },
  }
}
