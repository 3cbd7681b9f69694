// The infohash of a path, for all routes that have one.

import { AppError } from '../../base/errors.ts'

/** An infohash of the samples. */
export const SAMPLE_INFOHASH = '0123456789abcdef0123456789abcdef01234567'

/**
 * The segment `infohash`, lower case. What is not hexadecimal is answered as what is not known: AppError
 * DownloadNotFound.
 */
export function infohashOf(path: Readonly<Record<string, string>>): string {
  const given = path['infohash'] ?? ''
  if (isHash(given)) return given
  const text = given.toLowerCase()
  if (!isHash(text)) throw new AppError('DownloadNotFound')
  return text
}

// No regular expression: streams come here with every range.
function isHash(text: string): boolean {
  if (text.length !== 40 && text.length !== 64) return false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const isDigit = code >= 0x30 && code <= 0x39
    if (!isDigit && (code < 0x61 || code > 0x66)) return false
  }
  return true
}
