// The hidden swarms this node is in, as seeder or downloader, and the way of answers to them. One swarm a torrent and
// hop count.

import type { InfoHash, PeerAddress } from '../../../base/ids.ts'
import type { Requests } from '../../overlay/core/index.ts'
import type { HiddenPeer, HiddenSwarm, HopCount } from '../ports/circuits.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import {
  createdE2e,
  createE2e,
  introEstablished,
  linkedE2e,
  peersResponse,
  rendezvousEstablished,
} from '../wire/hidden-messages.ts'
import { lookupInfoHash } from '../wire/hidden-names.ts'
import { decodeCellMessage, type PayloadOf } from '../../overlay/wire/message.ts'
import { decodeUnsigned, decodeUnwrapped, messageIdOf } from '../../overlay/wire/packet.ts'
import { Answers } from './hidden-answers.ts'
import type { CreatedE2e } from './hidden-attempt.ts'
import { ContactCircuits } from './hidden-contact.ts'
import type { HiddenCounts } from './hidden-counts.ts'
import { isSomewhere } from './hidden-points.ts'
import type { HiddenCircuit, HiddenCrypto, HiddenHost } from './hidden-seam.ts'
import type { PeersFound } from './hidden-seeker.ts'
import { JoinedSwarm, type JoinedSwarmDeps } from './hidden-swarm.ts'

/** How often a swarm thinks of looking up. */
const LOOKUP_TICK_MS = 1_000
/**
 * Waiting for the answers of each step. Points of others answer a repeated establish-rendezvous again, the others once:
 * it is the question that is more often lost then.
 */
const STEP_PATIENCE = {
  peers: { timeoutMs: 10_000, againMs: null },
  /** The seeder builds a circuit meanwhile. Another attempt begins sooner. */
  created: { timeoutMs: 10_000, againMs: null },
  linked: { timeoutMs: 4_000, againMs: 1_250 },
  introduced: { timeoutMs: 6_000, againMs: 1_750 },
  established: { timeoutMs: 6_000, againMs: 1_750 },
} as const
/** Introduction points of all swarms. */
const MAX_INTRODUCTION_POINTS = 50

/** What swarms work with. */
export interface SwarmsDeps {
  readonly host: HiddenHost
  readonly crypto: HiddenCrypto
  readonly requests: Requests
  readonly clock: Clock
  readonly random: Random
  readonly counts: HiddenCounts
  readonly log: Log
  readonly prefix: Uint8Array
}

/** All of them. */
export class HiddenSwarms {
  readonly #deps: SwarmsDeps
  /** By hop count and info hash. */
  readonly #swarms = new Map<string, JoinedSwarm>()
  readonly #contacts = new Map<HopCount, ContactCircuits>()
  readonly #peers: Answers<PeersFound>
  readonly #created: Answers<CreatedE2e>
  readonly #linked: Answers<true>
  readonly #introduced: Answers<true>
  readonly #established: Answers<PeerAddress>
  #places = MAX_INTRODUCTION_POINTS
  #ticking: Timer | null = null

  constructor(deps: SwarmsDeps) {
    this.#deps = deps
    this.#peers = new Answers('peers-request', STEP_PATIENCE.peers, deps)
    this.#created = new Answers('create-e2e', STEP_PATIENCE.created, deps)
    this.#linked = new Answers('link-e2e', STEP_PATIENCE.linked, deps)
    this.#introduced = new Answers('establish-intro', STEP_PATIENCE.introduced, deps)
    this.#established = new Answers('establish-rendezvous', STEP_PATIENCE.established, deps)
  }

  get size(): number {
    return this.#swarms.size
  }

