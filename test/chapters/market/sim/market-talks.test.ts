// Traders talk over the overlay of the market: messages arrive once, from the trader they name, whatever is lost or
// recorded; a trader that is no peer is found; owners of orders that cross get hints of it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SAID_MS } from '../../../../src/chapters/market/mesh/reliable-messages.ts'
import type { NegotiationMessage } from '../../../../src/chapters/market/wire/negotiation.ts'
import { NEGOTIATION_MESSAGES } from '../../../../src/chapters/market/wire/negotiation-payloads.ts'
import { MESSAGE_ID_AT } from '../../../../src/chapters/overlay/wire/packet.ts'
import { MarketNet, type MarketNode } from '../kit/market-network.ts'
import { TestTrader } from '../kit/market-orders.ts'

const counter = (quantity: bigint): NegotiationMessage => ({ kind: 'counter', id: '00ff'.repeat(8), quantity })

/** Packets between traders that a node sends, as somebody on the way records them. */
function recorded({ community }: MarketNode): Uint8Array[] {
  const packets: Uint8Array[] = []
  const { overlay } = community
  const send = overlay.sendBytes.bind(overlay)
  const ids = new Set(Object.values(NEGOTIATION_MESSAGES).map(({ id }) => id))
  overlay.sendBytes = (packet, to) => {
    if (ids.has(packet[MESSAGE_ID_AT] as number)) packets.push(Uint8Array.from(packet))
    send(packet, to)
  }
  return packets
}

/** Neither knows the other as a peer of the market. */
function estrange(one: MarketNode, other: MarketNode): void {
  for (const [here, there] of [
    [one, other],
    [other, one],
  ] as const) {
    const peer = here.community.overlay.peers().find(({ member }) => member === there.mesh.trader)
    if (peer !== undefined) here.community.overlay.removePeer(peer)
  }
}

