// What a private torrent (BEP 27) shows to others than its tracker and its peers, from the first second on, added by
// file and by magnet: nothing in the DHT, no peer exchange, no web seed that a magnet named. What a public torrent
// beside it shows is waited for, so the silence has been listened to for as long. Local discovery does not use
// loopback: test/interop/lsd-alone has the same for it.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { OUR_IDS } from '../../../src/torrent/peers/own-handshake.ts'
import { UT_PEX } from '../../../src/wire/peer/ut-pex.ts'
import { makeTestFolder } from '../../kit/content/content-on-disk.ts'
import { type HttpTracker, startHttpTracker } from '../../kit/peers/http-tracker.ts'
import { makeTorrent, type MadeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { type RawPeer, startRawPeer } from '../../kit/peers/raw-peer.ts'
import { startDhtNode } from '../../kit/peers/real-dht.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { WatchingPeer } from '../../kit/peers/watching-peer.ts'

interface World {
  readonly t: TestContext
  readonly node: NodeProcess
  readonly tracker: HttpTracker
  readonly folder: string
  readonly dhtPort: number
  /** Datagrams in the DHT that have these bytes in them. */
  readonly inDht: (infoHash: string) => number
  /** Requests at the web server below this path. */
  readonly asked: (name: string) => number
  readonly webUrl: string
}

async function makeWorld(t: TestContext): Promise<World> {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const tracker = await startHttpTracker('127.0.0.1')
  t.after(() => tracker.stop())
  const datagrams: Buffer[] = []
  const dht = await startDhtNode('127.0.0.1', [], {}, bytes => datagrams.push(Buffer.from(bytes)))
  t.after(() => dht.stop())
  const paths: string[] = []
  const web = createServer((request, reply) => {
    paths.push(request.url ?? '')
    reply.writeHead(404).end()
  })
  await new Promise<void>(resolve => web.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    web.close()
    web.closeAllConnections()
  })
  const settings = {
    'libtorrent.dht': true,
    'libtorrent.dht_bootstrap': `127.0.0.1:${dht.address.port}`,
    'libtorrent.pex': true,
    'libtorrent.lsd': true,
    'network.allow_private': '127.0.0.0/8',
    'general.allowed_paths': folder.path,
  }
  const node = await startNode({ settings })
  t.after(() => node.stop())
  return {
    t,
    node,
    tracker,
    folder: folder.path,
    dhtPort: dht.address.port,
    inDht: infoHash => datagrams.filter(bytes => bytes.includes(Buffer.from(infoHash, 'hex'))).length,
    asked: name => paths.filter(at => at.includes(name)).length,
    webUrl: `http://127.0.0.1:${(web.address() as AddressInfo).port}/`,
  }
}

/** A torrent, two peers that its tracker names, one that they name, and one that a magnet names. */
interface Scene {
  readonly name: string
  readonly made: MadeTorrent
  readonly watchers: readonly WatchingPeer[]
  readonly named: RawPeer
  readonly linked: RawPeer
  readonly magnet: string
}

async function makeScene(world: World, name: string, isPrivate: boolean, gives: boolean): Promise<Scene> {
  const { t, tracker, dhtPort, webUrl } = world
  const seed = Buffer.from(name).reduce((sum, byte) => sum * 3 + byte, 1)
  const made = makeTorrent({ name, length: 500_000, seed, private: isPrivate, announce: [[tracker.url]] })
  const [named, linked] = [await startRawPeer('127.0.0.1', () => {}), await startRawPeer('127.0.0.1', () => {})]
  const watchers: WatchingPeer[] = []
  const names = { ip: named.ip, port: named.port }
  for (let i = 0; i < 2; i += 1) {
    const options = { torrent: made, names, pexId: OUR_IDS[UT_PEX] ?? 1, dhtPort }
    watchers.push(await WatchingPeer.start(options, gives))
  }
  for (const { raw } of watchers) {
    const hash = made.infoHash.replaceAll(/../g, '%$&')
    await fetch(`${tracker.url}?info_hash=${hash}&peer_id=x&port=${raw.port}&left=9&event=started`)
  }
  for (const raw of [named, linked, ...watchers.map(one => one.raw)]) t.after(() => raw.stop())
  const [url, seedUrl] = [encodeURIComponent(tracker.url), encodeURIComponent(`${webUrl}${name}`)]
  const magnet = `magnet:?xt=urn:btih:${made.infoHash}&tr=${url}&x.pe=127.0.0.1:${linked.port}&ws=${seedUrl}`
  return { name, made, watchers, named, linked, magnet }
}

