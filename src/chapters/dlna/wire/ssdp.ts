// Messages by which a media server is found (SSDP, UPnP Device Architecture 1.0, part 1): it announces itself, says
// goodbye, and answers searches. Text only; when and to whom is decided in service/announcer.ts.

import { DecodeError } from '../../../base/errors.ts'
import { SSDP_ADDRESS } from '../../../wire/net/upnp.ts'
import { DEVICE_TYPE, SERVICES } from './services.ts'

/** How long others may keep what was announced, seconds. */
export const MAX_AGE_SEC = 1800
/** Longest datagram that is read, bytes. */
const MAX_BYTES = 2048
const MAX_TARGET_CHARS = 256

/** What a server is called: its uuid (`uuid:...`), the address of its description, and what it runs on. */
export interface SsdpIdentity {
  readonly udn: string
  readonly location: string
  /** The header SERVER. */
  readonly server: string
}

/** All that it is searched by: the root device, itself, its kind, its services. */
export function targetsOf(udn: string): readonly string[] {
  return ['upnp:rootdevice', udn, DEVICE_TYPE, ...SERVICES.map(({ type }) => type)]
}

/** Whom a search for `target` means, of targetsOf(); none: it means others. */
export function meantBy(target: string, udn: string): readonly string[] {
  const all = targetsOf(udn)
  return target === 'ssdp:all' ? all : all.filter(one => one === target)
}

function usn(target: string, udn: string): string {
  return target === udn ? udn : `${udn}::${target}`
}

function message(first: string, fields: readonly (readonly [string, string])[]): Uint8Array {
  return Buffer.from(`${first}\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`, 'latin1')
}

const HOST = ['HOST', `${SSDP_ADDRESS.ip}:${SSDP_ADDRESS.port}`] as const
const AGE = ['CACHE-CONTROL', `max-age=${MAX_AGE_SEC}`] as const

/** It is there. */
export function encodeAlive(target: string, { udn, location, server }: SsdpIdentity): Uint8Array {
  return message('NOTIFY * HTTP/1.1', [
    HOST,
    AGE,
    ['LOCATION', location],
    ['NT', target],
    ['NTS', 'ssdp:alive'],
    ['SERVER', server],
    ['USN', usn(target, udn)],
  ])
}

/** It goes. */
export function encodeByebye(target: string, udn: string): Uint8Array {
  return message('NOTIFY * HTTP/1.1', [HOST, ['NT', target], ['NTS', 'ssdp:byebye'], ['USN', usn(target, udn)]])
}

/** The answer to a search; `date`: as HTTP writes it. */
export function encodeAnswer(target: string, { udn, location, server }: SsdpIdentity, date: string): Uint8Array {
  return message('HTTP/1.1 200 OK', [
    AGE,
    ['DATE', date],
    ['EXT', ''],
    ['LOCATION', location],
    ['SERVER', server],
    ['ST', target],
    ['USN', usn(target, udn)],
  ])
}

/** A search. */
export interface SsdpSearch {
  readonly target: string
  /** How long answers may take, seconds: 1 where it does not say, as searches to one device alone do not. */
  readonly maxWaitSec: number
}

/** Reads a search. Throws DecodeError, for announcements of others too. */
export function decodeSearch(datagram: Uint8Array): SsdpSearch {
  if (datagram.length > MAX_BYTES) throw new DecodeError('an SSDP message that is too long')
  const text = Buffer.from(datagram.buffer, datagram.byteOffset, datagram.byteLength).toString('latin1')
  const [first = '', ...lines] = text.split('\r\n')
  if (first !== 'M-SEARCH * HTTP/1.1') throw new DecodeError('not an SSDP search')
  const fields = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  if (fields.get('man') !== '"ssdp:discover"') throw new DecodeError('an SSDP search without its mark')
  const target = fields.get('st') ?? ''
  if (target === '' || target.length > MAX_TARGET_CHARS) throw new DecodeError('an SSDP search for nothing')
  const wait = fields.get('mx') ?? '1'
  if (!/^\d{1,4}$/.test(wait) || wait === '0') throw new DecodeError('an SSDP search with a wrong time')
  return { target, maxWaitSec: Number(wait) }
}
