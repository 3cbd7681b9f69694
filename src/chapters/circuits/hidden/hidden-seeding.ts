// A seeder in one hidden swarm: keeps introduction points (8.2), and meets the downloaders that they send at rendezvous
// points (8.4). Each swarm has a key pair of its own, so that two swarms of one seeder cannot be linked. Invariant: an
// introduction circuit that goes is replaced, later each time it fails.

import { Allowance } from '../../../base/allowance.ts'
import { errorText } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import {
  LAYER_BYTES,
  LAYER_HEAD_BYTES,
  type LayerKey,
  type OverlayKeyPair,
} from '../../overlay/ports/overlay-crypto.ts'
import type { Random } from '../../../ports/random.ts'
import { createdE2e, type createE2e, establishIntro } from '../wire/hidden-messages.ts'
import { encodeCellMessage, type PayloadOf } from '../../overlay/wire/message.ts'
import { encodePacket } from '../../overlay/wire/packet.ts'
import type { Answers } from './hidden-answers.ts'
import type { HiddenCounts } from './hidden-counts.ts'
import { INTRODUCTION_RETRY_MS, MAX_INTRODUCTION_RETRY_MS } from './hidden-limits.ts'
import { prepareRendezvous } from './hidden-rendezvous-offer.ts'
import type { HiddenCircuit, HiddenCrypto, HiddenHost } from './hidden-seam.ts'

/** Introduction points of one swarm, while half of all places are free; else one. */
const INTRODUCTION_POINTS = 2
/** Rendezvous circuits of a swarm on their way. */
const MAX_RENDEZVOUS_PENDING = 8
/** Rendezvous circuits of a swarm at all. */
const MAX_RENDEZVOUS = 64
/** Rendezvous circuits that a swarm begins: saved up, and one more each so many ms. */
const RENDEZVOUS_RATE = { burst: 16, refillMs: 500 } as const
/** Downloaders' keys that are known when they come again. */
const MAX_EPHEMERALS_REMEMBERED = 256

/** What seeders work with. */
export interface SeedingDeps {
  readonly host: HiddenHost
  readonly crypto: HiddenCrypto
  readonly introduced: Answers<true>
  readonly established: Answers<PeerAddress>
  readonly clock: Clock
  readonly random: Random
  readonly counts: HiddenCounts
  readonly log: Log
  readonly prefix: Uint8Array
  /**
   * Introduction points of all swarms, `further`: not the swarm's first; false = there are enough; each true is given
   * back.
   */
  readonly takePlace: (further: boolean) => boolean
  readonly givePlace: () => void
}

/** Which swarm. */
export interface SeedingOptions {
  readonly lookup: Uint8Array
  /** Of the download. */
  readonly hops: number
}

/** A downloader's request for a rendezvous, copied. */
export type CreateE2e = PayloadOf<typeof createE2e>

/** The seeding of one swarm. */
export class HiddenSeeding {
  readonly #options: SeedingOptions
  readonly #deps: SeedingDeps
  readonly #key: OverlayKeyPair
  readonly #ending = new AbortController()
  readonly #introductions = new Set<HiddenCircuit>()
  /** To introduction points that have not answered yet; downloaders may come before the answer does. */
  readonly #registering = new Set<HiddenCircuit>()
  readonly #rendezvous = new Set<HiddenCircuit>()
  readonly #allowance = new Allowance(RENDEZVOUS_RATE.burst, RENDEZVOUS_RATE.refillMs)
  /** Downloaders' ephemeral keys, newest last. */
  readonly #ephemerals = new Set<string>()
  readonly #timers = new Set<Timer>()
  #pending = 0
  #failures = 0

  constructor(options: SeedingOptions, deps: SeedingDeps) {
    this.#options = options
    this.#deps = deps
    this.#key = deps.crypto.generate()
    void this.#introduce()
  }

  /** Public key of the seeder in this swarm. */
  get publicKey(): Uint8Array {
    return this.#key.publicKey
  }

  /** Introduction points that have answered. */
  get introductions(): number {
    return this.#introductions.size
  }

  /** Whether `circuit` leads to one of our introduction points. */
  hasIntroduction(circuit: HiddenCircuit): boolean {
    return this.#introductions.has(circuit) || this.#registering.has(circuit)
  }

