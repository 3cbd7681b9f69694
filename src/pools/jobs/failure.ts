// How a job says that it failed: a thrown JobFailure that the worker shell turns into data. Any other throw is a bug.

import type { JobFailureData } from '../contract/batch.ts'

/** A failure of the disk, or of a job's own check. */
export class JobFailure extends Error {
  readonly code: string
  readonly fd: number
  constructor(code: string, text: string, fd: number) {
    super(text)
    this.name = 'JobFailure'
    this.code = code
    this.fd = fd
  }
}

/** Runs a system call on `fd`; an errno becomes a JobFailure. */
export function onDescriptor<T>(fd: number, call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const { code, syscall } = error as NodeJS.ErrnoException
    // Only errors of the system have a syscall; a wrong argument is a bug and keeps its stack.
    if (typeof code !== 'string' || syscall === undefined) throw error
    throw new JobFailure(code, error.message, fd)
  }
}

/** The failure that anything thrown in a job amounts to. */
export function failureOf(error: unknown): JobFailureData {
  if (error instanceof JobFailure) return { code: error.code, text: error.message, fd: error.fd }
  return { code: 'BUG_IN_JOB', text: error instanceof Error ? (error.stack ?? error.message) : String(error), fd: -1 }
}