describe('traders', () => {
  it('hear each message once, although two of five packets are lost', async () => {
    const net = new MarketNet(31, { lossPerMille: 400 })
    const [one, other] = (await net.grow(4, 60_000)) as [MarketNode, MarketNode]
    let confirmed = 0
    for (let count = 0; count < 20; count++) {
      void one.mesh.send(other.mesh.trader, counter(BigInt(count))).then(arrived => {
        if (arrived) confirmed++
      })
      await net.clock.advance(2_000)
    }
    await net.clock.advance(30_000)
    const quantities = other.heard.map(({ said }) => (said.kind === 'counter' ? said.quantity : -1n))
    assert.equal(new Set(quantities).size, quantities.length, 'nothing is heard twice')
    assert.ok(quantities.length >= 17, `${quantities.length} of 20 are heard`)
    assert.ok(confirmed >= 15 && confirmed <= quantities.length, `${confirmed} are confirmed`)
    assert.ok(other.heard.every(({ from }) => from === one.mesh.trader))
    await net.close()
  })

  it('do not hear what somebody recorded', async () => {
    const net = new MarketNet(32)
    const [one, other, third] = (await net.grow(4)) as [MarketNode, MarketNode, MarketNode]
    const packets = recorded(one)
    assert.equal(await sent(net, one, other, counter(5n)), true)
    assert.equal(other.heard.length, 1)
    const [packet] = packets
    assert.ok(packet !== undefined && packets.length === 1)
    const again = (to: MarketNode, from: MarketNode): void =>
      net.net.hub.deliver(packet, from.node.address, to.node.address)
    again(other, one)
    again(other, third)
    again(third, one)
    await net.clock.advance(1_000)
    assert.equal(other.heard.length, 1)
    assert.equal(third.heard.length, 0, 'it was not for this one')
    await net.clock.advance(4 * SAID_MS)
    again(other, one)
    await net.clock.advance(1_000)
    assert.equal(other.heard.length, 1, 'it was said too long ago')
    await net.close()
  })

  it('say nothing in the name of others, and nothing of orders that nobody signed', async () => {
    const net = new MarketNet(33)
    const [one, other] = (await net.grow(4)) as [MarketNode, MarketNode]
    const trader = new TestTrader('third')
    const timeMs = net.clock.wallMs()
    const order = { trader: other.mesh.trader, number: 1 }
    const foreign = trader.order({ timeMs })
    const spoilt = { ...foreign, bytes: Uint8Array.from(foreign.bytes, (byte, at) => (at === 218 ? byte ^ 1 : byte)) }
    const terms = { id: '00ff'.repeat(8), order, quantity: 1n, price: 1n, timeMs, hash: '5a'.repeat(32) }
    const keys = { claimKey: `02${'11'.repeat(32)}`, refundKey: `03${'22'.repeat(32)}` }
    const locks = { firstLockS: 1_700_086_400, secondLockS: 1_700_043_200 }
    const proposal = { kind: 'propose', statement: foreign, ...terms, ...keys, ...locks } as const
    assert.equal(await sent(net, one, other, proposal), false, 'its order is not that of who proposes')
    assert.equal(other.heard.length, 0)
    const own = net.place(one)
    assert.equal(await sent(net, one, other, { ...proposal, statement: own }), true)
    assert.deepEqual(
      other.heard.map(({ said }) => said),
      [{ ...proposal, statement: own }],
    )
    assert.equal(await sent(net, one, other, { kind: 'match', order, statement: spoilt }), false)
    assert.equal(other.heard.length, 1)
    assert.equal(other.mesh.counts.blames, 1)
    await net.close()
  })

  it('are found when they are no peers, and answer', async () => {
    const net = new MarketNet(34)
    const [one, , , other] = (await net.grow(8, 90_000)) as [MarketNode, MarketNode, MarketNode, MarketNode]
    estrange(one, other)
    const answers: Promise<boolean>[] = []
    other.mesh.onMessage(from => {
      estrange(one, other)
      answers.push(other.mesh.send(from, counter(2n)))
    })
    assert.equal(await sent(net, one, other, counter(1n)), true)
    assert.equal(other.heard[0]?.from, one.mesh.trader)
    await net.clock.until('the answer is heard', () => one.heard.length === 1, 10_000)
    assert.equal(one.heard[0]?.from, other.mesh.trader)
    await net.close()
  })

  it('say so when nobody knows a trader, or it is gone', async () => {
    const net = new MarketNet(35)
    const [one, other] = (await net.grow(4)) as [MarketNode, MarketNode]
    assert.equal(await sentTo(net, one, 'ab'.repeat(20), counter(1n)), false)
    await net.kill(other)
    assert.equal(await sentTo(net, one, other.mesh.trader, counter(1n)), false)
    one.mesh.close()
    assert.equal(await one.mesh.send(other.mesh.trader, counter(1n)), false)
    await net.close()
  })

  it('are not drowned by one that says too much', async () => {
    const net = new MarketNet(36)
    const [one, other, third] = (await net.grow(4)) as [MarketNode, MarketNode, MarketNode]
    for (let count = 0; count < 200; count++) void one.mesh.send(other.mesh.trader, counter(BigInt(count)))
    await net.clock.advance(1_000)
    assert.ok(other.heard.length <= 45, `${other.heard.length} heard`)
    assert.equal(await sent(net, third, other, counter(777n)), true)
    await net.close()
  })

  it('get hints of an order that crosses theirs, from a few', async () => {
    const net = new MarketNet(37)
    const nodes = await net.grow(10)
    const [asker, bidder] = nodes as [MarketNode, MarketNode]
    const ask = net.place(asker, { price: 1_000_000n })
    await net.clock.advance(1_000)
    const bid = net.place(bidder, { side: 'bid', price: 1_100_000n })
    await net.clock.advance(20_000)
    const hints = bidder.heard.filter(({ said }) => said.kind === 'match')
    assert.ok(hints.length >= 1 && hints.length <= 5, `${hints.length} hints`)
    for (const { said } of hints) {
      assert.ok(said.kind === 'match')
      assert.equal(said.statement.hash, ask.hash)
      assert.deepEqual(said.order, { trader: bid.terms.trader, number: bid.terms.number })
    }
    assert.equal(asker.heard.length, 0, 'the older order waits')
    await net.close()
  })
})

async function sent(net: MarketNet, from: MarketNode, to: MarketNode, said: NegotiationMessage): Promise<boolean> {
  return sentTo(net, from, to.mesh.trader, said)
}

async function sentTo(net: MarketNet, from: MarketNode, to: string, said: NegotiationMessage): Promise<boolean> {
  let result: boolean | null = null
  void from.mesh.send(to, said).then(arrived => {
    result = arrived
  })
  await net.clock.until('it was sent', () => result !== null, 120_000)
  return result === true
}
