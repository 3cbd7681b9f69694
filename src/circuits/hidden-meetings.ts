// How a downloader meets a seeder (8.4): create-e2e through an introduction point, a circuit to the rendezvous point that the seeder
// names, and link-e2e there. One object a swarm; each seeder is met once at a time.

import { DecodeError, errorText } from '../base/errors.ts'
import type { PeerAddress } from '../base/ids.ts'
import type { Log } from '../ports/log.ts'
import type { SessionKeys } from '../ports/overlay-crypto.ts'
import { type createdE2e, createE2e, linkE2e, rendezvousInfo } from '../wire/overlay/hidden-messages.ts'
import { addressOfCircuit } from '../wire/overlay/hidden-names.ts'
import { decodePayload, encodeCellMessage, type PayloadOf } from '../wire/overlay/message.ts'
import { encodePacket } from '../wire/overlay/packet.ts'
import { isCircuitKey } from '../wire/overlay/public-key.ts'
import type { Answers } from './hidden-answers.ts'
import type { HiddenCounts } from './hidden-counts.ts'
import { type IntroductionPointName, isSomewhere, seederText } from './hidden-points.ts'
import type { HiddenCircuit, HiddenCrypto, HiddenHost } from './hidden-seam.ts'

/** An answer of a seeder, copied. */
export type CreatedE2e = PayloadOf<typeof createdE2e>

/** What meetings of a downloader work with. */
export interface MeetingDeps {
  readonly host: HiddenHost
  readonly crypto: HiddenCrypto
  readonly created: Answers<CreatedE2e>
  readonly linked: Answers<true>
  readonly counts: HiddenCounts
  readonly log: Log
  /** The first 22 bytes of packets of the tunnel overlay. */
  readonly prefix: Uint8Array
}

/** Whose meetings. */
export interface MeetingOptions {
  readonly lookup: Uint8Array
  /** Of the download. */
  readonly hops: number
  /** Gets the address that stands for each linked circuit. */
  readonly found: (at: PeerAddress) => void
}

/** Where a seeder waits, and the keys of the layer between it and us. */
interface Rendezvous {
  readonly address: PeerAddress
  readonly publicKey: Uint8Array
  readonly cookie: Uint8Array
  readonly keys: SessionKeys
}

/** The meetings of one swarm. */
export class SeederMeetings {
  readonly #options: MeetingOptions
  readonly #deps: MeetingDeps
  readonly #ending = new AbortController()
  /** Seeders that are being met. */
  readonly #pending = new Set<string>()
  /** Seeders that we are linked with. */
  readonly #linked = new Set<string>()
  readonly #circuits = new Map<HiddenCircuit, string>()

  constructor(options: MeetingOptions, deps: MeetingDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Keys (as seederText) of the seeders that we are linked with. */
  get linked(): ReadonlySet<string> {
    return this.#linked
  }

  /** Linked and on their way. */
  get busy(): number {
    return this.#linked.size + this.#pending.size
  }

  isLinked(seederKey: Uint8Array): boolean {
    return this.#linked.has(seederText(seederKey))
  }

  /** Neither linked nor on its way. */
  isFree(seederKey: Uint8Array): boolean {
    const text = seederText(seederKey)
    return !this.#linked.has(text) && !this.#pending.has(text)
  }

  /** Meets a seeder that isFree, asking over `contact`; true: we are linked. Never rejects. */
  async meet(contact: HiddenCircuit, point: IntroductionPointName): Promise<boolean> {
    const seeder = seederText(point.seederKey)
    this.#pending.add(seeder)
    try {
      const rendezvous = await this.#ask(contact, point)
      return rendezvous !== null && (await this.#follow(rendezvous, seeder))
    } catch (error) {
      this.#deps.log.debug('a hidden seeder was not reached', { error: errorText(error) })
      return false
    } finally {
      this.#pending.delete(seeder)
    }
  }

  /** A circuit is gone, perhaps one of these. */
  circuitGone(circuit: HiddenCircuit): void {
    const seeder = this.#circuits.get(circuit)
    if (seeder === undefined) return
    this.#circuits.delete(circuit)
    this.#linked.delete(seeder)
  }

  /** Ends all. */
  close(): void {
    this.#ending.abort()
    for (const circuit of [...this.#circuits.keys()]) circuit.remove('the download left its hidden swarm')
  }

  async #ask(contact: HiddenCircuit, point: IntroductionPointName): Promise<Rendezvous | null> {
    const { created, counts, crypto, prefix } = this.#deps
    const handshake = crypto.begin()
    const asked = created.ask(contact)
    if (asked === null) {
      handshake.wipe()
      return null
    }
    const { seederKey: publicKey, address } = point
    const { ephemeral } = handshake
    const values = { identifier: asked.identifier, infoHash: this.#options.lookup, publicKey, ephemeral }
    contact.sendData(address, encodePacket(prefix, createE2e, values))
    const answer = await asked.answer
    const finished = answer === null ? null : handshake.finish(publicKey, answer, answer.rendezvous)
    handshake.wipe()
    const rendezvous = finished === null ? null : rendezvousOf(finished.text, finished.keys)
    if (answer !== null && rendezvous === null) counts.forged++
    return rendezvous
  }

  /** Keys of a meeting that comes to nothing are wiped. */
  async #follow(rendezvous: Rendezvous, seeder: string): Promise<boolean> {
    let done = false
    try {
      done = !this.#ending.signal.aborted && (await this.#link(rendezvous, seeder))
      return done
    } finally {
      if (!done) rendezvous.keys.wipe()
    }
  }

  async #link({ address, publicKey, cookie, keys }: Rendezvous, seeder: string): Promise<boolean> {
    const { host, linked, counts } = this.#deps
    const last = { publicKey, address: isSomewhere(address) ? address : null }
    const wanted = { purpose: 'rendezvous-downloader', hops: this.#options.hops + 1, last } as const
    const circuit = await host.build(wanted, this.#ending.signal)
    const asked = linked.ask(circuit)
    if (asked !== null) circuit.send(encodeCellMessage(linkE2e, { identifier: asked.identifier, cookie }))
    if (asked === null || (await asked.answer) === null || this.#ending.signal.aborted) {
      circuit.remove('the rendezvous point did not link it')
      return false
    }
    circuit.setEndToEnd({ seal: keys.backward, open: keys.forward })
    this.#circuits.set(circuit, seeder)
    this.#linked.add(seeder)
    counts.linked++
    this.#options.found(addressOfCircuit(circuit.id))
    return true
  }
}

/** Null, and the keys wiped: it cannot be read. */
function rendezvousOf(info: Uint8Array, keys: SessionKeys): Rendezvous | null {
  try {
    const { address, publicKey, cookie } = decodePayload(rendezvousInfo, info).info
    if (isCircuitKey(publicKey)) return { address, publicKey, cookie, keys }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
  }
  keys.wipe()
  return null
}
