// Boxes of MP4 (ISO 14496-12) and QuickTime: in bytes, and their heads in a file. Nothing is read beyond the box that a
// box lies in.

import { DecodeError } from '../../../../base/errors.ts'
import type { ByteSource } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'

/** The longest head: a length of 32 bits, a type, a length of 64 bits. */
const MAX_HEAD_BYTES = 16

/** A box of the file; positions in it. */
export interface FileBox {
  readonly type: string
  readonly start: number
  readonly body: number
  readonly end: number
}

/** A box that lies whole in bytes. */
export interface Box {
  readonly type: string
  readonly body: FieldBytes
}

/** The boxes in `bytes`, one after the other. Throws DecodeError for one that goes beyond their end. */
export function* boxesIn(bytes: FieldBytes): Generator<Box> {
  let at = 0
  // QuickTime ends some lists with four zero bytes.
  while (at + 8 <= bytes.length) {
    const { type, body, end } = headAt(bytes, at, bytes.length)
    if (end > bytes.length) throw new DecodeError(`a box ${type} goes beyond the one it lies in`)
    yield { type, body: bytes.part(body, end) }
    at = end
  }
}

/** The first box of a type in `bytes`; null = there is none. */
export function boxIn(bytes: FieldBytes, type: string): FieldBytes | null {
  for (const box of boxesIn(bytes)) if (box.type === type) return box.body
  return null
}

/** The box at the end of a path of types. */
export function boxAtPath(bytes: FieldBytes, path: readonly string[]): FieldBytes | null {
  let found: FieldBytes | null = bytes
  for (const type of path) found = found === null ? null : boxIn(found, type)
  return found
}

/** The head of the box at byte `at` of the file; null at its end. Throws DecodeError, and what reading throws. */
export function fileBoxAt(source: ByteSource, at: number): FileBox | null {
  if (at + 8 > source.size) return null
  const head = new FieldBytes(source.read(at, Math.min(source.size, at + MAX_HEAD_BYTES)))
  const { type, body, end } = headAt(head, 0, source.size - at)
  return { type, start: at, body: at + body, end: at + end }
}

/** The head at byte `at` of `bytes`. `limit`: where a box ends that says it reaches to the end. */
function headAt(bytes: FieldBytes, at: number, limit: number): FileBox {
  const short = bytes.u32(at)
  const type = bytes.latin(at + 4, 4)
  const body = short === 1 ? at + 16 : at + 8
  const end = short === 0 ? limit : at + (short === 1 ? bytes.u64(at + 8) : short)
  if (end < body) throw new DecodeError(`a box ${printable(type)} is shorter than its head`)
  return { type: printable(type), start: at, body, end }
}

function printable(type: string): string {
  return type.replaceAll(/[^ -~\u00a9]/g, '?')
}
