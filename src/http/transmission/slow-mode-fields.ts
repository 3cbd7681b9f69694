// Turtle mode of the RPC (alt-speed-*), which is slow mode here (decision 0557): its limits, and its schedule, which is
// one time of day on some days there. A table of more lines is shown by its first, and not changed by this door.

import { AppError } from '../../base/errors.ts'
import { lineText, readLine, type WeekLine } from '../../base/week-table.ts'
import { type RpcArguments, wrong } from './rpc-arguments.ts'
import type { SettingsSections } from './seen-torrent.ts'
import { KILO, numberOf, option, put, type SessionField } from './session-field.ts'

/** What is shown where slow mode has no limit, kB/s: 0 means there that nothing goes. */
const NO_LIMIT = 1_000_000_000
const DAY_MIN = 24 * 60
/** What the real program begins with: every day from 9 to 17. */
const UNUSED: WeekLine = { days: [0, 1, 2, 3, 4, 5, 6], from: 9 * 60, to: 17 * 60 }

/** A limit of slow mode in kB/s; 0 asks for nothing at all there, and here for the least there is. */
const slowRate = (argument: string, name: string): SessionField => ({
  value: ({ settings }) => {
    const rate = numberOf(settings, 'slow_mode', name, 0)
    return rate === 0 ? NO_LIMIT : Math.max(1, Math.round(rate / KILO))
  },
  change: (into, args) => {
    const asked = args.count(argument) ?? 0
    put(into, 'slow_mode', name, asked >= NO_LIMIT ? 0 : Math.max(1, asked) * KILO)
  },
})

const flag = (argument: string, name: string): SessionField => ({
  value: ({ settings }) => option(settings, 'slow_mode', name) === true,
  change: (into, args) => put(into, 'slow_mode', name, args.flag(argument)),
})

function linesOf(settings: SettingsSections): readonly string[] {
  const lines = option(settings, 'slow_mode', 'schedule')
  return Array.isArray(lines) ? lines.map(String) : []
}

function firstLine(settings: SettingsSections): WeekLine {
  const read = readLine(linesOf(settings)[0] ?? '')
  return 'problem' in read ? UNUSED : read
}

/** Bit 0 is Sunday there, day 0 Monday here. */
function bitsOf({ days }: WeekLine): number {
  return days.reduce((bits, day) => bits | (1 << ((day + 1) % 7)), 0)
}

function daysOf(args: RpcArguments, absent: readonly number[]): readonly number[] {
  const bits = args.count('alt-speed-time-day')
  if (bits === null) return absent
  if (bits < 1 || bits > 127) throw wrong('alt-speed-time-day', 'from 1 to 127')
  return UNUSED.days.filter(day => (bits & (1 << ((day + 1) % 7))) !== 0)
}

function minuteOf(args: RpcArguments, name: string, absent: number): number {
  const minute = args.count(name)
  if (minute !== null && minute > DAY_MIN) throw wrong(name, `from 0 to ${DAY_MIN}`)
  return (minute ?? absent) % DAY_MIN
}

/** One of the three is enough; the others are as they are. Begin and end alike: the whole day. */
function changeTime(into: SettingsSections, args: RpcArguments, settings: SettingsSections): void {
  if (linesOf(settings).length > 1) {
    const text = 'the schedule of this node has several lines, which this door cannot say; use tributary schedule'
    throw new AppError('InvalidParameter', text)
  }
  const now = firstLine(settings)
  const days = daysOf(args, now.days)
  const from = minuteOf(args, 'alt-speed-time-begin', now.from)
  const to = minuteOf(args, 'alt-speed-time-end', now.to)
  const line = from === to ? { days, from: 0, to: DAY_MIN } : { days, from, to: to === 0 ? DAY_MIN : to }
  put(into, 'slow_mode', 'schedule', [lineText(line)])
}

/** The fields by name. */
export const slowModeFields: Readonly<Record<string, SessionField>> = {
  'alt-speed-enabled': flag('alt-speed-enabled', 'enabled'),
  'alt-speed-down': slowRate('alt-speed-down', 'max_download_rate'),
  'alt-speed-up': slowRate('alt-speed-up', 'max_upload_rate'),
  'alt-speed-time-enabled': {
    value: ({ settings }) => option(settings, 'slow_mode', 'schedule_enabled') === true,
    change: (into, args, settings) => {
      const on = args.flag('alt-speed-time-enabled')
      put(into, 'slow_mode', 'schedule_enabled', on)
      // It has a time there from the first moment on.
      if (on === true && linesOf(settings).length === 0) changeTime(into, args, settings)
    },
  },
  'alt-speed-time-begin': { value: ({ settings }) => firstLine(settings).from, change: changeTime },
  'alt-speed-time-end': { value: ({ settings }) => firstLine(settings).to, change: changeTime },
  'alt-speed-time-day': { value: ({ settings }) => bitsOf(firstLine(settings)), change: changeTime },
}
