// A DHT of real nodes in memory: one node an address, ids that fit (BEP 42), first contacts given by address; and
// liars, who answer like nodes, name nodes that do not exist near whatever is looked up, and peers that never
// announced.

import assert from 'node:assert/strict'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { DhtNode } from '../../../src/dht/node.ts'
import { defaultDhtOptions, type DhtOptions, type SavedDht } from '../../../src/dht/types.ts'
import { nodeEd25519 } from '../../../src/io/ed25519.ts'
import type { NameResolver } from '../../../src/ports/name-resolver.ts'
import { parseIp } from '../../../src/wire/net/compact-address.ts'
import { ID_BYTES, idAtDepth, idForAddress, idKey } from '../../../src/wire/dht/dht-id.ts'
import { decodeKrpc, type DhtQuery, encodeKrpc, makeReply, type NodeContact } from '../../../src/wire/dht/krpc.ts'
import { DatagramHub, type HubLine, type HubSocket } from './datagram-hub.ts'
import { SeededRandom } from './seeded-random.ts'
import { VirtualClock } from './virtual-clock.ts'

/** Nobody has a name here. */
const noNames: NameResolver = { resolve: () => Promise.reject(new Error('no such name')) }

/** A peer that liars name and nobody announced. */
export const FALSE_PEER: PeerAddress = { ip: '99.99.99.99', port: 9999 }

/** A node and its socket. */
export interface NetworkNode {
  readonly address: PeerAddress
  readonly dht: DhtNode
  readonly socket: HubSocket
  stop(): void
}

/** How a node is made. */
export interface NodeParams {
  readonly options?: Partial<DhtOptions>
  /** Its address; else the next free one. */
  readonly address?: PeerAddress
  /** Its saved state; else an id that fits and no nodes. */
  readonly saved?: SavedDht | null
}

/** Everything. */
export class DhtNetwork {
  readonly clock = new VirtualClock()
  readonly random: SeededRandom
  readonly hub: DatagramHub
  readonly nodes: NetworkNode[] = []
  #count = 0

  constructor(seed: number, line: Partial<HubLine> = {}) {
    this.random = new SeededRandom(seed)
    this.hub = new DatagramHub(this.clock, this.random, line)
  }

  /** An address in a /24 of its own. */
  freshAddress(): PeerAddress {
    const index = this.#count++
    return { ip: `${20 + (index >> 16)}.${(index >> 8) & 0xff}.${index & 0xff}.7`, port: 6881 }
  }

  /** An IPv6 address in a /64 of its own. */
  freshAddress6(): PeerAddress {
    return { ip: `2a00:${(++this.#count).toString(16)}::7`, port: 6881 }
  }

  /** A node that knows the first three nodes of the network. Started. */
  add(params: NodeParams = {}): NetworkNode {
    const address = params.address ?? this.freshAddress()
    const family = address.ip.includes(':') ? 6 : 4
    const bootstrap = this.nodes
      .filter(node => node.address.ip.includes(':') === (family === 6))
      .slice(0, 3)
      .map(node => ({ host: node.address.ip, port: node.address.port }))
    const options = { ...defaultDhtOptions, bootstrap, ...params.options }
    const socket: HubSocket = this.hub.attach(address, (bytes, from) => {
      assert.equal(dht.receive(family, bytes, from), true)
    })
    const { clock, random } = this
    const senders = { 4: family === 4 ? socket : null, 6: family === 6 ? socket : null }
    const deps = { clock, random, resolver: noNames, ed25519: nodeEd25519, senders }
    const dht: DhtNode = new DhtNode(
      options,
      deps,
      params.saved === undefined ? this.#fittingState(address) : params.saved,
    )
    const stop = (): void => {
      dht.stop()
      socket.close()
    }
    const node = { address, dht, socket, stop }
    this.nodes.push(node)
    dht.start()
    return node
  }

