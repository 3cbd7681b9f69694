// Limits of speed as people enter them: a number in a unit of their choice, nothing for no limit. Pure.

/** Units that can be chosen, with the bytes a second of one. */
export const RATE_UNITS = [
  { id: 'kib', name: 'KiB/s', bytes: 1024 },
  { id: 'mib', name: 'MiB/s', bytes: 1024 * 1024 },
  { id: 'mbit', name: 'Mbit/s', bytes: 125_000 },
] as const

/** How many bytes one is; of other amounts than bytes, so many of what they count. */
interface Unit {
  readonly bytes: number
}

/** One of them. */
export type RateUnit = (typeof RATE_UNITS)[number]
/** Under this name a device keeps the unit it was told. */
export const RATE_UNIT_NAME = 'tributary.rate-unit'
/** Bytes a second; a node takes no more. */
const MAX_RATE = 1_000_000_000_000
const NUMBER = /^\d{1,13}(?:[.,]\d{1,6})?$/

/** The unit of that id; what is none is the first. */
export function rateUnit(id: unknown): RateUnit {
  return RATE_UNITS.find(unit => unit.id === id) ?? RATE_UNITS[0]
}

/** Bytes a second as they are entered in a unit, with `mark` before decimals; '' = no limit. */
export function enteredRate(bytesPerSec: number, unit: Unit, mark = '.'): string {
  if (!(bytesPerSec > 0)) return ''
  const value = bytesPerSec / unit.bytes
  const text = String(Number(value.toFixed(value >= 100 ? 0 : value >= 1 ? 2 : 6)))
  return text.replace('.', mark)
}

/** Bytes a second of what was entered, 0 = no limit; null: it is no rate, or one that no node takes (over `max`). */
export function rateOf(entered: string, unit: Unit, max = MAX_RATE): number | null {
  const text = entered.trim()
  if (text === '') return 0
  if (!NUMBER.test(text)) return null
  const rate = Math.round(Number(text.replace(',', '.')) * unit.bytes)
  // A limit of nothing would be none.
  if (rate === 0) return Number(text.replace(',', '.')) === 0 ? 0 : 1
  return rate <= max ? rate : null
}
