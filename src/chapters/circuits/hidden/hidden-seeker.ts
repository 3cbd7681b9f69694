// A downloader in one hidden swarm (8.3): looks for introduction points, by the overlay DHT of an exit or by asking
// those it knows, and has a circuit linked with each seeder it finds. Everything goes over the contact circuits of its
// hop count.

import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { encodeCellMessage } from '../../overlay/wire/message.ts'
import { PEER_SOURCE, peersRequest } from '../wire/hidden-messages.ts'
import { encodeUnwrapped } from '../../overlay/wire/packet.ts'
import type { Answers } from './hidden-answers.ts'
import type { ContactCircuits, ContactUser } from './hidden-contact.ts'
import type { HiddenCounts } from './hidden-counts.ts'
import type { SeederRendezvous } from './seeder-rendezvous.ts'
import { type IntroductionPointName, KnownPoints, seederText } from './hidden-points.ts'
import type { HiddenCircuit } from './hidden-seam.ts'
import { RendezvousWays } from './hidden-ways.ts'

/** Between two look-ups of a swarm (8.3). */
const LOOKUP_EVERY_MS = 30_000
/** Between two look-ups at first and while no seeder is linked. */
const FIRST_LOOKUPS_EVERY_MS = 1_000
/** By how much that time grows with each look-up. */
const LOOKUPS_SLOWER = 1.5
/** A seeder that could not be met is looked for as after so many. */
const SOON_LOOKUPS = 3
/** The overlay DHT is asked again after this (8.3). */
const DHT_LOOKUP_EVERY_MS = 300_000
/** And after this while no seeder is linked (others: 120 s, and only while no point is known). */
const DHT_LOOKUP_UNLINKED_MS = 60_000
/** No look-ups with so many linked circuits. */
const MAX_CONNECTIONS = 15

/** What a peers-response says. */
export interface PeersFound {
  /** The swarm it is about, 20 bytes. */
  readonly lookup: Uint8Array
  readonly points: readonly (IntroductionPointName & { readonly source: number })[]
}

/** What a downloader works with. */
export interface SeekerDeps {
  readonly contact: ContactCircuits
  readonly rendezvous: SeederRendezvous
  readonly peers: Answers<PeersFound>
  readonly clock: Clock
  readonly random: Random
  readonly counts: HiddenCounts
  /** The first 22 bytes of packets of the tunnel overlay. */
  readonly prefix: Uint8Array
}

/** The looking of one swarm; it lives from its making to close(). */
export class HiddenSeeker implements ContactUser {
  readonly #lookup: Uint8Array
  readonly #deps: SeekerDeps
  readonly #points = new KnownPoints()
  #sated = false
  #closed = false
  /** Look-ups since the last time that a seeder was linked. */
  #lookups = 0
  #lookedMs = Number.NEGATIVE_INFINITY
  #dhtAnsweredMs = Number.NEGATIVE_INFINITY

  /** `lookup`: the swarm's lookup info hash. */
  constructor(lookup: Uint8Array, deps: SeekerDeps) {
    this.#lookup = lookup
    this.#deps = deps
    deps.contact.want(this)
  }

  /** Introduction points that are known now. */
  get points(): readonly IntroductionPointName[] {
    return this.#points.list()
  }

  setSated(sated: boolean): void {
    this.#sated = sated
  }

  contactReady(): void {
    this.tick()
    this.#meetAll()
  }

