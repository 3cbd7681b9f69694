// Turns names out of a torrent into names that are safe to create on any file system: one name at a time, and the
// bounds of a whole path. Whether two names clash is unique-paths.ts; following links is the store's business.
// Invariant: the same bytes always give the same name, and every name given passes through safeName unchanged.

import { asBuffer, utf8Text } from '../bencode-value.ts'
import { cutText } from '../plain-text.ts'

/** Longest name of one file or folder, bytes of UTF-8: what common file systems take. */
export const MAX_NAME_BYTES = 255

/**
 * Longest path below the destination, bytes of UTF-8 with its separators: leaves room below 4,096 for the destination.
 */
export const MAX_PATH_BYTES = 2048

/** Most parts of a path, root and file name included. */
export const MAX_PATH_PARTS = 64

/** An ending longer than this is no file type and is not kept when a name is cut, bytes. */
const MAX_EXTENSION_BYTES = 32

/** The name used where nothing of a name is usable. */
const BLANK = '_'

// Control characters, both separators, and the marks that turn text round: `gpj.exe` must not look like `exe.jpg`.
const UNSAFE = /[\p{Cc}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu

// A name of ASCII that needs nothing done but the test for devices: most are, and a torrent may have 200,000.
const PLAIN = /^[\x20-\x2e\x30-\x5b\x5d-\x7e]{0,254}[\x21-\x2d\x30-\x5b\x5d-\x7e]$/

// Device names of Windows; they count with any ending and in any case.
const DEVICE =
  /^(con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]) *(\.|$)/i

/**
 * The safe name for the raw name of a file or folder, or null when it names nothing: empty, `.`, `..`, or nothing but
 * dots and spaces. Bytes that are not UTF-8 become `_`.
 */
export function safeName(raw: Uint8Array): string | null {
  const plain = raw.length <= MAX_NAME_BYTES ? asBuffer(raw).toString('latin1') : ''
  if (PLAIN.test(plain) && !DEVICE.test(plain)) return plain
  const text = (utf8Text(raw) ?? lenientText(raw)).replace(UNSAFE, BLANK).replace(/^\ufeff/, '')
  const trimmed = trimEnd(text)
  if (trimmed === '') return null
  const named = DEVICE.test(trimmed) ? BLANK + trimmed : trimmed
  return cutName(named, MAX_NAME_BYTES)
}

/**
 * The safe path of a file below its torrent's folder (null: single file, no folder). Parts that name nothing are left
 * out; without any part left the name is `_`. Too many or too long parts: folders nearest to the file are left out.
 */
export function safePath(root: string | null, parts: readonly Uint8Array[]): string[] {
  const names = parts.map(safeName).filter(name => name !== null)
  const file = names.pop() ?? BLANK
  const path = root === null ? [] : [root]
  let room = MAX_PATH_BYTES - Buffer.byteLength(file) - (root === null ? 0 : Buffer.byteLength(root) + 1)
  for (const folder of names) {
    room -= Buffer.byteLength(folder) + 1
    if (room < 0 || path.length >= MAX_PATH_PARTS - 1) break
    path.push(folder)
  }
  path.push(file)
  return path
}

/** Splits a name before its ending (`.tar` of `a.b.tar`); the ending is empty when there is none worth keeping. */
export function splitName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 ? name.slice(dot) : ''
  if (Buffer.byteLength(extension) > MAX_EXTENSION_BYTES) return { stem: name, extension: '' }
  return { stem: name.slice(0, name.length - extension.length), extension }
}

/** `name` cut to `maxBytes` of UTF-8, keeping its ending. */
export function cutName(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name
  const { stem, extension } = splitName(name)
  const cut = cutText(stem, maxBytes - Buffer.byteLength(extension))
  // A cut may end in a dot or space where the name did not.
  return (extension === '' ? trimEnd(cut) || BLANK : cut) + extension
}

/** Windows drops dots and spaces at the end of a name. A loop: the regular expression would be quadratic. */
function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === '.' || text[end - 1] === ' ')) end--
  return text.slice(0, end)
}

function lenientText(raw: Uint8Array): string {
  return asBuffer(raw).toString('utf8').replaceAll('\ufffd', BLANK)
}
