// msgpackr with fixed structures. Both ends build theirs from the same list, and the cap keeps either from learning a
// shape that the other does not know: without it the first new shape makes the other end fail to decode.

import { Packr } from 'msgpackr'

/** Packs values made of the listed shapes; other shapes travel as plain maps. */
export interface Packer {
  /** In memory that others share, and that holds it until the next value is packed: copy it at once. */
  pack(value: unknown): Uint8Array
  unpack(bytes: Uint8Array): unknown
}

/** The distinct key lists of all plain objects inside `samples`, in order of first appearance. */
export function shapesOf(samples: readonly unknown[]): string[][] {
  const shapes = new Map<string, string[]>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return
    const keys = Object.keys(value)
    shapes.set(keys.join('\0'), keys)
    Object.values(value).forEach(visit)
  }
  samples.forEach(visit)
  return [...shapes.values()]
}

/** A copy of exactly the used bytes: packed values share a slab, and posting one would clone the whole slab. */
export function ownBytes(packed: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(packed)
}

/** Makes a packer for `shapes`. At most 32 shapes: more would not fit the one-byte record ids. */
export function makePacker(shapes: readonly (readonly string[])[]): Packer {
  if (shapes.length > 32) throw new RangeError(`${shapes.length} shapes are too many`)
  const packr = new Packr({ structures: shapes.map(keys => [...keys]), maxSharedStructures: shapes.length })
  return {
    pack: value => packr.pack(value),
    unpack: bytes => packr.unpack(bytes) as unknown,
  }
}