  /** Looks up when it is time to; called every LOOKUP_TICK_MS. */
  tick(): void {
    const { clock, contact, rendezvous } = this.#deps
    const nowMs = clock.now()
    if (this.#closed || this.#sated || rendezvous.linked.size >= MAX_CONNECTIONS) return
    if (nowMs - this.#lookedMs < this.#everyMs()) return
    this.#points.forgetOld(nowMs, rendezvous.linked)
    const { circuits } = contact
    const circuit = circuits[this.#lookups % circuits.length]
    if (circuit === undefined) return
    this.#lookedMs = nowMs
    this.#lookups++
    void this.#lookUp(circuit, nowMs)
  }

  /** A linked circuit is gone: its seeder is met again at once, and looked for if that fails. */
  lost(): void {
    this.#lookups = 0
    this.#meetAll()
  }

  /** Ends it; circuits that are linked are ended by SeederRendezvous. */
  close(): void {
    this.#closed = true
    this.#deps.contact.release(this)
  }

  /** No seeder is linked yet: asking more often helps, since nodes that answer come and go. */
  #everyMs(): number {
    if (this.#deps.rendezvous.linked.size > 0) return LOOKUP_EVERY_MS
    return Math.min(LOOKUP_EVERY_MS, FIRST_LOOKUPS_EVERY_MS * LOOKUPS_SLOWER ** Math.min(20, this.#lookups - 1))
  }

  async #lookUp(circuit: HiddenCircuit, nowMs: number): Promise<void> {
    if (this.#wantsDht(nowMs)) this.#deps.contact.answered(circuit, await this.#askExit(circuit))
    else await Promise.all(this.#points.list().map(point => this.#askPoint(circuit, point)))
  }

  #wantsDht(nowMs: number): boolean {
    const sinceMs = nowMs - this.#dhtAnsweredMs
    const unlinked = this.#deps.rendezvous.linked.size === 0
    return this.#points.size === 0 || sinceMs >= (unlinked ? DHT_LOOKUP_UNLINKED_MS : DHT_LOOKUP_EVERY_MS)
  }

  /** The last hop asks the overlay DHT, or knows the swarm itself. */
  #askExit(circuit: HiddenCircuit): Promise<boolean> {
    return this.#ask(circuit, identifier => {
      circuit.send(encodeCellMessage(peersRequest, { identifier, infoHash: this.#lookup }))
    })
  }

  /** An introduction point tells of others that it knows. One that does not answer is forgotten. */
  async #askPoint(circuit: HiddenCircuit, point: IntroductionPointName): Promise<boolean> {
    if (Buffer.compare(point.publicKey, circuit.lastHop) === 0) return this.#askExit(circuit)
    const answered = await this.#ask(circuit, identifier => {
      const values = { identifier, infoHash: this.#lookup }
      circuit.sendData(point.address, encodeUnwrapped(this.#deps.prefix, peersRequest, circuit.id, values))
    })
    if (!answered) this.#points.remove(point)
    return answered
  }

  async #ask(circuit: HiddenCircuit, send: (identifier: number) => void): Promise<boolean> {
    const found = await this.#deps.peers.ask(circuit, send)
    if (found === null || this.#closed) return false
    this.#take(found)
    return true
  }

  #take(found: PeersFound): void {
    const nowMs = this.#deps.clock.now()
    if (Buffer.compare(found.lookup, this.#lookup) !== 0) return
    for (const point of found.points) {
      if (!this.#points.add(point, nowMs)) continue
      if (point.source === PEER_SOURCE.dht) this.#dhtAnsweredMs = nowMs
    }
    this.#meetAll()
  }

  #meetAll(): void {
    const { contact, rendezvous, random } = this.#deps
    if (contact.circuits.length === 0 || this.#sated || this.#closed) return
    const waiting = this.#points.list().filter(({ seederKey }) => rendezvous.isFree(seederKey))
    while (waiting.length > 0 && rendezvous.busy < MAX_CONNECTIONS) {
      const [point] = waiting.splice(random.below(waiting.length), 1)
      if (point !== undefined && rendezvous.isFree(point.seederKey)) void this.#meet(point.seederKey)
    }
  }

  /** A seeder that is not met by any of its points is forgotten, and looked for again. */
  async #meet(seederKey: Uint8Array): Promise<void> {
    const { rendezvous, contact } = this.#deps
    const begunWith = this.#pointsOf(seederKey)
    const ways = new RendezvousWays(
      () => this.#pointsOf(seederKey),
      () => contact.circuits,
    )
    const linked = await rendezvous.meet(seederKey, ways)
    if (linked || this.#closed) return
    if (contact.circuits.length > 0) for (const point of begunWith) this.#points.remove(point)
    this.#lookups = Math.min(this.#lookups, SOON_LOOKUPS)
    this.#meetAll()
  }

  /** The newest first. */
  #pointsOf(seederKey: Uint8Array): readonly IntroductionPointName[] {
    const text = seederText(seederKey)
    return this.#points
      .list()
      .filter(point => seederText(point.seederKey) === text)
      .reverse()
  }
}
