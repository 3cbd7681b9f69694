// Being a rendezvous point for others (8.4, steps 3 and 6): a seeder leaves a cookie, a downloader brings it, and both
// circuits become one. Invariants: a cookie belongs to the circuit that left it first and is used once; what circuits
// leave is bounded.

import { establishRendezvous, linkE2e, linkedE2e, rendezvousEstablished } from '../wire/hidden-messages.ts'
import { decodeCellMessage, encodeCellMessage } from '../../overlay/wire/message.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { HiddenCounts } from './hidden-counts.ts'
import type { HiddenHost, ServedCircuit } from './hidden-seam.ts'

/** Cookies that one circuit may leave here. */
const MAX_COOKIES_OF_CIRCUIT = 2
/** Cookies that all circuits together may leave here. */
const MAX_COOKIES = 500

/** What a rendezvous point works with. */
export interface RendezvousDeps {
  readonly host: HiddenHost
  readonly counts: HiddenCounts
  /** Our address as downloaders can reach it; NO_ADDRESS where it is not known. */
  readonly ownAddress: () => PeerAddress
}

/** All cookies that were left here. */
export class HiddenRendezvous {
  readonly #deps: RendezvousDeps
  /** Cookie in latin1 -> who left it. */
  readonly #cookies = new Map<string, ServedCircuit>()

  constructor(deps: RendezvousDeps) {
    this.#deps = deps
  }

  /** Cookies that wait. */
  get waiting(): number {
    return this.#cookies.size
  }

  /** establish-rendezvous came over `circuit`. Throws DecodeError. */
  establish(circuit: ServedCircuit, text: Uint8Array): void {
    const { identifier, cookie } = decodeCellMessage(establishRendezvous, text)
    const { counts } = this.#deps
    const name = Buffer.from(cookie).toString('latin1')
    const owner = this.#cookies.get(name)
    if (owner !== undefined && owner !== circuit) {
      counts.repeated++
      return
    }
    if (owner === undefined && !this.#hasRoom(circuit)) {
      counts.refused++
      return
    }
    this.#cookies.set(name, circuit)
    circuit.serveAs('rendezvous')
    circuit.send(encodeCellMessage(rendezvousEstablished, { identifier, address: this.#deps.ownAddress() }))
  }

  /** link-e2e came over `circuit`. Throws DecodeError. */
  link(circuit: ServedCircuit, text: Uint8Array): void {
    const { identifier, cookie } = decodeCellMessage(linkE2e, text)
    const { counts, host } = this.#deps
    const name = Buffer.from(cookie).toString('latin1')
    const seeder = this.#cookies.get(name)
    const answer = encodeCellMessage(linkedE2e, { identifier })
    if (seeder === undefined || seeder === circuit || !host.link(circuit, seeder, answer)) {
      counts.strangeCookies++
      return
    }
    this.#cookies.delete(name)
    counts.joined++
  }

  /** A circuit of others is gone. */
  circuitGone(circuit: ServedCircuit): void {
    for (const [name, owner] of this.#cookies) if (owner === circuit) this.#cookies.delete(name)
  }

  #hasRoom(circuit: ServedCircuit): boolean {
    let own = 0
    for (const owner of this.#cookies.values()) if (owner === circuit) own++
    return own < MAX_COOKIES_OF_CIRCUIT && this.#cookies.size < MAX_COOKIES
  }
}
