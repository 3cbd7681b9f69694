// XML of strangers as a tree of plain objects, by fast-xml-parser. Documents that declare entities are refused, so what
// a document says is never longer than the document; depth is bounded. Names lose their prefixes. Attributes are named
// `@name`.

import { type EntityDecoderOptions, XMLParser } from 'fast-xml-parser'
import { DecodeError, errorText } from '../../../../base/errors.ts'

/** An element with attributes or children; one with text alone is a text. */
export interface XmlNode {
  readonly [name: string]: XmlValue | readonly XmlValue[]
}

/** An element. */
export type XmlValue = string | XmlNode

const MAX_DEPTH = 64

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  // Of HTML; feeds have them although they may not.
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
  reg: '®',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  szlig: 'ß',
  eacute: 'é',
}

const nothing = (): void => undefined
const decoder: EntityDecoderOptions = {
  setExternalEntities: nothing,
  addInputEntities: nothing,
  reset: nothing,
  setXmlVersion: nothing,
  decode: decodeEntities,
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_DEPTH,
  entityDecoder: decoder,
})

/** The root element of `text` and its name. Throws DecodeError. */
export function xmlTree(text: string): { readonly name: string; readonly root: XmlNode } {
  const start = text.search(/<[A-Za-z_]/)
  if (start < 0) throw new DecodeError('it is no XML')
  if (/<!DOCTYPE[^>[]*\[/i.test(text.slice(0, start))) throw new DecodeError('it declares entities')
  // A server may have sent a part; the parser would close what is open.
  const rootName = /^<([\w.:-]{1,100})/.exec(text.slice(start, start + 110))?.[1] ?? ''
  const end = text.lastIndexOf('</')
  if (end < 0 || text.slice(end + 2).match(/^[\w.:-]{1,100}/)?.[0] !== rootName) throw new DecodeError('it is cut off')
  const [name, root] = Object.entries(parsed(text)).find(([, value]) => typeof value === 'object') ?? ['', null]
  if (root === null || typeof root !== 'object' || Array.isArray(root)) throw new DecodeError('it is no XML')
  return { name, root: root as XmlNode }
}

/** `text` with entities and character numbers resolved once; other ampersands stay. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? whole) : whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    const surrogate = code >= 0xd800 && code <= 0xdfff
    return code === 0 || code > 0x10ffff || surrogate ? '\ufffd' : String.fromCodePoint(code)
  })
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const tree: unknown = parser.parse(text)
    return typeof tree === 'object' && tree !== null ? (tree as Record<string, unknown>) : {}
  } catch (error) {
    throw new DecodeError(errorText(error).slice(0, 200))
  }
}
