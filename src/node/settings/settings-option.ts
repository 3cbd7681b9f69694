// Kinds of settings and the checks of one value. Pure; knows no section and no file.

import { isIP } from 'node:net'
import { Secret } from '../../base/secret.ts'
import { readLine } from '../../base/week-table.ts'
import { isTimeZone } from '../../services/slow-mode/zone-clock.ts'
import { decodeListenList } from '../../wire/net/listen-list.ts'

/** What the text of a setting, or of a list entry, must look like. */
export type TextFormat =
  | 'any'
  | 'ip'
  | 'key'
  | 'path'
  | 'hostname'
  | 'origin'
  | 'cidr'
  | 'listen-list'
  | 'host-port'
  | 'host-ports'
  | 'hex-40'
  | 'http-url'
  | 'word'
  | 'part-level'
  | 'coin-limit'
  | 'port'
  | 'week-line'
  | 'time-zone'

/** What the number of a setting counts. */
export type SettingUnit = 'bytes' | 'bytes/s' | 'seconds' | 'minutes' | 'hours' | 'days'

interface OptionBase {
  /** One line for documentation. */
  readonly doc: string
  /** True when a change is used only after the next start. */
  readonly needsRestart: boolean
  /** True when GET /settings answers null instead of the value. */
  readonly secret?: boolean
}

/** One option: its kind, limits and default. */
export type OptionSpec = OptionBase &
  (
    | { readonly kind: 'boolean'; readonly default: boolean }
    | {
        readonly kind: 'integer' | 'number'
        readonly min: number
        readonly max: number
        readonly default: number
        /** What it counts; absent: things, or a number without a unit. */
        readonly unit?: SettingUnit
      }
    | {
        readonly kind: 'text'
        readonly format: TextFormat
        readonly maxLength: number
        readonly default: string
        /** True when it may be empty, whatever the format. */
        readonly optional?: boolean
      }
    | {
        readonly kind: 'secret'
        readonly format: TextFormat
        readonly maxLength: number
        readonly default: Secret
        /** True when it may be empty, whatever the format. */
        readonly optional?: boolean
      }
    | { readonly kind: 'choice'; readonly values: readonly string[]; readonly default: string }
    | {
        readonly kind: 'list'
        readonly of: TextFormat
        readonly default: readonly string[]
        /** Absent: MAX_LIST_ENTRIES. */
        readonly maxEntries?: number
      }
  )

/** Any value an option can have. */
export type SettingValue = boolean | number | string | readonly string[] | Secret

/** The type of an option's value. */
export type OptionValue<S> = S extends { kind: 'boolean' }
  ? boolean
  : S extends { kind: 'integer' | 'number' }
    ? number
    : S extends { kind: 'choice'; values: readonly (infer V)[] }
      ? V
      : S extends { kind: 'list' }
        ? readonly string[]
        : S extends { kind: 'secret' }
          ? Secret
          : string

/** Whether two values are the same. */
export function sameValue(a: SettingValue | undefined, b: SettingValue | undefined): boolean {
  return a instanceof Secret ? a.equals(b) : !(b instanceof Secret) && JSON.stringify(a) === JSON.stringify(b)
}

/** A checked value, or the reason why there is none (completes "section.option ..."). */
export type Checked = { readonly value: SettingValue } | { readonly problem: string }

/** Entries of a list setting; each is at most MAX_ENTRY_LENGTH characters. */
const MAX_LIST_ENTRIES = 256
const MAX_ENTRY_LENGTH = 4096
const NUMBER = /^[+-]?\d{1,15}(\.\d{1,15})?$/
const INTEGER = /^[+-]?\d{1,16}(\.0+)?$/
const HOSTNAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i

/**
 * Checks a value from JSON or YAML against `spec`. Numeric strings pass for integers, 1/0 and their texts for booleans.
 */
export function checkOption(spec: OptionSpec, input: unknown): Checked {
  switch (spec.kind) {
    case 'boolean':
      return checkBoolean(input)
    case 'integer':
      return checkInteger(spec, input)
    case 'number':
      return checkNumber(spec, input)
    case 'choice':
      return typeof input === 'string' && spec.values.includes(input)
        ? { value: input }
        : { problem: `must be one of ${spec.values.join(', ')}` }
    case 'text':
      return spec.optional === true && input === '' ? { value: '' } : checkText(spec.format, spec.maxLength, input)
    case 'secret':
      if (spec.optional === true && input === '') return { value: Secret.none }
      return checkSecret(spec.format, spec.maxLength, input)
    default:
      return checkList(spec.of, spec.maxEntries ?? MAX_LIST_ENTRIES, input)
  }
}

/** A list that begins with an IPv6 address and its port is no JSON. */
const IPV6_WITH_PORT = /^\s*\[[\da-f:.]+\]:\d/i

/** Checks a value written as plain text (command line, environment): lists are JSON or separated by commas. */
export function checkOptionText(spec: OptionSpec, text: string | Secret): Checked {
  if (text instanceof Secret || spec.kind !== 'list') return checkOption(spec, text)
  if (!text.trimStart().startsWith('[') || IPV6_WITH_PORT.test(text)) {
    const entries = text.split(',').map(entry => entry.trim())
    return checkOption(
      spec,
      entries.filter(entry => entry !== ''),
    )
  }
  try {
    return checkOption(spec, JSON.parse(text))
  } catch {
    return { problem: 'must be a list: a,b,c or ["a","b","c"]' }
  }
}

