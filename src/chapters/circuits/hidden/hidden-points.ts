// Introduction points of one swarm that a downloader knows: where a seeder can be asked to meet. Bounded, and old ones
// are forgotten unless a linked circuit came from them. Pure: the caller says what time it is.

import type { PeerAddress } from '../../../base/ids.ts'
import { isCircuitKey } from '../../overlay/wire/public-key.ts'

/** Introduction points not seen for this are forgotten. */
const POINT_AGE_MS = 180_000
/** Introduction points of one swarm that are known. */
const MAX_POINTS = 64

/** A seeder at an introduction point. */
export interface IntroductionPointName {
  readonly address: PeerAddress
  /** The introduction point's, and the seeder's in this swarm: 74 bytes each. */
  readonly publicKey: Uint8Array
  readonly seederKey: Uint8Array
}

/** What tells introduction points apart, as key of a map. */
export function pointKey(point: Pick<IntroductionPointName, 'publicKey' | 'seederKey'>): string {
  return Buffer.concat([point.publicKey, point.seederKey]).toString('latin1')
}

/** A seeder's key as key of a map. */
export function seederText(seederKey: Uint8Array): string {
  return Buffer.from(seederKey).toString('latin1')
}

interface Known {
  point: IntroductionPointName
  seenMs: number
}

/** The points. */
export class KnownPoints {
  /** In the order of last sight. */
  readonly #known = new Map<string, Known>()

  get size(): number {
    return this.#known.size
  }

  /** All, those seen last at the end. */
  list(): readonly IntroductionPointName[] {
    return [...this.#known.values()].map(({ point }) => point)
  }

  /** Takes one in; false: it is no usable address or key. Its strings are copied. */
  add(point: IntroductionPointName, nowMs: number): boolean {
    if (!isSomewhere(point.address) || !isCircuitKey(point.publicKey) || !isCircuitKey(point.seederKey)) return false
    const key = pointKey(point)
    this.#known.delete(key)
    this.#known.set(key, { point: copyOf(point), seenMs: nowMs })
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_POINTS) break
      this.#known.delete(oldest)
    }
    return true
  }

  /** It did not answer. */
  remove(point: IntroductionPointName): void {
    this.#known.delete(pointKey(point))
  }

  /** Forgets what was not seen for long; `used`: seeders we are linked with. */
  forgetOld(nowMs: number, used: ReadonlySet<string>): void {
    for (const [key, { point, seenMs }] of this.#known)
      if (nowMs - seenMs > POINT_AGE_MS && !used.has(seederText(point.seederKey))) this.#known.delete(key)
  }
}

function copyOf({ address, publicKey, seederKey }: IntroductionPointName): IntroductionPointName {
  return { address, publicKey: Uint8Array.from(publicKey), seederKey: Uint8Array.from(seederKey) }
}

/** False for "none", for what no datagram can be sent to. */
export function isSomewhere({ ip, port }: PeerAddress): boolean {
  return port > 0 && ip !== '0.0.0.0' && ip !== '::'
}
