// A process of another program, run once: it is given bytes, and gives bytes. It has no environment, no file but its
// three pipes, a group of its own, and an end: what takes too long, writes too much or is not wanted any more is killed
// with all that it has started.

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setPriority } from 'node:os'
import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import { ConversionFailed } from '../ports/film-converter.ts'

/** What of standard error is kept: the first words say most. */
const MAX_SAID_BYTES = 2048
/** Players are not the only ones who want the processor. */
const NICENESS = 10

/** What it is, and may take. */
export interface BoundedProcessOptions {
  readonly clock: Clock
  /** Program, and its arguments. */
  readonly command: readonly string[]
  readonly input: Uint8Array
  readonly wallMs: number
  readonly maxOutputBytes: number
  /** Called with what the process said on standard error when it failed: never for clients. */
  readonly failed?: (said: string) => void
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** Processes that run, to end them all. */
export class BoundedProcesses {
  readonly #ends = new Set<() => Promise<void>>()
  #stopped = false

  /** How many run. */
  get running(): number {
    return this.#ends.size
  }

  /**
   * What one wrote. Rejects with ConversionFailed, and with AppError Aborted as soon as `signal` fires, and after
   * stop().
   */
  run(options: BoundedProcessOptions, signal: AbortSignal): Promise<Uint8Array> {
    if (signal.aborted || this.#stopped) return Promise.reject(new AppError('Aborted'))
    const [program = '', ...args] = options.command
    const child = spawn(program, args, { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    const gone = new Promise<void>(resolve => child.once('exit', () => resolve()).once('error', () => resolve()))
    const end = (): Promise<void> => {
      killed(child)
      return gone
    }
    this.#ends.add(end)
    void gone.then(() => this.#ends.delete(end))
    return outputOf(child, options, signal)
  }

  /** Kills all, and settles when they have ended; none begins after that. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all([...this.#ends].map(end => end()))
  }
}

/** It, and all that it has started in its group. */
function killed(child: Child): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function outputOf(child: Child, options: BoundedProcessOptions, signal: AbortSignal): Promise<Uint8Array> {
  const { clock, input, wallMs, maxOutputBytes, failed } = options
  if (child.pid !== undefined) lowered(child.pid)
  return new Promise((resolve, reject) => {
    const said = new FirstBytes()
    const chunks: Buffer[] = []
    let length = 0
    const settle = (error: Error | null): void => {
      timer.cancel()
      signal.removeEventListener('abort', leave)
      // Also what it has left behind and what holds its pipes open.
      killed(child)
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      if (error instanceof ConversionFailed) failed?.(said.text)
      if (error === null) resolve(Buffer.concat(chunks, length))
      else reject(error)
    }
    const leave = (): void => settle(new AppError('Aborted'))
    const timer = clock.after(wallMs, () => settle(new ConversionFailed('it takes too long', true)))
    signal.addEventListener('abort', leave, { once: true })
    // It may end before it has read all, which its exit tells.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > maxOutputBytes) settle(new ConversionFailed('too much comes of it'))
      else chunks.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => said.add(chunk))
    child.on('error', () => settle(new ConversionFailed('the program cannot be started')))
    child.on('close', (code, ended) => settle(code === 0 ? null : new ConversionFailed(reasonOf(ended))))
  })
}

function reasonOf(ended: string | null): string {
  if (ended === 'SIGXCPU' || ended === 'SIGKILL') return 'it takes too much of the processor'
  return ended === null ? 'the program refuses it' : 'the program broke down'
}

function lowered(pid: number): void {
  try {
    setPriority(pid, NICENESS)
  } catch {
    // It has ended, or may not be.
  }
}

/** The first bytes of what comes; the rest is read and forgotten. */
class FirstBytes {
  readonly #chunks: Buffer[] = []
  #left = MAX_SAID_BYTES

  add(chunk: Buffer): void {
    if (this.#left <= 0) return
    this.#chunks.push(Buffer.from(chunk.subarray(0, this.#left)))
    this.#left -= chunk.length
  }

  get text(): string {
    return Buffer.concat(this.#chunks)
      .toString('latin1')
      .replaceAll(/[^ -~\n]/g, '?')
  }
}
