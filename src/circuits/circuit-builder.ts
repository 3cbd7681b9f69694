// Builds circuits of our own, hop by hop (7.6): asks, waits ten seconds, asks another one, at most six times a hop and a minute in
// all. Invariant: each circuit that was started ends up ready, failed or stopped, exactly once.

import { DecodeError } from '../base/errors.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { HandshakeFinished, HandshakeStart, OverlayCrypto } from '../ports/overlay-crypto.ts'
import type { Random } from '../ports/random.ts'
import { NO_ADDRESS } from '../wire/overlay/address.ts'
import { type Candidates as Offer, decodeCandidates } from '../wire/overlay/candidates.ts'
import { create, type created, extend, type extended } from '../wire/overlay/circuit-messages.ts'
import { encodeCellMessage, type PayloadOf } from '../wire/overlay/message.ts'
import { midOf } from '../wire/overlay/public-key.ts'
import type { Candidates } from './candidates.ts'
import { chooseNextHop, chooseOwn, type HopCandidate, keyText } from './hop-choice.ts'
import type { HopPlaces } from './hop-places.ts'
import { CIRCUIT_CREATION_MS, NEXT_HOP_TIMEOUT_MS, NEXT_HOP_TRIES } from './limits.ts'
import { OpeningLayer } from './opening-layer.ts'
import type { OwnCircuit } from './own-circuit.ts'

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
  readonly deadlineMs: number
  /** Keys that will not be asked (again). */
  readonly excluded: Set<string>
  offered: Offer
  tries: number
  asked: Asked | null
}

interface Asked {
  readonly hop: HopCandidate
  readonly identifier: number
  readonly handshake: HandshakeStart
  readonly timer: Timer
}

/** See the top of the file. */
export class CircuitBuilder {
  readonly #deps: BuilderDeps
  readonly #building = new Map<OwnCircuit, Building>()
  /** Answers that were not asked for, or came too late. */
  unasked = 0

  constructor(deps: BuilderDeps) {
    this.#deps = deps
  }

  /** Begins; `ready` or `failed` is called later, never from inside. */
  start(circuit: OwnCircuit): void {
    const { clock, publicKey } = this.#deps
    const building: Building = {
      circuit,
      deadlineMs: clock.now() + CIRCUIT_CREATION_MS,
      excluded: new Set([keyText(publicKey)]),
      offered: { relays: [], exits: [] },
      tries: 0,
      asked: null,
    }
    this.#building.set(circuit, building)
    // Not by the clock: the shortest of its times is a millisecond, longer than a hop takes to answer.
    queueMicrotask(() => this.#ask(building))
  }

  /** Gives a circuit up without a word. */
  stop(circuit: OwnCircuit): void {
    const asked = this.#building.get(circuit)?.asked
    asked?.timer.cancel()
    asked?.handshake.wipe()
    this.#building.delete(circuit)
  }

  /** The answer of a first hop. */
  created(circuit: OwnCircuit, values: PayloadOf<typeof created>): void {
    if (circuit.hops.length === 0) this.#answered(circuit, values)
    else this.unasked++
  }

  /** The answer of a further hop. */
  extended(circuit: OwnCircuit, values: PayloadOf<typeof extended>): void {
    if (circuit.hops.length > 0) this.#answered(circuit, values)
    else this.unasked++
  }

  #ask(building: Building): void {
    const { clock } = this.#deps
    if (this.#building.get(building.circuit) !== building) return
    const { circuit } = building
    if (building.tries >= NEXT_HOP_TRIES) return this.#fail(building, 'no hop answered')
    if (clock.now() >= building.deadlineMs) return this.#fail(building, 'it took too long')
    const hop = this.#choose(building)
    if (hop === null) return this.#fail(building, noHopText(circuit))
    building.tries++
    building.excluded.add(keyText(hop.publicKey))
    this.#send(building, hop)
  }

  #choose(building: Building): HopCandidate | null {
    const { places, random } = this.#deps
    const { circuit, excluded, offered } = building
    const { required, hops } = circuit
    const last = hops.length === circuit.goalHops - 1
    if (hops.length > 0) {
      const own = places.fitting(circuit, last)
      return chooseNextHop({ offered, last, required, excluded, own }, random)
    }
    if (last && required !== null) return building.tries === 0 ? required : null
    const reserved = required === null ? null : keyText(required.publicKey)
    const fits = ({ publicKey }: HopCandidate): boolean =>
      keyText(publicKey) !== reserved && !excluded.has(keyText(publicKey))
    return chooseOwn(places.fitting(circuit, last).filter(fits), random)
  }

  #send(building: Building, hop: HopCandidate): void {
    const { clock, random, crypto, publicKey } = this.#deps
    const { circuit } = building
    const identifier = random.below(0x1_0000)
    const handshake = crypto.begin()
    const waitMs = Math.max(1, Math.min(NEXT_HOP_TIMEOUT_MS, building.deadlineMs - clock.now()))
    const timer = clock.after(waitMs, () => this.#silent(building))
    building.asked = { hop, identifier, handshake, timer }
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
    const { circuit, asked } = building
    building.asked = null
    asked?.handshake.wipe()
    // Nobody knows whether the hop was silent or the one before it; the nearer one is what we can choose.
    const doubted = circuit.hops.at(-1)?.publicKey ?? asked?.hop.publicKey
    if (doubted !== undefined) candidates.doubt(doubted, clock.now())
    this.#ask(building)
  }

  #answered(circuit: OwnCircuit, values: PayloadOf<typeof extended>): void {
    const building = this.#building.get(circuit)
    const asked = building?.asked ?? null
    if (building === undefined || asked === null || asked.identifier !== values.identifier) {
      this.unasked++
      return
    }
    building.asked = null
    asked.timer.cancel()
    const done = asked.handshake.finish(asked.hop.publicKey, values, values.candidates)
    asked.handshake.wipe()
    this.#finished(building, asked.hop, done)
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
      this.#building.delete(circuit)
      return this.#deps.ready(circuit)
    }
    building.offered = readOffer(text)
    building.tries = 0
    this.#ask(building)
  }

  #fail(building: Building, reason: string): void {
    this.stop(building.circuit)
    this.#deps.failed(building.circuit, reason)
  }
}

/** What a hop offers; a list that cannot be read offers nobody. */
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
