// Units of sizes and rates on the command line: how they are shown and how they are typed (decision 0559).

import { InvalidArgumentError } from 'commander'

/** KiB, MiB and so on (the dashboard's); kB, MB; kB, MB with rates in kbit/s, Mbit/s. */
export type Units = 'binary' | 'decimal' | 'bits'

/** All there are. */
export const UNITS: readonly Units[] = ['binary', 'decimal', 'bits']

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
const DECIMAL = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
const BITS = ['bit', 'kbit', 'Mbit', 'Gbit', 'Tbit', 'Pbit']

/** Those of this process, which runs one command: `--units`, or TRIBUTARY_UNITS. */
let inForce: Units = 'binary'

/** What sizes and rates are shown in from now on. */
export function useUnits(units: Units): void {
  inForce = units
}

/** The units that a text names; null: none. */
export function unitsOf(text: string): Units | null {
  return UNITS.find(units => units === text) ?? null
}

/** Bytes, as `1.5 GiB`. */
export function sizeText(bytes: number, units: Units = inForce): string {
  return units === 'binary' ? scaled(bytes, 1024, BINARY) : scaled(bytes, 1000, DECIMAL)
}

/** Bytes a second, as `1.5 MiB/s`; '' = none. */
export function rateText(rate: number, units: Units = inForce): string {
  return rate < 1 ? '' : plainRateText(rate, units)
}

/** The same, with a text for nothing too. */
export function plainRateText(rate: number, units: Units = inForce): string {
  return `${units === 'bits' ? scaled(rate * 8, 1000, BITS) : sizeText(rate, units)}/s`
}

/** Three digits at most: 999.5 of one unit are 1.0 of the next. */
function scaled(count: number, base: number, names: readonly string[]): string {
  let [value, power] = [count, 0]
  while (value >= 999.5 && power < names.length - 1) {
    value /= base
    power += 1
  }
  return `${power === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${names[power]}`
}

/** `1.5M`, `1.5 MiB/s`, `2MB`, `8Mbit/s`. */
const TYPED = /^(\d{1,15}(?:\.\d{1,9})?) ?(?:([kmgt])(ib|b|bit)?|(b|bit))?(?:\/s|ps)?$/i

/**
 * The bytes that a text means: k, M, G, T and KiB, MiB ... are powers of 1024, kB, MB ... of 1000, kbit, Mbit ... an
 * eighth of those. null: it means none, or more than can be counted.
 */
export function bytesOf(text: string): number | null {
  const [, digits, letter = '', unit = '', plain = ''] = TYPED.exec(text.trim()) ?? []
  // A small b is a byte to some and a bit to others.
  if (digits === undefined || unit === 'b' || plain === 'b') return null
  const power = letter === '' ? 0 : 'kmgt'.indexOf(letter.toLowerCase()) + 1
  const name = (unit || plain).toLowerCase()
  const factor = (name === 'b' || name === 'bit' ? 1000 : 1024) ** power
  const bytes = Math.round((Number(digits) * factor) / (name === 'bit' ? 8 : 1))
  return Number.isSafeInteger(bytes) ? bytes : null
}

/** What bytesOf() takes, for those whose text it did not. */
export const BYTES_HINT = 'bytes, or end in k, M, G (1024), kB, MB, GB (1000) or kbit, Mbit'

/** Bytes a second of an option; throws InvalidArgumentError. */
export function rateArgument(text: string): number {
  const bytes = bytesOf(text)
  if (bytes === null) throw new InvalidArgumentError(`A rate must be ${BYTES_HINT}, as 500k, 1.5M or 8Mbit.`)
  return bytes
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400, w: 604_800 }

/** What a time as `90s`, `15m`, `12h`, `30d`, `2w` is, in units of so many seconds; null: it is none. */
export function durationOf(text: string, unitSec: number): number | null {
  const [, digits, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?) ?(s|min|m|h|d|w)$/i.exec(text.trim()) ?? []
  const seconds = SECONDS[unit.toLowerCase()]
  return digits === undefined || seconds === undefined ? null : (Number(digits) * seconds) / unitSec
}
