// Channels among peers that lie: holders whose records or trees are spoilt, heads and records without a right
// signature, claims without end, and sets that owners sign to do harm. What is kept is what was signed; a peer that
// gave something else is not asked again.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeHead } from '../../../../src/chapters/channels/wire/head-codec.ts'
import { channelIdBytes, channelIdOf } from '../../../../src/chapters/channels/wire/ids.ts'
import { encodeTreeNode, hashNode } from '../../../../src/chapters/channels/wire/tree.ts'
import type { ChannelId, TreeNode } from '../../../../src/chapters/channels/wire/types.ts'
import { answerPart, askRecords, askTree, have } from '../../../../src/chapters/channels/wire/channel-messages.ts'
import { MESSAGE_ID_AT } from '../../../../src/chapters/overlay/wire/packet.ts'
import { ChannelNet, type ChannelNode, tamper } from '../kit/channel-network.ts'
import { signAs, testKey, torrentContent } from '../kit/memory-catalogue.ts'

const torrents = (count: number): ReturnType<typeof torrentContent>[] =>
  Array.from({ length: count }, (_, index) => torrentContent(index))

/** Its answers have a bit wrong at their end. */
function lie(node: ChannelNode): void {
  tamper(node, packet => {
    if (packet[MESSAGE_ID_AT] !== answerPart.id || packet.length < 200) return packet
    const spoilt = Uint8Array.from(packet)
    spoilt[packet.length - 1] = (spoilt[packet.length - 1] as number) ^ 1
    return spoilt
  })
}

async function subscribed(net: ChannelNet, holders: readonly ChannelNode[], count: number): Promise<ChannelId> {
  const author = holders[0] as ChannelNode
  const channel = author.catalogue.create('Lied about')
  author.catalogue.write(channel, torrents(count))
  for (const { catalogue } of holders.slice(1)) catalogue.subscribe(channel)
  const held = author.catalogue.heldOf(channel).length
  await net.clock.until(
    'all hold it',
    () => holders.every(({ catalogue }) => catalogue.heldOf(channel).length === held),
    30_000,
  )
  return channel
}

