// Nodes with the overlay of the market in memory, on virtual time: real overlays, messages and books, datagrams that
// may be lost or held up.

import { addressKey } from '../../../../src/base/ids.ts'
import { MarketMesh } from '../../../../src/chapters/market/core/market-mesh.ts'
import { OrderBook } from '../../../../src/chapters/market/core/order-book.ts'
import { TARGET_PEERS } from '../../../../src/chapters/market/wiring/market-parts.ts'
import type { Community, SignatureCheck } from '../../../../src/chapters/overlay/core/index.ts'
import type { NegotiationMessage } from '../../../../src/chapters/market/wire/negotiation.ts'
import type { OrderState, OrderStatement, OrderTerms, TraderId } from '../../../../src/chapters/market/wire/types.ts'
import { COMMUNITY_IDS, communityIdBytes } from '../../../../src/chapters/overlay/wire/community-ids.ts'
import type { HubLine } from '../../../kit/sim/datagram-hub.ts'
import { fakeCheck } from '../../overlay/kit/fake-keys.ts'
import { BTC, LTC } from './market-orders.ts'
import { OverlayNetwork, type OverlayNode } from '../../overlay/kit/overlay-network.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'

/** A node of it. */
export interface MarketNode {
  readonly node: OverlayNode
  readonly book: OrderBook
  readonly mesh: MarketMesh
  readonly community: Community
  /** What traders said to it, the newest last. */
  readonly heard: { readonly from: TraderId; readonly said: NegotiationMessage }[]
  /** Signatures of statements and packets that it checked. */
  readonly checks: { count: number }
  /** Bytes of its packets in the overlay of the market. */
  readonly sent: { bytes: number; packets: number }
  orders: number
}

/** Everything. */
export class MarketNet {
  readonly net: OverlayNetwork
  readonly nodes: MarketNode[] = []
  /** Which nodes reach each other: those of one island, by address; not named = the main land. */
  readonly #islands = new Map<string, number>()

  constructor(seed: number, line: Partial<HubLine> = {}) {
    this.net = new OverlayNetwork(seed, { minMs: 5, spreadMs: 10, ...line })
    const deliver = this.net.hub.deliver.bind(this.net.hub)
    this.net.hub.deliver = (bytes, from, to) => {
      if (this.#islandOf(addressKey(from)) === this.#islandOf(addressKey(to))) deliver(bytes, from, to)
    }
  }

  get clock(): OverlayNetwork['clock'] {
    return this.net.clock
  }

  /** A node more. `targetPeers`: nobody is looked for at so many. */
  async add(options: { readonly targetPeers?: number; readonly name?: string } = {}): Promise<MarketNode> {
    const checks = { count: 0 }
    const check: SignatureCheck = {
      verify: (...asked) => {
        checks.count++
        return fakeCheck.verify(...asked)
      },
    }
    const node = await this.net.add({ check, ...(options.name === undefined ? {} : { name: options.name }) })
    const communityId = communityIdBytes(COMMUNITY_IDS.market) as Uint8Array
    const targetPeers = options.targetPeers ?? TARGET_PEERS
    const community = node.overlays.open({ communityId, name: 'MarketCommunity', targetPeers, maxPeers: targetPeers })
    const book = new OrderBook(this.clock)
    const deps = { community, book, check, clock: this.clock, random: this.net.random, log: silentLog }
    const mesh = new MarketMesh({ ...deps, dht: node.overlays.dht })
    const made: MarketNode = { node, book, mesh, community, checks, heard: [], sent: counted(community), orders: 0 }
    mesh.onMessage((from, said) => made.heard.push({ from, said }))
    this.nodes.push(made)
    return made
  }

  /** So many more, and time to get to know each other. */
  async grow(count: number, settleMs = 20_000): Promise<readonly MarketNode[]> {
    const made: MarketNode[] = []
    for (let at = 0; at < count; at++) made.push(await this.add())
    await this.clock.advance(settleMs)
    return made
  }

  /** These hear nobody else from now on, and nobody else hears them; null: all hear each other. */
  part(island: readonly MarketNode[] | null): void {
    this.#islands.clear()
    for (const { node } of island ?? []) this.#islands.set(addressKey(node.address), 1)
  }

  /** An own order of a node: an ask of one LTC for 0.01 BTC unless `request` says otherwise. */
  place(node: MarketNode, request: Partial<OrderTerms> = {}, state: Partial<OrderState> = {}): OrderStatement {
    const terms: OrderTerms = {
      trader: node.mesh.trader,
      number: ++node.orders,
      side: 'ask',
      quantityAsset: LTC,
      priceAsset: BTC,
      quantity: 100_000_000n,
      price: 1_000_000n,
      timeMs: this.clock.wallMs(),
      timeoutS: 3600,
      ...request,
    }
    return node.mesh.state(terms, { sequence: 0, status: 'open', remaining: terms.quantity, ...state })
  }

  /** A later state of an own order. */
  later(node: MarketNode, order: OrderStatement, state: Partial<OrderState>): OrderStatement {
    return node.mesh.state(order.terms, { ...order.state, sequence: order.state.sequence + 1, ...state })
  }

  /** Whether the books of all nodes, or of these, are equal in all that they keep. */
  areEqual(nodes: readonly MarketNode[] = this.nodes): boolean {
    const digests = new Set(nodes.map(({ book }) => `${book.digest('').count} ${book.digest('').digest}`))
    return digests.size === 1
  }

  /** Takes a node away without a word. */
  async kill(node: MarketNode): Promise<void> {
    this.nodes.splice(this.nodes.indexOf(node), 1)
    node.mesh.close()
    await this.net.kill(node.node)
  }

  async close(): Promise<void> {
    for (const { mesh } of this.nodes.splice(0)) mesh.close()
    await this.net.close()
  }

  #islandOf(address: string): number {
    return this.#islands.get(address) ?? 0
  }
}

/** Counts what the overlay sends. */
function counted({ overlay }: Community): { bytes: number; packets: number } {
  const sent = { bytes: 0, packets: 0 }
  const send = overlay.sendBytes.bind(overlay)
  overlay.sendBytes = (packet, to) => {
    sent.bytes += packet.length
    sent.packets++
    send(packet, to)
  }
  return sent
}
