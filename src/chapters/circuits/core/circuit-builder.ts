// Builds circuits of our own, hop by hop (7.6): asks a node, and after a few seconds another one beside it; the first
// answer counts. While no node is known that could be asked a circuit waits; it does not fail before it has begun.
// Decision 0389. Invariant: each circuit that was started ends up ready, failed or stopped, exactly once.

import { DecodeError } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { HandshakeFinished, OverlayCrypto } from '../../overlay/ports/overlay-crypto.ts'
import type { Random } from '../../../ports/random.ts'
import { NO_ADDRESS } from '../../overlay/wire/address.ts'
import { type Candidates as Offer, decodeCandidates } from '../../overlay/wire/candidates.ts'
import { create, type created, extend, type extended } from '../wire/circuit-messages.ts'
import { encodeCellMessage, type PayloadOf } from '../../overlay/wire/message.ts'
import { midOf } from '../../overlay/wire/public-key.ts'
import type { Candidates } from './candidates.ts'
import { chooseNextHop, chooseOwn, type HopCandidate, keyText } from './hop-choice.ts'
import type { HopPlaces } from './hop-places.ts'
import { HopAsks } from './hop-asks.ts'
import { OpeningLayer } from './opening-layer.ts'
import type { OwnCircuit } from './own-circuit.ts'

/** A last hop that a circuit must have is waited for so long: the hop before it may have to find it first. */
const NEXT_HOP_TIMEOUT_MS = 10_000
/** First hops that are tried. */
const NEXT_HOP_TRIES = 6
/** A circuit is ready within this, or given up. */
const CIRCUIT_CREATION_MS = 60_000
/**
 * Another hop is asked beside one that has not answered within this. Handshakes take milliseconds, ways less than a
 * second.
 */
const HOP_PATIENCE_MS = 2_500
/**
 * Hops that are tried behind one that answered: where more are silent it is that one, and another circuit is sooner
 * there.
 */
const FURTHER_HOP_TRIES = 3
/** A circuit that has a hop waits so long for somebody to be known who can be the next. */
const FURTHER_HOP_WAIT_MS = 5_000
/** Circuits that wait for candidates choose so long after the first one is known. */
const CANDIDATES_SETTLE_MS = 300

/** What it works with. */
export interface BuilderDeps {
  readonly clock: Clock
  readonly random: Random
  readonly crypto: Pick<OverlayCrypto, 'begin'>
  readonly candidates: Candidates
  readonly places: HopPlaces
  /** Our own public key, 74 bytes. */
  readonly publicKey: Uint8Array
  ready(circuit: OwnCircuit): void
  /** `reason` is for people. */
  failed(circuit: OwnCircuit, reason: string): void
}

interface Building {
  readonly circuit: OwnCircuit
  /** Keys that will not be asked (again) while there is another. */
  readonly excluded: Set<string>
  /** Questions for the place that comes next. */
  readonly asks: HopAsks
  /** When the first hop was asked; null: none was yet. */
  beganMs: number | null
  /** When the place that comes next was looked at first. */
  placeMs: number
  offered: Offer
  tries: number
  timer: Timer | null
  /** It goes on as soon as others are known. */
  waits: boolean
}

/**
 * Builds circuits of our own, hop by hop (7.6): asks, and after a few seconds another one beside it; the first answer
 * counts.
 */
export class CircuitBuilder {
  readonly #deps: BuilderDeps
  readonly #building = new Map<OwnCircuit, Building>()
  readonly #unwatch: () => void
  #settling: Timer | null = null
  /** Answers that were not asked for, or came too late. */
  unasked = 0

  constructor(deps: BuilderDeps) {
    this.#deps = deps
    this.#unwatch = deps.candidates.watch(() => this.#candidatesChanged())
  }

