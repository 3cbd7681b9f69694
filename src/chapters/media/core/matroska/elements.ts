// EBML (RFC 8794): elements of Matroska in bytes, and their heads in a file. Nothing is read beyond the element that
// an element lies in.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteSource } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'

/** Ids of the elements that are read (RFC 9559), with their markers. */
export const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
  seekPosition: 0x53ac,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  cues: 0x1c53bb6b,
  chapters: 0x1043a770,
  cluster: 0x1f43b675,
} as const

/** The longest head: an id of 4 bytes and a length of 8. */
export const MAX_HEAD_BYTES = 12

/** An element. Positions from the start of what it was read from; `end` is null where its length is not known. */
export interface Element {
  readonly id: number
  readonly start: number
  readonly body: number
  readonly end: number | null
}

/** An element that lies whole in bytes. */
export interface Child {
  readonly id: number
  readonly body: FieldBytes
}

/** The elements in `bytes`, one after the other. Throws DecodeError for one that goes beyond their end. */
export function* childrenOf(bytes: FieldBytes): Generator<Child> {
  let at = 0
  while (at < bytes.length) {
    const { id, body, end } = headAt(bytes, at)
    if (end === null || end > bytes.length) throw new DecodeError('an element goes beyond the one it lies in')
    yield { id, body: bytes.part(body, end) }
    at = end
  }
}

/** The head of the element at byte `at` of the file; null at its end. Throws DecodeError, and what reading throws. */
export function elementAt(source: ByteSource, at: number): Element | null {
  if (at >= source.size) return null
  const head = new FieldBytes(source.read(at, Math.min(source.size, at + MAX_HEAD_BYTES)))
  const { id, body, end } = headAt(head, 0)
  return { id, start: at, body: at + body, end: end === null ? null : at + end }
}

/** The head at byte `at` of `bytes`. */
function headAt(bytes: FieldBytes, at: number): Element {
  const idLength = lengthOf(bytes.u8(at), 4)
  const id = bytes.uint(at, idLength)
  const sizeAt = at + idLength
  const first = bytes.u8(sizeAt)
  const sizeLength = lengthOf(first, 8)
  const body = sizeAt + sizeLength
  let size = first & (0xff >> sizeLength)
  let unknown = size === 0xff >> sizeLength
  for (let next = sizeAt + 1; next < body; next += 1) {
    const byte = bytes.u8(next)
    unknown &&= byte === 0xff
    size = size * 256 + byte
  }
  if (unknown) return { id, start: at, body, end: null }
  if (!Number.isSafeInteger(body + size)) throw new DecodeError('an element is too long')
  return { id, start: at, body, end: body + size }
}

/** How many bytes a number has whose first byte is `first`. */
function lengthOf(first: number, most: number): number {
  const length = Math.clz32(first) - 23
  if (length > most) throw new DecodeError('a number has no length')
  return length
}

/** The value of an element that holds an unsigned number. */
export function uintOf(bytes: FieldBytes): number {
  return bytes.uint(0, Math.min(bytes.length, 8))
}

/** The value of one that holds a floating-point number: 0, 4 or 8 bytes. */
export function floatOf(bytes: FieldBytes): number {
  return bytes.length === 0 ? 0 : bytes.length === 4 ? bytes.f32(0) : bytes.f64(0)
}
