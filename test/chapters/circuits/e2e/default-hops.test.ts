// A node whose new downloads have hops by default (`download_defaults.anonymity_enabled`), without a network of
// circuits: every way of adding a download, and every route that makes the engine contact others. Trackers, web seeds,
// peers, sources and DHT nodes in the open hear nothing; of a download without hops they all hear.

import assert from 'node:assert/strict'
import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { DownloadRecord } from '../../../../src/services/api.ts'
import { contacting } from '../../../kit/nodes/contacting-routes.ts'
import { makeTestFolder, type TestFolder, writeContent } from '../../../kit/content/content-on-disk.ts'
import { downloadRecord, downloadUntil } from '../../../kit/nodes/downloads-client.ts'
import { type MadeTorrent, makeTorrent } from '../../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { type OpenPlace, openPlace } from './open-place.ts'
import { libtorrentResumeOf, putResume } from '../../../kit/content/resume-files.ts'
import { NetTcpNetwork } from '../../../../src/io/net/tcp-net.ts'
import { callSwarm, shownTo, unknownInfoHash } from '../../../kit/peers/swarm-caller.ts'
import { startUtpNode } from '../../../kit/sim/utp-node.ts'
import { takenOut } from '../../../kit/taken-out.ts'
import { waitFor } from '../../../kit/wait-for.ts'

/** This tree may be without channels, which circuits do not need. */
const noChannels = takenOut.includes('channels')

