// Channels with the overlay off: nodes that know nothing but a channel's id subscribe and follow it by the DHT and
// BitTorrent alone. The DHT is one of libtorrent sessions, which store the heads and give them back; trackers, PEX and
// local discovery are off.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { decodeHead, verifyHead } from '../../../../src/chapters/channels/wire/head-codec.ts'
import type { ChannelHead } from '../../../../src/chapters/channels/wire/types.ts'
import { decodeKrpc, encodeKrpc } from '../../../../src/wire/dht/krpc.ts'
import { interopPlace } from '../../../kit/runners/interop-place.ts'
import { LibtorrentItems } from '../../../kit/peers/libtorrent-items.ts'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import { verifySignature } from '../../../kit/doubles/signing-key.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const skip = needs('netns', 'libtorrent', 'libtorrent-dev')
const DHT_NODES = 6

interface Torrents {
  readonly torrents: readonly { readonly infohash: string; readonly name: string }[]
}

describe('channels by DHT and BitTorrent alone', { skip, concurrency: 1 }, () => {
  const { hosts, folder, atEnd } = interopPlace()
  const dht: LibtorrentItems[] = []
  before(async () => {
    atEnd(() => Promise.all(dht.map(one => one.stop())))
    for (let i = 0; i < DHT_NODES; i++) dht.push(await LibtorrentItems.start(hosts.next(), dht.slice(0, 2)))
    for (const one of dht) await one.knows(DHT_NODES - 2)
  })

  const start = async (stateDir?: string): Promise<NodeProcess> => {
    const node = await startNode({
      settings: {
        'libtorrent.interface': hosts.next(),
        'libtorrent.dht': true,
        'libtorrent.dht_bootstrap': dht.map(({ ip, port }) => `${ip}:${port}`).join(','),
        'ipv8.enabled': false,
        'updates.interval': 1,
      },
      ...(stateDir === undefined ? {} : { stateDir }),
    })
    atEnd(() => node.stop())
    return node
  }

  const ok = async (node: NodeProcess, method: string, path: string, body?: object): Promise<Buffer> => {
    const reply = await node.request(method, path, body)
    assert.equal(reply.status, 200, `${method} ${path}: ${reply.body.toString()}`)
    return reply.body
  }

  const createChannel = async (node: NodeProcess, name: string): Promise<string> => {
    await ok(node, 'PUT', '/channels/discovered', { name, description: 'Old ones', mode: 'closed' })
    const { channels } = await node.get<{ channels: { name: string; dispersy_cid: string }[] }>('/channels/discovered')
    const found = channels.find(one => one.name === name)
    assert.ok(found !== undefined, 'the channel is listed')
    return found.dispersy_cid
  }

  const addTorrent = async (node: NodeProcess, cid: string, at: number): Promise<string> => {
    const { torrent: made, infoHash } = makeTorrent({ name: `film ${at}.bin`, seed: at })
    const torrent = Buffer.from(made).toString('base64')
    await ok(node, 'PUT', `/channels/discovered/${cid}/torrents`, { torrent, description: 'A film' })
    return infoHash
  }

  const torrentsOf = (cid: string): string => `/channels/discovered/${cid}/torrents?disable_filter=1`

  /** Who does not meet the DHT in time is asked again. */
  const subscribe = (node: NodeProcess, cid: string): Promise<unknown> =>
    waitFor('subscribed', async () => (await node.request('PUT', `/channels/subscribed/${cid}`)).status === 200, 90_000)

  /** The head of a channel as a libtorrent session gives it. */
  const headAt = async (one: LibtorrentItems, cid: string): Promise<ChannelHead | null> => {
    const socket = createSocket('udp4')
    socket.bind(0, hosts.next())
    await once(socket, 'listening')
    const query = { method: 'get', target: Buffer.from(cid, 'hex'), seq: null, want: null } as const
    const id = new Uint8Array(20).fill(7)
    const message = {
      kind: 'query',
      transactionId: Buffer.from('aa'),
      version: null,
      id,
      readOnly: true,
      query,
    } as const
    const answered = once(socket, 'message', { signal: AbortSignal.timeout(5000) })
    socket.send(encodeKrpc(message), one.port, one.ip)
    const [bytes] = (await answered.finally(() => socket.close())) as [Buffer]
    const answer = decodeKrpc(bytes)
    assert.ok(answer.kind === 'reply')
    const { key, seq, value, signature } = answer.reply
    if (key === null || seq === null || value === null || signature === null) return null
    return decodeHead({ publicKey: key, sequence: Number(seq), value, signature })
  }

  test('a node that knows only the id subscribes and follows; then the author goes, and another one comes', {
    timeout: 400_000,
  }, async () => {
    const author = await start()
    const cid = await createChannel(author, 'Films')
    const hashes: string[] = []
    for (let at = 1; at <= 20; at++) hashes.push(await addTorrent(author, cid, at))

    const stateDir = await folder.sub('follower')
    let follower = await start(stateDir)
    const began = performance.now()
    await subscribe(follower, cid)
    const all = (count: number) => (answer: Torrents) => answer.torrents.length === count
    const { torrents } = await follower.until<Torrents>(torrentsOf(cid), all(20), 120_000)
    console.log(`# 20 torrents ${Math.round(performance.now() - began)} ms after the subscription`)
    assert.deepEqual(torrents.map(one => one.infohash).sort(), [...hashes].sort())

    const heads = await Promise.all(dht.map(one => headAt(one, cid)))
    const stored = heads.filter(head => head !== null)
    assert.ok(stored.length >= 4, `${stored.length} libtorrent nodes have the head`)
    const newest = stored.toSorted((one, other) => other.sequence - one.sequence)[0]
    assert.ok(newest !== undefined && newest.pack !== null)
    assert.ok(verifyHead(newest, verifySignature))
    const publicKey = Buffer.from(newest.publicKey).toString('hex')
    const read = await dht[0]?.get(publicKey, '')
    assert.deepEqual(read, { seq: newest.sequence, infoHash: newest.pack }, 'libtorrent reads it as an item of BEP 46')

    // An edit, a deletion and an addition arrive; the pack is no download of anybody.
    await ok(author, 'DELETE', `/channels/discovered/${cid}/torrents/${hashes[0]}`)
    await ok(author, 'PATCH', `/channels/discovered/${cid}/torrents/${hashes[1]}`, { name: 'another name' })
    await addTorrent(author, cid, 21)
    const changed = (answer: Torrents) =>
      answer.torrents.some(one => one.name === 'another name') && answer.torrents.length === 20
    const changedMs = performance.now()
    const after = await follower.until<Torrents>(torrentsOf(cid), changed, 180_000)
    console.log(`# changes ${Math.round(performance.now() - changedMs)} ms after they were made`)
    assert.ok(!after.torrents.some(one => one.infohash === hashes[0]))
    for (const node of [author, follower])
      assert.deepEqual((await node.get<{ downloads: unknown[] }>('/downloads')).downloads, [])

    // Back after a restart, the follower seeds what it has; the author goes for good.
    await follower.stop()
    follower = await start(stateDir)
    assert.equal((await follower.get<Torrents>(torrentsOf(cid))).torrents.length, 20)
    await waitFor('one pack is left', async () => (await packsOf(follower)).length === 1, 30_000)
    await author.kill('SIGKILL')
    const late = await start()
    await subscribe(late, cid)
    await late.until<Torrents>(torrentsOf(cid), changed, 180_000)

    // Who leaves a channel keeps nothing of its pack.
    await ok(late, 'DELETE', `/channels/subscribed/${cid}`)
    await waitFor('the pack is gone', async () => (await packsOf(late)).length === 0, 30_000)
  })

  async function packsOf(node: NodeProcess): Promise<string[]> {
    const names = await readdir(join(node.stateDir, 'channel-packs')).catch(() => [])
    return names.filter(name => !name.includes('.'))
  }
})
