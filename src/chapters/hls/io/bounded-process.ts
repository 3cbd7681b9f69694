// A process of another program, run once: it is given bytes, and gives bytes. It has no environment, no file but its
// three pipes, a group of its own, and an end: what takes too long, writes too much or is not wanted any more is killed
// with all that it has started.

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { availableParallelism, constants, setPriority } from 'node:os'
import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import { ConversionFailed } from '../ports/film-converter.ts'

/** What of standard error is kept: the first words say most. */
const MAX_SAID_BYTES = 2048
/** By how much the memory for what comes grows at a time. */
const GROWTH_BYTES = 1024 * 1024
/** Players are not the only ones who want the processor. */
const NICENESS = 10
/** What shells add to the number of the signal that ended a program. */
const SIGNALLED = 128
/** What ffmpeg says when its limit of the processor told it to end. */
const FFMPEG_SIGNALLED = 255

/** What it is, and may take. */
export interface BoundedProcessOptions {
  readonly clock: Clock
  /** Program, and its arguments. */
  readonly command: readonly string[]
  readonly input: Uint8Array
  readonly wallMs: number
  /** A limit of the processor that its command sets; absent = none. */
  readonly cpuSeconds?: number
  readonly maxOutputBytes: number
  /** Called with what the process said on standard error when it failed: never for clients. */
  readonly failed?: (said: string) => void
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** Starts a program; as spawn() of Node it may throw, or give one without streams. */
export type ProgramStart = (program: string, args: readonly string[]) => Child

const spawned: ProgramStart = (program, args) =>
  spawn(program, args, { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'pipe'], detached: true })

/** Processes that run, to end them all. */
export class BoundedProcesses {
  readonly #start: ProgramStart
  readonly #ends = new Set<() => Promise<void>>()
  #stopped = false

  constructor(start = spawned) {
    this.#start = start
  }

  /** How many run. */
  get running(): number {
    return this.#ends.size
  }

  /**
   * What one wrote, in memory that threads can share. Rejects with ConversionFailed, and with AppError Aborted as soon
   * as `signal` fires, and after stop().
   */
  run(options: BoundedProcessOptions, signal: AbortSignal): Promise<Uint8Array> {
    if (signal.aborted || this.#stopped) return Promise.reject(new AppError('Aborted'))
    const child = started(this.#start, options.command)
    if (child === null) return Promise.reject(new ConversionFailed('the program cannot be started', 'busy'))
    const gone = new Promise<void>(resolve => child.once('exit', () => resolve()).once('error', () => resolve()))
    const end = (): Promise<void> => {
      killed(child)
      return gone
    }
    this.#ends.add(end)
    void gone.then(() => this.#ends.delete(end))
    return outputOf(child, options, signal)
  }

  /** Kills all, and settles when they have ended. None is started any more. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all([...this.#ends].map(end => end()))
  }
}

/** Null: the system has no room for another process, or no descriptors for its pipes. */
function started(start: ProgramStart, [program = '', ...args]: readonly string[]): Child | null {
  try {
    const child = start(program, args)
    // Without descriptors there are no streams (documentation of subprocess.stdin), and an error follows.
    if ((child.stdin as Writable | undefined) !== undefined) return child
    child.once('error', () => undefined)
    return null
  } catch {
    return null
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
  const since = clock.now()
  if (child.pid !== undefined) lowered(child.pid)
  return new Promise((resolve, reject) => {
    const said = new FirstBytes()
    const output = new BoundedOutput(maxOutputBytes)
    let isSettled = false
    const settle = (error: Error | null): void => {
      // A second time its number may be that of another.
      if (isSettled) return
      isSettled = true
      timer.cancel()
      signal.removeEventListener('abort', leave)
      // Also what it has left behind and what holds its pipes open.
      killed(child)
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      if (error instanceof ConversionFailed) failed?.(said.text)
      if (error === null) resolve(output.taken())
      else reject(error)
    }
    const leave = (): void => settle(new AppError('Aborted'))
    const timer = clock.after(wallMs, () => settle(new ConversionFailed('it takes too long', 'late')))
    signal.addEventListener('abort', leave, { once: true })
    listen(child, input, said, output, settle)
    child.on('close', (code, ended) =>
      settle(code === 0 ? null : failureOf(code, ended, (clock.now() - since) / 1000, options.cpuSeconds)),
    )
  })
}

/** Gives it its input, and takes what comes. */
function listen(
  child: Child,
  input: Uint8Array,
  said: FirstBytes,
  output: BoundedOutput,
  settle: (error: Error) => void,
): void {
  // It may end before it has read all, which its exit tells.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  child.stdout.on('data', (chunk: Buffer) => {
    if (!output.add(chunk)) settle(new ConversionFailed('too much comes of it'))
  })
  child.stderr.on('data', (chunk: Buffer) => said.add(chunk))
  child.on('error', () => settle(new ConversionFailed('the program cannot be started', 'busy')))
}

/** Why it ended by itself; a shell round it tells of signals by its code. */
function failureOf(
  code: number | null,
  signal: string | null,
  seconds: number,
  cpuSeconds = Infinity,
): ConversionFailed {
  const number = code === null || code < SIGNALLED ? 0 : code - SIGNALLED
  const isKilled = signal === 'SIGKILL' || number === constants.signals.SIGKILL
  // The limit of the processor ends by the same signal as a system without memory.
  const isLimit = isKilled && seconds * availableParallelism() >= cpuSeconds
  if (isLimit || signal === 'SIGXCPU' || number === constants.signals.SIGXCPU || code === FFMPEG_SIGNALLED)
    return new ConversionFailed('it takes too much of the processor')
  if (isKilled) return new ConversionFailed('the system killed the program', 'busy')
  return new ConversionFailed(signal === null && number === 0 ? 'the program refuses it' : 'the program broke down')
}

/** What comes, up to a bound. */
class BoundedOutput {
  readonly #memory: Growable
  readonly #maxBytes: number
  #length = 0

  constructor(maxBytes: number) {
    this.#memory = growable(maxBytes)
    this.#maxBytes = maxBytes
  }

  /** False: it is more than may come. */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length
    if (length > this.#maxBytes) return false
    if (length > this.#memory.byteLength)
      this.#memory.grow(Math.min(this.#maxBytes, Math.ceil(length / GROWTH_BYTES) * GROWTH_BYTES))
    new Uint8Array(this.#memory).set(chunk, this.#length)
    this.#length = length
    return true
  }

  /** All of it. */
  taken(): Uint8Array {
    return new Uint8Array(this.#memory, 0, this.#length)
  }
}

interface Growable extends SharedArrayBuffer {
  grow(bytes: number): void
}

/**
 * Memory that grows in its place, as far as `maxBytes`, and that threads share: what lies there is copied once, as it
 * comes, and never as a whole, which would hold up the thread that all else waits for.
 */
function growable(maxBytes: number): Growable {
  const Shared = SharedArrayBuffer as unknown as new (bytes: number, most: { maxByteLength: number }) => Growable
  return new Shared(0, { maxByteLength: maxBytes })
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
