// Programs that a benchmark started: each is killed at the latest when the benchmark ends, however it ends.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'

const running = new Set<ChildProcess>()
const folders = new Set<string>()

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))

/** Kills `child` when this process ends before it. */
export function killAtExit(child: ChildProcess): void {
  running.add(child)
  child.once('close', () => running.delete(child))
}

/** Removes `folder` when this process ends. */
export function removeAtExit(folder: string): void {
  folders.add(folder)
}

/** A program of another project, running. */
export interface OwnedProcess {
  readonly child: ChildProcess
  readonly pid: number
  /** The last 16 KiB it printed. */
  output(): string
  /** Throws with the output when it has ended. */
  assertRunning(): void
  /** SIGTERM, after `graceMs` SIGKILL; resolves when it has ended. */
  stop(graceMs?: number): Promise<void>
}

/** Starts `program` with its output kept for error messages; `stdin` and `stdout` 'pipe' leave those to the caller. */
export function startOwned(
  program: string,
  args: readonly string[],
  options: { env?: Record<string, string>; talk?: boolean } = {},
): OwnedProcess {
  const env = { ...process.env, ...options.env }
  const child = spawn(program, args, { env, stdio: [options.talk ? 'pipe' : 'ignore', 'pipe', 'pipe'] })
  killAtExit(child)
  let text = ''
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-16384)
  }
  if (!options.talk) child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  child.on('error', error => keep(Buffer.from(error.message)))
  const over = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined
  return {
    child,
    pid: child.pid ?? 0,
    output: () => text,
    assertRunning() {
      if (over()) throw new Error(`${program} ended: ${text}`)
    },
    async stop(graceMs = 10_000) {
      if (over()) return
      const ended = once(child, 'close')
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await ended
      clearTimeout(late)
    },
  }
}
