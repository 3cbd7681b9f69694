// From the bytes of a body or a query to names and values, not yet checked (decisions part 1, row body forms). The body
// is sniffed: a first non-blank byte `{` means JSON, everything else is key=value pairs. Content-Type is not read.
// Invariant: any bytes give a map or an AppError BadRequest.

import { AppError } from '../base/errors.ts'

/** Names (without a trailing `[]`) and values: JSON values, or texts and lists of texts from pairs. */
export type RawParameters = Map<string, unknown>

/** Pairs in one body or query. Far above every real request (a torrent of 100,000 files), below what costs time. */
const MAX_PAIRS = 200_000

/** Parses a body. Throws AppError BadRequest for broken JSON or too many pairs. */
export function parseBody(bytes: Uint8Array): RawParameters {
  const object = parseJsonObject(bytes)
  if (object === null) return parsePairs(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  const raw: RawParameters = new Map()
  for (const [name, value] of Object.entries(object)) raw.set(plainName(name), value)
  return raw
}

/** Whether a body is taken as JSON. */
export function isJson(bytes: Uint8Array): boolean {
  return bytes[firstNonBlank(bytes)] === 0x7b
}

/** The JSON object in `bytes`, or null when they do not start with `{`. Throws AppError BadRequest. */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> | null {
  const start = firstNonBlank(bytes)
  if (start === bytes.length || bytes[start] !== 0x7b) return null
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start).toString('utf8')
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new AppError('BadRequest', 'The body starts as a JSON object but is not one.')
  }
}

/** Parses `a=1&b[]=2&b[]=3`. Repeated names and names with `[]` become lists. */
export function parsePairs(text: string): RawParameters {
  const raw: RawParameters = new Map()
  let count = 0
  for (const [name, value] of new URLSearchParams(text.trim())) {
    count += 1
    if (count > MAX_PAIRS) throw new AppError('BadRequest', `More than ${MAX_PAIRS} parameters.`)
    addPair(raw, name, value)
  }
  return raw
}

function addPair(raw: RawParameters, name: string, value: string): void {
  const plain = plainName(name)
  const present = raw.get(plain)
  if (Array.isArray(present)) present.push(value)
  else if (typeof present === 'string') raw.set(plain, [present, value])
  else raw.set(plain, name === plain ? value : [value])
}

function plainName(name: string): string {
  return name.endsWith('[]') ? name.slice(0, -2) : name
}

// A byte order mark counts as blank: some editors put one in front of a saved body.
function firstNonBlank(bytes: Uint8Array): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  while (at < bytes.length && isBlank(bytes[at])) at += 1
  return at
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}
