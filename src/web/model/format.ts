// Numbers as people read them: bytes, rates, times, shares. Pure; the language is English, as the node's own texts are.

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
  return `${value.toFixed(digits)} ${UNITS[power]}`
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
  const whole = Math.max(0, Math.round(seconds))
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  if (first < 0) return '0 s'
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
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
  return `${(Math.floor(Math.max(0, fraction) * 1000) / 10).toFixed(1)} %`
}

/** `1.25`; a dash for what is none. */
export function ratio(value: number): string {
  return value > 0 ? value.toFixed(value >= 100 ? 0 : 2) : '–'
}

/** A Unix time in the reader's own zone: `2026-11-21 21:03`. */
export function dateTime(unixSec: number): string {
  if (unixSec <= 0) return '–'
  const date = new Date(unixSec * 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** `1 file`, `3 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/** A place in a film: `1:41`, `1:02:03`. */
export function place(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const two = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}
