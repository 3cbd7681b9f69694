// Subscriptions to the events of a service (GENA, UPnP Device Architecture 1.0, part 4). Text only; to whom events may
// go is decided in service/subscriptions.ts.

import { DecodeError } from '../../../base/errors.ts'
import { XML_HEAD, xmlElement } from './xml-text.ts'

/** Longest header that is read, characters. */
const MAX_HEADER_CHARS = 1024
/** Addresses of one subscriber that are looked at. */
const MAX_CALLBACKS = 4

/** Where a subscriber wants its events: plain HTTP at a literal IPv4 address. */
export interface Callback {
  readonly ip: string
  readonly port: number
  /** Path and query. */
  readonly path: string
}

/** The addresses of a header CALLBACK that are plain HTTP at a literal address. Throws DecodeError. */
export function decodeCallbacks(header: string): Callback[] {
  if (header.length > MAX_HEADER_CHARS) throw new DecodeError('a CALLBACK that is too long')
  const found: Callback[] = []
  const named = [...header.matchAll(/<([^<>]*)>/g)].slice(0, MAX_CALLBACKS)
  for (const [, text = ''] of named) {
    const url = URL.parse(text)
    // What is written otherwise (0x0a.1, names) would be another address than it looks like.
    if (url === null || url.protocol !== 'http:' || !text.toLowerCase().startsWith(`http://${url.host}`)) continue
    if (url.username !== '' || url.password !== '' || !/^\d{1,3}(\.\d{1,3}){3}$/.test(url.hostname)) continue
    found.push({ ip: url.hostname, port: url.port === '' ? 80 : Number(url.port), path: url.pathname + url.search })
  }
  return found
}

/** Seconds of a header TIMEOUT, within bounds; the most where it names none. */
export function decodeTimeout(header: string, least: number, most: number): number {
  const [, digits] = /^second-(\d{1,9})$/i.exec(header.trim()) ?? []
  return digits === undefined ? most : Math.min(most, Math.max(least, Number(digits)))
}

/** The body of an event. */
export function encodeEvent(variables: Readonly<Record<string, string | number>>): string {
  const properties = Object.entries(variables).map(
    ([name, value]) => `<e:property>${xmlElement(name, String(value))}</e:property>`,
  )
  return `${XML_HEAD}<e:propertyset xmlns:e="urn:schemas-upnp-org:event-1-0">${properties.join('')}</e:propertyset>\r\n`
}
