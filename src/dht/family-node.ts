// The DHT node of one family (BEP 5, 32, 42, 43): wires routing table, queries, answers and lookups to one socket, and
// knows what each datagram is. What users of the DHT want is above it, in node.ts.
// Invariant: a query is answered only within the limit, and never in read-only mode.

import { sameBytes } from '../base/same-bytes.ts'
import { DecodeError } from '../base/errors.ts'
import type { PeerAddress } from '../base/ids.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { Ed25519 } from '../ports/ed25519.ts'
import type { NameResolver } from '../ports/name-resolver.ts'
import type { Random } from '../ports/random.ts'
import { parseIp } from '../wire/net/compact-address.ts'
import { ID_BYTES, idFitsAddress, idForAddress, idFromKey, idKey } from '../wire/dht/dht-id.ts'
import { decodeKrpc, looksLikeKrpc } from '../wire/dht/krpc.ts'
import type { DhtReply, InvalidQuery, KrpcMessage, NodeContact } from '../wire/dht/krpc-types.ts'
import { Answers, type QueryMessage } from './answers.ts'
import { Bootstrap } from './bootstrap.ts'
import { NodeIdAddress } from './node-id-address.ts'
import { ItemStore } from './item-store.ts'
import { LookupQueue } from './lookup-queue.ts'
import { LOOKUP_NODES } from './lookup.ts'
import { PeerStore } from './peer-store.ts'
import { AnswerLimit } from './rate-limit.ts'
import { isGood, RoutingTable } from './routing-table.ts'
import { Rpc } from './rpc.ts'
import { exportFamily, importContacts } from './saved.ts'
import { SearchTurns } from './search-turns.ts'
import { FEW_NODES, TableCare } from './table-care.ts'
import { WriteTokens } from './tokens.ts'
import { Traffic } from './traffic.ts'
import type { DatagramSender, DhtOptions, Family, FamilyStats, SavedFamily } from './types.ts'

/** Saved nodes get this much time before the first contacts are asked. */
const SAVED_FIRST_MS = 5000
/** Stores are cleared of what ended this often. */
const EXPIRE_MS = 60_000
/** After so many silences in a row, more of them say nothing about the nodes that we ask: we are cut off. */
const CUT_OFF_SILENCES = 20

/** What one family goes through. */
export interface FamilyDeps {
  readonly clock: Clock
  readonly random: Random
  readonly resolver: NameResolver
  readonly ed25519: Ed25519
  readonly sender: DatagramSender
  /** The node of the other family, if there is one. */
  sibling(): FamilyNode | null
}

/** A node of the IPv4 or of the IPv6 DHT. */
export class FamilyNode {
  readonly family: Family
  readonly table: RoutingTable
  readonly rpc: Rpc
  readonly lookups: LookupQueue
  /** When searches of torrents may look up. */
  readonly turns: SearchTurns
  readonly #deps: FamilyDeps
  readonly #version: Uint8Array | null
  readonly #saved: readonly NodeContact[]
  readonly #peers: PeerStore
  readonly #items = new ItemStore()
  readonly #answers: Answers
  readonly #limit: AnswerLimit
  readonly #external = new NodeIdAddress()
  readonly #care: TableCare
  readonly #bootstrap: Bootstrap
  readonly #received = new Traffic()
  readonly #sent = new Traffic()
  #readOnly: boolean
  #unreadable = 0
  /** Queries in a row without an answer. */
  #silences = 0
  #expiry: Timer | null = null
  #running = false

