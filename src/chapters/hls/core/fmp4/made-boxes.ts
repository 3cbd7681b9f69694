// Boxes of MP4 (ISO 14496-12) as they are written.

/** What a box is made of: bytes, or numbers of one byte each. */
export type BoxPart = Uint8Array | readonly number[]

/** A box. */
export function box(type: string, ...parts: readonly BoxPart[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + part.length, 8)
  const bytes = new Uint8Array(size)
  bytes.set(u32(size))
  for (let at = 0; at < 4; at += 1) bytes[4 + at] = type.charCodeAt(at)
  let next = 8
  for (const part of parts) {
    bytes.set(part, next)
    next += part.length
  }
  return bytes
}

/** A box with a version and flags. */
export function fullBox(type: string, version: number, flags: number, ...parts: readonly BoxPart[]): Uint8Array {
  return box(type, [version, (flags >> 16) & 0xff, (flags >> 8) & 0xff, flags & 0xff], ...parts)
}

/** The bytes of a number. */
export function u16(value: number): number[] {
  return [(value >>> 8) & 0xff, value & 0xff]
}

/** The bytes of a number, also of one below 0. */
export function u32(value: number): number[] {
  return [(value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff]
}

/** The bytes of a number up to 2^53. */
export function u64(value: number): number[] {
  return [...u32(Math.floor(value / 2 ** 32)), ...u32(value % 2 ** 32)]
}

/** Zeros. */
export function zeros(count: number): number[] {
  return new Array<number>(count).fill(0)
}