  /**
   * A downloader wants to meet: it came over `circuit`, and the answer goes to `origin`, behind the introduction point.
   */
  meet(circuit: HiddenCircuit, origin: PeerAddress, request: CreateE2e): void {
    if (!this.#accepts(request)) return
    this.#pending++
    this.#meet(circuit, origin, request)
      .catch((error: unknown) => this.#deps.log.debug('a downloader was not met', { error: errorText(error) }))
      .finally(() => this.#pending--)
  }

  /** A circuit is gone, perhaps one of these. */
  circuitGone(circuit: HiddenCircuit): void {
    this.#rendezvous.delete(circuit)
    if (!this.#introductions.delete(circuit)) return
    this.#deps.givePlace()
    this.#introduceLater()
  }

  /** Ends all. */
  close(): void {
    this.#ending.abort()
    for (const timer of this.#timers) timer.cancel()
    const circuits = [...this.#introductions, ...this.#registering, ...this.#rendezvous]
    for (let places = this.#introductions.size; places > 0; places--) this.#deps.givePlace()
    this.#introductions.clear()
    for (const circuit of circuits) circuit.remove('the seeder left its hidden swarm')
    this.#key.wipe()
  }

  #accepts({ infoHash, publicKey, ephemeral }: CreateE2e): boolean {
    const { counts, clock } = this.#deps
    const { lookup } = this.#options
    if (Buffer.compare(infoHash, lookup) !== 0 || Buffer.compare(publicKey, this.publicKey) !== 0) counts.unknown++
    else if (this.#isRepeated(ephemeral)) counts.repeated++
    else if (this.#isFull() || !this.#allowance.take(clock.now())) counts.refused++
    else return true
    return false
  }

  #isFull(): boolean {
    return this.#pending >= MAX_RENDEZVOUS_PENDING || this.#pending + this.#rendezvous.size >= MAX_RENDEZVOUS
  }

  #isRepeated(ephemeral: Uint8Array): boolean {
    const text = Buffer.from(ephemeral).toString('latin1')
    if (this.#ephemerals.has(text)) return true
    this.#ephemerals.add(text)
    for (const oldest of this.#ephemerals) {
      if (this.#ephemerals.size <= MAX_EPHEMERALS_REMEMBERED) break
      this.#ephemerals.delete(oldest)
    }
    return false
  }

  async #meet(circuit: HiddenCircuit, origin: PeerAddress, request: CreateE2e): Promise<void> {
    const { crypto, counts, prefix } = this.#deps
    const offer = await prepareRendezvous(this.#options.hops, this.#ending.signal, this.#deps)
    if (offer === null) return
    const fine = offer.circuit.alive && circuit.alive && !this.#ending.signal.aborted
    const answered = fine ? crypto.respond(this.#key, request.ephemeral) : null
    if (answered === null) {
      if (fine) counts.malformed++
      offer.circuit.remove('the downloader is gone')
      return
    }
    const { keys, ephemeral, auth } = answered
    const rendezvous = sealed(offer.info, keys.forward)
    this.#rendezvous.add(offer.circuit)
    offer.circuit.setEndToEnd({ seal: keys.forward, open: keys.backward })
    counts.rendezvous++
    const { identifier } = request
    circuit.sendData(origin, encodePacket(prefix, createdE2e, { identifier, ephemeral, auth, rendezvous }))
  }

  async #introduce(): Promise<void> {
    const { host, log, takePlace, givePlace } = this.#deps
    const further = this.#introductions.size > 0
    if (!takePlace(further)) return further ? undefined : this.#introduceLater()
    let placed = false
    try {
      const hops = this.#options.hops + 1
      // A node takes a seeder once.
      const except = [...this.#introductions].map(({ lastHop }) => lastHop)
      const wanted = { purpose: 'introduction-seeder', hops, last: 'introduction', except } as const
      const circuit = await host.build(wanted, this.#ending.signal)
      placed = await this.#register(circuit)
      if (!placed) circuit.fail('the introduction point did not answer')
    } catch (error) {
      log.debug('no introduction point', { error: errorText(error) })
    }
    if (placed) {
      this.#failures = 0
      // One after the other, so that the next one is another node.
      if (this.#introductions.size < INTRODUCTION_POINTS) void this.#introduce()
      return
    }
    givePlace()
    this.#failures++
    this.#introduceLater()
  }

  async #register(circuit: HiddenCircuit): Promise<boolean> {
    const { publicKey } = this
    const infoHash = this.#options.lookup
    this.#registering.add(circuit)
    const answer = await this.#deps.introduced.ask(circuit, identifier =>
      circuit.send(encodeCellMessage(establishIntro, { identifier, infoHash, publicKey })),
    )
    const introduced = answer !== null && circuit.alive && !this.#ending.signal.aborted
    this.#registering.delete(circuit)
    if (introduced) this.#introductions.add(circuit)
    return introduced
  }

  #introduceLater(): void {
    if (this.#ending.signal.aborted) return
    const delayMs = Math.min(INTRODUCTION_RETRY_MS * 2 ** Math.min(this.#failures, 10), MAX_INTRODUCTION_RETRY_MS)
    const timer = this.#deps.clock.after(delayMs, () => {
      this.#timers.delete(timer)
      void this.#introduce()
    })
    this.#timers.add(timer)
  }
}

/** A text in a layer of its own: the first thing that is sealed with the key. */
function sealed(text: Uint8Array, key: LayerKey): Uint8Array {
  const bytes = new Uint8Array(text.length + LAYER_BYTES)
  bytes.set(text, LAYER_HEAD_BYTES)
  key.seal(bytes, LAYER_HEAD_BYTES, LAYER_HEAD_BYTES + text.length)
  return bytes
}
