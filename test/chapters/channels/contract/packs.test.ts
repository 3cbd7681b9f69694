// Packs and heads over real catalogues (without their threads): what keepers ask of a catalogue is what it does.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'

import { HeadKeeper } from '../../../../src/chapters/channels/network/head-keeper.ts'
import { PackKeeper } from '../../../../src/chapters/channels/network/pack-keeper.ts'
import type { ChannelId } from '../../../../src/chapters/channels/wire/types.ts'
import { type InfoHash, parseInfoHash } from '../../../../src/base/ids.ts'
import { MemoryDhtItems } from '../../../kit/doubles/memory-dht-items.ts'
import { MemoryPacks, PackSwarm } from '../kit/memory-packs.ts'
import { openInlineCatalogue } from '../kit/open-catalogue.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

const MINUTE = 60_000

class Place {
  readonly clock = new VirtualClock()
  readonly items = new MemoryDhtItems(this.clock)
  readonly swarm = new PackSwarm()
}

async function startNode(t: TestContext, { clock, items, swarm }: Place) {
  const opened = openInlineCatalogue(t, () => clock.wallMs(), { tends: true })
  const torrents = new MemoryPacks(swarm)
  const common = { clock, random: new SeededRandom(), log: silentLog, catalogue: opened.network }
  const heads = new HeadKeeper({ ...common, items, intervalMs: () => 30 * MINUTE })
  const lookForHead = (channel: ChannelId): void => heads.hurry(channel)
  const packs = new PackKeeper({ ...common, packs: torrents, overlay: () => false, lookForHead })
  await heads.start()
  await packs.start()
  const stop = async (): Promise<void> => {
    await Promise.all([heads.stop(), packs.stop()])
  }
  t.after(stop)
  return { ...opened, torrents, heads, packs, stop }
}

const hash = (at: number): InfoHash => parseInfoHash(at.toString(16).padStart(40, '0')) as InfoHash
const torrent = (at: number) => ({
  ...({
    kind: 'torrent',
    infoHash: hash(at),
    name: `film ${at}`,
    description: '',
    size: 5,
    category: 'video',
  } as const),
  files: [{ path: `film ${at}.mkv`, size: 5 }],
  fileCount: 1,
  trackers: [],
})

test('a channel of a real catalogue is packed, its head put, and taken whole by another one; changes follow', async t => {
  const place = new Place()
  const { clock, items } = place
  const owner = await startNode(t, place)
  const { dispersy_cid: cid } = await owner.library.create('Films', 'Old ones', 'closed')
  const channel = cid as ChannelId
  for (let at = 1; at <= 100; at++) await owner.library.addTorrent(cid, torrent(at))
  await owner.tend()
  await clock.advance(MINUTE)
  assert.equal(owner.packs.counts.made, 1, 'many changes, one pack')
  const head = (await owner.network.known(channel))?.head
  assert.ok(head !== null && head !== undefined && head.pack !== null, 'the head names the pack')
  assert.ok(items.puts > 0)

  const reader = await startNode(t, place)
  assert.equal(await reader.heads.find(channel, 20_000), true)
  assert.equal(await reader.library.subscribe(cid, true), true)
  const count = async (): Promise<number> => {
    await reader.tend()
    return (await reader.library.torrents(cid, false)).length
  }
  await clock.advance(5 * MINUTE)
  assert.equal(await count(), 100)
  const known = await reader.network.known(channel)
  assert.equal(known?.heldSequence, head.sequence)
  assert.equal(place.swarm.seeds.get(head.pack)?.seeders, 2)

  await owner.library.removeTorrents(cid, [hash(1), hash(2)])
  await owner.library.editTorrent(cid, hash(3), { name: 'another name' })
  await owner.tend()
  await clock.advance(50 * MINUTE)
  assert.equal(await count(), 98)
  assert.ok((await reader.library.torrents(cid, false)).some(({ name }) => name === 'another name'))
  assert.equal(reader.torrents.disk.size, 1, 'nothing is left of the pack before')
})

test('who leaves a channel keeps no pack of it', async t => {
  const place = new Place()
  const owner = await startNode(t, place)
  const { dispersy_cid: cid } = await owner.library.create('Films', '', 'open')
  await owner.library.addTorrent(cid, torrent(1))
  await owner.tend()
  await place.clock.advance(MINUTE)
  const reader = await startNode(t, place)
  await reader.heads.find(cid as ChannelId, 20_000)
  await reader.library.subscribe(cid, true)
  await place.clock.advance(5 * MINUTE)
  assert.equal((await reader.library.torrents(cid, false)).length, 1)
  await reader.library.unsubscribe(cid)
  await place.clock.advance(MINUTE)
  assert.equal(reader.torrents.disk.size, 0, 'who leaves a channel keeps no pack of it')
})