  /** `count` nodes, a few at a time, and the time they need to settle. */
  async grow(count: number, settleMs = 60_000): Promise<void> {
    for (let made = 0; made < count; made++) {
      this.add()
      if (made % 10 === 9) await this.clock.advance(200)
    }
    await this.clock.advance(settleMs)
  }

  /** A liar that makes itself known to `known` nodes. */
  addLiar(known: number): Liar {
    const liar = new Liar(this, this.freshAddress())
    for (let i = 0; i < known; i++) liar.greet(this.someNode().address)
    return liar
  }

  someNode(): NetworkNode {
    const node = this.nodes[this.random.below(this.nodes.length)]
    assert.ok(node !== undefined, 'an empty network')
    return node
  }

  /** Stops all; nothing may wait afterwards. */
  async close(): Promise<void> {
    for (const node of this.nodes) node.stop()
    await this.clock.advance(1000)
  }

  #fittingState(address: PeerAddress): SavedDht {
    const ip = parseIp(address.ip)
    assert.ok(ip !== null)
    const state = { id: idKey(idForAddress(ip, this.random.bytes(ID_BYTES))), nodes: [] }
    return address.ip.includes(':') ? { 4: null, 6: state } : { 4: state, 6: null }
  }
}

/** Answers everything, truly only who it is. */
export class Liar {
  readonly address: PeerAddress
  readonly id: Uint8Array
  readonly #network: DhtNetwork
  readonly #socket: HubSocket
  /** Lookups it was asked to help with. */
  lies = 0

  constructor(network: DhtNetwork, address: PeerAddress) {
    const ip = parseIp(address.ip)
    assert.ok(ip !== null)
    this.#network = network
    this.address = address
    this.id = idForAddress(ip, network.random.bytes(ID_BYTES))
    this.#socket = network.hub.attach(address, (bytes, from) => this.#receive(bytes, from))
  }

  /** Sends a query, so that the node hears of it. */
  greet(to: PeerAddress): void {
    const transactionId = this.#network.random.bytes(4)
    const query = { method: 'find_node', target: this.id, want: null } as const
    this.#socket.send(
      encodeKrpc({ kind: 'query', transactionId, version: null, id: this.id, readOnly: false, query }),
      to,
    )
  }

  #receive(bytes: Uint8Array, from: PeerAddress): void {
    const message = decodeKrpc(bytes)
    if (message.kind !== 'query') return
    const { transactionId, query } = message
    const target = targetOf(query)
    const token = Uint8Array.of(1)
    const lie = target === null ? {} : { nodes: this.#falseNodes(target), token, values: [FALSE_PEER] }
    const reply = makeReply(this.id, query.method === 'get_peers' ? lie : { ...lie, values: null })
    const seenAs = { ip: '98.98.98.98', port: 1 }
    this.#socket.send(encodeKrpc({ kind: 'reply', transactionId, version: null, seenAs, reply }), from)
  }

  /** Half of them at dead addresses that fit their ids as well as one can, half at other nodes' addresses. */
  #falseNodes(target: Uint8Array): NodeContact[] {
    this.lies++
    const { random } = this.#network
    return Array.from({ length: 8 }, (_, index) => {
      const id = idAtDepth(target, 100 + random.below(50), random.bytes(ID_BYTES))
      if (index % 2 === 0) return { id, address: this.#network.someNode().address }
      const ip = `${60 + random.below(100)}.${random.below(256)}.${random.below(256)}.9`
      const fitting = idForAddress(parseIp(ip) ?? new Uint8Array(4), id)
      return { id: index % 4 === 1 ? fitting : id, address: { ip, port: 7000 } }
    })
  }
}

function targetOf(query: DhtQuery): Uint8Array | null {
  if (query.method === 'get_peers' || query.method === 'announce_peer') return query.infoHash
  if (query.method === 'find_node' || query.method === 'get' || query.method === 'sample_infohashes')
    return query.target
  return null
}
