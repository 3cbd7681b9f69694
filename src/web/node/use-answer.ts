// Asks the node for something while a part of the page that needs it is shown, and again from time to time.

import { useEffect, useState } from 'preact/hooks'
import { textOf } from './api.ts'

/** What was last answered, and what went wrong since. */
export interface Answer<T> {
  readonly value: T | null
  /** Empty while nothing is wrong. */
  readonly problem: string
  /** Asks now. */
  refresh(): void
}

/**
 * `ask` runs when `inputs` change, on refresh(), and every `everyMs` milliseconds after an answer (0 = not) while the
 * page is in view. An answer to other inputs is never shown.
 */
export function useAnswer<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  everyMs: number,
): Answer<T> {
  const [state, setState] = useState<{ of: readonly unknown[]; value: T | null; problem: string }>(() => ({
    of: inputs,
    value: null,
    problem: '',
  }))
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    const ended = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const run = async (): Promise<void> => {
      try {
        if (!document.hidden) setState({ of: inputs, value: await ask(ended.signal), problem: '' })
      } catch (error) {
        if (!ended.signal.aborted) setState(old => ({ ...old, problem: textOf(error) }))
      }
      if (everyMs > 0 && !ended.signal.aborted) timer = setTimeout(() => void run(), everyMs)
    }
    void run()
    return () => {
      ended.abort()
      clearTimeout(timer)
    }
  }, [...inputs, everyMs, asked])
  const current = state.of.every((input, i) => input === inputs[i])
  return {
    value: current ? state.value : null,
    problem: state.problem,
    refresh: () => setAsked(count => count + 1),
  }
}
