// This program once more, in a process of its own, for work that may hang or take the processor: a disk that does not
// answer holds that process and nothing of the node.

import { execFile } from 'node:child_process'
import { setPriority } from 'node:os'

/** What it writes and takes at most. */
const MAX_OUTPUT_BYTES = 1024 * 1024
/** Who asks is not the only one who wants the processor. */
const NICENESS = 10

/** One run of it. */
export interface OwnProgramRun {
  /** The script, as Node was given it. */
  readonly script: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** After this long it is killed, ms. */
  readonly limitMs: number
  /** Kills it. */
  readonly signal: AbortSignal
}

/** A run that was started. */
export interface RunningProgram {
  /** What it wrote on standard output, whatever its exit code. Rejects when it was killed or could not be started. */
  readonly output: Promise<string>
  /** Settles when the process is gone; one that a disk holds may stay beyond the limit. Never rejects. */
  readonly gone: Promise<void>
}

/** Starts it, with less priority. */
export function runOwnProgram({ script, args, env, limitMs, signal }: OwnProgramRun): RunningProgram {
  let left: () => void = () => undefined
  const gone = new Promise<void>(resolve => {
    left = resolve
  })
  const output = new Promise<string>((resolve, reject) => {
    const options = { env, maxBuffer: MAX_OUTPUT_BYTES, killSignal: 'SIGKILL', signal } as const
    const child = execFile(process.execPath, [script, ...args], options, (error, printed) => {
      clearTimeout(timer)
      left()
      // An exit code of its own is an answer.
      if (error === null || typeof error.code === 'number') resolve(printed)
      else reject(new Error(error.killed === true ? 'it was ended' : 'it could not be started', { cause: error }))
    })
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`it took longer than ${limitMs / 1000} seconds, as it does when a disk does not answer`))
    }, limitMs)
    lower(child.pid)
  })
  return { output, gone }
}

function lower(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS)
  } catch {
    // It has ended, or may not be.
  }
}
