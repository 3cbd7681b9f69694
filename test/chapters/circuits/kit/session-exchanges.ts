// The overlays of introduction points in a session that is driven by a list: openings are noted, and what peers say
// comes from the list.

import type { CommunityOptions, Peer, PeerIntroductions } from '../../../../src/chapters/overlay/core/index.ts'
import { at, type Entry, hexOf } from './session.ts'

interface Exchange {
  make: () => Uint8Array
  heard: (peer: Peer, extra: Uint8Array) => void
}

/** All of one session, by number in the order they were opened. */
export class SessionExchanges {
  readonly #did: (entry: Entry) => void
  readonly #exchanges: Exchange[] = []

  constructor(did: (entry: Entry) => void) {
    this.#did = did
  }

  /** What we say in overlay `number` now. */
  extra(number: number): Uint8Array {
    return this.#exchanges[number]?.make() ?? new Uint8Array(0)
  }

  /** A peer said something in overlay `number`. */
  heard(number: number, key: string, port: number, extra: string): void {
    const peer = { publicKey: Uint8Array.from(Buffer.from(key, 'hex')), address: at(port) } as Peer
    this.#exchanges[number]?.heard(peer, Uint8Array.from(Buffer.from(extra, 'hex')))
  }

  open({ communityId }: CommunityOptions): { introductions: PeerIntroductions; close(): void } {
    const number = this.#exchanges.length
    const exchange: Exchange = { make: () => new Uint8Array(0), heard: () => undefined }
    this.#exchanges.push(exchange)
    this.#did(['open', number, hexOf(communityId)])
    const introductions: PeerIntroductions = {
      setExtra(make) {
        exchange.make = make
      },
      onExtra(run) {
        exchange.heard = run
        return () => undefined
      },
      ask: () => undefined,
      askPeer: () => undefined,
      lan: at(0),
      wan: at(0),
    }
    return { introductions, close: () => this.#did(['close', number]) }
  }
}
