// How a flow runs, and what it comes to.

import type { CaseResult } from './samples.ts'
import type { Rounds } from './turns.ts'

export interface FlowOptions extends Rounds {
  /** `quick`: the few cases that matter most; `standard`: all cases; `all`: also what takes very long. */
  readonly level: 'quick' | 'standard' | 'all'
  /** Length of one run of wrk. */
  readonly seconds: number
  /** MiB of content instead of the flow's own. */
  readonly mib: number | null
  /** Numbers of torrents instead of the flow's own. */
  readonly counts: readonly number[] | null
  /** These rivals only. */
  readonly only: readonly string[] | null
}

export interface FlowResult {
  /** The name of the flow. */
  readonly name?: string
  readonly title: string
  readonly cases: readonly CaseResult[]
  /** What is missing, and what failed (beginning with FAILED). */
  readonly notes: readonly string[]
}
