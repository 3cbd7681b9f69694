// Channels by DHT and packs alone: owner and subscribers over one DHT and one swarm in memory, on virtual time.

import { sameBytes } from '../../../../../src/base/same-bytes.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { HeadKeeper } from '../../../../../src/chapters/channels/network/head-keeper.ts'
import { PackKeeper } from '../../../../../src/chapters/channels/network/pack-keeper.ts'
import { encodeHead } from '../../../../../src/chapters/channels/wire/head-codec.ts'
import { channelIdBytes, channelIdOf } from '../../../../../src/chapters/channels/wire/ids.ts'
import { packName } from '../../../../../src/chapters/channels/wire/pack-files.ts'
import type { ChannelId } from '../../../../../src/chapters/channels/wire/types.ts'
import { signedBytes } from '../../../../../src/wire/dht/dht-item.ts'
import { KeptChannels } from '../../kit/kept-channels.ts'
import { MemoryDhtItems } from '../../../../kit/doubles/memory-dht-items.ts'
import { MemoryPacks, PackSwarm } from '../../kit/memory-packs.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { signingKey } from '../../../../kit/doubles/signing-key.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const MINUTE = 60_000

class Place {
  readonly clock = new VirtualClock()
  readonly items = new MemoryDhtItems(this.clock)
  readonly swarm = new PackSwarm()
  readonly #nodes: KeeperNode[] = []

  async node(options: { overlay?: boolean } = {}): Promise<KeeperNode> {
    const node = new KeeperNode(this, options.overlay ?? false)
    this.#nodes.push(node)
    await node.heads.start()
    await node.packs.start()
    return node
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) await node.stop()
  }
}

class KeeperNode {
  readonly channels = new KeptChannels()
  readonly torrents: MemoryPacks
  readonly heads: HeadKeeper
  readonly packs: PackKeeper

  constructor({ clock, items, swarm }: Place, overlay: boolean) {
    this.torrents = new MemoryPacks(swarm)
    const common = { clock, random: new SeededRandom(), log: silentLog, catalogue: this.channels }
    this.heads = new HeadKeeper({ ...common, items, intervalMs: () => 30 * MINUTE })
    const lookForHead = (channel: ChannelId): void => this.heads.hurry(channel)
    this.packs = new PackKeeper({ ...common, packs: this.torrents, overlay: () => overlay, lookForHead })
  }

  async stop(): Promise<void> {
    await Promise.all([this.heads.stop(), this.packs.stop()])
  }
}

async function inPlace(run: (place: Place) => Promise<void>): Promise<void> {
  const place = new Place()
  try {
    await run(place)
  } finally {
    await place.close()
  }
}

const key = signingKey(1)
const names = (count: number, from = 0): string[] => Array.from({ length: count }, (_, at) => `list ${from + at}`)

test('a subscriber gets the set by DHT and pack, and its changes', async () => {
  await inPlace(async place => {
    const { clock } = place
    const owner = await place.node()
    const channel = owner.channels.own(key)
    owner.channels.write(channel, names(250))
    await clock.advance(MINUTE)
    const reader = await place.node()
    reader.channels.subscribe(channel)
    await clock.until('the set is there', () => reader.channels.ids(channel).length === 250, 5 * MINUTE)
    owner.channels.write(channel, names(1, 250))
    await clock.until('the change is there', () => reader.channels.ids(channel).length === 251, 40 * MINUTE)
    assert.deepEqual(reader.channels.ids(channel), owner.channels.ids(channel))
    assert.equal(reader.torrents.engine.size, 1, 'the pack before is not seeded any more')
    assert.equal(owner.torrents.engine.size, 1)
    assert.equal(owner.torrents.disk.size, 1)
  })
})

