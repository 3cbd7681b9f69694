// Books of many nodes: whatever is lost, parted or late, all come to the same, with orders, cancels and expiries in any
// order. On virtual time.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RECONCILE_MS } from '../../../../src/chapters/market/mesh/anti-entropy.ts'
import type { OrderStatement } from '../../../../src/chapters/market/wire/types.ts'
import { MarketNet, type MarketNode } from '../kit/market-network.ts'

/** One thing that a trader does: places, changes, suspends, cancels. */
function act(net: MarketNet, node: MarketNode, own: OrderStatement[]): void {
  const { random } = net.net
  const kind = random.below(10)
  const at = random.below(own.length + 1)
  const order = own[at]
  if (order === undefined || kind < 5) {
    const request = { side: random.below(2) === 0 ? 'ask' : 'bid', timeoutS: 1 + random.below(300) } as const
    own.push(net.place(node, { ...request, price: BigInt(900_000 + random.below(200_000)) }))
    return
  }
  if (order.terms.timeMs + order.terms.timeoutS * 1000 <= net.clock.wallMs()) return
  if (order.state.status === 'closed') return
  if (kind === 5) own[at] = net.later(node, order, { status: 'closed', remaining: 0n })
  else if (kind === 6) own[at] = net.later(node, order, { status: 'suspended' })
  else own[at] = net.later(node, order, { status: 'open', remaining: BigInt(random.below(100_000_000)) })
}

/** All act by chance for so long. */
async function trade(net: MarketNet, nodes: readonly MarketNode[], seconds: number): Promise<void> {
  const own = new Map<MarketNode, OrderStatement[]>(nodes.map(node => [node, []]))
  for (let second = 0; second < seconds * 4; second++) {
    const node = nodes[net.net.random.below(nodes.length)] as MarketNode
    act(net, node, own.get(node) ?? [])
    await net.clock.advance(250)
  }
}

describe('books of ten nodes', () => {
  it('are equal a second after the last order when nothing is lost', async () => {
    const net = new MarketNet(1)
    const nodes = await net.grow(10)
    await trade(net, nodes, 60)
    const took = await net.clock.until('all books are equal', () => net.areEqual(), 2 * RECONCILE_MS)
    assert.ok(nodes[0] !== undefined && nodes[0].book.size > 30, 'there are orders')
    assert.ok(took <= RECONCILE_MS, `${took} ms`)
    await net.close()
    // Datagrams that were under way.
    await net.clock.advance(100)
    assert.equal(net.clock.pending, 0, 'no timer is left')
  })

  it('become equal when a fifth of all packets is lost', async () => {
    const net = new MarketNet(2, { lossPerMille: 200 })
    const nodes = await net.grow(10)
    await trade(net, nodes, 60)
    await net.clock.until('all books are equal', () => net.areEqual(), 4 * RECONCILE_MS)
    assert.ok((nodes[9] as MarketNode).book.size > 30)
    await net.close()
  })

  it('become equal when they were parted, and each side went on', async () => {
    const net = new MarketNet(3)
    const nodes = await net.grow(10)
    await trade(net, nodes, 20)
    net.part(nodes.slice(0, 4))
    await trade(net, nodes, 40)
    assert.equal(net.areEqual(), false, 'they were parted')
    net.part(null)
    await net.clock.until('all books are equal', () => net.areEqual(), 6 * RECONCILE_MS)
    await net.close()
  })

  it('are held soon by a node that comes late, cancelled orders too', async () => {
    const net = new MarketNet(4)
    const nodes = await net.grow(10)
    const own = nodes.flatMap(node => Array.from({ length: 40 }, () => ({ node, order: net.place(node) })))
    await net.clock.advance(2_000)
    for (const { node, order } of own.filter((_, at) => at % 4 === 0)) net.later(node, order, { status: 'closed' })
    await net.clock.until('all books are equal', () => net.areEqual(), 4 * RECONCILE_MS)
    const late = await net.add()
    const took = await net.clock.until('it has the book', () => late.book.digest('').count === 400, 60_000)
    assert.equal(late.book.size, 300)
    assert.ok(took < 15_000, `${took} ms`)
    assert.ok(net.areEqual())
    await net.close()
  })

  it('hold nothing of what is over', async () => {
    const net = new MarketNet(5)
    const nodes = await net.grow(10)
    for (const node of nodes) net.place(node, { timeoutS: 20 })
    await net.clock.advance(10_000)
    assert.ok(nodes.every(({ book }) => book.size === 10))
    await net.clock.advance(15_000)
    assert.ok(nodes.every(({ book }) => book.size === 0 && book.digest('').count === 0))
    await net.close()
  })

  it('tell each statement to few, and each of those passes it on once', async () => {
    const net = new MarketNet(6)
    const nodes = await net.grow(10)
    const before = nodes.map(({ mesh }) => mesh.counts.told)
    net.place(nodes[0] as MarketNode)
    await net.clock.advance(2_000)
    const told = nodes.map(({ mesh }, at) => mesh.counts.told - (before[at] ?? 0))
    assert.equal(told[0], 6)
    assert.ok(nodes.filter(({ book }) => book.size === 1).length >= 9, 'nearly all know it')
    assert.ok(
      told.slice(1).every(count => count <= 3),
      `told ${told}`,
    )
    await net.close()
  })
})
