// The week's table of slow mode: texts such as `mon-fri 08:00-18:00` read to minutes of the week, and written again.
// Pure; knows no time zone and no clock.

/** Minutes of a day. */
const DAY = 24 * 60
/** Minutes of the week, which begins on Monday at 00:00. */
export const WEEK = 7 * DAY
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** From minute `from` of the week up to and without `to`; 0 <= from < to <= WEEK. */
export interface WeekSpan {
  readonly from: number
  readonly to: number
}

/** One line: its days (0 = Monday) in order, and minutes of the day; `to` <= `from` is of the next day. */
export interface WeekLine {
  readonly days: readonly number[]
  readonly from: number
  readonly to: number
}

/** What a text means, or why it means nothing (the end of a sentence, as `must name days`). */
export type ReadLine = WeekLine | { readonly problem: string }

const LINE = /^([a-z,-]{3,64}) +(\d{1,2}):(\d{2}) *- *(\d{1,2}):(\d{2})$/i

/**
 * One line: days (`mon-fri`, `sat,sun`, `daily`) and a time of day from - to. An end before its begin is of the next
 * day; 24:00 is the end of the day.
 */
export function readLine(text: string): ReadLine {
  const [, names, ...digits] = LINE.exec(text.trim()) ?? []
  if (names === undefined) return { problem: 'must be days and times, such as mon-fri 08:00-18:00' }
  const days = daysOf(names.toLowerCase())
  if (days === null) return { problem: 'must name days as mon, mon-fri, sat,sun or daily' }
  const [hour = 0, minute = 0, toHour = 0, toMinute = 0] = digits.map(Number)
  const [from, to] = [hour * 60 + minute, toHour * 60 + toMinute]
  if (minute > 59 || toMinute > 59 || from >= DAY || to > DAY) return { problem: 'must have times from 00:00 to 24:00' }
  if (from === to) return { problem: 'must end later than it begins; a whole day is 00:00-24:00' }
  return { days, from, to }
}

/** The text of a line; at least one day. */
export function lineText({ days, from, to }: WeekLine): string {
  const names = days.length === DAYS.length ? 'daily' : days.map(day => DAYS[day] ?? '').join(',')
  return `${names} ${timeText(from)}-${timeText(to)}`
}

function spansOf({ days, from, to }: WeekLine): WeekSpan[] {
  const length = to > from ? to - from : to - from + DAY
  return days.flatMap(day => wrapped(day * DAY + from, length))
}

/** The days of `mon-fri,sun`, 0 = Monday; null = it names none. */
function daysOf(text: string): number[] | null {
  if (text === 'daily') return DAYS.map((_, day) => day)
  const days = new Set<number>()
  for (const part of text.split(',')) {
    const [first = '', last = first, ...rest] = part.split('-')
    const [from, to] = [first, last].map(name => DAYS.findIndex(day => day === name)) as [number, number]
    if (from < 0 || to < 0 || rest.length > 0) return null
    // sat-mon goes over the end of the week.
    for (let day = from; ; day = (day + 1) % 7) {
      days.add(day)
      if (day === to) break
    }
  }
  return [...days].toSorted((a, b) => a - b)
}

/** What goes over the end of the week goes on at its begin. */
function wrapped(from: number, length: number): WeekSpan[] {
  const to = from + length
  if (to <= WEEK) return [{ from, to }]
  return [
    { from, to: WEEK },
    { from: 0, to: to - WEEK },
  ]
}

/** The spans of all lines, in order; those that meet or lie over each other are one, since all say the same. */
export function mergedSpans(spans: readonly WeekSpan[]): readonly WeekSpan[] {
  const merged: WeekSpan[] = []
  for (const span of spans.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const last = merged.at(-1)
    if (last === undefined || span.from > last.to) merged.push(span)
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
  }
  return merged
}

/** The table of lines that were checked; what cannot be read says nothing. */
export function tableOf(lines: readonly string[]): readonly WeekSpan[] {
  return mergedSpans(
    lines.flatMap(line => {
      const read = readLine(line)
      return 'problem' in read ? [] : spansOf(read)
    }),
  )
}

/** Whether a minute of the week is in one of the spans. */
export function isIn(table: readonly WeekSpan[], minute: number): boolean {
  return table.some(({ from, to }) => from <= minute && minute < to)
}

/** Minutes from `minute` to the next minute of the week where a span begins or ends; null = the table is empty. */
export function toNextBorder(table: readonly WeekSpan[], minute: number): number | null {
  const borders = table.flatMap(({ from, to }) => [from, to % WEEK])
  if (borders.length === 0) return null
  return Math.min(...borders.map(border => ((border - minute - 1 + WEEK) % WEEK) + 1))
}

function timeText(minute: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}
