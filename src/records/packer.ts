// Messages between the main thread and the database thread as one run of bytes each.

import { Packr } from 'msgpackr'

// copyBuffers: an unpacked `have` or info dictionary must not keep its whole message in memory.
const packr = new Packr({ useRecords: false, copyBuffers: true })

/** Packs a message into memory of its own, so that it may be transferred (msgpackr's own result shares a slab). */
export function packMessage(message: unknown): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(packr.pack(message))
}

/** Unpacks what packMessage made at the other end; each end knows which type of message comes. */
export function unpackMessage(bytes: Uint8Array): unknown {
  return packr.unpack(bytes)
}
