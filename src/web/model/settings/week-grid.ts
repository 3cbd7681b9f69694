// The week's table of slow mode as a grid of hours: its lines read to cells, cells painted, and lines written of what
// is painted. Minutes that the grid cannot show stay as they are where nobody paints. Pure.

import { lineText, mergedSpans, readLine, tableOf, WEEK, type WeekSpan } from '../../../base/week-table.ts'

const HOUR = 60
const DAY = 24 * HOUR
/** Rows of the grid, from Monday. */
export const DAYS = 7
/** Cells of a row. */
export const HOURS = 24
/** A node takes no more lines. */
export const MAX_LINES = 100

/** How much of a cell is on. */
export type CellState = 'on' | 'off' | 'part'

/** A cell: day (0 = Monday) and hour. */
export interface WeekCell {
  readonly day: number
  readonly hour: number
}

/** What was painted: all cells between two that are corners. */
export interface Stroke {
  readonly from: WeekCell
  readonly to: WeekCell
  readonly on: boolean
}

/** The lines of a text, without those of nothing. */
function linesIn(text: string): readonly string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
}

/** Why a text cannot be shown as a grid: a line that says no time, or too many of them; null: it can. */
export function whyNoGrid(text: string): { readonly line: string } | 'many' | null {
  const lines = linesIn(text)
  if (lines.length > MAX_LINES) return 'many'
  const line = lines.find(each => 'problem' in readLine(each))
  return line === undefined ? null : { line }
}

/** All cells of a text: rows of days, each of its hours. */
export function gridOf(text: string): readonly (readonly CellState[])[] {
  const table = tableOf(linesIn(text).slice(0, MAX_LINES))
  return Array.from({ length: DAYS }, (_, day) =>
    Array.from({ length: HOURS }, (__, hour) => {
      const minutes = minutesIn(table, day * DAY + hour * HOUR)
      return minutes === HOUR ? 'on' : minutes === 0 ? 'off' : 'part'
    }),
  )
}

/** Minutes of the hour from `start` on that are in the table. */
function minutesIn(table: readonly WeekSpan[], start: number): number {
  let minutes = 0
  for (const { from, to } of table) minutes += Math.max(0, Math.min(to, start + HOUR) - Math.max(from, start))
  return minutes
}

/**
 * The text with a stroke painted. One that means what it meant before, or what is in force (`present`), stays as it was
 * written there: nothing changed.
 */
export function paintedText(text: string, present: string, { from, to, on }: Stroke): string {
  const [firstDay, lastDay] = [Math.min(from.day, to.day), Math.max(from.day, to.day)]
  const [firstHour, lastHour] = [Math.min(from.hour, to.hour), Math.max(from.hour, to.hour)]
  let table = tableOf(linesIn(text))
  for (let day = firstDay; day <= lastDay; day += 1)
    table = painted(table, day * DAY + firstHour * HOUR, day * DAY + (lastHour + 1) * HOUR, on)
  const lines = linesOf(table).join('\n')
  return [text, present].find(each => tidied(each) === lines) ?? lines
}

function tidied(text: string): string {
  return linesOf(tableOf(linesIn(text).slice(0, MAX_LINES))).join('\n')
}

/** The table with the minutes from `from` up to and without `to` (of the week) on, or off. */
export function painted(table: readonly WeekSpan[], from: number, to: number, on: boolean): readonly WeekSpan[] {
  if (on) return mergedSpans([...table, { from, to }])
  return table.flatMap(span => {
    if (span.to <= from || span.from >= to) return [span]
    const rest = [
      { from: span.from, to: from },
      { from: to, to: span.to },
    ]
    return rest.filter(each => each.from < each.to)
  })
}

/** Lines that mean the table: days with the same times in one, a night as one line from its evening. */
export function linesOf(table: readonly WeekSpan[]): readonly string[] {
  const days = new Map<string, { from: number; to: number; days: Set<number> }>()
  for (const { day, from, to } of joined(table).flatMap(dayParts)) {
    const key = `${from} ${to}`
    const line = days.get(key) ?? { from, to, days: new Set() }
    line.days.add(day % DAYS)
    days.set(key, line)
  }
  return [...days.values()].map(({ from, to, days: on }) =>
    lineText({ days: [...on].toSorted((a, b) => a - b), from, to }),
  )
}

/** What goes over the end of the week is one span that ends in the next. */
function joined(table: readonly WeekSpan[]): readonly WeekSpan[] {
  const [first, last] = [table[0], table.at(-1)]
  if (first === undefined || last === undefined || first === last || first.from !== 0 || last.to !== WEEK) return table
  return [...table.slice(1, -1), { from: last.from, to: WEEK + first.to }]
}

interface DayPart {
  readonly day: number
  /** Minutes of the day; `to` before `from` is of the next. */
  readonly from: number
  readonly to: number
}

function dayParts({ from, to }: WeekSpan): readonly DayPart[] {
  const parts: DayPart[] = []
  for (let at = from; at < to; ) {
    const day = Math.floor(at / DAY)
    const end = (day + 1) * DAY
    const isNight = to > end && to - at < DAY
    parts.push({ day, from: at % DAY, to: isNight ? to - end : Math.min(to, end) - day * DAY })
    at = isNight ? to : end
  }
  return parts
}
