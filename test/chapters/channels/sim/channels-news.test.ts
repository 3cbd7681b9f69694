// What travels beside the sets of channels: comments and torrents of others, votes, searches, channels not known here.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { channelIdOf } from '../../../../src/chapters/channels/wire/ids.ts'
import { decodeRecord } from '../../../../src/chapters/channels/wire/record-codec.ts'
import type { ChannelId, RecordId } from '../../../../src/chapters/channels/wire/types.ts'
import { have, tellExtras } from '../../../../src/chapters/channels/wire/channel-messages.ts'
import { MESSAGE_ID_AT } from '../../../../src/chapters/overlay/wire/packet.ts'
import { ChannelNet, type ChannelNode, tamper } from '../kit/channel-network.ts'
import { testKey, torrentContent } from '../kit/memory-catalogue.ts'

const has = (node: ChannelNode, channel: ChannelId, id: RecordId): boolean =>
  node.catalogue.channels.get(channel)?.records.has(id) === true

describe('news of channels', () => {
  it('comments of others are with all subscribers within seconds, and in the next head', async () => {
    const net = new ChannelNet(21)
    const nodes = [...(await net.grow(8))]
    const [author, writer] = nodes as [ChannelNode, ChannelNode]
    const channel = author.catalogue.create('Talk', 'semi-open')
    await net.clock.advance(2_000)
    for (const { catalogue } of nodes.slice(1, 6)) catalogue.subscribe(channel)
    await net.clock.advance(10_000)
    const [comment] = writer.catalogue.write(channel, [{ kind: 'comment', target: null, text: 'hello' }])
    assert.ok(comment !== undefined)
    const took = await net.clock.until('all have it', () =>
      nodes.slice(0, 6).every(node => has(node, channel, comment)),
    )
    assert.ok(took < 2_000, `${took} ms`)
    await net.clock.until('it is in the head', () =>
      nodes.slice(1, 6).every(({ catalogue }) => catalogue.heldOf(channel).includes(comment)),
    )
    await net.close()
  })

  it('comments of others reach those who come when their author and the owner are away', async () => {
    const net = new ChannelNet(22)
    const nodes = [...(await net.grow(5))]
    const [author, writer, holder, late] = nodes as [ChannelNode, ChannelNode, ChannelNode, ChannelNode]
    const channel = author.catalogue.create('Left', 'open')
    await net.clock.advance(2_000)
    for (const { catalogue } of [writer, holder]) catalogue.subscribe(channel)
    await net.clock.advance(10_000)
    await net.kill(author)
    const [torrent] = writer.catalogue.write(channel, [torrentContent(5)])
    assert.ok(torrent !== undefined)
    await net.clock.until('the holder has it', () => has(holder, channel, torrent), 5_000)
    await net.kill(writer)
    late.catalogue.subscribe(channel)
    await net.clock.until('the late one has it', () => has(late, channel, torrent), 60_000)
    await net.close()
  })

  it('what the mode forbids is kept by nobody, and not passed on', async () => {
    const net = new ChannelNet(23)
    const nodes = [...(await net.grow(5))]
    const [author, writer] = nodes as [ChannelNode, ChannelNode]
    const channel = author.catalogue.create('Closed', 'closed')
    await net.clock.advance(2_000)
    for (const { catalogue } of nodes.slice(1)) catalogue.subscribe(channel)
    await net.clock.advance(10_000)
    const [torrent] = writer.catalogue.write(channel, [torrentContent(6)])
    assert.ok(torrent !== undefined)
    await net.clock.advance(30_000)
    assert.deepEqual(
      nodes.map(node => has(node, channel, torrent)),
      [false, true, false, false, false],
    )
    await net.close()
  })

  it('searches ask peers once and find what they have', async () => {
    const net = new ChannelNet(24)
    const nodes = [...(await net.grow(6))]
    const [author, asker] = nodes as [ChannelNode, ChannelNode]
    const channel = author.catalogue.create('Birds')
    author.catalogue.write(channel, [torrentContent(1, 'song of the nightingale'), torrentContent(2, 'owl')])
    const found: string[] = []
    const search = asker.mesh.search('nightingale', 5_000, records => {
      for (const bytes of records) {
        const { content } = decodeRecord(bytes)
        if (content.kind === 'torrent') found.push(content.name)
      }
    })
    await net.clock.until('it is found', () => found.length > 0, 3_000)
    await net.clock.advance(5_000)
    await search
    assert.equal(found[0], 'song of the nightingale')
    assert.ok(asker.catalogue.channels.get(channel)?.head != null)
    await net.close()
  })

  it('find() gets the head of a channel that nobody here knew, and gives up in time where there is none', async () => {
    const net = new ChannelNet(25)
    const nodes = [...(await net.grow(6))]
    const [author, asker] = nodes as [ChannelNode, ChannelNode]
    const learned = asker.catalogue.offerHead.bind(asker.catalogue)
    asker.catalogue.offerHead = () => Promise.resolve('refused')
    const channel = author.catalogue.create('Looked for')
    await net.clock.advance(30_000)
    asker.catalogue.offerHead = learned
    const found = asker.mesh.find(channel, 5_000)
    const missing = asker.mesh.find(channelIdOf(testKey('nobody')), 5_000)
    await net.clock.advance(6_000)
    assert.equal(await found, true)
    assert.equal(await missing, false)
    await net.close()
  })

  it('a channel that the catalogue forgets is announced to no peer as gone, and learned of again', async () => {
    const net = new ChannelNet(26)
    const [author, other] = (await net.grow(4)) as [ChannelNode, ChannelNode]
    const channel = author.catalogue.create('Forgotten')
    await net.clock.until('it is heard of', () => other.catalogue.channels.has(channel), 5_000)
    let told = 0
    const pack = other.community.overlay.pack.bind(other.community.overlay)
    other.community.overlay.pack = (message, values) => {
      if (message.id === have.id) {
        const { entries } = values as never as { readonly entries: readonly { readonly sequence: number }[] }
        told += entries.filter(({ sequence }) => sequence === 0).length
      }
      return pack(message, values)
    }
    await net.clock.advance(10_000)
    other.catalogue.forget(channel)
    await net.clock.until('it is heard of again', () => other.catalogue.channels.has(channel), 60_000)
    assert.equal(told, 0)
    await net.close()
  })

  it('what the catalogue refuses of one giver is not asked of it again and again', async () => {
    const net = new ChannelNet(27)
    const [author, other] = (await net.grow(2)) as [ChannelNode, ChannelNode]
    let offered = 0
    other.catalogue.offerHead = () => {
      offered++
      return Promise.resolve('refused')
    }
    author.catalogue.create('Refused')
    await net.clock.advance(300_000)
    assert.ok(offered >= 1 && offered <= 2, `${offered} times`)
    await net.close()
  })

  it('a node that leaves a channel is sent nothing more of it', async () => {
    const net = new ChannelNet(28)
    const nodes = [...(await net.grow(4))]
    const [author, leaver, writer] = nodes as [ChannelNode, ChannelNode, ChannelNode]
    const channel = author.catalogue.create('Left behind', 'semi-open')
    await net.clock.advance(2_000)
    for (const { catalogue } of [leaver, writer]) catalogue.subscribe(channel)
    await net.clock.advance(10_000)
    leaver.catalogue.leave(channel)
    await net.clock.advance(2_000)
    let told = 0
    tamper(writer, packet => {
      if (packet[MESSAGE_ID_AT] === tellExtras.id) told++
      return packet
    })
    writer.catalogue.write(channel, [{ kind: 'comment', target: null, text: 'still there?' }])
    await net.clock.advance(2_000)
    assert.equal(told, 1, 'the owner alone')
    await net.close()
  })
})
