// The hops that were asked to take one place of a circuit and have not answered. All of them stay valid until the place
// is filled, since a late answer is as good as another: the first to answer has the place.

import type { PeerAddress } from '../../../base/ids.ts'
import type { HandshakeStart } from '../../overlay/ports/overlay-crypto.ts'
import type { HopCandidate } from './hop-choice.ts'

/** One question. */
export interface HopAsk {
  readonly hop: HopCandidate
  readonly identifier: number
  readonly handshake: HandshakeStart
}

/** The questions of one place. Bounded by the tries there are. */
export class HopAsks {
  #asks: HopAsk[] = []

  get size(): number {
    return this.#asks.length
  }

  /** The newest one; undefined: none was asked. */
  get last(): HopAsk | undefined {
    return this.#asks.at(-1)
  }

  /** Hops that were asked, oldest first. */
  get hops(): readonly HopCandidate[] {
    return this.#asks.map(({ hop }) => hop)
  }

  add(ask: HopAsk): void {
    this.#asks.push(ask)
  }

  /** Takes out the question with this number, which `from` (null: a hop before it passed the answer on) may answer. */
  take(identifier: number, from: PeerAddress | null): HopAsk | null {
    const at = this.#asks.findIndex(
      ask => ask.identifier === identifier && (from === null || ask.hop.address?.ip === from.ip),
    )
    const [ask] = at < 0 ? [] : this.#asks.splice(at, 1)
    return ask ?? null
  }

  /** Waits for none any more. */
  clear(): void {
    for (const { handshake } of this.#asks) handshake.wipe()
    this.#asks = []
  }
}
