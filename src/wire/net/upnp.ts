// UPnP Internet Gateway Devices: search (SSDP), device description, and the three actions (SOAP) that port mapping
// needs. Text only. Sources: UPnP Device Architecture 1.1, WANIPConnection:1 and :2. Which answers to trust is decided
// in portmap/upnp-client.ts.

import { DecodeError } from '../../base/errors.ts'
import { plainLine } from '../plain-text.ts'
import { childText, elementsNamed, escapeXml, parseXml, type XmlElement } from './small-xml.ts'

/** Where searches go. */
export const SSDP_ADDRESS = { ip: '239.255.255.250', port: 1900 } as const

/** What is searched for: gateways of both versions, and their services where a gateway answers for these only. */
export const SEARCH_TARGETS: readonly string[] = [
  'urn:schemas-upnp-org:device:InternetGatewayDevice:1',
  'urn:schemas-upnp-org:device:InternetGatewayDevice:2',
  'urn:schemas-upnp-org:service:WANIPConnection:1',
  'urn:schemas-upnp-org:service:WANPPPConnection:1',
]

/** Longest answer to a search, bytes. */
const MAX_SSDP_BYTES = 4096
const MAX_URL_CHARS = 1024
/** Connections of one gateway that are looked at. */
const MAX_SERVICES = 8
/** Longest argument of an answer, characters. */
const MAX_ARGUMENT_CHARS = 256
const SERVICE = /^urn:schemas-upnp-org:service:WAN(?:IP|PPP)Connection:[1-9]$/

/** A search that is answered within `maxWaitSec`. */
export function encodeSsdpSearch(target: string, maxWaitSec: number): Uint8Array {
  const lines = [
    'M-SEARCH * HTTP/1.1',
    `HOST: ${SSDP_ADDRESS.ip}:${SSDP_ADDRESS.port}`,
    'MAN: "ssdp:discover"',
    `MX: ${maxWaitSec}`,
    `ST: ${target}`,
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

/** What answered a search. */
export interface SsdpAnswer {
  /** Address of the device description. */
  readonly location: string
  readonly target: string
}

/** Reads an answer to a search. Throws DecodeError, also for announcements and for answers without a location. */
export function decodeSsdpAnswer(datagram: Uint8Array): SsdpAnswer {
  if (datagram.length > MAX_SSDP_BYTES) throw new DecodeError('an SSDP answer that is too long')
  const text = Buffer.from(datagram.buffer, datagram.byteOffset, datagram.byteLength).toString('latin1')
  const [status = '', ...lines] = text.split(/\r?\n/)
  if (!/^HTTP\/1\.[01] 200\b/i.test(status)) throw new DecodeError('not an answer to an SSDP search')
  const fields = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  const location = fields.get('location') ?? ''
  if (location.length > MAX_URL_CHARS || !/^http:\/\//i.test(location) || !URL.canParse(location)) {
    throw new DecodeError('an SSDP answer without a usable location')
  }
  return { location, target: fields.get('st') ?? '' }
}

/** A service that can map ports. */
export interface WanConnection {
  /** Its full type, named in every action. */
  readonly serviceType: string
  /** Where actions go, absolute. */
  readonly controlUrl: string
}

/**
 * The connections of a gateway from its description, which was found at `location`; IP connections before PPP ones.
 * Throws DecodeError, also when there is none.
 */
export function decodeDeviceDescription(text: string, location: string): WanConnection[] {
  const root = parseXml(text)
  const base = childText(root, 'URLBase') || location
  const found: WanConnection[] = []
  for (const service of elementsNamed(root, 'service')) {
    const connection = connectionOf(service, base)
    if (connection !== null && found.length < MAX_SERVICES) found.push(connection)
  }
  if (found.length === 0) throw new DecodeError('the device is no gateway that maps ports')
  const isPpp = (connection: WanConnection): number => (connection.serviceType.includes('WANPPP') ? 1 : 0)
  return found.sort((a, b) => isPpp(a) - isPpp(b))
}

function connectionOf(service: XmlElement, base: string): WanConnection | null {
  const serviceType = childText(service, 'serviceType') ?? ''
  const path = childText(service, 'controlURL') ?? ''
  if (!SERVICE.test(serviceType) || path === '' || path.length > MAX_URL_CHARS) return null
  const controlUrl = URL.parse(path, base)
  return controlUrl === null || controlUrl.protocol !== 'http:' ? null : { serviceType, controlUrl: controlUrl.href }
}

/** The body of an action; arguments in the order the service defines. */
export function encodeSoapAction(
  serviceType: string,
  action: string,
  parameters: readonly (readonly [string, string])[],
): string {
  const inner = parameters.map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`).join('')
  return (
    '<?xml version="1.0"?>\r\n<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" ' +
    's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>' +
    `<u:${action} xmlns:u="${escapeXml(serviceType)}">${inner}</u:${action}></s:Body></s:Envelope>\r\n`
  )
}

/** The header fields an action is sent with. */
export function soapHeaders(serviceType: string, action: string): Record<string, string> {
  return { 'content-type': 'text/xml; charset="utf-8"', soapaction: `"${serviceType}#${action}"` }
}

/** What an action ended with: its results by name, or the gateway's error. */
export type SoapAnswer =
  | { readonly kind: 'done'; readonly results: ReadonlyMap<string, string> }
  | { readonly kind: 'fault'; readonly code: number; readonly text: string }

/** Reads the answer to `action`. Throws DecodeError. */
export function decodeSoapAnswer(text: string, action: string): SoapAnswer {
  const root = parseXml(text)
  const body = root.name === 'Envelope' ? root.children.find(child => child.name === 'Body') : undefined
  const inner = body?.children[0]
  if (inner === undefined) throw new DecodeError('a SOAP answer without a body')
  if (inner.name === 'Fault') return faultOf(inner)
  if (inner.name !== `${action}Response`) throw new DecodeError('a SOAP answer to another action')
  return {
    kind: 'done',
    results: new Map(inner.children.map(child => [child.name, child.text.slice(0, MAX_ARGUMENT_CHARS)])),
  }
}

function faultOf(fault: XmlElement): SoapAnswer {
  const error = elementsNamed(fault, 'UPnPError')[0]
  const code = error === undefined ? '' : (childText(error, 'errorCode') ?? '')
  const text = error === undefined ? '' : (childText(error, 'errorDescription') ?? '')
  return {
    kind: 'fault',
    code: /^\d{1,5}$/.test(code) ? Number(code) : 0,
    text: plainLine(text, MAX_ARGUMENT_CHARS) ?? '',
  }
}
