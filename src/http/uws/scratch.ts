// The buffer that all streams share for what they hold between a read and the write after it.

/** One buffer, and the part of it that was asked for last: most requests of a player are of one length. */
export class Scratch {
  /** All of it. */
  readonly bytes: Uint8Array
  #part: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#part = bytes
  }

  /** Its first `length` bytes. */
  first(length: number): Uint8Array {
    if (this.#part.length !== length) this.#part = this.bytes.subarray(0, length)
    return this.#part
  }
}

/**
 * A buffer that begins on a page, as memory of a resizable buffer does; other memory begins 16 bytes behind one, and
 * the kernel then copies a sixteenth slower (measured).
 */
export function pageAligned(bytes: number): Uint8Array {
  const Resizable = ArrayBuffer as new (bytes: number, options: { maxByteLength: number }) => ArrayBuffer
  return new Uint8Array(new Resizable(bytes, { maxByteLength: bytes }), 0, bytes)
}
