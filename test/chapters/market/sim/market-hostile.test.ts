// The market among peers that lie: statements without a right signature, from the future or was closed long ago,
// frauds, floods, digests that are not true, questions without end. Books hold what was signed, and what it costs to
// know that is bounded.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RECONCILE_MS } from '../../../../src/chapters/market/mesh/anti-entropy.ts'
import { RUN_QUESTIONS } from '../../../../src/chapters/market/mesh/book-comparison.ts'
import type { OrderStatement } from '../../../../src/chapters/market/wire/types.ts'
import { askStatements, statements, tell } from '../../../../src/chapters/market/wire/market-messages.ts'
import { MESSAGE_ID_AT } from '../../../../src/chapters/overlay/wire/packet.ts'
import { MarketNet, type MarketNode } from '../kit/market-network.ts'
import { TestTrader } from '../kit/market-orders.ts'
import { OverlayStranger } from '../../overlay/kit/overlay-stranger.ts'

/** One tells another, whatever it is. */
function giveTo(victim: MarketNode, from: MarketNode, all: readonly Uint8Array[]): void {
  for (let at = 0; at < all.length; at += 5)
    from.community.overlay.send(tell, { statements: all.slice(at, at + 5) }, victim.node.address)
}

/** The encoding with a bit of the signature wrong. */
function forged({ bytes }: OrderStatement): Uint8Array {
  const spoilt = Uint8Array.from(bytes)
  spoilt[spoilt.length - 1] = (spoilt[spoilt.length - 1] as number) ^ 1
  return spoilt
}

