// The clock on the wall of a time zone: which minute of the week it shows at an instant, and when its offset jumps
// (summer time). By Intl, which has the IANA zones. Pure: instants are passed in.

import { WEEK } from '../../base/week-table.ts'

const MINUTE_MS = 60_000
const DAY_MIN = 24 * 60
const PARTS = ['year', 'month', 'day', 'hour', 'minute'] as const

/** Whether Intl knows a zone of this name; '' = that of the machine. */
export function isTimeZone(name: string): boolean {
  if (name === '') return true
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** One zone. RangeError for names that are none. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat
  /** The zone's own name, also of the machine's. */
  readonly name: string

  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en', {
      ...(name !== '' && { timeZone: name }),
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      ...({ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const),
    })
    this.name = this.#format.resolvedOptions().timeZone
  }

  /** Minutes that the clock is ahead of UTC at `wallMs` (milliseconds since 1970). */
  offset(wallMs: number): number {
    const atMs = Math.floor(wallMs / MINUTE_MS) * MINUTE_MS
    const found = new Map(this.#format.formatToParts(atMs).map(({ type, value }) => [type as string, Number(value)]))
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = PARTS.map(part => found.get(part) ?? 0)
    return Math.round((Date.UTC(year, month - 1, day, hour, minute) - atMs) / MINUTE_MS)
  }

  /** Minute of the week that the clock shows, 0 = Monday 00:00. */
  minuteOfWeek(wallMs: number): number {
    const minutes = Math.floor(wallMs / MINUTE_MS) + this.offset(wallMs)
    // 1970 began on a Thursday.
    return (((minutes + 3 * DAY_MIN) % WEEK) + WEEK) % WEEK
  }

  /** The first minute in (fromMs, toMs] with the offset of `toMs`, where `fromMs` has another; whole minutes. */
  jump(fromMs: number, toMs: number): number {
    const there = this.offset(toMs)
    let [before, after] = [Math.floor(fromMs / MINUTE_MS), Math.ceil(toMs / MINUTE_MS)]
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (this.offset(middle * MINUTE_MS) === there) after = middle
      else before = middle
    }
    return after * MINUTE_MS
  }
}