function checkBoolean(input: unknown): Checked {
  if (input === true || input === 1 || input === '1' || input === 'true') return { value: true }
  if (input === false || input === 0 || input === '0' || input === 'false') return { value: false }
  return { problem: 'must be true or false' }
}

function checkInteger(spec: { readonly min: number; readonly max: number }, input: unknown): Checked {
  const value = typeof input === 'string' && INTEGER.test(input.trim()) ? Number(input) : input
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return { problem: 'must be a whole number' }
  // -0 would come back from JSON as 0: one spelling only.
  if (value < spec.min || value > spec.max) return { problem: `must be from ${spec.min} to ${spec.max}` }
  return { value: value + 0 }
}

function checkNumber(spec: { readonly min: number; readonly max: number }, input: unknown): Checked {
  const value = typeof input === 'string' && NUMBER.test(input.trim()) ? Number(input) : input
  if (typeof value !== 'number' || !Number.isFinite(value)) return { problem: 'must be a number' }
  if (value < spec.min || value > spec.max) return { problem: `must be from ${spec.min} to ${spec.max}` }
  return { value: value + 0 }
}

function checkText(format: TextFormat, maxLength: number, input: unknown): Checked {
  if (typeof input !== 'string') return { problem: 'must be text' }
  if (input.length > maxLength) return { problem: `must have at most ${maxLength} characters` }
  const problem = formatProblem(format, input)
  return problem === null ? { value: input } : { problem }
}

function checkSecret(format: TextFormat, maxLength: number, input: unknown): Checked {
  if (input instanceof Secret) return checkSecret(format, maxLength, input.reveal())
  const checked = checkText(format, maxLength, input)
  return 'problem' in checked ? checked : { value: new Secret(checked.value as string) }
}

function checkList(format: TextFormat, maxEntries: number, input: unknown): Checked {
  if (!Array.isArray(input)) return { problem: 'must be a list' }
  if (input.length > maxEntries) return { problem: `must have at most ${maxEntries} entries` }
  const value: string[] = []
  for (const entry of input as unknown[]) {
    const checked = checkText(format, MAX_ENTRY_LENGTH, entry)
    if ('problem' in checked) return { problem: `entry ${value.length}: ${checked.problem}` }
    value.push(checked.value as string)
  }
  return { value }
}

function formatProblem(format: TextFormat, text: string): string | null {
  switch (format) {
    case 'any':
      return null
    case 'ip':
      return isIP(text) !== 0 ? null : 'must be an IPv4 or IPv6 address'
    case 'listen-list':
      return isListenList(text) ? null : 'must be addresses or devices separated by commas, or empty'
    case 'host-port':
      return isHostPort(text) ? null : 'must be host:port'
    case 'host-ports':
      return text.split(',').every(part => isHostPort(part.trim())) ? null : 'must be host:port, or several with commas'
    case 'hex-40':
      return /^[0-9a-f]{40}$/i.test(text) ? null : 'must be 40 hexadecimal digits'
    case 'key':
      return /^[\x21-\x7e]*$/.test(text) ? null : 'must have only printable ASCII characters without spaces'
    case 'path':
      return text.startsWith('/') && !text.includes('\0') ? null : 'must be an absolute path'
    case 'hostname':
      return HOSTNAME.test(text) ? null : 'must be a host name'
    case 'origin':
      return isOrigin(text) ? null : 'must be an origin such as https://example.org:8443'
    case 'http-url':
      return isHttpUrl(text) ? null : 'must be an http or https address'
    case 'part-level':
      return /^[a-z0-9_]{1,64}=(debug|info|warn|error)$/.test(text) ? null : 'must be part=level, such as dht=debug'
    case 'coin-limit':
      return /^T?(BTC|LTC|ETH)=\d{1,12}(\.\d{1,18})?$/i.test(text) ? null : 'must be coin=amount, such as BTC=0.5'
    case 'port':
      return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? null : 'must be a port, 1 to 65535'
    case 'week-line': {
      const read = readLine(text)
      return 'problem' in read ? read.problem : null
    }
    case 'time-zone':
      return isTimeZone(text) ? null : 'must be a time zone such as Europe/Berlin'
    case 'word':
      return /^[a-z0-9_]{1,64}$/.test(text) ? null : 'must be a name of small letters, digits and _'
    default:
      return isCidr(text) ? null : 'must be an address block such as 192.168.0.0/16'
  }
}

function isOrigin(text: string): boolean {
  try {
    const url = new URL(text)
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.origin === text.toLowerCase()
  } catch {
    return false
  }
}

function isListenList(text: string): boolean {
  try {
    decodeListenList(text)
    return true
  } catch {
    return false
  }
}

/** `name:port`, `192.0.2.1:port` or `[2001:db8::1]:port`; a colon alone means none. */
function isHostPort(text: string): boolean {
  if (text === ':') return true
  const [, bracketed, plain = '', digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (!(port >= 1 && port <= 65_535)) return false
  return bracketed === undefined ? HOSTNAME.test(plain) : isIP(bracketed) === 6
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== ''
}

function isCidr(text: string): boolean {
  const [ip = '', prefix = '', rest] = text.split('/')
  const bits = isIP(ip) === 4 ? 32 : isIP(ip) === 6 ? 128 : 0
  return bits > 0 && rest === undefined && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits
}

/** Section -> option -> what it may be. */
export type Sections = Readonly<Record<string, Readonly<Record<string, OptionSpec>>>>
