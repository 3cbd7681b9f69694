// Drives a lookup: sends the queries its state machine asks for and hands it the answers. One run, one target, one
// query. Ends once: when the lookup is over or the run was cancelled.

import type { DhtQuery, DhtReply, NodeContact } from '../wire/dht/krpc-types.ts'
import { type Candidate, Lookup } from './lookup.ts'
import type { Rpc, RpcCall } from './rpc.ts'
import type { Family } from './types.ts'

/** What is looked up. */
export interface LookupSpec {
  readonly target: Uint8Array
  readonly query: DhtQuery
  /** Nodes to begin with besides those of the routing table. */
  readonly contacts?: readonly NodeContact[]
  /** Each reply, as it comes. */
  onReply?(reply: DhtReply, candidate: Candidate): void
  /** It is over; not called after cancel. */
  onDone(lookup: Lookup): void
}

/** One lookup under way. */
export class LookupRun {
  readonly #spec: LookupSpec
  readonly #family: Family
  readonly #rpc: Rpc
  readonly #lookup: Lookup
  readonly #calls = new Set<RpcCall>()
  #over = false

  constructor(spec: LookupSpec, deps: { readonly family: Family; readonly rpc: Rpc; ownId(): Uint8Array }) {
    this.#spec = spec
    this.#family = deps.family
    this.#rpc = deps.rpc
    this.#lookup = new Lookup(spec.target, deps.ownId())
  }

  /** Begins with the nodes we know. */
  start(contacts: readonly NodeContact[]): void {
    for (const contact of [...contacts, ...(this.#spec.contacts ?? [])]) this.#lookup.add(contact, null)
    this.#step()
  }

  /** Ends it without a result. */
  cancel(): void {
    this.#over = true
    for (const call of this.#calls) call.cancel()
    this.#calls.clear()
  }

  #step(): void {
    for (let next = this.#take(); next !== null; next = this.#take()) this.#ask(next)
    if (this.#over || !this.#lookup.done) return
    this.#over = true
    this.#spec.onDone(this.#lookup)
  }

  #take(): Candidate | null {
    return this.#over ? null : this.#lookup.next()
  }

  #ask(candidate: Candidate): void {
    const call: RpcCall = this.#rpc.ask(candidate.contact.address, this.#spec.query, {
      reply: reply => {
        this.#calls.delete(call)
        const nodes = this.#family === 4 ? reply.nodes : reply.nodes6
        this.#lookup.answered(candidate, reply.id, reply.token, nodes ?? [])
        if (!this.#over) this.#spec.onReply?.(reply, candidate)
        this.#step()
      },
      failed: ({ reason }) => {
        this.#calls.delete(call)
        if (reason === 'error') this.#lookup.refused(candidate)
        else this.#lookup.failed(candidate)
        this.#step()
      },
      slow: () => {
        this.#lookup.slow(candidate)
        this.#step()
      },
    })
    this.#calls.add(call)
  }
}
