// Actions of control points, and what they are answered with (SOAP 1.1 as UPnP uses it: UPnP Device Architecture 1.0,
// part 3). Bodies are read by the strict reader of the core (src/wire/net/small-xml.ts): no document types, so no
// entities but the five, and bounds on length, depth and number.

import { DecodeError } from '../../../base/errors.ts'
import { parseXml } from '../../../wire/net/small-xml.ts'
import { type ServiceTemplate, SERVICES } from './services.ts'
import { XML_HEAD, xmlElement, xmlText } from './xml-text.ts'

/** Longest body of an action, bytes. */
export const MAX_ACTION_BYTES = 16 * 1024
/** Longest argument, characters. */
const MAX_ARGUMENT_CHARS = 2048
const MAX_ARGUMENTS = 16

/** What went wrong, as UPnP numbers it. */
export class ActionError extends Error {
  readonly code: number

  constructor(code: number, text: string) {
    super(text)
    this.name = 'ActionError'
    this.code = code
  }
}

/** An action that is asked for. */
export interface AskedAction {
  readonly service: ServiceTemplate
  readonly action: string
  readonly parameters: ReadonlyMap<string, string>
}

/**
 * Reads an action: `header` is that of SOAPACTION, `body` the envelope. Throws DecodeError for what is no action at
 * all, ActionError 401 for one that there is not.
 */
export function decodeAction(header: string, body: Uint8Array): AskedAction {
  const [, type = '', action = ''] = /^"?([\w:.-]{1,200})#(\w{1,100})"?$/.exec(header.trim()) ?? []
  const service = SERVICES.find(one => one.type === type)
  if (body.length > MAX_ACTION_BYTES) throw new DecodeError('an action that is too long')
  const root = parseXml(new TextDecoder().decode(body))
  const inner = root.name === 'Envelope' ? root.children.find(({ name }) => name === 'Body')?.children[0] : undefined
  if (inner === undefined) throw new DecodeError('an action without a body')
  if (service === undefined || !Object.hasOwn(service.actions, action)) throw new ActionError(401, 'Invalid Action')
  if (inner.name !== action) throw new DecodeError('an action that is another than its header says')
  if (inner.children.length > MAX_ARGUMENTS) throw new ActionError(402, 'Invalid Args')
  const parameters = new Map<string, string>()
  for (const { name, text } of inner.children) {
    if (text.length > MAX_ARGUMENT_CHARS) throw new ActionError(402, 'Invalid Args')
    parameters.set(name, text)
  }
  return { service, action, parameters }
}

const ENVELOPE =
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" ' +
  's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>'
const ENVELOPE_END = '</s:Body></s:Envelope>\r\n'

/**
 * The answer to an action, in parts that follow each other; results in the order that the service defines. A result
 * that is a list of texts is escaped already.
 */
export function encodeResult(
  { service, action }: Pick<AskedAction, 'service' | 'action'>,
  results: Readonly<Record<string, string | number | readonly string[]>>,
): string[] {
  const parts = [`${XML_HEAD}${ENVELOPE}<u:${action}Response xmlns:u="${xmlText(service.type)}">`]
  for (const [name, value] of Object.entries(results)) {
    if (typeof value === 'object') parts.push(`<${name}>`, ...value, `</${name}>`)
    else parts.push(xmlElement(name, String(value)))
  }
  parts.push(`</u:${action}Response>${ENVELOPE_END}`)
  return parts
}

/** The answer to an action that failed. */
export function encodeFault({ code, message }: Pick<ActionError, 'code' | 'message'>): string {
  return (
    `${XML_HEAD}${ENVELOPE}<s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail>` +
    `<UPnPError xmlns="urn:schemas-upnp-org:control-1-0"><errorCode>${code}</errorCode>` +
    `${xmlElement('errorDescription', message)}</UPnPError></detail></s:Fault>${ENVELOPE_END}`
  )
}
