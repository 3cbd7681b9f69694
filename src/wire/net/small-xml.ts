// A strict reader for the small XML documents of gateways: elements and text, within bounds on length, depth and
// number. Attributes are passed over, prefixes of names dropped. No document types, so no entities beyond the five and
// numbers: what a document says is never longer than the document. Not a general XML parser.

import { DecodeError } from '../../base/errors.ts'

/** Longest document, characters: descriptions of real gateways have 3 to 20 thousand. */
export const MAX_XML_CHARS = 256 * 1024
const MAX_DEPTH = 32
const MAX_ELEMENTS = 4000
/** Longest name with its prefix, characters. */
const MAX_NAME_CHARS = 200

/** An element. `text` is its own text, trimmed, without that of its children. */
export interface XmlElement {
  readonly name: string
  readonly text: string
  readonly children: readonly XmlElement[]
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const NAME = /[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?/y
const SPACE = /[ \t\r\n]*/y
const ATTRIBUTE = /[ \t\r\n]+[A-Za-z_:][\w:.-]*[ \t\r\n]*=[ \t\r\n]*(?:"[^"<]*"|'[^'<]*')/y

/** Everything but the characters of XML 1.0. */
const NO_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

interface Open {
  readonly fullName: string
  readonly children: XmlElement[]
  readonly parts: string[]
}

/** The root element of `text`. Throws DecodeError. */
export function parseXml(text: string): XmlElement {
  if (text.length > MAX_XML_CHARS) throw new DecodeError(`an XML document over ${MAX_XML_CHARS} characters`)
  if (text.search(NO_CHARACTER) >= 0) throw new DecodeError('XML: a character that XML does not have')
  return new XmlReader(text).root()
}

/** All elements of this name at or below `element`, in the order of the document. */
export function elementsNamed(element: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = element.name === name ? [element] : []
  for (const child of element.children) found.push(...elementsNamed(child, name))
  return found
}

/** The text of the first child of this name; null when there is none. */
export function childText(element: XmlElement, name: string): string | null {
  return element.children.find(child => child.name === name)?.text ?? null
}

class XmlReader {
  readonly #text: string
  readonly #open: Open[] = []
  #at = 0
  #elements = 0
  #root: XmlElement | null = null

  constructor(text: string) {
    this.#text = text.startsWith('\ufeff') ? text.slice(1) : text
  }

  root(): XmlElement {
    while (this.#at < this.#text.length) this.#next()
    if (this.#root === null || this.#open.length > 0) throw new DecodeError('XML: an element is not closed')
    return this.#root
  }

  #next(): void {
    const text = this.#text
    if (text[this.#at] !== '<') this.#characters()
    else if (text.startsWith('<?', this.#at)) this.#skipPast('?>')
    else if (text.startsWith('<!--', this.#at)) this.#skipPast('-->')
    else if (text.startsWith('<![CDATA[', this.#at)) this.#cdata()
    else if (text.startsWith('</', this.#at)) this.#closing()
    else this.#opening()
  }

  #characters(): void {
    const end = this.#text.indexOf('<', this.#at)
    const raw = this.#text.slice(this.#at, end < 0 ? this.#text.length : end)
    this.#at += raw.length
    const top = this.#open.at(-1)
    if (top !== undefined) top.parts.push(unescapeXml(raw))
    else if (raw.trim() !== '') throw new DecodeError('XML: text outside of the root element')
  }

  #cdata(): void {
    const top = this.#open.at(-1)
    if (top === undefined) throw new DecodeError('XML: text outside of the root element')
    const start = this.#at + '<![CDATA['.length
    this.#skipPast(']]>')
    top.parts.push(this.#text.slice(start, this.#at - 3))
  }

  #opening(): void {
    this.#at += 1
    const fullName = this.#match(NAME)
    if (fullName === '' || fullName.length > MAX_NAME_CHARS) throw new DecodeError('XML: a bad element name')
    if (this.#root !== null) throw new DecodeError('XML: a second root element')
    this.#elements += 1
    if (this.#elements > MAX_ELEMENTS) throw new DecodeError(`XML: more than ${MAX_ELEMENTS} elements`)
    while (this.#match(ATTRIBUTE) !== '') continue
    this.#match(SPACE)
    const open: Open = { fullName, children: [], parts: [] }
    if (this.#text.startsWith('/>', this.#at)) {
      this.#at += 2
      return this.#done(open)
    }
    if (this.#text[this.#at] !== '>') throw new DecodeError('XML: a bad tag')
    this.#at += 1
    if (this.#open.length >= MAX_DEPTH) throw new DecodeError(`XML: deeper than ${MAX_DEPTH}`)
    this.#open.push(open)
  }

  #closing(): void {
    this.#at += 2
    const name = this.#match(NAME)
    this.#match(SPACE)
    const open = this.#open.pop()
    if (open === undefined || open.fullName !== name || this.#text[this.#at] !== '>') {
      throw new DecodeError('XML: a closing tag that fits no opening one')
    }
    this.#at += 1
    this.#done(open)
  }

  #done({ fullName, children, parts }: Open): void {
    const name = fullName.slice(fullName.indexOf(':') + 1)
    const element = { name, children, text: parts.join('').trim() }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = element
    else parent.children.push(element)
  }

  #skipPast(mark: string): void {
    const at = this.#text.indexOf(mark, this.#at)
    if (at < 0) throw new DecodeError(`XML: '${mark}' is missing`)
    this.#at = at + mark.length
  }

  /** What `pattern` (sticky) matches here, passed over. */
  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }
}

/**
 * Text with the five entities and character numbers resolved; other ampersands stay: gateways forget to escape them.
 */
function unescapeXml(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&([^;&]{1,10});/g, (whole, name: string) => {
    const known = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : numbered(name)
    return known ?? whole
  })
}

function numbered(name: string): string | undefined {
  const match = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name)
  if (match === null) return undefined
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16)
  const character = code <= 0x10ffff ? String.fromCodePoint(code) : '\0'
  return character.search(NO_CHARACTER) < 0 ? character : undefined
}

/** `text` escaped for an element; characters that XML cannot have become spaces. */
export function escapeXml(text: string): string {
  return text.replace(NO_CHARACTER, ' ').replace(/[<>&"']/g, character => `&#${character.charCodeAt(0)};`)
}
