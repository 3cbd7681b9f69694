// Numbers as people read them: bytes, rates, times, shares, as the language of the page writes them. Pure.

import { languageTag } from '../language/texts.ts'
import { text } from '../texts/units.ts'

/** Made once for each number of digits: a list of thousands writes many of them. */
const formats = new Map<string, Intl.NumberFormat>()

function decimal(value: number, digits: number, grouped = false): string {
  const tag = languageTag()
  // As Intl writes them, in a tenth of the time.
  if (tag === 'en' && (!grouped || Math.abs(value) < 1000)) return value.toFixed(digits)
  const key = `${tag} ${digits} ${grouped}`
  let format = formats.get(key)
  if (format === undefined) {
    const sameDigits = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    format = new Intl.NumberFormat(tag, { ...sameDigits, useGrouping: grouped })
    formats.set(key, format)
  }
  return format.format(value)
}

/** A whole number: `12,345`. */
export function whole(value: number): string {
  return decimal(value, 0, true)
}

/** What the language writes before decimals: `.` or `,`. */
export function decimalMark(): string {
  return (1.5).toLocaleString(languageTag()).charAt(1)
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
/** `eta` of a download that does not move (the interface's own value). */
const NEVER_SEC = 8_640_000

/** A text of strangers without characters that turn its direction round: they make `gpj.exe` look like `exe.jpg`. */
export function readable(text: string): string {
  return text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}

/** `1.5 MiB`: three digits that count. */
export function bytes(count: number): string {
  if (!(count > 0)) return '0 B'
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(count) / 10))
  const value = count / 1024 ** power
  const digits = power === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${decimal(value, digits)} ${UNITS[power]}`
}

/** `1.5 MiB/s`; empty for nothing, so that only what moves is seen. */
export function rate(bytesPerSec: number): string {
  return bytesPerSec >= 1 ? `${bytes(bytesPerSec)}/s` : ''
}

/** As rate(), with `0 B/s` for nothing. */
export function plainRate(bytesPerSec: number): string {
  return `${bytes(Math.round(bytesPerSec))}/s`
}

/** `3 min 20 s`: the two largest parts of a time. */
export function duration(seconds: number): string {
  const all = Math.max(0, Math.round(seconds))
  const parts: [number, 'days' | 'hours' | 'minutes' | 'seconds'][] = [
    [Math.floor(all / 86_400), 'days'],
    [Math.floor(all / 3600) % 24, 'hours'],
    [Math.floor(all / 60) % 60, 'minutes'],
    [all % 60, 'seconds'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  if (first < 0) return `0 ${text('seconds')}`
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${whole(count)} ${text(unit)}`)
    .join(' ')
}

/** The time a download still needs; `∞` when nothing moves, empty when it is complete. */
export function eta(seconds: number): string {
  if (seconds <= 0) return ''
  return seconds >= NEVER_SEC ? '∞' : duration(seconds)
}

/** `42.1 %`; never 100 before it is. */
export function percent(fraction: number): string {
  if (fraction >= 1) return '100 %'
  return `${decimal(Math.floor(Math.max(0, fraction) * 1000) / 10, 1)} %`
}

/** `1.25`; a dash for what is none. */
export function ratio(value: number): string {
  return value > 0 ? decimal(value, value >= 100 ? 0 : 2) : '–'
}

/** A Unix time in the reader's own zone: `2026-11-21 21:03`. */
export function dateTime(unixSec: number): string {
  if (unixSec <= 0) return '–'
  const date = new Date(unixSec * 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

const two = (value: number) => String(value).padStart(2, '0')

/** The time of day in the reader's own zone: `21:03`, with seconds `21:03:59`. */
export function clock(unixSec: number, seconds = false): string {
  const date = new Date(unixSec * 1000)
  const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`
  return seconds ? `${minutes}:${two(date.getSeconds())}` : minutes
}

/** Day and month in the reader's own zone, as the language writes them: `11/21`, `21.11.`. */
export function dayMonth(unixSec: number): string {
  return new Date(unixSec * 1000).toLocaleDateString(languageTag(), { day: 'numeric', month: 'numeric' })
}

/** `1 file`, `3 files`. */
export function counted(count: number, noun: string): string {
  return `${whole(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** A place in a film: `1:41`, `1:02:03`. */
export function place(seconds: number): string {
  const all = Math.max(0, Math.floor(seconds))
  const two = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes, rest] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

/** A limit in bytes/s as it is typed: KiB/s, exact to the byte; empty = none. */
export const typedLimit = (rate = 0): string => (rate === 0 ? '' : String(Math.round((rate / 1024) * 10_000) / 10_000))