describe('the market among liars', () => {
  it('believes nothing that its trader did not sign, and does not hear who said so', async () => {
    const net = new MarketNet(21)
    const [victim, forger, honest] = (await net.grow(4)) as [MarketNode, MarketNode, MarketNode]
    const trader = new TestTrader('somebody')
    const timeMs = net.clock.wallMs()
    giveTo(victim, forger, [forged(trader.order({ timeMs }))])
    await net.clock.advance(2_000)
    assert.equal(victim.book.size, 0)
    assert.equal(victim.mesh.counts.blames, 1)
    // What it says now is not heard, true or not; the same from others is.
    const order = trader.order({ timeMs })
    giveTo(victim, forger, [order.bytes])
    await net.clock.advance(50)
    assert.equal(victim.book.size, 0)
    giveTo(victim, honest, [order.bytes])
    await net.clock.advance(50)
    assert.equal(victim.book.size, 1)
    await net.close()
  })

  it('checks only so much of a flood', async () => {
    const net = new MarketNet(28)
    const [victim, flooder] = (await net.grow(3)) as [MarketNode, MarketNode]
    const order = new TestTrader('victim').order({ timeMs: net.clock.wallMs() })
    const before = victim.checks.count
    const seconds = 20
    for (let second = 0; second < seconds; second++) {
      const flood = Array.from({ length: 5_000 }, () => {
        const bytes = Uint8Array.from(order.bytes)
        bytes.set(net.net.random.bytes(64), bytes.length - 64)
        return bytes
      })
      giveTo(victim, flooder, flood)
      await net.clock.advance(1_000)
    }
    const checks = victim.checks.count - before
    // Signatures of packets: 50 a second of one address, and those of all others in that time.
    assert.ok(checks < 200 + seconds * 50 + 300, `${checks} checks`)
    assert.equal(victim.mesh.counts.checks, 1, 'of statements: one, and then it is not heard')
    assert.equal(victim.book.size, 0)
    await net.close()
  })

  it('takes no order from the future, and none that is over', async () => {
    const net = new MarketNet(22)
    const [victim, other] = (await net.grow(3)) as [MarketNode, MarketNode]
    const trader = new TestTrader('early')
    const nowMs = net.clock.wallMs()
    const future = trader.order({ timeMs: nowMs + 60_000 })
    const over = trader.order({ timeMs: nowMs - 60_000, timeoutS: 30 })
    const { checks } = victim.mesh.counts
    giveTo(victim, other, [future.bytes, over.bytes])
    await net.clock.advance(1_000)
    assert.equal(victim.book.size, 0)
    assert.equal(victim.mesh.counts.checks, checks, 'no signature was checked for them')
    // Clocks differ: nobody is blamed, and once its time has come it is taken.
    assert.equal(victim.mesh.counts.blames, 0)
    await net.clock.advance(60_000)
    giveTo(victim, other, [future.bytes])
    await net.clock.advance(1_000)
    assert.equal(victim.book.size, 1)
    await net.close()
  })

  it('opens no order again that was closed', async () => {
    const net = new MarketNet(23)
    const nodes = await net.grow(6)
    const [owner, replayer] = nodes as [MarketNode, MarketNode]
    const order = net.place(owner, { timeoutS: 600 })
    await net.clock.advance(1_000)
    net.later(owner, order, { status: 'closed', remaining: 0n })
    await net.clock.until(
      'all know it',
      () => net.areEqual() && nodes.every(({ book }) => book.size === 0),
      RECONCILE_MS,
    )
    for (let minute = 0; minute < 12; minute++) {
      const checks = nodes.map(({ mesh }) => mesh.counts.checks)
      for (const victim of nodes) if (victim !== replayer) giveTo(victim, replayer, [order.bytes])
      await net.clock.advance(60_000)
      assert.ok(nodes.every(({ book }) => book.size === 0))
      assert.deepEqual(
        nodes.map(({ mesh }) => mesh.counts.checks),
        checks,
      )
    }
    await net.close()
  })

  it('closes an order of which its trader says two things, everywhere and for ever', async () => {
    const net = new MarketNet(24)
    const nodes = await net.grow(10)
    const trader = new TestTrader('two-faced')
    const timeMs = net.clock.wallMs()
    const one = trader.order({ number: 1, timeMs, price: 1_000_000n })
    const two = trader.order({ number: 1, timeMs, price: 2_000_000n })
    const teller = nodes[0] as MarketNode
    for (const [at, victim] of nodes.slice(1).entries()) giveTo(victim, teller, [at % 2 === 0 ? one.bytes : two.bytes])
    await net.clock.until(
      'all have the proof',
      () => nodes.every(({ book }) => book.proofs(one.terms).length === 2),
      2 * RECONCILE_MS,
    )
    assert.ok(net.areEqual())
    assert.ok(nodes.every(({ book }) => book.size === 0 && book.get(one.terms) === null))
    // Neither opens it again, nor a third one, nor a later state of any.
    const more = [one, two, trader.order({ number: 1, timeMs, price: 3_000_000n }), trader.later(one, {})]
    for (const victim of nodes.slice(1))
      giveTo(
        victim,
        teller,
        more.map(({ bytes }) => bytes),
      )
    await net.clock.advance(2 * RECONCILE_MS)
    assert.ok(nodes.every(({ book }) => book.size === 0))
    await net.clock.until('all books are equal', () => net.areEqual(), 4 * RECONCILE_MS)
    await net.close()
  })

  it('finds out soon what a peer holds back and denies', async () => {
    const net = new MarketNet(25)
    const nodes = await net.grow(10)
    // Three pass on nothing, and say that they have what they are asked about.
    for (const { community } of nodes.slice(0, 3)) {
      const { overlay } = community
      const send = overlay.sendBytes.bind(overlay)
      overlay.sendBytes = (packet, to) => {
        const id = packet[MESSAGE_ID_AT]
        if (id !== tell.id && id !== statements.id) send(packet, to)
      }
    }
    const honest = nodes.slice(3)
    for (const node of honest) net.place(node)
    await net.clock.until(
      'the others are equal',
      () => honest.every(({ book }) => book.size === honest.length),
      4 * RECONCILE_MS,
    )
    await net.close()
  })

  it('asks only so much of a peer whose digests and lists are not true', async () => {
    const net = new MarketNet(26)
    const nodes = await net.grow(6)
    const [liar, ...honest] = nodes as [MarketNode, ...MarketNode[]]
    for (const node of honest) net.place(node)
    await net.clock.until('all books are equal', () => net.areEqual(), 4 * RECONCILE_MS)
    const { random } = net.net
    const hex = (bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex')
    liar.book.digest = () => ({ count: 1 + random.below(1_000_000), digest: hex(8) })
    liar.book.hashes = (prefix, most) => Array.from({ length: most }, () => (prefix + hex(32)).slice(0, 64)).toSorted()
    const before = liar.mesh.counts.answered
    await net.clock.advance(20 * RECONCILE_MS)
    const asked = liar.mesh.counts.answered - before
    // Each of them at most once in five minutes, and again when these are over.
    assert.ok(asked > RUN_QUESTIONS / 2, `${asked} questions`)
    assert.ok(asked <= 2 * honest.length * RUN_QUESTIONS, `${asked} questions`)
    assert.ok(honest.every(({ book }) => book.size === honest.length))
    await net.close()
  })

  it('answers only so many questions of a peer, and none of strangers', async () => {
    const net = new MarketNet(27)
    const [victim, asker] = (await net.grow(3)) as [MarketNode, MarketNode]
    const hashes = Array.from({ length: 32 }, () => net.place(victim).hash)
    await net.clock.advance(2_000)
    const before = victim.mesh.counts
    const sent = victim.sent.bytes
    for (let second = 0; second < 20; second++) {
      for (let count = 0; count < 500; count++)
        asker.community.overlay.send(askStatements, { identifier: count, hashes }, victim.node.address)
      await net.clock.advance(1_000)
    }
    const { answered, refused } = victim.mesh.counts
    // 50 signatures of one address are checked in a second, whatever they say.
    assert.ok(answered - before.answered <= 100 + 20 * 50, `${answered - before.answered} answered`)
    assert.ok(refused >= before.refused)
    assert.ok(victim.sent.bytes - sent < 1_200 * 8_000, `${victim.sent.bytes - sent} bytes`)
    const stranger = new OverlayStranger(net.net.hub, victim.community.overlay.prefix, net.net.freshIp())
    stranger.send(askStatements, { identifier: 1, hashes }, victim.node.address)
    stranger.send(tell, { statements: [forged(new TestTrader('strange').order())] }, victim.node.address)
    await net.clock.advance(100)
    assert.equal(stranger.packets.length, 0)
    assert.equal(victim.mesh.counts.blames, 0, 'what strangers tell is not even read')
    await net.close()
  })
})
