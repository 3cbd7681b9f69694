// Serving as hop (7.7): answers creates, and extends circuits that end here to another hop. Anybody may send a create:
// each passes the gate first, places and waiting links are bounded, and what was not asked for is dropped.

import type { PeerAddress } from '../../../base/ids.ts'
import type { Peer } from '../../overlay/core/index.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import { type HandshakeDone, LAYER_BYTES, LAYER_HEAD_BYTES, type LayerKey } from '../../overlay/ports/overlay-crypto.ts'
import type { Random } from '../../../ports/random.ts'
import { isNoAddress } from '../../overlay/wire/address.ts'
import { encodeCandidates } from '../../overlay/wire/candidates.ts'
import { plainCell } from '../wire/cell.ts'
import { create, created, type extend, extended } from '../wire/circuit-messages.ts'
import { encodeCellMessage, type PayloadOf } from '../../overlay/wire/message.ts'
import { PEER_FLAG } from '../../overlay/wire/peer-flags.ts'
import { isCircuitKey } from '../../overlay/wire/public-key.ts'
import type { Candidates } from './candidates.ts'
import { CreateGate } from './create-gate.ts'
import { EndingCircuit } from './ending-circuit.ts'
import { keyText } from './hop-choice.ts'
import type { JoinedCircuits } from './joined-circuits.ts'
import { EXTEND_WITHIN_MS } from './limits.ts'
import { OpeningLayer } from './opening-layer.ts'
import type { CircuitWire } from './own-circuit.ts'

/** Creates of ours for others that wait for their answers. */
const MAX_LINKS = 256

/** What it works with. */
export interface ServingDeps {
  readonly clock: Clock
  readonly random: Random
  readonly candidates: Candidates
  readonly joined: JoinedCircuits
  readonly wire: CircuitWire
  readonly publicKey: Uint8Array
  /** Answers a handshake (32 bytes) with our key, perhaps on another thread; null: it cannot be answered. */
  respond(ephemeral: Uint8Array): Promise<HandshakeDone | null>
  /** Our flags, now; 0: we serve no other node. */
  flags(): number
  /** An id that no circuit has. */
  freshId(): number
  /** Whether an id is one of ours, or of a circuit here. */
  hasId(id: number): boolean
  /** A verified peer, whether or not its flags are known. */
  peerOf(publicKey: Uint8Array): Peer | null
  /** Whether strangers may have us send to this literal address. */
  mayReach(ip: string): boolean
}

/** A create that we sent for another node's extend. */
interface Link {
  readonly circuit: EndingCircuit
  readonly extendId: number
  readonly createId: number
  readonly hop: { readonly publicKey: Uint8Array; readonly address: PeerAddress }
  readonly timer: Timer
}

/** Serving as hop (7.7): answers creates, and extends circuits that end here to another hop. */
export class ServingHop {
  readonly #deps: ServingDeps
  readonly #gate = new CreateGate()
  /** By the id of the new link. */
  readonly #links = new Map<number, Link>()
  /** Handshakes on their way. */
  #answering = 0
  #dropped = 0

  constructor(deps: ServingDeps) {
    this.#deps = deps
  }

  /** Creates, extends and answers that were dropped. */
  get dropped(): number {
    return this.#dropped + this.#gate.refused
  }

  /** Whether an id is one of a link that waits for its answer. */
  hasLink(id: number): boolean {
    return this.#links.has(id)
  }

  /** Another node wants us as hop. */
  create(id: number, from: PeerAddress, values: PayloadOf<typeof create>): void {
    const { respond, joined, clock } = this.#deps
    const { total, taken } = joined.places
    const fits = isCircuitKey(values.publicKey) && taken + this.#answering < total && !this.#deps.hasId(id)
    if (this.#deps.flags() === 0 || !fits || !this.#gate.take(id, from.ip, clock.now())) {
      this.#dropped++
      return
    }
    const asked = { ...values, publicKey: Uint8Array.from(values.publicKey) }
    this.#answering++
    respond(Uint8Array.from(values.ephemeral)).then(
      answer => this.#answered(id, from, asked, answer),
      () => this.#answered(id, from, asked, null),
    )
  }