  /** Begins; `ready` or `failed` is called later, never from inside. */
  start(circuit: OwnCircuit): void {
    const { clock, publicKey } = this.#deps
    const building: Building = {
      circuit,
      excluded: new Set([keyText(publicKey)]),
      asks: new HopAsks(),
      beganMs: null,
      placeMs: clock.now(),
      offered: { relays: [], exits: [] },
      tries: 0,
      timer: null,
      waits: false,
    }
    this.#building.set(circuit, building)
    // Not by the clock: the shortest of its times is a millisecond, longer than a hop takes to answer.
    queueMicrotask(() => {
      if (this.#building.get(circuit) === building) this.#ask(building)
    })
  }

  /** Gives a circuit up without a word. */
  stop(circuit: OwnCircuit): void {
    const building = this.#building.get(circuit)
    building?.timer?.cancel()
    building?.asks.clear()
    this.#building.delete(circuit)
  }

  /** Nothing waits for candidates any more. */
  close(): void {
    this.#unwatch()
    this.#settling?.cancel()
  }

  /** The answer of a first hop, from where it came; false: that node was not asked. */
  created(circuit: OwnCircuit, values: PayloadOf<typeof created>, from: PeerAddress): boolean {
    return circuit.hops.length === 0 && this.#answered(circuit, values, from)
  }

  /** The answer of a further hop. */
  extended(circuit: OwnCircuit, values: PayloadOf<typeof extended>): void {
    if (circuit.hops.length === 0 || !this.#answered(circuit, values, null)) this.unasked++
  }

  #later(building: Building, delayMs: number, run: () => void): void {
    building.timer?.cancel()
    building.timer = this.#deps.clock.after(delayMs, () => {
      building.timer = null
      if (this.#building.get(building.circuit) === building) run()
    })
  }

