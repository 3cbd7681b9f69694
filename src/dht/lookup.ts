// An iterative lookup (BEP 5, Kademlia 2.3) as a state machine: who is asked next, and when it is over. Sends nothing.
// A candidate: new -> asked -> answered | failed, by way of slow when its answer takes long; slow ones free their turn.
// Against lies (BEP 42): nodes whose id does not fit their address are in a list of their own, which can neither end
// the lookup nor use it up; a node that named only silent ones is no longer believed; few candidates a network.

import { sameBytes } from '../base/same-bytes.ts'
import { addressKey } from '../base/ids.ts'
import { compareDistance, idFitsAddress, idKey } from '../wire/dht/dht-id.ts'
import type { NodeContact } from '../wire/dht/krpc-types.ts'
import { addressGroup, isExemptIp } from './address-group.ts'

/** Queries under way at once (Kademlia's alpha). */
export const ALPHA = 3
/** Nodes nearest to the target that must have answered (BEP 5). */
export const LOOKUP_NODES = 8
/** Queries under way, slow ones included. */
const MAX_IN_FLIGHT = 12
/** Most queries of one lookup, and most to nodes whose id does not fit: in the real network 30 to 60 are sent. */
const MAX_QUERIES = 200
const MAX_MISFIT_QUERIES = 48
/** Candidates kept in each list, and addresses remembered. */
const MAX_CANDIDATES = 200
const MAX_SEEN = 2000
/** Candidates of one /24 or /64 and kind. */
const MAX_PER_GROUP = 2
/** Nodes taken from one reply. */
const MAX_TOLD = 16
/** Tellers remembered of one candidate. */
const MAX_TELLERS = 4
/** A node that named this many silent nodes and none that answered is not believed. */
const SUSPECT_AFTER = 3
/** Services below this port are not nodes: strangers would make us knock there. */
const FIRST_FREE_PORT = 1024

/** A node of a lookup. */
export interface Candidate {
  contact: NodeContact
  fits: boolean
  state: 'new' | 'asked' | 'slow' | 'answered' | 'failed'
  /** What it gave for writing; null = none. */
  token: Uint8Array | null
  /** Who named it; empty for those we knew. */
  readonly tellers: Candidate[]
  namedSilent: number
  namedAnswered: number
}

/** One search for the nodes nearest to `target` (20 bytes). */
export class Lookup {
  readonly target: Uint8Array
  readonly #ownId: Uint8Array
  readonly #fitting: Candidate[] = []
  readonly #misfits: Candidate[] = []
  /** By address and id: a false id at a node's address must not hide the true one. */
  readonly #byKey = new Map<string, Candidate>()
  readonly #perGroup = new Map<string, number>()
  #asked = 0
  #slow = 0
  #queries = 0
  #misfitQueries = 0
  #misfitsTurn = false

  /** `ownId`: ours, so that no answer sends us to ourselves. */
  constructor(target: Uint8Array, ownId: Uint8Array) {
    this.target = target
    this.#ownId = ownId
  }

  /** Queries sent so far. */
  get queries(): number {
    return this.#queries
  }

  /** True when no node is left to ask or to wait for. */
  get done(): boolean {
    return this.#asked + this.#slow === 0 && (this.#queries >= MAX_QUERIES || this.#choose() === null)
  }

