// Lines of the node's log as the page shows them: read, narrowed, and harmless. Pure.

/** From the least important on. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** One of them. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** A line in its parts; of one that is none of the node's the whole is the message. */
export interface LogLine {
  /** Unix ms; null: it has none. */
  readonly atMs: number | null
  readonly level: LogLevel
  /** '' = none. */
  readonly part: string
  /** The message, and the facts behind it. */
  readonly text: string
}

/** What is wanted of the log; '' = all. */
export interface LogChoice {
  /** This one and worse. */
  readonly level: LogLevel
  readonly part: string
  /** Every word must be in the line, in any case. */
  readonly words: string
}

/** Characters of a line that are shown. */
const MAX_LINE_CHARS = 2000
/** What moves a cursor, turns directions round, or has no width: peers and trackers choose some of the words. */
const HARMFUL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** What does nothing but stand there. */
export function harmless(text: string): string {
  return text.slice(0, MAX_LINE_CHARS).replaceAll(HARMFUL, '\ufffd')
}

/** A line of the log. Never throws. */
export function readLogLine(line: string): LogLine {
  const entry = entryOf(line)
  if (entry === null) return { atMs: null, level: 'info', part: '', text: harmless(line) }
  const { level, time, part, msg, ...facts } = entry
  const atMs = Date.parse(textOf(time))
  const more = Object.entries(facts).map(([name, value]) => `${name} ${textOf(value)}`)
  const known = LOG_LEVELS.find(name => name === level)
  return {
    atMs: Number.isNaN(atMs) ? null : atMs,
    // One that is not known, as fatal, is worse than all that are.
    level: known ?? 'error',
    part: part === undefined ? '' : harmless(textOf(part)),
    text: harmless(more.length === 0 ? textOf(msg) : `${textOf(msg)} (${more.join(', ')})`),
  }
}

/** Those that are wanted, in their order. */
export function wantedLines(lines: readonly LogLine[], { level, part, words }: LogChoice): LogLine[] {
  const least = LOG_LEVELS.indexOf(level)
  const all = words.toLowerCase().split(/\s+/)
  return lines.filter(
    line =>
      LOG_LEVELS.indexOf(line.level) >= least &&
      (part === '' || line.part === part) &&
      all.every(word => `${line.part} ${line.text}`.toLowerCase().includes(word)),
  )
}

/** Names of the parts that are in them, sorted. */
export function partsOf(lines: readonly LogLine[]): string[] {
  return [...new Set(lines.map(({ part }) => part))].filter(part => part !== '').toSorted()
}

function entryOf(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? (entry as Readonly<Record<string, unknown>>)
      : null
  } catch {
    return null
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
