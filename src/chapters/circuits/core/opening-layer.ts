// Takes a layer off cells (7.4), and each cell only once: a counter that came before is refused.

import { LAYER_BYTES, type LayerKey } from '../../overlay/ports/overlay-crypto.ts'
import { ReplayWindow } from './replay-window.ts'

const WORD = 0x1_0000_0000
/** High words from here on are no exact numbers any more; no counter gets so far. */
const MAX_HIGH = 0x20_0000

/** One direction of a layer at the end that reads it. */
export class OpeningLayer {
  readonly #key: LayerKey
  readonly #window = new ReplayWindow()

  constructor(key: LayerKey) {
    this.#key = key
  }

  /**
   * Decrypts the layer from `at` (its counter) to `end` in place; the text is at `at` + 8 up to `end` - 16 then. False:
   * forged, corrupted, too short, or here before; the bytes are spoilt.
   */
  open(bytes: Uint8Array, at: number, end: number): boolean {
    if (end - at < LAYER_BYTES) return false
    const high = wordAt(bytes, at)
    const low = wordAt(bytes, at + 4)
    return high < MAX_HIGH && this.#key.open(bytes, at, end) && this.#window.take(high * WORD + low)
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16)
  return (high | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0
}
