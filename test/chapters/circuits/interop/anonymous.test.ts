// Anonymous downloads from a libtorrent seeder behind exits, in a network of eight nodes of ours, each in a namespace
// of its own: one, two and three hops; circuits that die, an exit that vanishes, a node that is stopped and killed,
// hops that change, names, trackers, web seeds. Counters at the downloading host see no packet but the overlay's; that
// they count is seen too. ANONYMOUS_MIB changes how much is downloaded.

import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { DownloadRecord } from '../../../../src/services/api.ts'
import { type AnonymousNetwork, makeAnonymousNetwork } from './anonymous-network.ts'
import {
  differences,
  makeTestFolder,
  type TestFolder,
  writeContent,
  writeTorrent,
} from '../../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../../../kit/nodes/downloads-client.ts'
import { type MadeTorrent, makeTorrent, type MakeTorrentOptions } from '../../../kit/content/make-torrent.ts'
import type { NodeProcess } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const MIB = 1024 * 1024
const LARGE = Number(process.env['ANONYMOUS_MIB'] ?? 100) * MIB
const SMALL = 12 * MIB
/** Bytes/s at which a small transfer is still going on when the test acts. */
const SLOW = 2 * MIB
const SAFE = { safe_seeding: true } as const
/** How long nothing may leave after something that could send, ms. */
const SILENCE_MS = 3000

