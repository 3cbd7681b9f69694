// What a week's table means in a time zone: whether it is on at an instant, and when that changes next. The clock on
// the wall counts: an hour that summer time leaves out is left out, one that comes twice is there twice. Pure.

import { isIn, toNextBorder, type WeekSpan } from '../../base/week-table.ts'
import type { ZoneClock } from './zone-clock.ts'

const MINUTE_MS = 60_000
/** Offsets are compared over no longer steps: two jumps within a day would cancel out, and no zone has had them. */
const STEP_MIN = 24 * 60
/** Borders of a week, and days with a jump: a table that never changes is given up after so many steps. */
const MAX_STEPS = 40

/** Whether slow mode is on at `wallMs` by this table. */
export function isOn(table: readonly WeekSpan[], zone: ZoneClock, wallMs: number): boolean {
  return isIn(table, zone.minuteOfWeek(wallMs))
}

/** The first instant after `wallMs` (ms since 1970, whole minutes) at which isOn() changes; null = never. */
export function nextChange(table: readonly WeekSpan[], zone: ZoneClock, wallMs: number): number | null {
  const now = isOn(table, zone, wallMs)
  let at = Math.floor(wallMs / MINUTE_MS) * MINUTE_MS
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const minutes = toNextBorder(table, zone.minuteOfWeek(at))
    if (minutes === null) return null
    const next = at + Math.min(minutes, STEP_MIN) * MINUTE_MS
    at = zone.offset(at) === zone.offset(next) ? next : zone.jump(at, next)
    if (isOn(table, zone, at) !== now) return at
  }
  return null
}