describe('new downloads have hops by default', { concurrency: 1 }, () => {
  let folder: TestFolder
  let place: OpenPlace
  let node: NodeProcess
  let to: string
  let count = 0
  const hashes = new Set<string>()
  /** Downloads that are to have hops. */
  const hidden: string[] = []
  /** Of these, some that are in a channel too. */
  const shared: MadeTorrent[] = []
  const walked = new Set<string>()

  before(async () => {
    folder = await makeTestFolder()
    to = await folder.sub('to')
    place = await openPlace(() => hashes)
    node = await startNode({
      settings: {
        'download_defaults.anonymity_enabled': true,
        'download_defaults.number_hops': 1,
        'download_defaults.saveas': to,
        'network.allow_private': '127.0.0.0/8',
        'libtorrent.dht': true,
        'libtorrent.dht_bootstrap': place.node,
        'libtorrent.pex': true,
        'libtorrent.utp': true,
        'watch_folder.enabled': true,
        'watch_folder.directory': await folder.sub('watched'),
      },
    })
  })
  after(async () => {
    await node?.stop()
    await place?.stop()
    await folder?.remove()
  })

  /** A torrent that names the place in the open in every way it can. */
  const torrentOf = (): MadeTorrent => {
    const length = 100_000
    count += 1
    const announce = [[`${place.url}/announce`]]
    const made = makeTorrent({ name: `t${count}.bin`, length, seed: 500 + count, announce })
    hashes.add(made.infoHash)
    const seed = `${place.url}/seed/${made.infoHash}`
    const end = Buffer.from(`8:url-list${seed.length}:${seed}e`)
    return { ...made, torrent: Buffer.concat([made.torrent.subarray(0, -1), end]) }
  }
  const magnetOf = ({ infoHash }: MadeTorrent): string =>
    `magnet:?xt=urn:btih:${infoHash}&tr=${encodeURIComponent(`${place.url}/announce`)}` +
    `&ws=${encodeURIComponent(`${place.url}/seed/${infoHash}`)}&x.pe=${place.peer}`
  const ok = async (id: string, ...request: Parameters<NodeProcess['request']>) => {
    walked.add(id)
    const reply = await node.request(...request)
    assert.equal(reply.status, 200, `${id}: ${reply.body.toString()}`)
    return reply
  }
  const rpc = async (method: string, args: object): Promise<string> => {
    walked.add('transmission.rpc')
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    const first = await node.request('POST', '/transmission/rpc', '{}', headers)
    headers['x-transmission-session-id'] = String(first.headers.get('x-transmission-session-id'))
    const body = JSON.stringify({ method, arguments: args })
    const reply = await node.request('POST', '/transmission/rpc', body, headers)
    return reply.json<{ result: string }>().result
  }
  /** What is asked and answers late, or never: circuits are waited for. */
  const begun = (id: string, ...request: Parameters<NodeProcess['request']>): void => {
    walked.add(id)
    void node.request(...request).catch(() => undefined)
  }
  const waits = (infoHash: string): Promise<DownloadRecord> =>
    downloadUntil(node, infoHash, record => record.hops === 1 && record.safe_seeding, 30_000)

  test('links, files, http addresses, by the interface and by the door of Transmission', async () => {
    const [link, file, door, doorFile] = [torrentOf(), torrentOf(), torrentOf(), torrentOf()]
    await ok('downloads.add', 'PUT', '/downloads', { uri: magnetOf(link) })
    await ok('downloads.upload', 'POST', '/downloads', file.torrent, { 'content-type': 'application/x-bittorrent' })
    assert.equal(await rpc('torrent-add', { filename: magnetOf(door) }), 'success')
    const metainfo = Buffer.from(doorFile.torrent).toString('base64')
    assert.equal(await rpc('torrent-add', { metainfo }), 'success')
    for (const made of [link, file, door, doorFile]) {
      hidden.push(made.infoHash)
      await waits(made.infoHash)
    }
    shared.push(file, doorFile)
    begun('downloads.add', 'PUT', '/downloads', { uri: `${place.url}/one.torrent` })
    begun('torrentinfo.read', 'GET', `/torrentinfo?torrent=${encodeURIComponent(`${place.url}/two.torrent`)}`)
    begun('torrentinfo.read', 'GET', `/torrentinfo?torrent=${encodeURIComponent(magnetOf(torrentOf()))}`)
    begun('torrentinfo.files', 'GET', `/torrentinfo/files?torrent=${encodeURIComponent(`${place.url}/files.torrent`)}`)
    begun('torrentinfo.files', 'GET', `/torrentinfo/files?torrent=${encodeURIComponent(magnetOf(torrentOf()))}`)
    void rpc('torrent-add', { filename: `${place.url}/three.torrent` }).catch(() => undefined)
    const update = await node.request('PUT', '/downloads', { uri: `magnet:?xs=urn:btpk:${'ab'.repeat(32)}` })
    assert.equal(update.status, 400, update.body.toString())
  })

  test('torrents and feeds into a channel of this node', { skip: noChannels }, async () => {
    const made = await node.request('PUT', '/channels/discovered', { name: 'Of hidden things' })
    const at = `/channels/discovered/${made.json<{ dispersy_cid: string }>().dispersy_cid}`
    for (const uri of [`${place.url}/four.torrent`, magnetOf(torrentOf())])
      begun('channels.addTorrentFrom', 'PUT', `${at}/torrents/${encodeURIComponent(uri)}`)
    await node.request('PUT', `${at}/rssfeeds/${encodeURIComponent(`${place.url}/feed.xml`)}`)
    begun('channels.recheckFeeds', 'POST', `${at}/recheckfeeds`)
  })

  test('watch folder, other clients, torrents made here', async () => {
    const [dropped, droppedLink, imported, importedLink] = [torrentOf(), torrentOf(), torrentOf(), torrentOf()]
    const watched = await folder.sub('watched')
    await writeFile(join(folder.path, 'a.part'), dropped.torrent)
    await rename(join(folder.path, 'a.part'), join(watched, 'a.torrent'))
    await writeFile(join(watched, 'b.magnet'), magnetOf(droppedLink))
    const backup = await folder.sub('backup')
    const data = await folder.sub('data')
    await writeContent(imported, data, '')
    await putResume(backup, imported, libtorrentResumeOf(imported, data))
    const trackers = [[`${place.url}/announce`]]
    const never = libtorrentResumeOf(importedLink, data, { pieces: '', name: 'never', trackers })
    await writeFile(join(backup, 'x.fastresume'), never)
    await ok('import.run', 'POST', '/import', { from: 'libtorrent', folder: backup })
    await mkdir(join(folder.path, 'made'))
    await copyFile(join(backup, 'x.fastresume'), join(folder.path, 'made', 'content.bin'))
    const path = join(folder.path, 'made', 'content.bin')
    const made = await ok('createtorrent.create', 'POST', '/createtorrent', { path, trackers, add: true, format: 'v1' })
    const { infohash } = made.json<{ infohash: string }>()
    hashes.add(infohash)
    for (const infoHash of [...[dropped, droppedLink, imported, importedLink].map(one => one.infoHash), infohash]) {
      hidden.push(infoHash)
      await waits(infoHash)
    }
  })

  /** It is in a channel too, whose torrents the node checks with trackers and the DHT. */
  const asksNobodyAbout = async (made: readonly MadeTorrent[]): Promise<void> => {
    const created = await node.request('PUT', '/channels/discovered', { name: 'Shared' })
    assert.equal(created.status, 200, created.body.toString())
    const at = `/channels/discovered/${created.json<{ dispersy_cid: string }>().dispersy_cid}`
    for (const { infoHash, torrent } of made) {
      const body = { torrent: Buffer.from(torrent).toString('base64') }
      const added = await node.request('PUT', `${at}/torrents`, body)
      assert.equal(added.status, 200, added.body.toString())
      const health = await ok('torrents.health', 'GET', `/torrents/${infoHash}/health?refresh=1`)
      assert.match(health.body.toString(), /over circuits/)
    }
  }

  test('what makes a download look for others', async () => {
    await ok('settings.change', 'POST', '/settings', { libtorrent: { max_connections_download: 30 } })
    for (const infoHash of hidden) {
      const at = `/downloads/${infoHash}`
      await ok('downloads.addTracker', 'PUT', `${at}/trackers`, { url: `${place.url}/announce/more` })
      const change = { url: `${place.url}/announce/more`, new_url: `${place.url}/announce/other`, tier: 0 }
      await ok('downloads.changeTracker', 'PATCH', `${at}/trackers`, change)
      await ok('downloads.removeTracker', 'DELETE', `${at}/trackers`, { url: change.new_url })
      await ok('downloads.forceAnnounce', 'PUT', `${at}/tracker_force_announce`)
      const named = await node.request('PUT', `${at}/peers`, { address: place.peer })
      walked.add('downloads.addPeer')
      assert.equal(named.status, 409, named.body.toString())
      await ok('downloads.patch', 'PATCH', at, { state: 'stop' })
      await ok('downloads.patch', 'PATCH', at, { state: 'resume' })
      if ((await downloadRecord(node, infoHash)).total_pieces === 0) continue
      await ok('downloads.renameFile', 'PATCH', `${at}/files`, { path: '', name: `renamed ${infoHash}` })
      await ok('downloads.patch', 'PATCH', at, { state: 'recheck' })
      begun('downloads.stream', 'GET', `${at}/stream/0`)
      begun('downloads.streamNamed', 'GET', `${at}/stream/0/x.bin`)
      if ('downloads.media' in contacting) {
        begun('downloads.media', 'GET', `${at}/media/0`)
        begun('downloads.subtitles', 'GET', `${at}/media/0/subtitles/1`)
      }
      if ('downloads.hlsMaster' in contacting) {
        begun('downloads.hlsMaster', 'GET', `${at}/hls/0/master.m3u8`)
        begun('downloads.hlsSegments', 'GET', `${at}/hls/0/index.m3u8`)
        begun('downloads.hlsSegment', 'GET', `${at}/hls/0/segments/0.ts`)
        begun('downloads.hlsTexts', 'GET', `${at}/hls/0/subtitles/4/index.m3u8`)
        begun('downloads.hlsTextSegment', 'GET', `${at}/hls/0/subtitles/4/segments/0.vtt`)
      }
      const published = await node.request('PUT', '/updates/published', { name: 'n', infohash: infoHash })
      walked.add('updates.publish')
      assert.equal(published.status, 409, published.body.toString())
    }
    const check = await node.request('POST', `/updates/followed/${'ab'.repeat(20)}/check`)
    assert.equal(check.status, 404)
    walked.add('updates.check')
    if (!noChannels) await asksNobodyAbout(shared)
    for (const method of ['torrent-start-now', 'torrent-reannounce'])
      assert.equal(await rpc(method, { ids: hidden }), 'success')
  })

  /** What came that is not of this torrent; an encrypted call does not say of which it is. */
  const others = (infoHash: string, from = 0): string[] =>
    place.seen.slice(from).filter(line => !line.endsWith(` ${infoHash}`) && line !== 'peer encrypted')

  test('nobody in the open has heard of any; of one that is given no hops all hear, until it has some again', async () => {
    const [infoHash = ''] = hidden
    assert.deepEqual(place.seen, [])
    await ok('downloads.patch', 'PATCH', `/downloads/${infoHash}`, { anon_hops: 0 })
    await waitFor(
      'tracker and peer hear of it',
      () => ['tracker', 'peer'].every(way => place.waysOf(infoHash).includes(way)),
      30_000,
      () => place.seen,
    )
    await waitFor(
      'so do nodes of the DHT',
      () => place.waysOf(infoHash).includes('datagram'),
      60_000,
      () => place.seen,
    )
    assert.deepEqual(others(infoHash), [])
    await ok('downloads.patch', 'PATCH', `/downloads/${infoHash}`, { anon_hops: 2 })
    const before = place.seen.length
    await ok('downloads.forceAnnounce', 'PUT', `/downloads/${infoHash}/tracker_force_announce`)
    // Another one has time to be heard of meanwhile.
    const control = torrentOf()
    await ok('downloads.add', 'PUT', '/downloads', { uri: magnetOf(control), anon_hops: 0 })
    await waitFor('the other one is heard of', () => place.waysOf(control.infoHash).length === 3, 60_000)
    assert.deepEqual(others(control.infoHash, before), [])
    for (const one of hidden) await ok('downloads.remove', 'DELETE', `/downloads/${one}`, { remove_data: false })
    walked.add('transmission.rpcSlash')
    assert.deepEqual(
      [...walked].sort(),
      Object.keys(contacting).sort(),
      'every route that contacts somebody was walked',
    )
  })

  test('whoever knew a download before it had hops is a stranger then, and cut off; so when it is removed', async () => {
    const made = torrentOf()
    const data = await folder.sub('known')
    await writeContent(made, data, '')
    const request = `/downloads?anon_hops=0&destination=${encodeURIComponent(data)}`
    await ok('downloads.upload', 'POST', request, made.torrent)
    const at = `/downloads/${made.infoHash}`
    const seeding = (hops: number) =>
      downloadUntil(node, made.infoHash, one => one.status === 'DLSTATUS_SEEDING' && one.hops === hops, 30_000)
    await seeding(0)
    const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
    const { ports } = variables
    const address = { ip: '127.0.0.1', port: Number(ports['libtorrent~port']) }
    const caller = await startUtpNode(4, '127.0.0.1')
    try {
      const kinds = ['plain', 'encrypted'] as const
      const ways = [new NetTcpNetwork(), caller.utp].flatMap(network => kinds.map(kind => ({ network, kind })))
      const shown = async (infoHash: string): Promise<string[]> => {
        const all: string[] = []
        for (const way of ways) all.push(await shownTo(infoHash, address, way))
        return all
      }
      const strangers = ways.map(() => 'a stranger')
      const has = ways.map(() => 'has it')
      assert.deepEqual([await shown(made.infoHash), await shown(unknownInfoHash())], [has, strangers])
      const tcp = ways.slice(0, 2).map(way => callSwarm(made.infoHash, address, way))
      await waitFor('greeted', () => tcp.every(call => call.greeted))
      await ok('downloads.patch', 'PATCH', at, { anon_hops: 1 })
      await waitFor('cut off', () => tcp.every(call => call.closed), 5000)
      assert.deepEqual(await shown(made.infoHash), strangers)
      await seeding(1)
      assert.deepEqual(await shown(made.infoHash), strangers)
      await ok('downloads.patch', 'PATCH', at, { anon_hops: 0 })
      await seeding(0)
      assert.deepEqual(await shown(made.infoHash), has)
      await ok('downloads.remove', 'DELETE', at, { remove_data: false })
      assert.deepEqual(await shown(made.infoHash), strangers)
    } finally {
      await caller.close()
    }
  })
})
