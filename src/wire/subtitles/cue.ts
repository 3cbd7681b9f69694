// Cues of subtitles, and WebVTT of them: text alone, whatever the file they came from had in it. Pure.

/** A text that is shown for a while. Milliseconds from the start of the film. */
export interface Cue {
  readonly startMs: number
  readonly endMs: number
  /** Lines with `\n` between; no markup: `<` and `&` are what they are. */
  readonly text: string
}

/** Cues of one file; a film of three hours has some 3,000. */
export const MAX_CUES = 20_000
/** Cues that are shown at one time; films with signs, songs and two speakers have some ten. */
export const MAX_AT_ONCE = 40
/** Characters of one cue, and lines. */
const MAX_TEXT = 1000
const MAX_LINES = 12
/** A cue is shown no longer than this. */
const MAX_SHOWN_MS = 10 * 60_000
const MAX_MS = 359_999_000

/** A cue of what a file says; null for one that shows nothing. */
export function cueOf(startMs: number, endMs: number, text: string): Cue | null {
  const clean = cleaned(text)
  if (clean === '' || !(endMs > startMs) || startMs < 0 || startMs > MAX_MS) return null
  return { startMs, endMs: Math.min(endMs, startMs + MAX_SHOWN_MS), text: clean }
}

// Without control characters, and without those that turn the direction round for what follows.
function cleaned(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .split('\n')
    .slice(0, MAX_LINES)
    .map(line => line.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu, '').trim())
    .filter(line => line !== '')
    .join('\n')
}

/** Cues by their start, without those that would come to MAX_AT_ONCE others: a browser lays each out over the rest. */
export function fewAtOnce(cues: readonly Cue[]): Cue[] {
  let ends: number[] = []
  return cues
    .toSorted((a, b) => a.startMs - b.startMs)
    .filter(({ startMs, endMs }) => {
      ends = ends.filter(end => end > startMs)
      return ends.length < MAX_AT_ONCE && ends.push(endMs) > 0
    })
}

/** Both, each once and by their start, few at once; `known` itself where nothing is new. Never more than MAX_CUES. */
export function mergedCues(known: readonly Cue[], more: readonly Cue[]): readonly Cue[] {
  const keys = new Set(known.map(keyOf))
  const fresh = more.filter(cue => !keys.has(keyOf(cue)))
  return fresh.length === 0 ? known : fewAtOnce([...known, ...fresh].slice(0, MAX_CUES))
}

/** The same for two cues that show the same at the same time. */
export function keyOf({ startMs, endMs, text }: Cue): string {
  return `${startMs} ${endMs} ${text}`
}

/** WebVTT of cues, so much later (earlier below 0). Nothing in a text is markup. `note`: one line for programs. */
export function webVttOf(cues: readonly Cue[], offsetMs: number, note = ''): string {
  const parts = note === '' ? ['WEBVTT\n'] : ['WEBVTT\n', `NOTE ${note}\n`]
  for (const { startMs, endMs, text } of cues) {
    const end = endMs + offsetMs
    if (end <= 0) continue
    parts.push(`${timeText(Math.max(0, startMs + offsetMs))} --> ${timeText(end)}\n${escaped(text)}\n`)
  }
  return parts.join('\n')
}

/** As WebVTT has a text: nothing in it is markup. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function timeText(ms: number): string {
  const whole = Math.min(MAX_MS, Math.round(ms))
  const digits = (value: number, count: number) => String(value).padStart(count, '0')
  const [hours, minutes, seconds] = [whole / 3_600_000, (whole / 60_000) % 60, (whole / 1000) % 60].map(Math.floor)
  return `${digits(hours ?? 0, 2)}:${digits(minutes ?? 0, 2)}:${digits(seconds ?? 0, 2)}.${digits(whole % 1000, 3)}`
}