  #ask(building: Building): void {
    const { clock } = this.#deps
    const { circuit, beganMs, excluded, tries } = building
    const { required } = circuit
    building.waits = false
    circuit.waitsFor(null)
    if (required !== null && excluded.has(keyText(required.publicKey)))
      return this.#fail(building, 'the last hop would be this node')
    if (beganMs !== null && clock.now() - beganMs >= CIRCUIT_CREATION_MS)
      return this.#fail(building, 'it took too long')
    if (tries >= (circuit.hops.length === 0 ? NEXT_HOP_TRIES : FURTHER_HOP_TRIES)) return this.#lastWait(building)
    const hop = this.#choose(building)
    if (hop === null) return this.#nobody(building)
    building.beganMs ??= clock.now()
    building.tries++
    if (hop !== required) excluded.add(keyText(hop.publicKey))
    this.#send(building, hop)
    this.#later(building, HOP_PATIENCE_MS, () => this.#silent(building))
  }

  #choose(building: Building): HopCandidate | null {
    const { places, random } = this.#deps
    const { circuit, excluded, offered, asks } = building
    const { required, hops } = circuit
    const last = hops.length === circuit.goalHops - 1
    if (last) for (const key of circuit.except) excluded.add(keyText(key))
    if (hops.length > 0) {
      const own = places.fitting(circuit, last)
      // Each question makes a link of its own: the same hop can be asked again.
      return chooseNextHop({ offered, last, required, excluded, own }, random) ?? asks.hops[0] ?? null
    }
    if (last && required !== null) return building.tries === 0 ? required : null
    const reserved = required === null ? null : keyText(required.publicKey)
    const fits = ({ publicKey }: HopCandidate): boolean =>
      keyText(publicKey) !== reserved && !excluded.has(keyText(publicKey))
    return chooseOwn(places.fitting(circuit, last).filter(fits), random)
  }

  /** Every node that could be asked was, or none is known yet. */
  #nobody(building: Building): void {
    const { circuit, asks, placeMs } = building
    if (asks.size > 0) return this.#lastWait(building)
    const reason = noHopText(circuit)
    building.waits = true
    circuit.waitsFor(reason)
    if (circuit.hops.length === 0) return
    const leftMs = placeMs + FURTHER_HOP_WAIT_MS - this.#deps.clock.now()
    if (leftMs <= 0) this.#fail(building, reason)
    else this.#later(building, leftMs, () => this.#fail(building, reason))
  }

  /** No other is asked: an answer may still come, from a hop that takes long to find the next one. */
  #lastWait(building: Building): void {
    const { circuit, placeMs } = building
    const { required, hops, goalHops } = circuit
    const far = required !== null && hops.length > 0 && hops.length === goalHops - 1
    const leftMs = far ? placeMs + NEXT_HOP_TIMEOUT_MS - this.#deps.clock.now() : 0
    const reason = far ? 'the last hop does not answer' : 'no hop answered'
    if (leftMs <= 0) this.#fail(building, reason)
    else this.#later(building, leftMs, () => this.#fail(building, reason))
  }

  #send(building: Building, hop: HopCandidate): void {
    const { random, crypto, publicKey } = this.#deps
    const { circuit, asks } = building
    const identifier = random.below(0x1_0000)
    const handshake = crypto.begin()
    asks.add({ hop, identifier, handshake })
    circuit.asks(hop.publicKey)
    const { ephemeral } = handshake
    if (circuit.hops.length > 0) {
      const address = hop.address ?? NO_ADDRESS
      circuit.send(encodeCellMessage(extend, { identifier, publicKey: hop.publicKey, ephemeral, address }), true)
    } else if (hop.address !== null) {
      circuit.setFirstHop(hop.address)
      circuit.sendPlain(encodeCellMessage(create, { identifier, publicKey, ephemeral }))
    }
  }

  #silent(building: Building): void {
    const { candidates, clock } = this.#deps
    const { circuit, asks } = building
    // It is not known whether the hop was silent or the one before it; the nearer one is what we can choose.
    const doubted = circuit.hops.at(-1)?.publicKey ?? asks.last?.hop.publicKey
    if (doubted !== undefined) candidates.doubt(doubted, clock.now())
    this.#ask(building)
  }

  #answered(circuit: OwnCircuit, values: PayloadOf<typeof extended>, from: PeerAddress | null): boolean {
    const building = this.#building.get(circuit)
    const asked = building?.asks.take(values.identifier, from) ?? null
    if (building === undefined || asked === null) return false
    if (from !== null && asked.hop.address !== null) circuit.setFirstHop(asked.hop.address)
    const done = asked.handshake.finish(asked.hop.publicKey, values, values.candidates)
    asked.handshake.wipe()
    building.asks.clear()
    this.#finished(building, asked.hop, done)
    return true
  }

  #finished(building: Building, hop: HopCandidate, done: HandshakeFinished | null): void {
    const { circuit } = building
    const { candidates, clock } = this.#deps
    if (done === null) {
      candidates.doubt(circuit.hops.at(-1)?.publicKey ?? hop.publicKey, clock.now())
      return this.#fail(building, 'a hop answered with a wrong key')
    }
    const { publicKey, address } = hop
    const { keys, text } = done
    const member = Buffer.from(midOf(publicKey)).toString('hex')
    const open = new OpeningLayer(keys.backward)
    circuit.addHop({ publicKey, member, address, seal: keys.forward, open, wipe: () => keys.wipe() })
    candidates.trust(publicKey)
    if (circuit.ready) {
      this.stop(circuit)
      return this.#deps.ready(circuit)
    }
    building.excluded.add(keyText(publicKey))
    building.offered = readOffer(text)
    building.tries = 0
    building.placeMs = clock.now()
    this.#ask(building)
  }

  /** A little later, so that waiting circuits have a choice, and not always the first node that is heard of. */
  #candidatesChanged(): void {
    this.#settling ??= this.#deps.clock.after(CANDIDATES_SETTLE_MS, () => {
      this.#settling = null
      for (const building of [...this.#building.values()]) if (building.waits) this.#ask(building)
    })
  }

  #fail(building: Building, reason: string): void {
    this.stop(building.circuit)
    this.#deps.failed(building.circuit, reason)
  }
}

/** What a hop offers; a list that cannot be read offers none. */
function readOffer(text: Uint8Array): Offer {
  try {
    return decodeCandidates(Uint8Array.from(text))
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return { relays: [], exits: [] }
  }
}

function noHopText({ hops, goalHops, required }: OwnCircuit): string {
  if (hops.length < goalHops - 1) return hops.length === 0 ? 'no relay is known' : 'no further relay is known'
  return required === null ? 'no exit is known' : 'the last hop does not answer'
}
