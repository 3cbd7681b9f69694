// Channels on a network of many nodes, on virtual time: seen by all, held by those that subscribe, changed, left by
// their authors; with losses and with holders that lie.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChannelId } from '../../../../src/chapters/channels/wire/types.ts'
import { ChannelNet, type ChannelNode } from '../kit/channel-network.ts'
import { torrentContent } from '../kit/memory-catalogue.ts'

const torrents = (from: number, count: number): ReturnType<typeof torrentContent>[] =>
  Array.from({ length: count }, (_, index) => torrentContent(from + index))

const holdsAll = (nodes: readonly ChannelNode[], author: ChannelNode, channel: ChannelId): boolean => {
  const wanted = author.catalogue.heldOf(channel).join()
  return nodes.every(({ catalogue }) => catalogue.heldOf(channel).join() === wanted)
}

const sequenceOf = ({ catalogue }: ChannelNode, channel: ChannelId): number =>
  catalogue.channels.get(channel)?.head?.sequence ?? 0

describe('channels of many nodes', () => {
  it('are seen by all, held by subscribers, changed everywhere, and outlive their author', async () => {
    const net = new ChannelNet(1)
    const nodes = [...(await net.grow(20))]
    const author = nodes[0] as ChannelNode
    const others = nodes.slice(1)
    const channel = author.catalogue.create('Concerts')
    author.catalogue.write(channel, torrents(0, 500))
    await net.clock.until('all see it', () => others.every(node => sequenceOf(node, channel) === 2), 10_000)
    const subscribers = others.slice(0, 6)
    for (const { catalogue } of subscribers) catalogue.subscribe(channel)
    await net.clock.until('subscribers hold all', () => holdsAll(subscribers, author, channel), 20_000)
    const [gone] = author.catalogue.write(channel, torrents(1000, 1))
    const took = await net.clock.until('an addition arrives', () => holdsAll(subscribers, author, channel), 5_000)
    assert.ok(took < 3_000, `${took} ms`)
    author.catalogue.drop(channel, [gone as never])
    await net.clock.until('a removal arrives', () => holdsAll(subscribers, author, channel), 5_000)
    await net.clock.until('all hear', () => others.every(node => sequenceOf(node, channel) === 4), 20_000)
    await net.kill(author)
    const late = others[10] as ChannelNode
    late.catalogue.subscribe(channel)
    await net.clock.until('a late one holds all', () => holdsAll([late], author, channel), 20_000)
    const newcomer = await net.add()
    newcomer.catalogue.subscribe(channel)
    await net.clock.until('a newcomer holds all', () => holdsAll([newcomer], author, channel), 60_000)
    assert.equal(newcomer.catalogue.channels.get(channel)?.votes.size, 8)
    await net.close()
    await net.clock.advance(1000)
    assert.equal(net.clock.pending, 0, 'no timer is left')
  })

  it('arrive over lines that lose one datagram of ten', async () => {
    const net = new ChannelNet(2, { lossPerMille: 100 })
    const nodes = [...(await net.grow(8, 60_000))]
    const author = nodes[0] as ChannelNode
    const channel = author.catalogue.create('Losses')
    author.catalogue.write(channel, torrents(0, 300))
    const subscribers = nodes.slice(1)
    for (const { catalogue } of subscribers) catalogue.subscribe(channel)
    await net.clock.until('subscribers hold all', () => holdsAll(subscribers, author, channel), 120_000)
    await net.close()
  })
})
