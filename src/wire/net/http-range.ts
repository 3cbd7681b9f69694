// The header fields around ranges of a file (RFC 9110): Range as it is sent, Content-Range and Retry-After as they
// come. Text only; what an answer means for a request is judged where it was sent.

/** A part of a file: `offset` and `length` in bytes, and how long the whole file is said to be. */
export interface FileRange {
  readonly offset: number
  readonly length: number
  readonly total: number
}

/** What Content-Range says: first and last byte, both included, and the length of all, null when it is not told. */
export interface ContentRange {
  readonly first: number
  readonly last: number
  readonly total: number | null
}

/** Longest wait a Retry-After is believed, ms. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000

/** The Range field for `length` bytes (above 0) from `offset` on. */
export function rangeField(offset: number, length: number): string {
  return `bytes=${offset}-${offset + length - 1}`
}

/** Reads a Content-Range of an answer 206; null when it is none that makes sense. */
export function parseContentRange(text: string): ContentRange | null {
  const match = /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)\s*$/i.exec(text)
  if (match === null) return null
  const first = Number(match[1])
  const last = Number(match[2])
  const total = match[3] === '*' ? null : Number(match[3])
  return last < first || (total !== null && last >= total) ? null : { first, last, total }
}

/** Writes a Content-Range; parseContentRange reads back the same. */
export function formatContentRange(range: ContentRange): string {
  return `bytes ${range.first}-${range.last}/${range.total ?? '*'}`
}

/**
 * How long a Retry-After asks to wait from `wallMs` (since 1970) on, ms, at most a day; null when it cannot be read.
 */
export function parseRetryAfter(text: string, wallMs: number): number | null {
  const trimmed = text.trim()
  const waitMs = /^\d{1,9}$/.test(trimmed) ? Number(trimmed) * 1000 : dateOf(trimmed) - wallMs
  return Number.isFinite(waitMs) && waitMs >= 0 ? Math.min(waitMs, MAX_RETRY_AFTER_MS) : null
}

/** Milliseconds since 1970 of an HTTP date; NaN when it is none. */
function dateOf(text: string): number {
  return text.length <= 40 && /^[A-Za-z]{3,9},? .*GMT$/.test(text) ? Date.parse(text) : Number.NaN
}
