// How a slot of the seal worker's memory is filled: a count, a u16 length for each part, the parts. Secrets lie there
// only while the job runs: the main thread zeroes what was used.

/** Bytes of a slot: a datagram with what is needed to judge it. */
export const SEAL_SLOT_BYTES = 2048
/** Cells of one batch of layers, and the room of each. */
export const BATCH_CELLS = 64
/** Bytes there are for a cell with all its layers. */
export const CELL_ROOM_BYTES = 2048
/** Room for keys before the cells of a batch. */
export const BATCH_KEYS_BYTES = 512
/** Bytes of a batch. */
export const BATCH_BYTES = BATCH_KEYS_BYTES + BATCH_CELLS * CELL_ROOM_BYTES

/** Fills `slot`; false, and nothing is written, when the parts have no room. */
export function putParts(slot: Uint8Array, parts: readonly Uint8Array[]): boolean {
  let at = 1 + 2 * parts.length
  if (parts.reduce((sum, part) => sum + part.length, at) > slot.length) return false
  slot[0] = parts.length
  for (const [i, part] of parts.entries()) {
    slot[1 + 2 * i] = part.length >>> 8
    slot[2 + 2 * i] = part.length & 0xff
    slot.set(part, at)
    at += part.length
  }
  return true
}

/** The parts of a filled slot, views. */
export function partsOf(slot: Uint8Array): Uint8Array[] {
  const count = slot[0] ?? 0
  let at = 1 + 2 * count
  return Array.from({ length: count }, (_, i) => {
    const length = ((slot[1 + 2 * i] as number) << 8) | (slot[2 + 2 * i] as number)
    return slot.subarray(at, (at += length))
  })
}
