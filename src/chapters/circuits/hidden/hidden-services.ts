// Hidden services of this node (section 8): its own swarms, and what it does for those of others. Another way for
// seeders and downloaders to meet would change only what is behind this file; circuits know HiddenHost and
// HiddenListener only (section 14).

import { DecodeError, errorText } from '../../../base/errors.ts'
import type { InfoHash, PeerAddress } from '../../../base/ids.ts'
import type { Overlay, OverlayDht } from '../../overlay/core/index.ts'
import type { HiddenPeer, HiddenSwarm, HopCount } from '../ports/circuits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import { createE2e, peersRequest } from '../wire/hidden-messages.ts'
import { type HiddenCounts, newHiddenCounts } from './hidden-counts.ts'
import type { ExchangeDeps } from './hidden-exchange.ts'
import { HiddenIntroductions } from './hidden-introductions.ts'
import { HiddenLookups } from './hidden-lookups.ts'
import { HiddenRendezvous } from './hidden-rendezvous.ts'
import type { HiddenCircuit, HiddenCrypto, HiddenHost, HiddenListener, ServedCircuit } from './hidden-seam.ts'
import { HiddenSwarms } from './hidden-swarms.ts'

/** What hidden services work with. */
export interface HiddenDeps {
  /** The tunnel overlay: packets and requests. */
  readonly overlay: Pick<Overlay, 'prefix' | 'requests' | 'identity' | 'onRaw' | 'sendBytes'>
  readonly host: HiddenHost
  readonly crypto: HiddenCrypto
  readonly dht: OverlayDht
  readonly communities: ExchangeDeps['communities']
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Our address as others can reach it; NO_ADDRESS where it is not known. */
  readonly ownAddress: () => PeerAddress
}

/** What they do now, for statistics. */
export interface HiddenFigures extends HiddenCounts {
  readonly seedersIntroduced: number
  readonly exchangeOverlays: number
  readonly cookies: number
  readonly swarms: number
}

type Served = (circuit: ServedCircuit, text: Uint8Array) => void

/** Hidden services of this node (section 8): its own swarms, and what it does for those of others. */
export class HiddenServices implements HiddenListener {
  readonly #deps: HiddenDeps
  readonly #counts = newHiddenCounts()
  readonly #swarms: HiddenSwarms
  readonly #introductions: HiddenIntroductions
  readonly #rendezvous: HiddenRendezvous
  readonly #lookups: HiddenLookups
  readonly #served: Readonly<Record<number, Served>>

  /** Takes packets of the overlay from here on. */
  constructor(deps: HiddenDeps) {
    this.#deps = deps
    const { overlay } = deps
    const shared = { ...deps, counts: this.#counts, prefix: overlay.prefix }
    this.#swarms = new HiddenSwarms({ ...shared, requests: overlay.requests })
    this.#introductions = new HiddenIntroductions({ ...shared, ownKey: overlay.identity.publicKey })
    this.#rendezvous = new HiddenRendezvous(shared)
    this.#lookups = new HiddenLookups({
      ...shared,
      ownPoints: lookup => this.#introductions.points(lookup),
      send: (packet, to) => overlay.sendBytes(packet, to),
    })
    this.#served = {
      9: (circuit, text) => this.#introductions.establish(circuit, text),
      11: (circuit, text) => this.#rendezvous.establish(circuit, text),
      15: (circuit, text) => this.#rendezvous.link(circuit, text),
      17: (circuit, text) => this.#lookups.overCircuit(circuit, text),
    }
    overlay.onRaw(createE2e.id, (packet, from) => this.#read(() => this.#introductions.forward(packet, from)))
    overlay.onRaw(peersRequest.id, (packet, from) => this.#read(() => this.#lookups.overSocket(packet, from)))
  }

  get figures(): HiddenFigures {
    const { seeders, overlays } = this.#introductions.figures
    const { waiting: cookies } = this.#rendezvous
    return {
      ...this.#counts,
      seedersIntroduced: seeders,
      exchangeOverlays: overlays,
      cookies,
      swarms: this.#swarms.size,
    }
  }

  /** Joins the hidden swarm of a torrent as downloader; setSeeding makes it a seeder. See CircuitLane.join. */
  join(hops: HopCount, infoHash: InfoHash, found: (peer: HiddenPeer) => void): HiddenSwarm {
    return this.#swarms.join(hops, infoHash, found)
  }

  /** Ends all swarms, and what is done for others. */
  close(): void {
    this.#swarms.close()
    this.#introductions.close()
  }

  // What circuits tell.

  ownText(circuit: HiddenCircuit, text: Uint8Array): void {
    this.#read(() => this.#swarms.text(circuit, text))
  }

  ownPacket(circuit: HiddenCircuit, origin: PeerAddress, packet: Uint8Array): void {
    this.#read(() => this.#swarms.packet(circuit, origin, Uint8Array.from(packet)))
  }

  ownRemoved(circuit: HiddenCircuit): void {
    this.#swarms.circuitGone(circuit)
  }

  servedText(circuit: ServedCircuit, text: Uint8Array): void {
    this.#read(() => this.#served[text[0] as number]?.(circuit, text))
  }

  servedRemoved(circuit: ServedCircuit): void {
    this.#introductions.circuitGone(circuit)
    this.#rendezvous.circuitGone(circuit)
  }

  /** Runs what reads something of others: what cannot be read is counted, and nothing else happens. */
  #read(run: () => void): void {
    try {
      run()
    } catch (error) {
      if (error instanceof DecodeError) this.#counts.malformed++
      else this.#deps.log.error('a message of hidden services could not be handled', { error: errorText(error) })
    }
  }
}
