// Torrents of a channel at Debian's opentracker, by HTTP and by UDP: the node's lists show who seeds them, without the
// node ever announcing itself there.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { interopPlace } from '../../../kit/runners/interop-place.ts'
import { type MadeTorrent, makeTorrent } from '../../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { type OpenTracker, startOpentracker } from '../../../kit/peers/opentracker.ts'
import { needs } from '../../../kit/requirements.ts'

interface Row {
  readonly infohash: string
  readonly num_seeders: number
  readonly num_leechers: number
  readonly last_tracker_check: number
}

describe('health of torrents of channels', { skip: needs('netns', 'opentracker') }, () => {
  const { hosts, atEnd } = interopPlace()
  let tracker: OpenTracker
  let node: NodeProcess
  let channel = ''

  const plan = (name: string, announce?: string): MadeTorrent =>
    makeTorrent({
      name,
      length: 100_000,
      pieceLength: 16_384,
      ...(announce === undefined ? {} : { announce: [[announce]] }),
    })
  const made = (name: string): MadeTorrent => {
    const path = name === 'elsewhere' ? 'other' : `${tracker.ip}:${tracker.port}`
    const scheme = name === 'by-udp' ? 'udp' : 'http'
    return plan(name, name === 'elsewhere' ? 'http://127.0.0.1:1/announce' : `${scheme}://${path}/announce`)
  }
  const names = ['by-http', 'by-udp', 'not-listed', 'elsewhere'] as const

  /** Somebody with `left` bytes to go says that he is there. */
  const announce = async ({ infoHash }: MadeTorrent, port: number, left: number): Promise<void> => {
    const escaped = infoHash.replace(/../g, '%$&')
    const query = `info_hash=${escaped}&peer_id=${`-XX0000-${port}`.padEnd(20, '0')}&port=${port}&uploaded=0&downloaded=0&left=${left}`
    const reply = await fetch(`http://${tracker.ip}:${tracker.port}/announce?${query}&event=started&compact=1`, {
      headers: { connection: 'close' },
    })
    assert.match(Buffer.from(await reply.arrayBuffer()).toString('latin1'), /interval/)
  }

  const row = async (infoHash: string): Promise<Row> => {
    const { torrents } = await node.get<{ torrents: Row[] }>(
      `/channels/discovered/${channel}/torrents?disable_filter=1`,
    )
    const found = torrents.find(({ infohash }) => infohash === infoHash)
    assert.ok(found, `${infoHash} is in the channel`)
    return found
  }

  before(async () => {
    tracker = await startOpentracker(
      hosts.next(),
      ['by-http', 'by-udp'].map(name => plan(name).infoHash),
    )
    atEnd(() => tracker.stop())
    node = await startNode({
      settings: {
        'libtorrent.interface': hosts.next(),
        'network.allow_private': '10.77.0.0/16',
        'libtorrent.dht': false,
      },
    })
    atEnd(() => node.stop())
    for (const name of ['by-http', 'by-udp']) {
      for (const port of [7001, 7002, 7003]) await announce(made(name), port, 0)
      for (const port of [7004, 7005]) await announce(made(name), port, 50_000)
    }
    const created = await node.request('PUT', '/channels/discovered', { name: 'Checked', description: '' })
    assert.equal(created.status, 200, created.body.toString())
    const { mychannel } = await node.get<{ mychannel: { identifier: string } }>('/mychannel')
    channel = mychannel.identifier
    for (const name of names) {
      const torrent = Buffer.from(made(name).torrent).toString('base64')
      const added = await node.request('PUT', `/channels/discovered/${channel}/torrents`, { torrent })
      assert.equal(added.status, 200, added.body.toString())
    }
  })

  test('the checker finds seeders and leechers by HTTP and by UDP by itself', { timeout: 90_000 }, async () => {
    for (const name of ['by-http', 'by-udp']) {
      const { infoHash } = made(name)
      await node.until<{ torrents: Row[] }>(
        `/channels/discovered/${channel}/torrents`,
        ({ torrents }) => torrents.some(one => one.infohash === infoHash && one.last_tracker_check > 0),
        60_000,
      )
      const { num_seeders, num_leechers, last_tracker_check } = await row(infoHash)
      assert.deepEqual([num_seeders, num_leechers], [3, 2], name)
      assert.ok(Math.abs(last_tracker_check - Date.now() / 1000) < 120)
    }
  })

  test('a client asks for one torrent again', { timeout: 60_000 }, async () => {
    const one = made('by-udp')
    await announce(one, 7006, 0)
    const url = `udp://${tracker.ip}:${tracker.port}/announce`
    const { health } = await node.get<{ health: Record<string, unknown> }>(`/torrents/${one.infoHash}/health?refresh=1`)
    assert.deepEqual(health[url], [{ infohash: one.infoHash, seeders: 4, leechers: 2 }])
    assert.equal((await row(one.infoHash)).num_seeders, 4)
  })

  test('what the tracker does not list, and a tracker that is not there, have nobody', {
    timeout: 60_000,
  }, async () => {
    for (const name of ['not-listed', 'elsewhere']) {
      const { infoHash } = made(name)
      const { health } = await node.get<{ health: Record<string, unknown> }>(
        `/torrents/${infoHash}/health?refresh=1&timeout=5`,
      )
      const told =
        health[name === 'elsewhere' ? 'http://127.0.0.1:1/announce' : `http://${tracker.ip}:${tracker.port}/announce`]
      assert.match(JSON.stringify(told), /error/, name)
      assert.equal((await row(infoHash)).num_seeders, 0)
    }
  })

  test('nobody is asked while it is off', { timeout: 60_000 }, async () => {
    const { infoHash } = made('by-http')
    const off = await node.request('POST', '/settings', { torrent_checking: { enabled: false } })
    assert.equal(off.status, 200)
    const { health } = await node.get<{ health: Record<string, unknown> }>(`/torrents/${infoHash}/health?refresh=1`)
    assert.deepEqual(health, { db: [{ infohash: infoHash, seeders: 3, leechers: 2 }] })
  })
})
