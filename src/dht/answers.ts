// What is answered to the queries of others (BEP 5, 32, 33, 44, 51): replies and errors, made from routing tables and
// stores. Decides nothing about rates or routing. Invariant: an answer fits the size its kind may have.

import type { PeerAddress } from '../base/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ed25519 } from '../ports/ed25519.ts'
import { immutableTarget, MAX_ITEM_BYTES, MAX_SALT_BYTES, mutableTarget, signedBytes } from '../wire/dht/dht-item.ts'
import { encodeKrpc } from '../wire/dht/krpc.ts'
import {
  DHT_ERRORS,
  type DhtQuery,
  type DhtReply,
  type InvalidQuery,
  type KrpcMessage,
  makeReply,
  type NodeContact,
  type WantedLists,
} from '../wire/dht/krpc-types.ts'
import type { ItemStore, PutRefusal } from './item-store.ts'
import { type PeerStore, SAMPLE_INTERVAL_SEC } from './peer-store.ts'
import type { RoutingTable } from './routing-table.ts'
import type { WriteTokens } from './tokens.ts'
import type { Family } from './types.ts'

/** Nodes in an answer (BEP 5). */
const ANSWER_NODES = 8
/** Largest answer, bytes (BEP 32), and largest one with an item: that must fit a frame of Ethernet. */
export const MAX_ANSWER_BYTES = 1024
const MAX_ITEM_ANSWER_BYTES = 1400
/** Most peers in an answer, bytes of one, and of the list around them. */
const MAX_VALUES = 100
const VALUE_BYTES = { 4: 8, 6: 21 } as const
const VALUES_FRAME_BYTES = 10

/** A query as it arrived. */
export type QueryMessage = Extract<KrpcMessage, { kind: 'query' }>

/** What answers are made from. */
export interface AnswersDeps {
  readonly family: Family
  readonly clock: Clock
  readonly ed25519: Ed25519
  readonly peers: PeerStore
  readonly items: ItemStore
  readonly tokens: WriteTokens
  readonly version: Uint8Array | null
  /** The routing table of a family, or null when we are not in it. */
  table(family: Family): RoutingTable | null
  ownId(): Uint8Array
}

type Lists = { nodes: readonly NodeContact[] | null; nodes6: readonly NodeContact[] | null }
type Get<M extends DhtQuery['method']> = Extract<DhtQuery, { method: M }>

/** Makes the datagrams that answer queries. */
export class Answers {
  readonly #deps: AnswersDeps

  constructor(deps: AnswersDeps) {
    this.#deps = deps
  }

  /** The answer to `message`, a query from `from`. */
  answer(message: QueryMessage, from: PeerAddress): Uint8Array {
    const result = this.#resultOf(message, from)
    if ('code' in result) return this.#error(message.transactionId, from, result)
    const limit = result.value === null ? MAX_ANSWER_BYTES : MAX_ITEM_ANSWER_BYTES
    return this.#fitting(message.transactionId, from, result, limit)
  }

  /** The error that a query with wrong arguments gets. */
  refuse(query: InvalidQuery, from: PeerAddress): Uint8Array {
    return this.#error(query.transactionId, from, { code: DHT_ERRORS.protocol, message: 'invalid arguments' })
  }

  #resultOf(message: QueryMessage, from: PeerAddress): DhtReply | PutRefusal {
    const { query } = message
    switch (query.method) {
      case 'ping':
        return makeReply(this.#deps.ownId())
      case 'find_node':
        return makeReply(this.#deps.ownId(), this.#lists(query.target, query.want))
      case 'get_peers':
        return this.#getPeers(message.transactionId, query, from)
      case 'announce_peer':
        return this.#announce(query, from)
      case 'get':
        return this.#get(query, from)
      case 'put':
        return this.#put(query, from)
      case 'sample_infohashes':
        return this.#samples(query)
      case 'other':
        // As libtorrent does: what has a target can be helped on its way.
        if (query.target !== null) return makeReply(this.#deps.ownId(), this.#lists(query.target, query.want))
        return { code: DHT_ERRORS.unknownMethod, message: 'unknown method' }
    }
  }

  #getPeers(transactionId: Uint8Array, query: Get<'get_peers'>, from: PeerAddress): DhtReply {
    const { peers, tokens, clock, family } = this.#deps
    const filters = query.scrape ? peers.filters(query.infoHash, clock.now()) : null
    const reply = makeReply(this.#deps.ownId(), {
      // Filters leave no room for the list of the other family (BEP 33).
      ...this.#lists(query.infoHash, filters === null ? query.want : null),
      token: peers.isFull(query.infoHash) ? null : tokens.issue(from.ip, query.infoHash, clock.now()),
      seedFilter: filters?.seeds ?? null,
      peerFilter: filters?.peers ?? null,
    })
    const usedBytes = this.#encode(transactionId, from, reply).length + VALUES_FRAME_BYTES
    const room = Math.floor((MAX_ANSWER_BYTES - usedBytes) / VALUE_BYTES[family])
    const values = peers.pick(query.infoHash, Math.max(0, Math.min(MAX_VALUES, room)), query.noSeed)
    return values.length === 0 ? reply : { ...reply, values }
  }

