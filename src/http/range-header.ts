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
