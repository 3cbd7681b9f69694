// Lines of the node's log for people: time, level, part, message, facts; which are wanted, and which are new. Pure.

import { printable } from './show.ts'

/** From the least important on. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** One of them. */
export type Level = (typeof LEVELS)[number]

/** What is wanted of the log; null: all of it. */
export interface LogChoice {
  readonly level: Level | null
  readonly part: string | null
}

type Entry = Readonly<Record<string, unknown>>

/** The object of a line; null: it is none, as the last words of another library. */
function entryOf(line: string): Entry | null {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? (entry as Entry) : null
  } catch {
    return null
  }
}

/** Whether a line is at least of a level, and of a part. */
export function isWanted(line: string, { level, part }: LogChoice): boolean {
  if (level === null && part === null) return true
  const entry = entryOf(line)
  if (entry === null) return false
  const rank = LEVELS.indexOf(entry['level'] as Level)
  // A level that is not known, as fatal, is worse than all that are.
  return (level === null || rank === -1 || rank >= LEVELS.indexOf(level)) && (part === null || entry['part'] === part)
}

/** `2026-11-28 09:36:41 info  overlay: the overlay has started (port 56039)`. Times are the node's, in UTC. */
export function logText(line: string): string {
  const entry = entryOf(line)
  if (entry === null) return printable(line)
  const { level, time, part, msg, ...facts } = entry
  const at = textOf(time).slice(0, 19).replace('T', ' ')
  const more = Object.entries(facts).map(([name, value]) => `${name} ${textOf(value)}`)
  const head = `${at} ${textOf(level).padEnd(5)} ${part === undefined ? '' : `${textOf(part)}: `}${textOf(msg)}`
  return printable(more.length === 0 ? head : `${head} (${more.join(', ')})`)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/**
 * What came behind `before` where the end of the log is `now`: of two ends of one log the later one begins somewhere in
 * the earlier one. `missed`: it does not, there are lines between that nobody asked for in time.
 */
export function newLines(
  before: readonly string[],
  now: readonly string[],
): { lines: readonly string[]; missed: boolean } {
  if (before.length === 0) return { lines: now, missed: false }
  for (let from = 0; from < before.length; from += 1) {
    const common = before.length - from
    if (common <= now.length && before.slice(from).every((line, at) => line === now[at])) {
      return { lines: now.slice(common), missed: false }
    }
  }
  return { lines: now, missed: true }
}