  #announce(query: Get<'announce_peer'>, from: PeerAddress): DhtReply | PutRefusal {
    const { tokens, clock, peers } = this.#deps
    const nowMs = clock.now()
    if (!tokens.accepts(query.token, from.ip, query.infoHash, nowMs)) return BAD_TOKEN
    const port = query.impliedPort ? from.port : query.port
    const kept = peers.announce(query.infoHash, { ip: from.ip, port }, query.seed, nowMs)
    return kept ? makeReply(this.#deps.ownId()) : { code: DHT_ERRORS.server, message: 'no room' }
  }

  #get(query: Get<'get'>, from: PeerAddress): DhtReply {
    const { tokens, clock, items } = this.#deps
    const item = items.get(query.target)
    const proof = item?.proof ?? null
    const upToDate = query.seq !== null && proof !== null && proof.seq <= query.seq
    return makeReply(this.#deps.ownId(), {
      ...this.#lists(query.target, query.want),
      token: tokens.issue(from.ip, query.target, clock.now()),
      seq: proof?.seq ?? null,
      ...(upToDate ? {} : { value: item?.value ?? null, key: proof?.key ?? null, signature: proof?.signature ?? null }),
    })
  }

  #put(query: Get<'put'>, from: PeerAddress): DhtReply | PutRefusal {
    const { tokens, clock, items, ed25519 } = this.#deps
    const { value, proof, salt, cas } = query
    if (value.length > MAX_ITEM_BYTES) return { code: DHT_ERRORS.valueTooBig, message: 'the value is too big' }
    if (salt.length > MAX_SALT_BYTES) return { code: DHT_ERRORS.saltTooBig, message: 'the salt is too big' }
    const target = proof === null ? immutableTarget(value) : mutableTarget(proof.key, salt)
    if (!tokens.accepts(query.token, from.ip, target, clock.now())) return BAD_TOKEN
    // Last, because it costs most.
    if (proof !== null && !ed25519.verify(proof.signature, signedBytes(salt, proof.seq, value), proof.key))
      return { code: DHT_ERRORS.badSignature, message: 'invalid signature' }
    const refusal = items.put(target, { value, proof }, { from, cas }, this.#deps.ownId(), clock.now())
    return refusal ?? makeReply(this.#deps.ownId())
  }

  #samples(query: Get<'sample_infohashes'>): DhtReply {
    const { peers, clock } = this.#deps
    return makeReply(this.#deps.ownId(), {
      ...this.#lists(query.target, query.want),
      samples: peers.samples(clock.now()),
      sampleTotal: peers.torrents,
      sampleIntervalSec: SAMPLE_INTERVAL_SEC,
    })
  }

  /** The nearest nodes of the families asked for (BEP 32); that of the datagram when none is named. */
  #lists(target: Uint8Array, want: WantedLists | null): Lists {
    const { family } = this.#deps
    const nearest = (of: Family, wanted: boolean): readonly NodeContact[] | null =>
      wanted ? (this.#deps.table(of)?.closest(target, ANSWER_NODES) ?? null) : null
    return { nodes: nearest(4, want?.n4 ?? family === 4), nodes6: nearest(6, want?.n6 ?? family === 6) }
  }

  /** Leaves nodes out until the answer is small enough: first the other family's, then the farthest. */
  #fitting(transactionId: Uint8Array, from: PeerAddress, reply: DhtReply, limit: number): Uint8Array {
    const bytes = this.#encode(transactionId, from, reply)
    if (bytes.length <= limit) return bytes
    const own = this.#deps.family === 4 ? 'nodes' : 'nodes6'
    const other = own === 'nodes' ? 'nodes6' : 'nodes'
    if (reply[other] !== null) return this.#fitting(transactionId, from, { ...reply, [other]: null }, limit)
    const nodes = reply[own] ?? []
    if (nodes.length === 0) return bytes
    return this.#fitting(transactionId, from, { ...reply, [own]: nodes.slice(0, -1) }, limit)
  }

  #encode(transactionId: Uint8Array, from: PeerAddress, reply: DhtReply): Uint8Array {
    return encodeKrpc({ kind: 'reply', transactionId, version: this.#deps.version, seenAs: from, reply })
  }

  #error(transactionId: Uint8Array, from: PeerAddress, refusal: PutRefusal): Uint8Array {
    const { code, message } = refusal
    return encodeKrpc({ kind: 'error', transactionId, version: this.#deps.version, seenAs: from, code, message })
  }
}

const BAD_TOKEN: PutRefusal = { code: DHT_ERRORS.protocol, message: 'bad token' }
