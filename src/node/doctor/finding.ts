// What `tributary doctor` finds: values only.

/** One thing that was looked at. */
export interface Finding {
  /** `ok`, `warning` (the node runs, something will go wrong or slow), `problem` (it cannot run, or loses data). */
  readonly state: 'ok' | 'warning' | 'problem'
  /** What was looked at: ports, mounts, permissions, clock, database, open-files, ... */
  readonly check: string
  /** What is so, one sentence. */
  readonly text: string
  /** What to do about it; '' = nothing. */
  readonly advice: string
}

/** All is well. */
export function fine(check: string, text: string): Finding {
  return { state: 'ok', check, text, advice: '' }
}

/** It runs, but. */
export function warning(check: string, text: string, advice: string): Finding {
  return { state: 'warning', check, text, advice }
}

/** It cannot run so. */
export function problem(check: string, text: string, advice: string): Finding {
  return { state: 'problem', check, text, advice }
}