  /** The originator of a circuit that ends here wants another hop. */
  extend(circuit: EndingCircuit, early: boolean, values: PayloadOf<typeof extend>): void {
    const { clock, flags } = this.#deps
    const late = clock.now() - circuit.createdMs > EXTEND_WITHIN_MS
    const hop = this.#hopOf(circuit, values)
    const full = this.#links.size >= MAX_LINKS
    if (!early || late || hop === null || (flags() & PEER_FLAG.relay) === 0 || full) {
      this.#dropped++
      return
    }
    this.#link(circuit, hop, values)
  }

  /** A hop that we asked for another node answered; false: that was not asked. */
  created(id: number, from: PeerAddress, values: PayloadOf<typeof created>): boolean {
    const link = this.#links.get(id)
    if (link === undefined || link.createId !== values.identifier || link.hop.address.ip !== from.ip) {
      this.#dropped++
      return false
    }
    this.#drop(id)
    const { circuit, hop, extendId } = link
    if (circuit.gone || circuit.closing) return true
    circuit.send(encodeCellMessage(extended, { ...values, identifier: extendId }))
    this.#deps.joined.extend(circuit, { id, ...hop })
    return true
  }

  /** Nothing is waited for any more. */
  stop(): void {
    for (const id of [...this.#links.keys()]) this.#drop(id)
  }

  #answered(id: number, from: PeerAddress, asked: PayloadOf<typeof create>, answer: HandshakeDone | null): void {
    this.#answering--
    const { clock, candidates, joined, wire, random } = this.#deps
    if (answer === null || this.#deps.hasId(id) || joined.places.taken >= joined.places.total) {
      this.#dropped++
      return
    }
    const offer = candidates.offer(asked.publicKey, random)
    const offered = new Map<string, Peer>()
    for (const key of [...offer.relays, ...offer.exits]) {
      const peer = candidates.withKey(key)
      if (peer !== null) offered.set(keyText(key), peer)
    }
    const { keys, ephemeral, auth } = answer
    // First of all the list, as its counter is the first.
    const list = sealedList(encodeCandidates(offer), keys.forward)
    const open = new OpeningLayer(keys.forward)
    const createdMs = clock.now()
    const plan = { id, previous: from, publicKey: asked.publicKey, open, seal: keys.backward, offered, createdMs }
    joined.add(new EndingCircuit({ ...plan, createdAtMs: clock.wallMs() }, wire))
    const reply = { identifier: asked.identifier, ephemeral, auth, candidates: list }
    wire.send(plainCell(wire.prefix, created, { circuitId: id, early: false }, reply), from)
  }

  #link(circuit: EndingCircuit, hop: Link['hop'], values: PayloadOf<typeof extend>): void {
    const { clock, random, wire, publicKey, freshId } = this.#deps
    const id = freshId()
    const createId = random.below(0x1_0000)
    const timer = clock.after(EXTEND_WITHIN_MS, () => this.#drop(id))
    this.#links.set(id, { circuit, extendId: values.identifier, createId, hop, timer })
    const request = { identifier: createId, publicKey, ephemeral: values.ephemeral }
    wire.send(plainCell(wire.prefix, create, { circuitId: id, early: false }, request), hop.address)
  }

  /** Which node is meant, and where: one we offered, one we know, or the one at the address that was given. */
  #hopOf(circuit: EndingCircuit, { publicKey, address }: PayloadOf<typeof extend>): Link['hop'] | null {
    const { peerOf, mayReach } = this.#deps
    if (!isCircuitKey(publicKey)) return null
    const key = keyText(publicKey)
    if (key === keyText(this.#deps.publicKey) || key === keyText(circuit.publicKey)) return null
    const given = isNoAddress(address) ? null : address
    const offered = circuit.offered.get(key)
    if (offered !== undefined) return offered
    if (given === null) return null
    const peer = peerOf(publicKey)
    if (peer !== null) return peer
    if (given.port === 0 || given.ip.includes(':') || !mayReach(given.ip)) return null
    return { publicKey: Uint8Array.from(publicKey), address: given }
  }

  #drop(id: number): void {
    this.#links.get(id)?.timer.cancel()
    this.#links.delete(id)
  }
}

/** The list as it travels: a layer of its own, of the key that is otherwise used by the originator only. */
function sealedList(list: Uint8Array, seal: LayerKey): Uint8Array {
  const sealed = new Uint8Array(list.length + LAYER_BYTES)
  sealed.set(list, LAYER_HEAD_BYTES)
  seal.seal(sealed, LAYER_HEAD_BYTES, LAYER_HEAD_BYTES + list.length)
  return sealed
}
