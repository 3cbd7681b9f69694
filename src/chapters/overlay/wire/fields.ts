// The kinds of fields that the messages of the overlay protocol (IPv8) are made of, and records of named fields. A
// message is a table of fields; reading and writing follow the table in its order, so that no message has code of its
// own.

import { DecodeError } from '../../../base/errors.ts'
import {
  type AnyAddress,
  type OverlayAddress,
  readAddr,
  readIp,
  readIpv4,
  writeAddr,
  writeIp,
  writeIpv4,
} from './address.ts'
import type { OverlayReader } from './reader.ts'
import type { OverlayWriter } from './writer.ts'

/** One kind of field. */
export interface Field<T> {
  /** Throws DecodeError. Byte strings are views of the packet. */
  read(from: OverlayReader): T
  /** Throws RangeError for a value that does not fit. */
  write(to: OverlayWriter, value: T): void
}

/** Named fields in their order in the packet. */
export type Shape = Readonly<Record<string, Field<unknown>>>
/** The values of such fields. */
export type ValuesOf<S extends Shape> = { readonly [Name in keyof S]: S[Name] extends Field<infer T> ? T : never }

/** Longest public key that is read; the largest curve of old keys has 170 bytes. */
const MOST_KEY_BYTES = 512
/** Bytes of a community id. */
const ID_BYTES = 20

/** One byte. */
export const u8: Field<number> = { read: from => from.u8(), write: (to, value) => to.u8(value) }
/** Two bytes. */
export const u16: Field<number> = { read: from => from.u16(), write: (to, value) => to.u16(value) }
/** Four bytes. */
export const u32: Field<number> = { read: from => from.u32(), write: (to, value) => to.u32(value) }
/** Eight bytes. */
export const u64: Field<bigint> = { read: from => from.u64(), write: (to, value) => to.u64(value) }
/** One byte; anything but 0 is true. */
export const bool: Field<boolean> = { read: from => from.u8() !== 0, write: (to, value) => to.u8(value ? 1 : 0) }
/** Address and port of IPv4, 6 bytes. */
export const ipv4: Field<OverlayAddress> = { read: readIpv4, write: writeIpv4 }
/** Address and port of either family. */
export const ip: Field<OverlayAddress> = { read: readIp, write: writeIp }
/** Address or name, and port. */
export const addr: Field<AnyAddress> = { read: readAddr, write: writeAddr }
/** A byte string with its length before it. */
export const v16: Field<Uint8Array> = { read: from => from.v16(), write: (to, value) => to.v16(value) }
/** A public key in its form for the wire. */
export const key: Field<Uint8Array> = { read: from => from.v16(MOST_KEY_BYTES), write: (to, value) => to.v16(value) }
/** Everything up to the end of the payload. */
export const raw: Field<Uint8Array> = { read: from => from.rest(), write: (to, value) => to.put(value) }
/** A u8 count, and that many v16. */
export const list16: Field<readonly Uint8Array[]> = counted(v16)

/** Exactly `count` bytes. */
export function fixed(count: number): Field<Uint8Array> {
  return {
    read: from => from.take(count),
    write(to, value) {
      if (value.length !== count) throw new RangeError(`${value.length} bytes where ${count} belong`)
      to.put(value)
    },
  }
}

/** A v16 that must have exactly `count` bytes. */
export function v16Of(count: number): Field<Uint8Array> {
  return {
    read(from) {
      const bytes = from.v16()
      if (bytes.length !== count) throw new DecodeError(`${bytes.length} bytes where ${count} belong`)
      return bytes
    },
    write(to, value) {
      if (value.length !== count) throw new RangeError(`${value.length} bytes where ${count} belong`)
      to.v16(value)
    },
  }
}

/** A u8 count, and that many of `item`. */
export function counted<T>(item: Field<T>): Field<readonly T[]> {
  return {
    read: from => Array.from({ length: from.u8() }, () => item.read(from)),
    write(to, items) {
      to.u8(items.length)
      for (const each of items) item.write(to, each)
    },
  }
}

/** A u8 count, at most `most`, and that many of `item`. */
export function upTo<T>(most: number, item: Field<T>): Field<readonly T[]> {
  const all = counted(item)
  return {
    read(from) {
      const items = all.read(from)
      if (items.length > most) throw new DecodeError(`${items.length} items where ${most} are the most`)
      return items
    },
    write(to, items) {
      if (items.length > most) throw new RangeError(`${items.length} items where ${most} are the most`)
      all.write(to, items)
    },
  }
}

/** A u16 count, and that many community ids. */
export const communityIds: Field<readonly Uint8Array[]> = {
  read: from => Array.from({ length: bounded(from.u16(), from) }, () => from.take(ID_BYTES)),
  write(to, ids) {
    to.u16(ids.length)
    for (const id of ids) fixed(ID_BYTES).write(to, id)
  },
}

/** Fields inside a field. */
export function record<S extends Shape>(shape: S): Field<ValuesOf<S>> {
  return { read: from => readShape(shape, from), write: (to, values) => writeShape(shape, to, values) }
}

/** A record with its length before it; bytes behind the fields that we know are passed over. */
export function nested<S extends Shape>(shape: S): Field<ValuesOf<S>> {
  return {
    read: from => readShape(shape, from.part(from.u16())),
    write: (to, values) => to.measured(() => writeShape(shape, to, values)),
  }
}

/** Reads the fields of `shape`, in its order. Throws DecodeError. */
export function readShape<S extends Shape>(shape: S, from: OverlayReader): ValuesOf<S> {
  const values: Record<string, unknown> = {}
  for (const name in shape) values[name] = (shape[name] as Field<unknown>).read(from)
  return values as ValuesOf<S>
}

/** Writes the fields of `shape`, in its order. Throws RangeError. */
export function writeShape<S extends Shape>(shape: S, to: OverlayWriter, values: ValuesOf<S>): void {
  for (const name in shape) (shape[name] as Field<unknown>).write(to, values[name])
}

function bounded(count: number, from: OverlayReader): number {
  if (count * ID_BYTES > from.left) throw new DecodeError('ends too early')
  return count
}
