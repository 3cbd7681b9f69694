// Amounts of settings as people enter them: a number in a unit of their choice, never bytes; the node is sent what it
// counts in. Pure.

import { text } from '../../texts/node/settings.ts'
import { enteredRate, RATE_UNITS, rateOf } from '../rate-entry.ts'

/** A unit that can be chosen. */
export interface MeasureUnit {
  readonly id: string
  /** As people read it. */
  readonly name: string
  /** How many of what the node counts one is. */
  readonly bytes: number
}

const [KIB, MIB, GIB, TIB] = [1024, 1024 ** 2, 1024 ** 3, 1024 ** 4]
const SIZES: readonly MeasureUnit[] = [
  { id: 'kib', name: 'KiB', bytes: KIB },
  { id: 'mib', name: 'MiB', bytes: MIB },
  { id: 'gib', name: 'GiB', bytes: GIB },
  { id: 'tib', name: 'TiB', bytes: TIB },
]
const TIMES = ['seconds', 'minutes', 'hours', 'days'] as const
const SECONDS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const

/** The units for what a node counts (`x-unit` of the schema), from the smallest; none: it is a plain number. */
export function unitsFor(counted: string | undefined): readonly MeasureUnit[] {
  if (counted === 'bytes/s') return RATE_UNITS
  if (counted === 'bytes') return SIZES
  const base = TIMES.findIndex(time => time === counted)
  if (base < 0) return []
  const one = SECONDS[TIMES[base] ?? 'seconds']
  return TIMES.slice(base).map(id => ({ id, name: text(id), bytes: SECONDS[id] / one }))
}

/** The unit in which an amount is a whole number, as large as can be; of none, the smallest. */
export function wholeUnit(units: readonly MeasureUnit[], amount: number): MeasureUnit | undefined {
  const whole = amount > 0 ? units.findLast(({ bytes }) => amount % bytes === 0) : undefined
  return whole ?? units[0]
}

/** An amount in a unit, with `mark` before decimals. */
export function measureText(amount: number, unit: MeasureUnit, mark: string): string {
  return amount === 0 ? '0' : enteredRate(amount, unit, mark)
}

/** Parts that are kept of what need not be whole. */
const PARTS = 1_000_000

/**
 * The amount of what was entered; null: it is no number, or larger than any. `isWhole`: the node takes whole numbers
 * only, and what is not nothing is at least 1.
 */
export function measureOf(typed: string, unit: MeasureUnit, isWhole: boolean): number | null {
  if (typed.trim() === '') return null
  if (isWhole) return rateOf(typed, unit, Number.MAX_SAFE_INTEGER)
  const parts = rateOf(typed, { bytes: unit.bytes * PARTS }, Number.MAX_SAFE_INTEGER)
  return parts === null ? null : parts / PARTS
}
