// Text for XML that old televisions read: the five named entities, which they know, and no numbered ones.

/** Everything but the characters of XML 1.0. */
const NO_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
}

/** `text` escaped for an element or an attribute; characters that XML cannot have become spaces. */
export function xmlText(text: string): string {
  return text.replace(NO_CHARACTER, ' ').replace(/[<>&"']/g, character => ENTITIES[character] ?? ' ')
}

/** An element with text. */
export function xmlElement(name: string, text: string): string {
  return `<${name}>${xmlText(text)}</${name}>`
}

/** The first line of every document. */
export const XML_HEAD = '<?xml version="1.0" encoding="utf-8"?>\r\n'
