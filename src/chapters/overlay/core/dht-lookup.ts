// One look-up in the overlay DHT: from the nodes we know towards a target, four questions at a time, until the nearest
// ones have all answered. A node that another named is asked through that one first, which has it send us something
// (puncture). Bounded: so many questions and no more; a liar only uses them up.

import type { PeerAddress } from '../../../base/ids.ts'
import { compareDistance } from '../../../wire/dht/dht-id.ts'
import type { OverlayAddress } from '../wire/address.ts'
import { findResponse } from '../wire/dht-messages.ts'
import type { PayloadOf } from '../wire/message.ts'
import { isCircuitKey } from '../wire/public-key.ts'
import { DhtContact, type DhtNodeRef } from './dht-contact.ts'
import { dhtMethods, type DhtRpc } from './dht-rpc.ts'
import { DHT_BUCKET } from './limits.ts'
import { mayTell } from './reachable.ts'

/** Questions of a look-up that are out at a time, and in all (section 6). */
const DHT_PARALLEL = 4
/** Questions of one look-up in all (section 6). */
const DHT_LOOKUP_REQUESTS = 24

/** Times that one node is asked for more values. */
const MOST_PAGES = 4

/** What a look-up works with. */
export interface DhtLookupDeps {
  readonly rpc: DhtRpc
  readonly ownMember: string
  /** Our address as questions claim it. */
  lanFor(address: PeerAddress): OverlayAddress
  /** We have heard from there lately: no puncture is needed. */
  isKnown(node: DhtNodeRef): boolean
}

/** What is looked for. */
export interface DhtLookupOptions {
  /** 20 bytes. */
  readonly target: Uint8Array
  /** Nodes only, whatever values they have. */
  readonly forceNodes: boolean
  /** Gets values as they come, unchecked. */
  readonly onValues?: (values: readonly Uint8Array[]) => void
}

/** A node that answered, with the right to store there. */
export interface DhtAnswerer {
  readonly contact: DhtContact
  readonly token: Uint8Array
  readonly hadValues: boolean
}

interface Candidate {
  readonly contact: DhtContact
  readonly via: DhtContact | null
  state: 'new' | 'asked' | 'answered' | 'silent'
  token: Uint8Array | null
  hadValues: boolean
}

/**
 * One look-up in the overlay DHT: from the nodes we know towards a target, four questions at a time, until the nearest
 * ones have all answered.
 */
export class DhtLookup {
  readonly #options: DhtLookupOptions
  readonly #deps: DhtLookupDeps
  readonly #candidates = new Map<string, Candidate>()
  #requests = 0
  #running = 0

  constructor(options: DhtLookupOptions, start: readonly DhtContact[], deps: DhtLookupDeps) {
    this.#options = options
    this.#deps = deps
    for (const contact of start) this.#add(contact, null)
  }

  /** Runs to the end; answers the nodes that answered, the nearest first. Never rejects. */
  async run(): Promise<DhtAnswerer[]> {
    await new Promise<void>(done => this.#pump(done))
    return this.#sorted().flatMap(({ contact, token, hadValues }) =>
      token === null ? [] : [{ contact, token, hadValues }],
    )
  }

  /** Sends as many questions as may be out; `done` when none is out and no node is left to ask. */
  #pump(done: () => void): void {
    while (this.#running < DHT_PARALLEL) {
      const next = this.#next()
      if (next === null) break
      next.state = 'asked'
      this.#running++
      void this.#visit(next).finally(() => {
        this.#running--
        this.#pump(done)
      })
    }
    if (this.#running === 0) done()
  }

  async #visit(candidate: Candidate): Promise<void> {
    await this.#puncture(candidate)
    const answer = await this.#ask(candidate.contact, this.#options.target, this.#options.forceNodes, 0)
    candidate.state = answer === null ? 'silent' : 'answered'
    if (answer !== null) await this.#take(candidate, answer)
  }

  /** The nearest that was not asked, among the nearest of those that are not silent. */
  #next(): Candidate | null {
    if (this.#requests >= DHT_LOOKUP_REQUESTS) return null
    const alive = this.#sorted().filter(candidate => candidate.state !== 'silent')
    return alive.slice(0, DHT_BUCKET).find(candidate => candidate.state === 'new') ?? null
  }

  async #puncture({ contact, via }: Candidate): Promise<void> {
    if (via !== null && !this.#deps.isKnown(contact)) await this.#ask(via, contact.id, true, 0)
  }

  async #ask(
    contact: DhtContact,
    target: Uint8Array,
    forceNodes: boolean,
    offset: number,
  ): Promise<PayloadOf<typeof findResponse> | null> {
    if (this.#requests >= DHT_LOOKUP_REQUESTS) return null
    this.#requests++
    const lan = this.#deps.lanFor(contact.address)
    return this.#deps.rpc.ask(dhtMethods.find, contact, { lan, target, offset, forceNodes })
  }

  async #take(candidate: Candidate, answer: PayloadOf<typeof findResponse>): Promise<void> {
    const { contact } = candidate
    candidate.token = answer.token
    candidate.hadValues = answer.values.length > 0
    for (const [at, node] of answer.nodes.slice(0, DHT_BUCKET).entries()) this.#named(node, contact, at > 0)
    await this.#takeValues(contact, answer.values)
  }

  async #takeValues(contact: DhtContact, first: readonly Uint8Array[]): Promise<void> {
    const { target, forceNodes, onValues } = this.#options
    let values = first
    for (let page = 1; values.length > 0; page++) {
      onValues?.(values.slice(0, DHT_BUCKET))
      if (values.length < DHT_BUCKET || page >= MOST_PAGES) return
      const more = await this.#ask(contact, target, forceNodes, page * DHT_BUCKET)
      values = more?.values ?? []
    }
  }

  /** `teller` says that there is a node. The first that it names has been asked to send us something. */
  #named(
    node: { readonly address: OverlayAddress; readonly publicKey: Uint8Array },
    teller: DhtContact,
    later: boolean,
  ): void {
    if (isCircuitKey(node.publicKey) && mayTell(teller.address, node.address))
      this.#add(new DhtContact(node), later ? teller : null)
  }

  #add(contact: DhtContact, via: DhtContact | null): void {
    if (contact.member === this.#deps.ownMember || this.#candidates.has(contact.member)) return
    this.#candidates.set(contact.member, { contact, via, state: 'new', token: null, hadValues: false })
  }

  #sorted(): Candidate[] {
    const { target } = this.#options
    return [...this.#candidates.values()].sort((a, b) => compareDistance(target, a.contact.id, b.contact.id))
  }
}
