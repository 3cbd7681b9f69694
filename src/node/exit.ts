// How the process ends: signals, exit codes, and uncaught errors.

/** The node promises to stop within five seconds; the rest is for the process to end in. */
export const STOP_LIMIT_MS = 4000
/** Of these: how long a start under way is waited for, ms. */
export const START_WAIT_MS = 1000

/** Exit codes (README): 0 stopped, 1 cannot start. */
export const EXIT_STOPPED = 0
/** Exit code of a node that could not start. */
export const EXIT_CANNOT_START = 1

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const

/** Watches the signals that end the node. */
export interface StopSignal {
  /** Settles with the first signal; from then on a second one ends the process at once. */
  readonly first: Promise<NodeJS.Signals>
  /** Stops watching. */
  close(): void
}

/** Begins to watch SIGINT and SIGTERM. `endNow`: how the process ends at a second one. */
export function watchStopSignals(endNow: (code: number) => void = code => process.exit(code)): StopSignal {
  let stopping = false
  let settle: (signal: NodeJS.Signals) => void = () => undefined
  const first = new Promise<NodeJS.Signals>(resolve => {
    settle = resolve
  })
  const handle = (signal: NodeJS.Signals) => {
    // The number a shell shows for a process that died of the signal.
    if (stopping) endNow(128 + SIGNALS[signal as keyof typeof SIGNALS])
    stopping = true
    settle(signal)
  }
  for (const signal of Object.keys(SIGNALS)) process.on(signal, handle)
  return {
    first,
    close() {
      for (const signal of Object.keys(SIGNALS)) process.off(signal, handle)
    },
  }
}

/** Calls `handle` for every uncaught exception and rejection, instead of ending the process. */
export function watchUncaught(handle: (error: unknown) => void): () => void {
  process.on('uncaughtException', handle)
  process.on('unhandledRejection', handle)
  return () => {
    process.off('uncaughtException', handle)
    process.off('unhandledRejection', handle)
  }
}

/** Resolves with what `work` gives, or with `late` after `limitMs`. */
export async function atMost<T, L>(limitMs: number, work: Promise<T>, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<L>(resolve => {
    timer = setTimeout(() => resolve(late), limitMs)
  })
  return Promise.race([work, limit]).finally(() => clearTimeout(timer))
}
