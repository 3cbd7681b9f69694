// A setting as people type it: `1M`, `30d`, `a,b`, `on`. What cannot be read is refused with how it can be. Pure; the
// bounds of values are the node's.

import type { OptionSpec, Sections } from '../node/settings/settings-option.ts'
import { CommandError } from './node-client.ts'
import { printable } from './show.ts'
import { BYTES_HINT, bytesOf, durationOf } from './units.ts'

/** Section -> option -> what it may be. */
export type SettingSpecs = Sections

const NUMBER = /^[+-]?\d{1,15}(?:\.\d{1,15})?$/
const SWITCHES: Readonly<Record<string, boolean>> = {
  on: true,
  yes: true,
  true: true,
  '1': true,
  off: false,
  no: false,
  false: false,
  '0': false,
}
const TIMES = {
  seconds: { seconds: 1, example: '90, 90s or 15m' },
  minutes: { seconds: 60, example: '90, 90m, 12h or 30d' },
  hours: { seconds: 3600, example: '12, 12h or 30d' },
  days: { seconds: 86_400, example: '30, 30d or 4w' },
} as const

/** The value that a text means for an option; CommandError with how it is written where it means none. */
export function settingValue(name: string, spec: OptionSpec, text: string): unknown {
  const fail = (how: string): never => {
    throw new CommandError(`${name}=${printable(text)}: it must be ${how}.`)
  }
  switch (spec.kind) {
    case 'boolean':
      return SWITCHES[text.trim().toLowerCase()] ?? fail('on or off')
    case 'integer':
    case 'number':
      return numberOf(spec, text) ?? fail(howNumber(spec))
    case 'choice':
      return spec.values.includes(unquoted(text)) ? unquoted(text) : fail(`one of ${spec.values.join(', ')}`)
    case 'list':
      return listOf(text) ?? fail('a list: a,b,c or ["a","b","c"]; nothing behind the = empties it')
    default:
      return unquoted(text)
  }
}

function numberOf({ unit }: OptionSpec & { readonly kind: 'integer' | 'number' }, text: string): number | null {
  const trimmed = text.trim()
  if (NUMBER.test(trimmed)) return Number(trimmed)
  if (unit === 'bytes' || unit === 'bytes/s') return bytesOf(trimmed)
  return unit === undefined ? null : durationOf(trimmed, TIMES[unit].seconds)
}

function howNumber({ kind, unit, min, max }: OptionSpec & { readonly kind: 'integer' | 'number' }): string {
  if (unit === 'bytes' || unit === 'bytes/s') return `${BYTES_HINT}, as 500k, 1.5M or 2GB`
  if (unit !== undefined) return `${unit}, as ${TIMES[unit].example}`
  return `a ${kind === 'integer' ? 'whole ' : ''}number from ${min} to ${max}`
}

/** A text in the quotes of JSON, as it was typed before, is that text. */
function unquoted(text: string): string {
  if (!/^".*"$/s.test(text)) return text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : text
  } catch {
    return text
  }
}

/** JSON, or entries with commas between; an IPv6 address with its port begins as JSON does and is none. */
function listOf(text: string): unknown[] | null {
  const trimmed = text.trim()
  if (!trimmed.startsWith('[') || /^\[[\da-f:.]+\]:\d/i.test(trimmed)) {
    return trimmed.split(',').flatMap(entry => (entry.trim() === '' ? [] : [entry.trim()]))
  }
  try {
    const value: unknown = JSON.parse(trimmed)
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
