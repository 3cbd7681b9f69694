// Parts of a film's time: which of them are known, which are not, and how a WebVTT of a part says so. Pure.

/** From a second of the film up to another, which is not in it. */
export interface Span {
  readonly fromSec: number
  readonly toSec: number
}

/** Parts that a note names, at most. */
const MAX_SPANS = 64
/** What lies closer together than this is one, s: notes have thousandths. */
const SAME_SEC = 0.002
const WORD = 'covered'

/** In their order, those that touch or overlap as one. */
export function joined(spans: readonly Span[]): Span[] {
  const found: Span[] = []
  for (const span of spans.toSorted((a, b) => a.fromSec - b.fromSec)) {
    const last = found.at(-1)
    if (!(span.toSec > span.fromSec)) continue
    if (last === undefined || span.fromSec > last.toSec + SAME_SEC) found.push(span)
    else if (span.toSec > last.toSec) found[found.length - 1] = { fromSec: last.fromSec, toSec: span.toSec }
  }
  return found
}

/** The parts of `whole` that lie in none of `spans`, which are joined. */
export function gapsIn(spans: readonly Span[], whole: Span): Span[] {
  const gaps: Span[] = []
  let at = whole.fromSec
  for (const { fromSec, toSec } of spans) {
    if (toSec <= at) continue
    if (fromSec >= whole.toSec) break
    if (fromSec > at + SAME_SEC) gaps.push({ fromSec: at, toSec: fromSec })
    at = toSec
  }
  if (whole.toSec > at + SAME_SEC) gaps.push({ fromSec: at, toSec: whole.toSec })
  return gaps
}

/** Those of `spans`, which are joined, as far as they lie in `whole`. */
export function cutTo(spans: readonly Span[], whole: Span): Span[] {
  return spans.flatMap(({ fromSec, toSec }) => {
    const cut = { fromSec: Math.max(fromSec, whole.fromSec), toSec: Math.min(toSec, whole.toSec) }
    return cut.toSec > cut.fromSec ? [cut] : []
  })
}

/** The note of a WebVTT that holds all texts of these parts; of more than it may name the first. */
export function coveredNote(spans: readonly Span[]): string {
  const named = spans.slice(0, MAX_SPANS).map(({ fromSec, toSec }) => `${fromSec.toFixed(3)}-${toSec.toFixed(3)}`)
  return [WORD, ...named].join(' ')
}

/** The parts that the note of a WebVTT names; none where it has no such note. */
export function coveredIn(vtt: string): Span[] {
  const note = /^WEBVTT\n\nNOTE covered((?: [\d.]{1,20}-[\d.]{1,20}){0,64})\n/.exec(vtt.slice(0, 4096))?.[1] ?? ''
  return joined(
    note
      .split(' ')
      .filter(part => part !== '')
      .map(part => {
        const [fromSec = 0, toSec = 0] = part.split('-').map(Number)
        return { fromSec, toSec }
      }),
  )
}