  /** `saved`: what exportState gave at another time, or null. Nothing is sent before start(). */
  constructor(family: Family, options: DhtOptions, deps: FamilyDeps, saved: SavedFamily | null) {
    const { clock, random } = deps
    const nowMs = clock.now()
    this.family = family
    this.#deps = deps
    this.#version = options.version
    this.#readOnly = options.readOnly
    this.#saved = importContacts(saved, family)
    this.table = new RoutingTable(idFromKey(saved?.id ?? '') ?? Uint8Array.from(random.bytes(ID_BYTES)), nowMs)
    this.#peers = new PeerStore(random)
    this.#limit = new AnswerLimit(options.answersPerSecond, nowMs)
    this.rpc = this.#makeRpc()
    this.lookups = new LookupQueue(options.activeLookups, {
      family,
      rpc: this.rpc,
      clock,
      ownId: () => this.table.ownId,
      nearest: target => this.table.closest(target, 2 * LOOKUP_NODES, 1),
    })
    this.turns = new SearchTurns({ clock, reached: () => this.table.size > 0 })
    this.#answers = this.#makeAnswers(new WriteTokens(random, nowMs))
    const { table, rpc, lookups } = this
    this.#care = new TableCare({ clock, random, table, rpc, lookups, settled: () => this.turns.look() })
    this.#bootstrap = new Bootstrap({
      family,
      entries: options.bootstrap,
      clock,
      resolver: deps.resolver,
      rpc: this.rpc,
      ownId: () => this.table.ownId,
      needed: () => this.table.size < FEW_NODES,
      onNodes: nodes => this.#foundFirst(nodes),
    })
  }

  /** Asks the saved nodes and the first contacts. */
  start(): void {
    this.#running = true
    this.#care.start(this.#saved)
    this.#bootstrap.start(this.#saved.length > 0 ? SAVED_FIRST_MS : 0)
    this.#expiry = this.#deps.clock.every(EXPIRE_MS, () => {
      this.#peers.expire(this.#deps.clock.now())
      this.#items.expire(this.#deps.clock.now())
    })
  }

  /** Sends nothing any more; lookups end without results. */
  stop(): void {
    this.#running = false
    this.#expiry?.cancel()
    this.#bootstrap.stop()
    this.#care.stop()
    this.turns.close()
    this.lookups.close()
    this.rpc.close()
  }

  /** From now on in or out of read-only mode (BEP 43). */
  setReadOnly(readOnly: boolean): void {
    this.#readOnly = readOnly
  }

  /** A datagram from `from`; true when it is one of the DHT's, good or bad. `bytes` is read within the call only. */
  receive(bytes: Uint8Array, from: PeerAddress): boolean {
    if (!looksLikeKrpc(bytes)) return false
    if (!this.#running) return true
    this.#received.add(bytes.length, this.#deps.clock.now())
    const message = this.#decode(bytes)
    if (message === null) return true
    if (message.kind === 'query') this.#handleQuery(message, from)
    else if (message.kind === 'invalid') this.#handleInvalid(message, from)
    else if (this.rpc.receive(message, from)) this.#silences = 0
    return true
  }

  /** A node of unknown id may be at `address`: it is asked, and its answer puts it into the table. */
  addAddress(address: PeerAddress): void {
    if (this.#running) this.#care.ping(address)
  }

  /** Nodes of this family that others named. */
  heardOf(contacts: readonly NodeContact[]): void {
    if (this.#running) this.#care.heardOf(contacts)
  }

  /** Id and good nodes, as plain values. */
  exportState(): SavedFamily {
    return exportFamily(this.table)
  }

  stats(): FamilyStats {
    const nowMs = this.#deps.clock.now()
    const nodes = this.table.nodes()
    const buckets = this.table.counts(nowMs)
    return {
      id: idKey(this.table.ownId),
      externalIp: this.#external.ip,
      nodes: nodes.length,
      good: nodes.filter(node => isGood(node, nowMs)).length,
      replacements: buckets.reduce((sum, bucket) => sum + bucket.replacements, 0),
      fitting: nodes.filter(node => node.fits).length,
      buckets,
      lookups: { active: this.lookups.active, waiting: this.lookups.waiting + this.turns.waiting },
      queriesWaiting: this.rpc.waiting,
      stored: { torrents: this.#peers.torrents, peers: this.#peers.peers, items: this.#items.size },
      received: this.#received.read(nowMs),
      sent: this.#sent.read(nowMs),
      refusedQueries: this.#limit.refused,
      unreadable: this.#unreadable,
      strays: this.rpc.strays,
    }
  }

  #makeRpc(): Rpc {
    const { clock, random } = this.#deps
    return new Rpc({
      clock,
      random,
      send: (bytes, to) => this.#send(bytes, to),
      identity: () => ({ id: this.table.ownId, readOnly: this.#readOnly, version: this.#version }),
      observer: {
        asked: address => this.table.asked(address, clock.now()),
        replied: (reply, from, rttMs, seenAs) => this.#heardReply(reply, from, rttMs, seenAs),
        silent: address => {
          if (++this.#silences <= CUT_OFF_SILENCES) this.table.failed(address)
        },
      },
    })
  }

  #makeAnswers(tokens: WriteTokens): Answers {
    const { clock, ed25519 } = this.#deps
    return new Answers({
      family: this.family,
      clock,
      ed25519,
      peers: this.#peers,
      items: this.#items,
      tokens,
      version: this.#version,
      table: family => (family === this.family ? this.table : (this.#deps.sibling()?.table ?? null)),
      ownId: () => this.table.ownId,
    })
  }

  #send(bytes: Uint8Array, to: PeerAddress): void {
    if (!this.#running) return
    this.#sent.add(bytes.length, this.#deps.clock.now())
    this.#deps.sender.send(bytes, to)
  }

  #decode(bytes: Uint8Array): KrpcMessage | InvalidQuery | null {
    try {
      return decodeKrpc(bytes)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      this.#unreadable++
      return null
    }
  }

  #handleQuery(message: QueryMessage, from: PeerAddress): void {
    if (this.#readOnly || sameBytes(message.id, this.table.ownId)) return
    const nowMs = this.#deps.clock.now()
    if (!this.#limit.allows(from, nowMs)) return
    this.#send(this.#answers.answer(message, from), from)
    const contact = { id: message.id, address: from }
    // A read-only node would not answer our ping (BEP 43).
    if (!message.readOnly && !this.table.queried(contact, nowMs)) this.#care.heardOf([contact])
  }

  #handleInvalid(query: InvalidQuery, from: PeerAddress): void {
    if (this.#readOnly || !this.#limit.allows(from, this.#deps.clock.now())) return
    this.#send(this.#answers.refuse(query, from), from)
  }

  #heardReply(reply: DhtReply, from: PeerAddress, rttMs: number, seenAs: PeerAddress | null): void {
    const nowMs = this.#deps.clock.now()
    if (!this.#bootstrap.isRouter(from)) this.table.replied({ id: reply.id, address: from }, rttMs, nowMs)
    if (seenAs === null || !this.#external.vote(from, seenAs, nowMs)) return
    const ip = this.#external.ip
    if (ip !== null && !idFitsAddress(this.table.ownId, ip)) this.#takeId(ip)
  }

  /** Our id must fit our address (BEP 42): the others would not store with us otherwise. */
  #takeId(externalIp: string): void {
    const ip = parseIp(externalIp)
    if (ip === null) return
    this.table.rebase(idForAddress(ip, this.#deps.random.bytes(ID_BYTES)), this.#deps.clock.now())
    this.#care.findNeighbours([])
  }

  /** What the first contacts named: the start of our neighbourhood, here and in the other family (BEP 32). */
  #foundFirst(nodes: readonly NodeContact[]): void {
    const own = nodes.filter(node => node.address.ip.includes(':') === (this.family === 6))
    // Another first contact was quicker: its lookup goes on, these nodes get in by themselves.
    if (this.#care.busy) this.#care.heardOf(own)
    else this.#care.findNeighbours(own)
    this.#deps.sibling()?.heardOf(nodes.filter(node => !own.includes(node)))
  }
}
