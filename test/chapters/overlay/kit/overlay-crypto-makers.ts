// Both libraries under the overlays' cryptography, and chance that gives what a recording had.

import { makeOverlayCrypto } from '../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { nodePrimitives } from '../../../../src/chapters/overlay/io/overlay-crypto-node.ts'
import { sodiumPrimitives } from '../../../../src/chapters/overlay/io/overlay-crypto-sodium.ts'
import type { CurvePrimitives } from '../../../../src/chapters/overlay/io/overlay-primitives.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import type { OverlayCrypto } from '../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import type { Random } from '../../../../src/ports/random.ts'
import { unhex } from '../../../kit/doubles/overlay-vectors.ts'

/** The libraries of this machine; the first is the one that the node uses. */
export const curves: readonly CurvePrimitives[] = [sodiumPrimitives(), nodePrimitives].filter(one => one !== null)

/** Gives these bytes one after the other (hexadecimal), then throws. */
export function recordedRandom(...given: readonly string[]): Random {
  const left = [...given]
  return {
    bytes(count) {
      const next = unhex(left.shift() ?? '')
      if (next.length !== count) throw new Error(`${count} bytes of chance were not expected`)
      return next
    },
    below: () => 0,
  }
}

/** Cryptography over `curve`, with recorded chance or real one. */
export function cryptoOver(curve: CurvePrimitives, ...given: readonly string[]): OverlayCrypto {
  return makeOverlayCrypto(given.length === 0 ? new SystemRandom() : recordedRandom(...given), curve)
}

/** `text` with a layer around it, by `seal` of a layer key. */
export function sealed(
  key: { seal(bytes: Uint8Array, start: number, end: number): boolean },
  text: Uint8Array,
): Uint8Array {
  const bytes = new Uint8Array(text.length + 24)
  bytes.set(text, 8)
  if (!key.seal(bytes, 8, 8 + text.length)) throw new Error('not sealed')
  return bytes
}

/** `bytes` without their layer, or null. */
export function opened(
  key: { open(bytes: Uint8Array, start: number, end: number): boolean },
  bytes: Uint8Array,
): Uint8Array | null {
  const copy = Uint8Array.from(bytes)
  return key.open(copy, 0, copy.length) ? copy.slice(8, -16) : null
}