test('the owner goes for good: the head stays in the DHT, and another subscriber gets everything from the first', async () => {
  await inPlace(async place => {
    const { clock } = place
    const owner = await place.node()
    const channel = owner.channels.own(key)
    owner.channels.write(channel, names(3))
    const first = await place.node()
    first.channels.subscribe(channel)
    await clock.until('the first has it', () => first.channels.ids(channel).length === 3, 10 * MINUTE)
    await owner.stop()
    for (const infoHash of [...owner.torrents.engine.keys()]) await owner.torrents.drop(infoHash)
    await clock.advance(6 * 60 * MINUTE)
    const second = await place.node()
    second.channels.subscribe(channel)
    await clock.until('the second has it', () => second.channels.ids(channel).length === 3, 60 * MINUTE)
  })
})

test('an own head is put again before the DHT forgets it', async () => {
  await inPlace(async place => {
    const owner = await place.node()
    const channel = owner.channels.own(key)
    owner.channels.write(channel, names(1))
    await place.clock.advance(MINUTE)
    for (let hour = 0; hour < 8; hour++) {
      await place.clock.advance(60 * MINUTE)
      assert.notEqual(await place.items.findTarget(channelIdBytes(channel)), null, `hour ${hour}`)
    }
    assert.ok(place.items.puts < 20, `${place.items.puts} puts in eight hours`)
  })
})

test('several changes one after the other make one pack', async () => {
  await inPlace(async place => {
    const owner = await place.node()
    const channel = owner.channels.own(key)
    for (let at = 0; at < 5; at++) {
      owner.channels.write(channel, names(1, at))
      await place.clock.advance(1000)
    }
    await place.clock.advance(MINUTE)
    assert.equal(owner.packs.counts.made, 1)
  })
})

test('a pack with corrupt records is not adopted, what is right in it is kept, and the next head brings the set', async () => {
  await inPlace(async place => {
    const { clock, swarm } = place
    const owner = await place.node()
    const channel = owner.channels.own(key)
    owner.channels.write(channel, names(20))
    await clock.until('packed', () => swarm.seeds.size === 1)
    const [seed] = swarm.seeds.values()
    const [file = '', bytes = new Uint8Array()] = [...(seed?.files ?? [])][0] ?? []
    const broken = Uint8Array.from(bytes)
    broken[500] = (broken[500] as number) ^ 1
    seed?.files.set(file, broken)
    const reader = await place.node()
    reader.channels.subscribe(channel)
    await clock.until('it failed', () => reader.packs.counts.failed > 0, 10 * MINUTE)
    assert.equal(reader.packs.counts.refused, 1)
    assert.equal(reader.channels.ids(channel).length, 0)
    assert.equal(reader.torrents.engine.size, 0, 'it is not seeded')
    owner.channels.write(channel, names(1, 20))
    await clock.until('the next set is there', () => reader.channels.ids(channel).length === 21, 60 * MINUTE)
  })
})

test('a torrent with other files than a pack has is refused before it is downloaded', async () => {
  await inPlace(async place => {
    const { clock, swarm } = place
    const owner = await place.node()
    const channel = owner.channels.own(key)
    owner.channels.write(channel, names(2))
    await clock.until('packed', () => swarm.seeds.size === 1)
    const [seed] = swarm.seeds.values()
    assert.ok(seed !== undefined)
    const [file] = seed.metainfo.files
    assert.ok(file !== undefined)
    seed.metainfo = { ...seed.metainfo, files: [{ ...file, path: [seed.metainfo.name, 'evil.bin'] }] }
    const reader = await place.node()
    reader.channels.subscribe(channel)
    await clock.until('it failed', () => reader.packs.counts.failed > 0, 10 * MINUTE)
    assert.equal(reader.torrents.disk.size, 0)
  })
})

test('with the overlay, the pack is fetched only after a while', async () => {
  await inPlace(async place => {
    const { clock } = place
    const owner = await place.node()
    const channel = owner.channels.own(key)
    owner.channels.write(channel, names(2))
    await clock.advance(MINUTE)
    const reader = await place.node({ overlay: true })
    reader.channels.subscribe(channel)
    await clock.until('the head is there', () => reader.heads.counts.lookups > 0)
    await clock.advance(15_000)
    assert.equal(reader.packs.counts.fetched, 0)
    await clock.until('fetched', () => reader.packs.counts.fetched === 1, MINUTE)
  })
})

