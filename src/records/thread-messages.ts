// What goes between the main thread and a database thread, whatever its jobs are. Plain data: msgpackr carries it.

import type { ErrorCode } from '../base/errors.ts'

/** A table of jobs: name -> arguments and reply. */
export type JobTable<J> = { readonly [N in keyof J]: { args: unknown[]; reply: unknown } }

/** One job on its way. */
export interface JobMessage {
  readonly name: string
  readonly args: unknown[]
}

/** Codes a failed job may carry; `Bug` is for anything that no outside cause explains. */
export type JobErrorCode = ErrorCode | 'Bug'

/** Answer of one job, in the order of the batch. */
export type JobAnswer = { readonly ok: true; readonly reply: unknown } | JobFailure

/** Why a job failed; `text` is one sentence, or the stack of a bug. */
export interface JobFailure {
  readonly ok: false
  readonly code: JobErrorCode
  readonly text: string
}

/** What the main thread sends: a batch, that a start is over, or the end. */
export type ToDatabase =
  | { readonly kind: 'batch'; readonly jobs: JobMessage[] }
  /** `machineCode`: the file of src/native. */
  | { readonly kind: 'rest'; readonly machineCode: string }
  | { readonly kind: 'close' }

/**
 * What the database thread sends: `upgrade` while it brings the file up to date, once `open` or a `failed`, then one
 * answer list per batch, at last `closed`.
 */
export type FromDatabase<Facts> =
  | { readonly kind: 'upgrade'; readonly note: UpgradeNote }
  | { readonly kind: 'open'; readonly facts: Facts }
  /** `notices`: what the batch made happen, in its order; told after the answers. */
  | { readonly kind: 'answers'; readonly answers: JobAnswer[]; readonly notices?: readonly unknown[] }
  | { readonly kind: 'closed' }
  | JobFailureMessage

/** How far an upgrade has come: an event that is in the log already. */
export interface UpgradeNote {
  readonly id: number
  readonly type: 'upgrader_started' | 'upgrader_tick' | 'upgrader_finished'
  /** For people, with progress; null where the type has no text. */
  readonly text: string | null
}

/** The database could not be opened. */
export interface JobFailureMessage {
  readonly kind: 'failed'
  readonly code: JobErrorCode
  readonly text: string
}
