// What of a film is held around the place it plays: what is read next, and what is let go. Pure; seconds.

/** A stretch of a film. */
export interface Span {
  readonly startSec: number
  readonly endSec: number
}

/** What comes from the worker in one go: from where it was asked, to where it has come. */
export type Run = Span

/** Nothing; more of what comes; or a new run from a place on. */
export type Step =
  | { readonly does: 'wait' }
  | { readonly does: 'more' }
  | { readonly does: 'begin'; readonly fromSec: number }

/** Two places that are the same: tracks begin and end a little beside each other. */
const NEAR_SEC = 0.3
/** A longer hole is not jumped over. */
const MAX_HOLE_SEC = 10
/** A film that has less before it is about to stand. */
const PLAYS_ON_SEC = 1

/** What to do for one track. `spans`: what is held, rising; `run`: what comes now, null = nothing. */
export function stepOf(spans: readonly Span[], atSec: number, run: Run | null, aheadSec: number): Step {
  const here = spans.find(({ startSec, endSec }) => startSec - NEAR_SEC <= atSec && atSec < endSec)
  if (here === undefined) {
    const comes = run !== null && run.startSec - NEAR_SEC <= atSec && atSec <= run.endSec + NEAR_SEC
    if (!comes) return { does: 'begin', fromSec: atSec }
    return run.endSec - atSec >= aheadSec ? { does: 'wait' } : { does: 'more' }
  }
  if (here.endSec - atSec >= aheadSec) return { does: 'wait' }
  if (run === null || !passes(run, here, spans)) return { does: 'begin', fromSec: here.endSec }
  return run.endSec - atSec >= aheadSec ? { does: 'wait' } : { does: 'more' }
}

/** Whether a run goes on at the end of a span: it has come there, or passed a hole that the film has there. */
function passes(run: Run, { endSec }: Span, spans: readonly Span[]): boolean {
  if (run.startSec - NEAR_SEC > endSec || endSec > run.endSec + NEAR_SEC) return false
  const hasCome = Math.abs(run.endSec - endSec) <= NEAR_SEC
  const beganHere = Math.abs(run.startSec - endSec) <= NEAR_SEC
  return hasCome || beganHere || spans.some(({ startSec }) => startSec > endSec && startSec <= run.endSec)
}

/** What a run is worth when a stretch is let go, as those of its places are there no more. Null: nothing. */
export function runWithout(run: Run, { startSec, endSec }: Span): Run | null {
  if (endSec <= run.startSec || startSec >= run.endSec) return run
  return endSec < run.endSec ? { startSec: endSec, endSec: run.endSec } : null
}

/**
 * Where to go on when nothing is held at the place, but something soon behind it: films have holes, and some begin
 * late. Null: there is no hole.
 */
export function behindHole(spans: readonly Span[], atSec: number): number | null {
  const held = spans.some(({ startSec, endSec }) => startSec <= atSec && atSec < endSec - NEAR_SEC)
  const next = spans.find(({ startSec }) => startSec > atSec)
  return !held && next !== undefined && next.startSec - atSec < MAX_HOLE_SEC ? next.startSec : null
}

/** Whether a film plays on from a place by what is held, so that time alone makes room for more. */
export function playsOn(spans: readonly Span[], atSec: number): boolean {
  return spans.some(({ startSec, endSec }) => startSec - NEAR_SEC <= atSec && endSec - atSec > PLAYS_ON_SEC)
}

/** What is let go: what was played longer ago than `backSec`, and what lies far behind the window of `aheadSec`. */
export function surplusOf(spans: readonly Span[], atSec: number, backSec: number, aheadSec: number): Span[] {
  const surplus: Span[] = []
  const from = atSec - backSec
  const [first] = spans
  // By some seconds at a time: each removal costs a turn of the buffer.
  if (first !== undefined && from - first.startSec > backSec / 2)
    surplus.push({ startSec: first.startSec, endSec: from })
  const far = spans.find(({ startSec }) => startSec > atSec + 2 * aheadSec)
  if (far !== undefined) surplus.push({ startSec: far.startSec, endSec: Number.POSITIVE_INFINITY })
  return surplus
}