describe('anonymous downloads', {
  skip: needs('netns', 'libtorrent', 'nft', 'nsenter', 'ip', 'mounts'),
  concurrency: 1,
}, () => {
  let folder: TestFolder
  let network: AnonymousNetwork
  let node: NodeProcess
  let stateDir = ''
  let made = 0

  before(async () => {
    folder = await makeTestFolder()
    await mkdir(join(folder.path, 'seed'), { recursive: true })
    network = await makeAnonymousNetwork({ relays: 4, exits: 3 }, folder.path)
    stateDir = await folder.sub('state')
    node = await network.start(stateDir)
  })
  after(async () => {
    await node?.stop()
    await network?.stop()
    await folder?.remove()
  })

  /** A torrent that the seeder outside has. */
  async function seeded(
    length: number,
    more: MakeTorrentOptions = {},
    limit = 0,
  ): Promise<MadeTorrent & { name: string }> {
    made += 1
    const name = `file-${made}.bin`
    const torrent = makeTorrent({ name, length, pieceLength: MIB, seed: made, ...more })
    const dir = join(folder.path, 'seed')
    await writeContent(torrent, dir, name)
    const file = await writeTorrent(torrent, folder.path)
    await network.outside.seeder.add({ torrent: file, dir, seed_mode: true, upload_limit: limit })
    return { ...torrent, name }
  }

  const magnetOf = ({ infoHash }: MadeTorrent): string =>
    `magnet:?xt=urn:btih:${infoHash}&x.pe=${network.outside.ip}:${network.outside.seeder.port}`

  /** Nothing has left this host since `before` but the overlay's packets. */
  function noneLeft(since: number): void {
    const { packets, where } = network.leaked()
    assert.equal(packets - since, 0, `packets left to ${where.join(', ')}`)
  }

  async function silentFrom(since: number): Promise<void> {
    const start = performance.now()
    await waitFor('the silence', () => {
      noneLeft(since)
      return performance.now() - start > SILENCE_MS
    })
  }

  const get = (infoHash: string): Promise<DownloadRecord> => downloadRecord(node, infoHash)

  for (const hops of [1, 2, 3]) {
    test(`${LARGE / MIB} MiB over ${hops} hops, byte for byte`, { timeout: 400_000 }, async () => {
      const torrent = await seeded(LARGE)
      const to = await folder.sub(`hops-${hops}`)
      const infoHash = await addDownload(node, magnetOf(torrent), to, { anon_hops: hops, ...SAFE })
      const begun = performance.now()
      const record = await downloadComplete(node, infoHash, 350_000)
      const seconds = (performance.now() - begun) / 1000
      process.stdout.write(`# ${hops} hops: ${(LARGE / MIB / seconds).toFixed(1)} MiB/s\n`)
      assert.deepEqual([record.hops, record.anon_download, record.safe_seeding], [hops, true, true])
      assert.deepEqual(await differences(torrent, to, torrent.name, true), [])
      noneLeft(0)
      await node.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })
    })
  }

  test('a torrent by http, its tracker by name, web seeds, and https that is an error and no packet', {
    timeout: 200_000,
  }, async () => {
    const { outside } = network
    const announce = [['http://tracker.example.org/announce'], ['https://tracker.example.org/announce']]
    const torrent = await seeded(SMALL, { announce }, SLOW)
    await copyFile(join(folder.path, `${torrent.infoHash}.torrent`), join(folder.path, 'found.torrent'))
    const https = await node.request('PUT', '/downloads', {
      uri: 'https://files.example.org/found.torrent',
      anon_hops: 2,
      destination: folder.path,
      ...SAFE,
    })
    assert.deepEqual([https.status, https.json<{ error: { code: string } }>().error.code], [400, 'BadScheme'])
    const look = await node.request('GET', `/torrentinfo?anon_hops=3&torrent=${encodeURIComponent(magnetOf(torrent))}`)
    assert.equal(look.json<{ metainfo: { info: { name: string } } }>().metainfo.info.name, torrent.name)
    const to = await folder.sub('by-http')
    const infoHash = await addDownload(node, `${outside.url}/found.torrent`, to, { anon_hops: 2, ...SAFE })
    assert.equal(infoHash, torrent.infoHash)
    const rows = async () => (await get(infoHash)).trackers
    await downloadComplete(node, infoHash, 150_000)
    await waitFor('the tracker', async () =>
      (await rows()).some(row => row.url.startsWith('http:') && row.status === 'Working'),
    )
    await node.request('PUT', `/downloads/${infoHash}/tracker_force_announce`, { url: announce[1]?.[0] })
    await waitFor('the error of the https tracker', async () =>
      (await rows()).some(row => row.url.startsWith('https:') && /Error: circuits carry no https/.test(row.status)),
    )
    assert.deepEqual(await differences(torrent, to, torrent.name, true), [])
    const exits = new Set(network.exits.map(({ ip }) => ip))
    const asked = outside.requests.filter(({ path }) => path === '/announce' || path === '/found.torrent')
    assert.ok(asked.length >= 2 && asked.every(({ ip }) => exits.has(ip)), JSON.stringify(asked))
    noneLeft(0)
    await node.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })
  })

  test('web seeds alone', { timeout: 200_000 }, async () => {
    made += 1
    const name = `web-${made}.bin`
    const torrent = makeTorrent({ name, length: 3 * MIB, pieceLength: 256 * 1024, seed: made })
    await writeContent(torrent, join(folder.path, 'seed'), name)
    const file = await writeTorrent(torrent, folder.path)
    const to = await folder.sub('by-web')
    const magnet = `magnet:?xt=urn:btih:${torrent.infoHash}&ws=${encodeURIComponent(`${network.outside.url}/seed/${name}`)}`
    // The metadata is known from a look at the file.
    const info = await node.request('GET', `/torrentinfo?anon_hops=1&torrent=${encodeURIComponent(`file://${file}`)}`)
    assert.equal(info.status, 200)
    const seed = await network.outside.seeder.add({ torrent: file, dir: join(folder.path, 'none'), seed_mode: false })
    assert.ok(seed >= 0)
    const infoHash = await addDownload(
      node,
      `${magnet}&x.pe=${network.outside.ip}:${network.outside.seeder.port}`,
      to,
      {
        anon_hops: 1,
        ...SAFE,
      },
    )
    await downloadComplete(node, infoHash, 150_000)
    assert.deepEqual(await differences(torrent, to, name, true), [])
    assert.ok(network.outside.requests.some(({ path }) => path === `/seed/${name}`))
    noneLeft(0)
    await node.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })
  })

  test('stopped, killed and started again in the middle, not a packet', { timeout: 300_000 }, async () => {
    const torrent = await seeded(SMALL, {}, SLOW)
    const to = await folder.sub('restarts')
    const infoHash = await addDownload(node, magnetOf(torrent), to, { anon_hops: 2, ...SAFE })
    await downloadUntil(node, infoHash, record => record.total_down > 2 * MIB)
    await node.kill('SIGTERM')
    await silentFrom(0)
    node = await network.start(stateDir)
    const again = await downloadUntil(node, infoHash, record => record.total_down > 5 * MIB)
    assert.equal(again.hops, 2)
    noneLeft(0)
    await node.kill('SIGKILL')
    await silentFrom(0)
    node = await network.start(stateDir)
    await downloadComplete(node, infoHash, 150_000)
    assert.deepEqual(await differences(torrent, to, torrent.name, true), [])
    noneLeft(0)
    await node.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })
  })

  test('exits and relays vanish in the middle: it goes on', { timeout: 300_000 }, async () => {
    const torrent = await seeded(2 * SMALL, {}, SLOW)
    const to = await folder.sub('vanishing')
    const infoHash = await addDownload(node, magnetOf(torrent), to, { anon_hops: 2, ...SAFE })
    await downloadUntil(node, infoHash, record => record.total_down > 2 * MIB)
    const [first, second] = network.exits
    first?.unplug()
    network.relays[0]?.unplug()
    const { total_down: then } = await get(infoHash)
    await downloadUntil(node, infoHash, record => record.total_down > then + 4 * MIB, 120_000)
    first?.plug()
    network.relays[0]?.plug()
    second?.unplug()
    await downloadComplete(node, infoHash, 150_000)
    second?.plug()
    assert.deepEqual(await differences(torrent, to, torrent.name, true), [])
    noneLeft(0)
    await node.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })
  })

  test('no exit at all: it waits as DLSTATUS_CIRCUITS with its reason, and sends nothing else', {
    timeout: 200_000,
  }, async () => {
    for (const exit of network.exits) exit.unplug()
    await node.kill('SIGTERM')
    node = await network.start(stateDir)
    const torrent = await seeded(MIB)
    const infoHash = await addDownload(node, magnetOf(torrent), await folder.sub('waiting'), { anon_hops: 1, ...SAFE })
    const record = await downloadUntil(node, infoHash, one => (one.circuits?.candidates ?? 0) > 0, 60_000)
    assert.deepEqual([record.status, record.circuits?.ready, record.circuits?.exits], ['DLSTATUS_CIRCUITS', 0, 0])
    const { reasons } = await node.get<{ reasons: { code: string }[] }>(`/downloads/${infoHash}/explain`)
    assert.equal(reasons[0]?.code, 'no_exits_known')
    await silentFrom(0)
    for (const exit of network.exits) exit.plug()
    await downloadComplete(node, infoHash, 120_000)
    noneLeft(0)
    await node.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })
  })

  test('what is read while it comes in', { timeout: 200_000 }, async () => {
    const torrent = await seeded(2 * SMALL, {}, SLOW)
    const infoHash = await addDownload(node, magnetOf(torrent), await folder.sub('streamed'), { anon_hops: 2, ...SAFE })
    await downloadUntil(node, infoHash, record => record.total_pieces > 0)
    const from = 15 * MIB
    const reply = await node.request('GET', `/downloads/${infoHash}/stream/0`, undefined, {
      range: `bytes=${from}-${from + 65_535}`,
    })
    assert.equal(reply.status, 206)
    assert.ok(reply.body.equals(Buffer.from(torrent.content.subarray(from, from + 65_536))))
    assert.ok((await get(infoHash)).progress < 1, 'the rest was still on its way')
    noneLeft(0)
    await node.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })
  })

  test('hops change both ways; without hops the same counters count', { timeout: 300_000 }, async () => {
    const torrent = await seeded(3 * SMALL, {}, SLOW)
    const to = await folder.sub('changing')
    const infoHash = await addDownload(node, magnetOf(torrent), to, { anon_hops: 1, ...SAFE })
    const patch = async (hops: number): Promise<number> => {
      const reply = await node.request('PATCH', `/downloads/${infoHash}`, { anon_hops: hops })
      assert.equal(reply.status, 200, reply.body.toString())
      return (await get(infoHash)).total_down
    }
    const goesOn = (from: number) => downloadUntil(node, infoHash, record => record.total_down > from + 2 * MIB)
    const { time_added } = await goesOn(0)
    await goesOn(await patch(3))
    await goesOn(await patch(2))
    noneLeft(0)
    await goesOn(await patch(0))
    const plain = network.leaked()
    assert.ok(plain.packets > 0, 'the counters count')
    const groups = [/^239\.192\.152\.143 udp 6771/, /^ff[0-9a-f:]+ udp 6771/]
    await waitFor('groups, of both families', () =>
      groups.every(group => network.leaked().where.some(text => group.test(text))),
    )
    assert.ok(
      plain.where.some(text => text.startsWith(network.outside.ip)),
      plain.where.join(', '),
    )
    const back = await patch(2)
    // Who knew the node by its plain address may still call there, or name it to others who call, by exits too; the
    // listener answers them and knows nothing. Nobody else hears of it.
    const knew = new Set(network.leaked().where.map(text => text.split(' ')[0]))
    for (const { ip } of network.exits) knew.add(ip)
    await goesOn(back)
    const record = await downloadComplete(node, infoHash, 150_000)
    for (const text of network.leaked().where) assert.ok(knew.has(text.split(' ')[0]), text)
    assert.deepEqual([record.hops, record.time_added], [2, time_added])
    assert.deepEqual(await differences(torrent, to, torrent.name, true), [])
  })
})
