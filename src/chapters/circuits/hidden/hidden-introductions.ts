// Being an introduction point for others (8.2 to 8.4): seeders register over circuits, downloaders' packets are passed
// on to them, and both the overlay of introduction points and the DHT hear that they can be met here. Invariants: a
// seeder belongs to the circuit that registered it first; what circuits and addresses get done for them is bounded.

import { Allowance } from '../../../base/allowance.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { Clock } from '../../../ports/clock.ts'
import { createE2e, establishIntro, introEstablished } from '../wire/hidden-messages.ts'
import { decodeCellMessage, encodeCellMessage } from '../../overlay/wire/message.ts'
import { decodeUnsigned } from '../../overlay/wire/packet.ts'
import { isCircuitKey } from '../../overlay/wire/public-key.ts'
import { type AnnouncerDeps, IntroductionAnnouncer } from './hidden-announcer.ts'
import type { HiddenCounts } from './hidden-counts.ts'
import { type ExchangeDeps, IntroductionExchange } from './hidden-exchange.ts'
import { type IntroductionPointName, seederText } from './hidden-points.ts'
import type { ServedCircuit } from './hidden-seam.ts'

/** Seeders that one circuit of others may register here. */
const MAX_SEEDERS_OF_CIRCUIT = 4
/** Seeders that all circuits together may register here. */
const MAX_SEEDERS_SERVED = 200
/** Packets passed on to one seeder: saved up, and one more each so many ms. */
const FORWARDED = { burst: 30, refillMs: 200 } as const
/** Overlays of introduction points that we take part in (8.6). */
const MAX_PEX_OVERLAYS = 64

/** What an introduction point works with. */
export interface IntroductionDeps extends ExchangeDeps, AnnouncerDeps {
  readonly clock: Clock
  readonly counts: HiddenCounts
}

/** A seeder that we introduce. */
interface Introduced {
  readonly circuit: ServedCircuit
  readonly lookup: Uint8Array
  readonly seederKey: Uint8Array
  readonly announcer: IntroductionAnnouncer
  readonly allowance: Allowance
}

/** All seeders that registered here. */
export class HiddenIntroductions {
  readonly #deps: IntroductionDeps
  /** By seederText. */
  readonly #seeders = new Map<string, Introduced>()
  /** By lookup info hash in latin1. */
  readonly #exchanges = new Map<string, IntroductionExchange>()

  constructor(deps: IntroductionDeps) {
    this.#deps = deps
  }

  /** Seeders that are introduced now, and overlays that we are in for them. */
  get figures(): { readonly seeders: number; readonly overlays: number } {
    return { seeders: this.#seeders.size, overlays: this.#exchanges.size }
  }

  /** establish-intro came over `circuit`. Throws DecodeError. */
  establish(circuit: ServedCircuit, text: Uint8Array): void {
    const { identifier, infoHash, publicKey } = decodeCellMessage(establishIntro, text)
    const answer = (): void => circuit.send(encodeCellMessage(introEstablished, { identifier }))
    // The answer may have been lost.
    if (this.#seeders.get(seederText(publicKey))?.circuit === circuit) return answer()
    if (!this.#accepts(circuit, publicKey)) return
    const lookup = Uint8Array.from(infoHash)
    const seederKey = Uint8Array.from(publicKey)
    const announcer = new IntroductionAnnouncer(lookup, seederKey, this.#deps)
    const allowance = new Allowance(FORWARDED.burst, FORWARDED.refillMs)
    this.#seeders.set(seederText(seederKey), { circuit, lookup, seederKey, announcer, allowance })
    this.#exchange(lookup)?.announce(seederKey)
    this.#deps.counts.introduced++
    circuit.serveAs('introduction')
    answer()
  }

  /** create-e2e came as a packet from `from`: a downloader's exit. Throws DecodeError. */
  forward(packet: Uint8Array, from: PeerAddress): void {
    const { publicKey, infoHash } = decodeUnsigned(createE2e, packet)
    const { counts, clock } = this.#deps
    const seeder = this.#seeders.get(seederText(publicKey))
    if (seeder === undefined || Buffer.compare(seeder.lookup, infoHash) !== 0) counts.unknown++
    else if (!seeder.allowance.take(clock.now())) counts.refused++
    else seeder.circuit.sendData(from, packet)
  }

  /** Introduction points of a swarm, where we are one of them; null: we are not. */
  points(lookup: Uint8Array): readonly IntroductionPointName[] | null {
    return this.#exchanges.get(nameOf(lookup))?.points() ?? null
  }

  /** A circuit of others is gone: its seeders are introduced no longer. */
  circuitGone(circuit: ServedCircuit): void {
    for (const [name, seeder] of this.#seeders) {
      if (seeder.circuit !== circuit) continue
      this.#seeders.delete(name)
      seeder.announcer.close()
      this.#withdraw(seeder)
    }
  }

  /** Ends all. */
  close(): void {
    for (const { announcer } of this.#seeders.values()) announcer.close()
    for (const exchange of this.#exchanges.values()) exchange.close()
    this.#seeders.clear()
    this.#exchanges.clear()
  }

  #accepts(circuit: ServedCircuit, publicKey: Uint8Array): boolean {
    const { counts } = this.#deps
    let own = 0
    for (const seeder of this.#seeders.values()) if (seeder.circuit === circuit) own++
    if (!isCircuitKey(publicKey)) counts.malformed++
    else if (this.#seeders.has(seederText(publicKey))) counts.repeated++
    else if (own >= MAX_SEEDERS_OF_CIRCUIT || this.#seeders.size >= MAX_SEEDERS_SERVED) counts.refused++
    else return true
    return false
  }

  /** The overlay of a swarm; null: we are in too many. The seeder is found by the DHT then. */
  #exchange(lookup: Uint8Array): IntroductionExchange | null {
    const known = this.#exchanges.get(nameOf(lookup))
    if (known !== undefined) return known
    if (this.#exchanges.size >= MAX_PEX_OVERLAYS) return null
    const exchange = new IntroductionExchange(lookup, this.#deps)
    this.#exchanges.set(nameOf(lookup), exchange)
    return exchange
  }

  #withdraw({ lookup, seederKey }: Introduced): void {
    const exchange = this.#exchanges.get(nameOf(lookup))
    exchange?.withdraw(seederKey)
    if (exchange?.isIdle !== true) return
    exchange.close()
    this.#exchanges.delete(nameOf(lookup))
  }
}

function nameOf(lookup: Uint8Array): string {
  return Buffer.from(lookup).toString('latin1')
}