async function add(world: World, uri: string): Promise<void> {
  const reply = await world.node.request('PUT', '/downloads', { uri, destination: world.folder })
  assert.equal(reply.status, 200, reply.body.toString())
}

async function addFile(world: World, scene: Scene): Promise<void> {
  const file = path.join(world.folder, `${scene.name}.torrent`)
  await writeFile(file, scene.made.torrent)
  await add(world, file)
  // Who adds it again by magnet would bring in peers and web seeds.
  await add(world, scene.magnet)
}

/** Where a torrent was seen beside its tracker and its peers. */
function seen(world: World, { name, made, watchers, named, linked }: Scene): Record<string, number> {
  const signs = watchers.flatMap(watcher => watcher.signs)
  const count = (sign: string): number => signs.filter(one => one === sign).length
  return {
    dht: world.inDht(made.infoHash),
    bit: count('dht bit'),
    port: count('port'),
    offered: count('ut_pex'),
    told: count('pex'),
    named: named.connections,
    linked: linked.connections,
    web: world.asked(name),
  }
}

const NOTHING = { dht: 0, bit: 0, port: 0, offered: 0, told: 0, named: 0, linked: 0, web: 0 }

test('private torrents are seen at their tracker and by its peers alone', { timeout: 120_000 }, async t => {
  const world = await makeWorld(t)
  const { node, tracker } = world
  const byFile = await makeScene(world, 'private-file', true, true)
  const byMagnet = await makeScene(world, 'private-magnet', true, false)
  const open = await makeScene(world, 'public-file', false, true)
  const openMagnet = await makeScene(world, 'public-magnet', false, true)
  await addFile(world, byFile)
  await add(world, byMagnet.magnet)
  // What a magnet is cannot be known yet: it is looked for everywhere, but no peer is named to another.
  await waitFor('its peers', () => byMagnet.watchers.every(one => one.signs.includes('ut_pex')))
  await waitFor('a search', () => world.inDht(byMagnet.made.infoHash) > 0 && byMagnet.linked.connections > 0)
  for (const watcher of byMagnet.watchers) watcher.give()
  type List = { downloads: { infohash: string; size: number; trackers: { url: string; status: string }[] }[] }
  await node.until<List>('/downloads', ({ downloads }) => {
    const one = downloads.find(({ infohash }) => infohash === byMagnet.made.infoHash)
    const row = one?.trackers.find(({ url }) => url === '[DHT]')
    return (one?.size ?? 0) > 0 && row?.status === 'Disabled'
  })
  await waitFor('an end of what the magnet named', () => byMagnet.linked.open + byMagnet.named.open === 0)
  const before = seen(world, byMagnet)
  await addFile(world, open)
  await add(world, openMagnet.magnet)

  // Each sign is seen of a public torrent, so none was overlooked.
  const missing = (scene: Scene): string[] =>
    Object.entries(seen(world, scene)).flatMap(([sign, count]) => (count === 0 ? [sign] : []))
  const whole = (): boolean => missing(openMagnet).length === 0 && missing(open).every(sign => sign === 'web')
  await waitFor('the public ones', whole, 60_000, () => [missing(open), missing(openMagnet)])
  assert.deepEqual(seen(world, byFile), NOTHING)
  assert.deepEqual(seen(world, byMagnet), before)
  assert.deepEqual([before['told'], before['web']], [0, 0])
  for (const { made, watchers } of [byFile, byMagnet]) {
    assert.ok(
      tracker.announces.some(
        ({ infoHash, event, left }) => infoHash === made.infoHash && event === 'started' && left !== 9,
      ),
    )
    assert.ok(
      watchers.every(({ raw }) => raw.open > 0),
      'the peers of its tracker stay',
    )
  }
})
