// Names, descriptions and paths in records: which are accepted, and how any text is made acceptable. A title is one
// line that is no path name; prose may have lines. Characters are code points. Invariant: what asTitle and asProse give
// passes isTitle and isProse.

import { MAX_NAME_BYTES, MAX_PATH_PARTS, safeName } from '../../../wire/metainfo/safe-path.ts'
import { MAX_DESCRIPTION_CHARACTERS, MAX_NAME_CHARACTERS } from './types.ts'

/** Longest path of a file in a record, bytes of UTF-8. */
export const MAX_FILE_PATH_BYTES = 1024

// Control characters, and the marks that turn text round or are no character.
const UNSHOWN = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/u
const UNSHOWN_ALL = new RegExp(UNSHOWN.source, 'gu')
const UNSHOWN_IN_PROSE = /(?![\n\t])[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/u
const UNSHOWN_IN_PROSE_ALL = new RegExp(UNSHOWN_IN_PROSE.source, 'gu')
// Half a surrogate pair has no UTF-8.
const HALF = /\p{Cs}/u
const HALVES = /\p{Cs}/gu
// An absolute path, of a home or a drive, or a part that is `.` or `..`.
const PATH_NAME = /^(?:[/\\]|~[/\\]|[a-z]:[/\\])|(?:^|[/\\])\.{1,2}(?:[/\\]|$)/i
const SEPARATORS = /[/\\]/g

/**
 * Whether `text` may be the name of a channel, torrent or playlist: 1 to 255 characters, one line, shown as it is, no
 * path name.
 */
export function isTitle(text: string): boolean {
  return text.trim() !== '' && fits(text, MAX_NAME_CHARACTERS) && !UNSHOWN.test(text) && !PATH_NAME.test(text)
}

/** The title nearest to `text`; `blank` where nothing is left. */
export function asTitle(text: string, blank: string): string {
  const line = text.replace(HALVES, '\ufffd').replace(UNSHOWN_ALL, ' ').trim()
  const title = cutCharacters(PATH_NAME.test(line) ? line.replace(SEPARATORS, '_') : line, MAX_NAME_CHARACTERS).trim()
  return isTitle(title) ? title : blank
}

/**
 * Whether `text` may be a description or a comment: at most 1,023 characters, of control characters only line feeds and
 * tabs.
 */
export function isProse(text: string): boolean {
  return fits(text, MAX_DESCRIPTION_CHARACTERS) && !UNSHOWN_IN_PROSE.test(text)
}

/** The description or comment nearest to `text`. */
export function asProse(text: string): string {
  const lines = text.replace(HALVES, '\ufffd').replace(/\r\n?/g, '\n').replace(UNSHOWN_IN_PROSE_ALL, ' ')
  return cutCharacters(lines, MAX_DESCRIPTION_CHARACTERS)
}

/** Whether `path` may be the path of a file: safe names joined by `/`. */
export function isFilePath(path: string): boolean {
  if (Buffer.byteLength(path) > MAX_FILE_PATH_BYTES || HALF.test(path)) return false
  const parts = path.split('/')
  return parts.length <= MAX_PATH_PARTS && parts.every(isSafePart)
}

function isSafePart(part: string): boolean {
  if (part.length > MAX_NAME_BYTES) return false
  return safeName(Buffer.from(part, 'utf8')) === part
}

function fits(text: string, most: number): boolean {
  if (HALF.test(text)) return false
  return text.length <= most || (text.length <= most * 2 && [...text].length <= most)
}

/** `text` cut to `most` characters. */
export function cutCharacters(text: string, most: number): string {
  return text.length <= most ? text : [...text.slice(0, most * 2)].slice(0, most).join('').replace(HALVES, '')
}