test('a set that came another way is packed and seeded too; one that is left is not', async () => {
  await inPlace(async place => {
    const { clock, swarm } = place
    const owner = await place.node()
    const channel = owner.channels.own(key)
    const records = owner.channels.write(channel, names(4))
    await clock.until('packed', () => owner.packs.counts.made === 1)
    const reader = await place.node({ overlay: true })
    reader.channels.subscribe(channel)
    const head = (await owner.channels.known(channel))?.head
    assert.ok(head !== null && head !== undefined && head.pack !== null)
    await reader.channels.offerHead(head)
    await reader.channels.offerRecords(
      channel,
      records.map(record => record.bytes),
    )
    assert.ok(await reader.channels.adopt(head, { added: records.map(record => record.id), whole: true }))
    await clock.until('seeded by both', () => swarm.seeds.get(head.pack!)?.seeders === 2, 5 * MINUTE)
    assert.equal(reader.packs.counts.fetched, 0)
    reader.channels.leave(channel)
    await clock.advance(1000)
    assert.equal(swarm.seeds.get(head.pack)?.seeders, 1)
    assert.equal(reader.torrents.disk.has(packName(head)), false)
  })
})

test('nobody seeds the pack yet: peers are looked for again until somebody does', async () => {
  await inPlace(async place => {
    const { clock, swarm } = place
    const owner = await place.node()
    const channel = owner.channels.own(key)
    owner.channels.write(channel, names(2))
    await clock.advance(MINUTE)
    const seeds = [...swarm.seeds]
    swarm.seeds.clear()
    const reader = await place.node()
    reader.channels.subscribe(channel)
    await clock.advance(5 * MINUTE)
    assert.equal(reader.channels.ids(channel).length, 0)
    for (const [infoHash, seed] of seeds) swarm.seeds.set(infoHash, seed)
    await clock.until('it is fetched', () => reader.channels.ids(channel).length === 2, MINUTE)
  })
})

test('an item that is signed but no head, or a head the catalogue refuses, is counted and changes nothing', async () => {
  await inPlace(async place => {
    const { clock, items } = place
    const reader = await place.node()
    const channel = channelIdOf(key.publicKey)
    reader.channels.subscribe(channel)
    const value = Buffer.from('d2:ih20:aaaaaaaaaaaaaaaaaaaae')
    const salt = new Uint8Array(0)
    const signature = key.sign(signedBytes(salt, 1n, value))
    await items.store({ key: key.publicKey, salt, seq: 1n, value, signature })
    await clock.until('refused', () => reader.heads.counts.refused > 0, 5 * MINUTE)
    assert.equal((await reader.channels.known(channel))?.head, null)
    assert.equal(await reader.heads.find('00'.repeat(20) as ChannelId, 0), false)
  })
})

test('an unknown id is looked for until the time is over', async () => {
  await inPlace(async place => {
    const { clock, items } = place
    const reader = await place.node()
    const channel = channelIdOf(key.publicKey)
    let found: boolean | null = null
    void reader.heads.find(channel, 20_000).then(answer => (found = answer))
    await clock.advance(10_000)
    assert.equal(found, null)
    reader.channels.subscribe(channel)
    const set = { records: 0, root: new Uint8Array(32), timeS: 1 }
    const head = encodeHead({ publicKey: key.publicKey, sequence: 1, ...set, pack: null }, key.sign)
    await items.store({
      key: key.publicKey,
      salt: new Uint8Array(0),
      seq: 1n,
      value: head.value,
      signature: head.signature,
    })
    await clock.until('found', () => found === true, 20_000)
    assert.ok(sameBytes((await reader.channels.known(channel))?.head?.root ?? new Uint8Array(0), set.root))
  })
})
