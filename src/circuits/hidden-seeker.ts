// A downloader in one hidden swarm (8.3): looks for introduction points, by the overlay DHT of an exit or by asking those it knows, and
// has a circuit linked with each seeder it finds. Everything goes over the contact circuit of its hop count.

import type { Clock } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import { encodeCellMessage } from '../wire/overlay/message.ts'
import { PEER_SOURCE, peersRequest } from '../wire/overlay/hidden-messages.ts'
import { encodeUnwrapped } from '../wire/overlay/packet.ts'
import type { Answers } from './hidden-answers.ts'
import type { ContactCircuit } from './hidden-contact.ts'
import type { HiddenCounts } from './hidden-counts.ts'
import {
  DHT_LOOKUP_EVERY_MS,
  DHT_LOOKUP_UNLINKED_MS,
  FIRST_LOOKUPS,
  FIRST_LOOKUPS_EVERY_MS,
  LOOKUP_EVERY_MS,
  MAX_CONNECTIONS,
  SILENT_LOOKUPS,
} from './hidden-limits.ts'
import type { SeederMeetings } from './hidden-meetings.ts'
import { type IntroductionPointName, KnownPoints } from './hidden-points.ts'
import type { HiddenCircuit } from './hidden-seam.ts'

/** What a peers-response says. */
export interface PeersFound {
  /** The swarm it is about, 20 bytes. */
  readonly lookup: Uint8Array
  readonly points: readonly (IntroductionPointName & { readonly source: number })[]
}

/** What a downloader works with. */
export interface SeekerDeps {
  readonly contact: ContactCircuit
  readonly meetings: SeederMeetings
  readonly peers: Answers<PeersFound>
  readonly clock: Clock
  readonly random: Random
  readonly counts: HiddenCounts
  /** The first 22 bytes of packets of the tunnel overlay. */
  readonly prefix: Uint8Array
}

/** The looking of one swarm; it lives from its making to close(). */
export class HiddenSeeker {
  readonly #lookup: Uint8Array
  readonly #deps: SeekerDeps
  readonly #points = new KnownPoints()
  #sated = false
  #closed = false
  #lookups = 0
  #silent = 0
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

  /** Looks up when it is time to; called every LOOKUP_TICK_MS. */
  tick(): void {
    const { clock, contact, meetings } = this.#deps
    const nowMs = clock.now()
    const everyMs = this.#isNew() ? FIRST_LOOKUPS_EVERY_MS : LOOKUP_EVERY_MS
    if (this.#closed || this.#sated || meetings.linked.size >= MAX_CONNECTIONS) return
    if (nowMs - this.#lookedMs < everyMs) return
    this.#points.forgetOld(nowMs, meetings.linked)
    const circuit = contact.circuit
    if (circuit === null) return
    this.#lookedMs = nowMs
    this.#lookups++
    void this.#lookUp(circuit, nowMs)
  }

  /** Ends it; circuits that are linked are ended by SeederMeetings. */
  close(): void {
    this.#closed = true
    this.#deps.contact.release(this)
  }

  /** Nobody was found yet: asking oftener helps, for those who answer come and go. */
  #isNew(): boolean {
    return this.#lookups < FIRST_LOOKUPS && this.#points.size === 0
  }

  async #lookUp(circuit: HiddenCircuit, nowMs: number): Promise<void> {
    if (!this.#wantsDht(nowMs)) {
      await Promise.all(this.#points.list().map(point => this.#askPoint(circuit, point)))
      return
    }
    const answered = await this.#askExit(circuit)
    if (this.#closed) return
    this.#silent = answered ? 0 : this.#silent + 1
    if (this.#silent < SILENT_LOOKUPS) return
    this.#silent = 0
    this.#deps.contact.doubt(circuit)
  }

  #wantsDht(nowMs: number): boolean {
    const sinceMs = nowMs - this.#dhtAnsweredMs
    const unlinked = this.#deps.meetings.linked.size === 0
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
    const asked = this.#deps.peers.ask(circuit)
    if (asked === null) return false
    send(asked.identifier)
    const found = await asked.answer
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
    const { contact, meetings, random } = this.#deps
    const circuit = contact.circuit
    if (circuit === null || this.#sated || this.#closed) return
    const waiting = this.#points.list().filter(({ seederKey }) => meetings.isFree(seederKey))
    while (waiting.length > 0 && meetings.busy < MAX_CONNECTIONS) {
      const [point] = waiting.splice(random.below(waiting.length), 1)
      if (point !== undefined && meetings.isFree(point.seederKey)) void this.#meet(circuit, point)
    }
  }

  /** A point that leads nowhere is forgotten, and the seeder looked for at others that are known. */
  async #meet(circuit: HiddenCircuit, point: IntroductionPointName): Promise<void> {
    if ((await this.#deps.meetings.meet(circuit, point)) || !circuit.alive) return
    this.#points.remove(point)
    this.#meetAll()
  }
}