describe('channels among liars', () => {
  it('are held whole although all holders but one spoil their answers', async () => {
    const net = new ChannelNet(11)
    const holders = [...(await net.grow(9))]
    const channel = await subscribed(net, holders, 400)
    for (const liar of holders.slice(2)) lie(liar)
    await net.kill(holders[0] as ChannelNode)
    const late = await net.add()
    // It knows all holders by then.
    await net.clock.advance(20_000)
    late.catalogue.subscribe(channel)
    const took = await net.clock.until('it holds all', () => late.catalogue.heldOf(channel).length === 401, 90_000)
    assert.ok(took < 60_000, `${took} ms`)
    assert.ok(late.mesh.counts.blames > 0, 'liars are blamed')
    assert.equal(late.catalogue.refused, 0, 'nothing spoilt came as far as the catalogue')
    await net.close()
  })

  it('keep no head that its owner did not sign', async () => {
    const net = new ChannelNet(12)
    const [one, forger] = (await net.grow(4)) as [ChannelNode, ChannelNode]
    const key = testKey('somebody else')
    const unsigned = { publicKey: key, sequence: 9, records: 0, root: new Uint8Array(32), timeS: 1, pack: null }
    const head = encodeHead(unsigned, () => new Uint8Array(64))
    const channel = channelIdOf(key)
    forger.catalogue.subscribe(channel)
    const kept = forger.catalogue.channels.get(channel)
    assert.ok(kept !== undefined)
    kept.head = head
    await net.clock.advance(30_000)
    assert.equal(one.catalogue.channels.get(channel), undefined)
    assert.ok(one.catalogue.refused > 0)
    await net.close()
  })

  it('end the walk of a tree that its owner made to be without end', async () => {
    const net = new ChannelNet(13)
    const [author, victim] = (await net.grow(3)) as [ChannelNode, ChannelNode]
    const channel = author.catalogue.create('Endless')
    // Ten million ids cannot be said by a head; so many as are walked to are claimed, in a branch whose hash nothing
    // has.
    const branch = { digit: 0, count: 90_000, hash: new Uint8Array(32).fill(7) }
    const root: TreeNode = { kind: 'inner', children: [branch] }
    const kept = author.catalogue.channels.get(channel)
    assert.ok(kept?.key != null)
    const unsigned = { publicKey: kept.key, sequence: 50, records: 90_000, timeS: 1_700_000_000, pack: null }
    kept.head = encodeHead({ ...unsigned, root: hashNode(root) }, signAs(kept.key))
    kept.heldSequence = 50
    let asked = 0
    author.catalogue.treeNode = () => {
      asked++
      return Promise.resolve({ sequence: 50, node: root })
    }
    assert.ok(encodeTreeNode(root).length < 100)
    victim.catalogue.subscribe(channel)
    await net.clock.advance(120_000)
    assert.equal(victim.catalogue.heldOf(channel).length, 0)
    assert.ok(asked >= 2 && asked < 40, `${asked} questions`)
    await net.close()
  })

  it('do not lose their peers to one that claims new channels without end', async () => {
    const net = new ChannelNet(14)
    const [victim, flooder, honest] = (await net.grow(4)) as [ChannelNode, ChannelNode, ChannelNode]
    let asked = 0
    const known = victim.catalogue.known.bind(victim.catalogue)
    victim.catalogue.known = channel => {
      asked++
      return known(channel)
    }
    for (let flood = 0; flood < 2_000; flood++) {
      const entries = Array.from({ length: 29 }, (_, index) => {
        const claimed = channelIdBytes(channelIdOf(testKey(`flood ${flood} ${index}`)))
        return { channel: claimed, sequence: 1 + flood, held: 1, wants: true }
      })
      flooder.community.overlay.send(have, { entries }, victim.node.address)
      if (flood % 20 === 0) await net.clock.advance(100)
    }
    await net.clock.advance(5_000)
    assert.ok(asked < 1_500, `${asked} look-ups in the catalogue`)
    const channel = honest.catalogue.create('Honest')
    await net.clock.until('it is heard of', () => victim.catalogue.channels.get(channel)?.head != null, 10_000)
    await net.close()
  })

  it('answer nobody who is not known, and not more than a peer may have', async () => {
    const net = new ChannelNet(15)
    const holders = (await net.grow(3)) as [ChannelNode, ChannelNode, ChannelNode]
    const [author, asker] = holders
    const channel = await subscribed(net, holders, 200)
    const ids = author.catalogue.heldOf(channel).slice(0, 32)
    const values = { channel: channelIdBytes(channel), ids: ids.map(id => Buffer.from(id, 'hex')) }
    const before = author.community.overlay.counts.bytesSent
    for (let flood = 0; flood < 3_000; flood++) {
      asker.community.overlay.send(askRecords, { identifier: flood, ...values }, author.node.address)
      if (flood % 50 === 0) await net.clock.advance(100)
    }
    await net.clock.advance(1_000)
    const sent = author.community.overlay.counts.bytesSent - before
    assert.ok(sent < 8 * 2 ** 20, `${sent} bytes`)
    const stranger = net.net.hub.attach({ ip: '99.1.2.3', port: 1 }, () => assert.fail('a stranger was answered'))
    const prefixes = ['']
    const packet = asker.community.overlay.pack(askTree, { identifier: 1, ...values, sequence: 2, prefixes })
    stranger.send(packet, author.node.address)
    await net.clock.advance(1_000)
    await net.close()
  })

  it('take no answer from anybody but the one that was asked', async () => {
    const net = new ChannelNet(16)
    const [author, other, victim] = (await net.grow(3)) as [ChannelNode, ChannelNode, ChannelNode]
    const channel = author.catalogue.create('Answered')
    author.catalogue.write(channel, torrents(40))
    // Whatever number the question has, it is answered by `other` first.
    const seen = new Set<number>()
    const overlay = author.community.overlay
    const pack = overlay.pack.bind(overlay)
    overlay.pack = (message, values) => {
      if (message.id === answerPart.id) seen.add((values as never as { identifier: number }).identifier)
      return pack(message, values)
    }
    tamper(author, packet => {
      for (const identifier of seen) {
        const piece = { item: 0, offset: 0, length: 3, data: Uint8Array.of(1, 2, 3) }
        other.community.overlay.send(
          answerPart,
          { identifier, part: 0, parts: 1, state: 0, pieces: [piece] },
          victim.node.address,
        )
      }
      seen.clear()
      return packet
    })
    victim.catalogue.subscribe(channel)
    await net.clock.until('it holds all', () => victim.catalogue.heldOf(channel).length === 41, 30_000)
    assert.equal(victim.mesh.counts.blames, 0)
    await net.close()
  })
})
