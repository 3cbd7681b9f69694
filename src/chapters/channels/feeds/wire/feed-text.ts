// The characters of a feed: by its byte order mark, the charset of Content-Type, or the XML declaration, in that order
// (RFC 7303). Feeds lie about it; what is no UTF-8 though it should be is taken for windows-1252, and an unknown
// charset for UTF-8.

import { TextDecoder } from 'node:util'

/** An XML declaration is within so many bytes. */
const DECLARATION_BYTES = 256

/** The text of `bytes`, without a byte order mark. Never throws: what has no character becomes U+FFFD. */
export function feedText(bytes: Uint8Array, contentType: string): string {
  const named = byteOrder(bytes) ?? charsetOf(contentType) ?? declared(bytes) ?? 'utf-8'
  const decoder = decoderOf(named)
  if (decoder.encoding !== 'utf-8') return decoder.decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder('utf-8')
  }
}

function byteOrder(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  // `<?` or `<r` without a mark (XML 1.0, appendix F).
  if (bytes[0] === 0x3c && bytes[1] === 0) return 'utf-16le'
  if (bytes[0] === 0 && bytes[1] === 0x3c) return 'utf-16be'
  return null
}

function charsetOf(contentType: string): string | null {
  return /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType.slice(0, 200))?.[1] ?? null
}

function declared(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1')
  const label = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(head)?.[1] ?? null
  // It could be read as single bytes, so it is not what it says.
  return label !== null && /^utf-?16/i.test(label) ? 'utf-8' : label
}