  /** See HiddenServices.join. A swarm that was joined before with the same hop count is left. */
  join(hops: HopCount, infoHash: InfoHash, found: (peer: HiddenPeer) => void): HiddenSwarm {
    const name = `${hops} ${infoHash}`
    this.#swarms.get(name)?.leave()
    const options = { lookup: lookupInfoHash(infoHash), hops, found: (address: PeerAddress) => found({ address }) }
    const swarm = new JoinedSwarm(options, { ...this.#swarmDeps(hops), left: () => this.#forget(name, swarm) })
    this.#swarms.set(name, swarm)
    this.#ticking ??= this.#deps.clock.every(LOOKUP_TICK_MS, () => this.#tick())
    return swarm
  }

  /** A text came out of `circuit`. Throws DecodeError. */
  text(circuit: HiddenCircuit, text: Uint8Array): void {
    switch (text[0]) {
      case introEstablished.id:
        return this.#introduced.give(circuit, decodeCellMessage(introEstablished, text).identifier, true)
      case rendezvousEstablished.id: {
        const { identifier, address } = decodeCellMessage(rendezvousEstablished, text)
        return this.#established.give(circuit, identifier, address)
      }
      case linkedE2e.id:
        return this.#linked.give(circuit, decodeCellMessage(linkedE2e, text).identifier, true)
      case peersResponse.id:
        return this.#givePeers(circuit, decodeCellMessage(peersResponse, Uint8Array.from(text)))
    }
  }

  /** A packet of the tunnel overlay came out of `circuit`; it may be kept. Throws DecodeError. */
  packet(circuit: HiddenCircuit, origin: PeerAddress, packet: Uint8Array): void {
    switch (messageIdOf(packet)) {
      case createE2e.id:
        return this.#meet(circuit, origin, packet)
      case createdE2e.id: {
        const created = decodeUnsigned(createdE2e, packet)
        return this.#created.give(circuit, created.identifier, created)
      }
      case peersResponse.id:
        return this.#givePeers(circuit, decodeUnwrapped(peersResponse, packet).values)
      default:
        this.#deps.counts.unasked++
    }
  }

  /** A circuit of hidden services is gone. */
  circuitGone(circuit: HiddenCircuit): void {
    for (const answers of [this.#peers, this.#created, this.#linked, this.#introduced, this.#established])
      answers.circuitGone(circuit)
    for (const contact of this.#contacts.values()) contact.circuitGone(circuit)
    for (const swarm of this.#swarms.values()) swarm.circuitGone(circuit)
  }

  close(): void {
    for (const swarm of [...this.#swarms.values()]) swarm.leave()
  }

  #tick(): void {
    for (const swarm of this.#swarms.values()) swarm.tick()
  }

  #meet(circuit: HiddenCircuit, origin: PeerAddress, packet: Uint8Array): void {
    const request = decodeUnsigned(createE2e, packet)
    for (const swarm of this.#swarms.values()) if (swarm.meet(circuit, origin, request)) return
    this.#deps.counts.unknown++
  }

  #givePeers(circuit: HiddenCircuit, { identifier, infoHash, peers }: PayloadOf<typeof peersResponse>): void {
    const points = peers.filter(({ address }) => isSomewhere(address))
    this.#peers.give(circuit, identifier, { lookup: infoHash, points })
  }

  #forget(name: string, swarm: JoinedSwarm): void {
    if (this.#swarms.get(name) === swarm) this.#swarms.delete(name)
    if (this.#swarms.size > 0) return
    this.#ticking?.cancel()
    this.#ticking = null
  }

  #contact(hops: HopCount): ContactCircuits {
    let contact = this.#contacts.get(hops)
    if (contact === undefined) this.#contacts.set(hops, (contact = new ContactCircuits(hops, this.#deps)))
    return contact
  }

  #swarmDeps(hops: HopCount): Omit<JoinedSwarmDeps, 'left'> {
    return {
      ...this.#deps,
      contact: this.#contact(hops),
      peers: this.#peers,
      created: this.#created,
      linked: this.#linked,
      introduced: this.#introduced,
      established: this.#established,
      takePlace: further => this.#places > (further ? MAX_INTRODUCTION_POINTS / 2 : 0) && this.#places-- > 0,
      givePlace: () => this.#places++,
    }
  }
}
