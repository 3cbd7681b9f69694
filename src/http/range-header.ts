// The Range header (RFC 9110 part 14) for a file of known size. Pure. Malformed headers and other units are ignored, as
// the RFC demands, and so are headers with more ranges than a player ever asks for.

/** Bytes [start, end) of a file. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** What a Range header comes to: the whole file, some ranges in the order asked for, or none that exists. */
export type RangeChoice = 'whole' | 'unsatisfiable' | readonly ByteRange[]

/** More ranges than this in one request are answered with the whole file (decisions part 2). */
const MAX_RANGES = 16

const HEADER = /^\s*bytes\s*=(.*)$/is
const RANGE = /^\s*([0-9]*)\s*-\s*([0-9]*)\s*$/

/** Reads a Range header (empty text: none) for a file of `size` bytes. */
export function chooseRanges(header: string, size: number): RangeChoice {
  if (header === '') return 'whole'
  const plain = plainRange(header)
  if (plain !== null && plain.last >= plain.first && plain.first < size) {
    return [{ start: plain.first, end: Math.min(plain.last + 1, size) }]
  }
  const list = HEADER.exec(header)?.[1]
  if (list === undefined) return 'whole'
  // One more than the limit is enough to know that there are too many.
  const parts = list.split(',', MAX_RANGES + 1)
  if (parts.length > MAX_RANGES) return 'whole'
  const ranges: ByteRange[] = []
  for (const part of parts) {
    const range = readRange(part, size)
    if (range === 'malformed') return 'whole'
    if (range !== null) ranges.push(range)
  }
  return ranges.length === 0 ? 'unsatisfiable' : ranges
}

const PREFIX = 'bytes='
/** Numbers of more digits are left to the expressions above. */
const MAX_DIGITS = 15

// What nearly every request of a player has: `bytes=1-2`, read without an expression. Null: anything else.
function plainRange(header: string): { readonly first: number; readonly last: number } | null {
  if (!header.startsWith(PREFIX)) return null
  const dash = header.indexOf('-', PREFIX.length)
  const first = digits(header, PREFIX.length, dash)
  const last = digits(header, dash + 1, header.length)
  return first < 0 || last < 0 ? null : { first, last }
}

// The number that the characters from `start` to `end` spell; -1: none, or not digits alone.
function digits(text: string, start: number, end: number): number {
  if (end <= start || end - start > MAX_DIGITS) return -1
  let value = 0
  for (let at = start; at < end; at += 1) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}

// Null: well-formed, but nothing of it lies in the file.
function readRange(part: string, size: number): ByteRange | 'malformed' | null {
  const match = RANGE.exec(part)
  const first = match?.[1] ?? ''
  const last = match?.[2] ?? ''
  if (first === '' && last === '') return 'malformed'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? null : { start: size - length, end: size }
  }
  if (last !== '' && Number(last) < Number(first)) return 'malformed'
  if (Number(first) >= size) return null
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  return { start: Number(first), end }
}
