// The settings as fields of a form, made of the node's own schema: nothing here knows a single option by name. Pure.

import type { EffectiveSetting } from '../../../client/core-routes.ts'

/** A value as JSON has it. */
export type SettingValue = EffectiveSetting['value']

/** JSON schema of one option, as far as the form looks at it. */
export interface OptionSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly description?: string
  readonly 'x-needs-restart'?: boolean
  readonly 'x-secret'?: boolean
  /** What its number counts. */
  readonly 'x-unit'?: string
}

/** How an option is entered. */
export type FieldKind = 'switch' | 'choice' | 'number' | 'lines' | 'secret' | 'text'

/** One option of the form. */
export interface SettingField {
  readonly section: string
  readonly name: string
  readonly kind: FieldKind
  readonly schema: OptionSchema
  readonly effective: EffectiveSetting
}

/** `section.option`. */
export function pathOf({ section, name }: Pick<SettingField, 'section' | 'name'>): string {
  return `${section}.${name}`
}

/** Options by section, as the schema orders them. */
export function fieldsOf(
  schema: Readonly<Record<string, { readonly properties?: Readonly<Record<string, OptionSchema>> }>>,
  settings: Readonly<Record<string, Readonly<Record<string, EffectiveSetting>>>>,
): ReadonlyMap<string, readonly SettingField[]> {
  const sections = new Map<string, SettingField[]>()
  for (const [section, { properties = {} }] of Object.entries(schema)) {
    const fields = Object.entries(properties).flatMap(([name, option]) => {
      const effective = settings[section]?.[name]
      return effective === undefined ? [] : [{ section, name, kind: kindOf(option), schema: option, effective }]
    })
    if (fields.length > 0) sections.set(section, fields)
  }
  return sections
}

function kindOf(schema: OptionSchema): FieldKind {
  if (schema['x-secret'] === true) return 'secret'
  if (schema.enum !== undefined) return 'choice'
  switch (schema.type) {
    case 'boolean':
      return 'switch'
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return 'lines'
    default:
      return 'text'
  }
}

/** The text or switch that a value is entered as. */
export function entered(kind: FieldKind, value: SettingValue): string | boolean {
  if (kind === 'switch') return value === true
  if (kind === 'lines') return Array.isArray(value) ? value.map(plain).join('\n') : ''
  return plain(value)
}

function plain(value: SettingValue): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * What is sent for what was entered; a number that is none goes as its text, for the node to refuse with its reason.
 */
export function valueOf(kind: FieldKind, input: string | boolean): SettingValue {
  if (kind === 'switch') return input === true
  const text = String(input)
  if (kind === 'lines')
    return text
      .split('\n')
      .map(line => line.trim())
      .filter(line => line !== '')
  if (kind !== 'number') return text
  const number = Number(text)
  return text.trim() === '' || Number.isNaN(number) ? text : number
}

/** The option that a refusal names, as `section.name`; null when it names none. */
export function refusedOption(message: string): string | null {
  return /\bsetting ([a-z][a-z0-9_]*\.[a-z0-9_]+)/.exec(message)?.[1] ?? null
}

/** Words that are not written as others are. */
const spellings: Readonly<Record<string, string>> = {
  api: 'API',
  cpu: 'CPU',
  dht: 'DHT',
  dir: 'folder',
  http: 'HTTP',
  https: 'HTTPS',
  id: 'ID',
  ip: 'IP',
  ipv6: 'IPv6',
  libtorrent: 'BitTorrent',
  lsd: 'Local discovery',
  natpmp: 'NAT-PMP',
  pex: 'Peer exchange',
  saveas: 'Save as',
  tls: 'TLS',
  tos: 'TOS',
  upnp: 'UPnP',
  url: 'URL',
  utp: 'uTP',
}

/** Sections that are named after parts of the program this interface comes from, by what is set there. */
const sectionNames: Readonly<Record<string, string>> = {
  allchannel_community: 'Discovery of channels',
  channel_community: 'Own channels and subscriptions',
  dispersy: 'Overlay network, older names',
  ipv8: 'Overlay network',
  market_community: 'Market',
  search_community: 'Search at other nodes',
  torrent_checking: 'Seeders of torrents in channels',
  tunnel_community: 'Circuits',
}

/** A section as a heading: `libtorrent`: `BitTorrent`. */
export function sectionHeading(section: string): string {
  return sectionNames[section] ?? headingOf(section)
}

/** `max_download_rate` as a heading: `Max download rate`. */
export function headingOf(name: string): string {
  const words = name.split('_').map(word => spellings[word] ?? word)
  const text = words.join(' ')
  return spellings[words[0]?.toLowerCase() ?? ''] === undefined ? text.charAt(0).toUpperCase() + text.slice(1) : text
}