  /** Brings a node in; `teller` named it (null: we knew it). What cannot be or is too much is passed over. */
  add(contact: NodeContact, teller: Candidate | null): void {
    if (sameBytes(contact.id, this.#ownId) || (teller !== null && !isBelievable(contact, teller))) return
    const key = contactKey(contact)
    const known = this.#byKey.get(key)
    if (known !== undefined) {
      if (teller !== null && known.tellers.length > 0 && known.tellers.length < MAX_TELLERS) known.tellers.push(teller)
      return
    }
    if (this.#byKey.size >= MAX_SEEN) return
    const fits = idFitsAddress(contact.id, contact.address.ip)
    const group = `${fits}/${addressGroup(contact.address)}`
    const inGroup = this.#perGroup.get(group) ?? 0
    if (inGroup >= MAX_PER_GROUP) return
    this.#perGroup.set(group, inGroup + 1)
    const tellers = teller === null ? [] : [teller]
    const candidate: Candidate = {
      contact,
      fits,
      state: 'new',
      token: null,
      tellers,
      namedSilent: 0,
      namedAnswered: 0,
    }
    this.#byKey.set(key, candidate)
    this.#place(candidate)
  }

  /** The next node to ask, marked as asked; null when there is none for the moment. */
  next(): Candidate | null {
    if (this.#asked >= ALPHA || this.#asked + this.#slow >= MAX_IN_FLIGHT || this.#queries >= MAX_QUERIES) return null
    const chosen = this.#choose()
    if (chosen === null) return null
    this.#misfitsTurn = chosen.fits
    chosen.state = 'asked'
    this.#asked++
    this.#queries++
    if (!chosen.fits) this.#misfitQueries++
    return chosen
  }

  /** It takes long: another node may be asked in its place, its answer still counts. */
  slow(candidate: Candidate): void {
    if (candidate.state !== 'asked') return
    candidate.state = 'slow'
    this.#asked--
    this.#slow++
  }

  /** It answered as node `id`, gave `token`, and named `nodes`. */
  answered(candidate: Candidate, id: Uint8Array, token: Uint8Array | null, nodes: readonly NodeContact[]): void {
    if (!this.#settle(candidate, 'answered')) return
    candidate.token = token
    const asNamed = sameBytes(id, candidate.contact.id)
    for (const teller of candidate.tellers) {
      if (asNamed) teller.namedAnswered++
      else teller.namedSilent++
    }
    if (!asNamed) this.#correct(candidate, id)
    for (const contact of nodes.slice(0, MAX_TOLD)) this.add(contact, candidate)
  }

  /** It did not answer. */
  failed(candidate: Candidate): void {
    if (!this.#settle(candidate, 'failed')) return
    for (const teller of candidate.tellers) teller.namedSilent++
  }

  /** It answered with an error: it is no help, but the node that named it told the truth. */
  refused(candidate: Candidate): void {
    if (!this.#settle(candidate, 'failed')) return
    for (const teller of candidate.tellers) teller.namedAnswered++
  }

  /**
   * Who answered and gave a token: the nearest `count` whose id fits, and others that are among the nearest `count` of
   * all (BEP 42 allows these besides).
   */
  writable(count = LOOKUP_NODES): Candidate[] {
    const fitting = usable(this.#fitting)
    const all = [...fitting, ...usable(this.#misfits)]
    all.sort((a, b) => compareDistance(this.target, a.contact.id, b.contact.id))
    return [...new Set([...fitting.slice(0, count), ...all.slice(0, count)])]
  }

  /** Every candidate that answered, those whose id fits first, each list nearest first. */
  answeredNodes(): Candidate[] {
    return [...this.#fitting, ...this.#misfits].filter(candidate => candidate.state === 'answered')
  }

  #settle(candidate: Candidate, state: 'answered' | 'failed'): boolean {
    if (candidate.state === 'asked') this.#asked--
    else if (candidate.state === 'slow') this.#slow--
    else return false
    candidate.state = state
    return true
  }

  /** The node's own word for its id replaces what was said about it; no node is here twice. */
  #correct(candidate: Candidate, id: Uint8Array): void {
    const list = candidate.fits ? this.#fitting : this.#misfits
    list.splice(list.indexOf(candidate), 1)
    const contact = { id, address: candidate.contact.address }
    const twin = this.#byKey.get(contactKey(contact))
    if (twin === undefined) {
      candidate.contact = contact
      candidate.fits = idFitsAddress(id, contact.address.ip)
      this.#byKey.set(contactKey(contact), candidate)
      this.#place(candidate)
    } else if (twin.state === 'new') {
      twin.state = 'answered'
      twin.token = candidate.token
    }
  }

  /** Puts a candidate where its distance says. The farthest goes when the list is too long, unless it is in use. */
  #place(candidate: Candidate): void {
    const list = candidate.fits ? this.#fitting : this.#misfits
    const id = candidate.contact.id
    let low = 0
    let high = list.length
    while (low < high) {
      const middle = (low + high) >> 1
      const other = list[middle]
      if (other !== undefined && compareDistance(this.target, other.contact.id, id) <= 0) low = middle + 1
      else high = middle
    }
    list.splice(low, 0, candidate)
    if (list.length > MAX_CANDIDATES && list.at(-1)?.state === 'new') list.pop()
  }

  #choose(): Candidate | null {
    const fitting = pick(this.#fitting)
    const misfit = this.#misfitQueries < MAX_MISFIT_QUERIES ? pick(this.#misfits) : null
    if (fitting === null || misfit === null) return fitting ?? misfit
    return this.#misfitsTurn ? misfit : fitting
  }
}

function contactKey(contact: NodeContact): string {
  return `${addressKey(contact.address)}/${idKey(contact.id)}`
}

function usable(list: readonly Candidate[]): Candidate[] {
  return list.filter(candidate => candidate.state === 'answered' && candidate.token !== null)
}

/** The nearest that was not asked, of the nearest eight that do not keep us waiting; null when all of these were. */
function pick(list: readonly Candidate[]): Candidate | null {
  let standing = 0
  for (const candidate of list) {
    if (candidate.state === 'new') {
      if (!isSuspect(candidate)) return candidate
    } else if (candidate.state === 'asked' || candidate.state === 'answered') {
      if (++standing >= LOOKUP_NODES) return null
    }
  }
  return null
}

function isSuspect(candidate: Candidate): boolean {
  const { tellers } = candidate
  return (
    tellers.length > 0 && tellers.every(teller => teller.namedSilent >= SUSPECT_AFTER && teller.namedAnswered === 0)
  )
}

/** No node outside may send us into a local network or to a system service. */
function isBelievable(contact: NodeContact, teller: Candidate): boolean {
  if (isExemptIp(contact.address.ip)) return isExemptIp(teller.contact.address.ip)
  return contact.address.port >= FIRST_FREE_PORT
}
