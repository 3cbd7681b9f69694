// Pieces that the node loses while it seeds: a file is cut short under it. libtorrent hears which pieces the node has
// no more (BEP 54), and gets all others.

import assert from 'node:assert/strict'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord } from '../kit/nodes/downloads-client.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { peerPort } from '../kit/peers/tapped-transfer.ts'
import { waitFor } from '../kit/wait-for.ts'
import { startTap, type TappedConnection } from '../kit/peers/wire-tap.ts'

const NAME = 'single.bin'
const PIECE = 64 * 1024
const PIECES = 64
/** Pieces that the file still holds. */
const LEFT = 56
const made = makeTorrent({ name: NAME, length: PIECES * PIECE, pieceLength: PIECE, seed: 54 })

/** Pieces of which the node said under the client's id for it that it has them no more. */
function takenBack({ caller, called }: TappedConnection): Set<number> {
  const ids = caller.extensionHandshakes()[0]?.get('m') as ReadonlyMap<string, number> | undefined
  const id = ids?.get('lt_donthave') ?? assert.fail('the client does not know it')
  const said = called.messages().filter(message => message.id === 20 && message.payload[0] === id)
  return new Set(said.map(({ payload }) => payload.readUInt32BE(1)))
}

describe('pieces that the node loses', { concurrency: 1 }, () => {
  const { hosts, folder } = interopPlace()
  let torrent = ''

  before(async () => {
    torrent = await writeTorrent(made, folder.path)
  })

  /** A seeding node whose file is cut short. */
  const cutShort = async (place: string): Promise<{ node: NodeProcess; address: [string, number] }> => {
    const from = await folder.sub(place)
    await writeContent(made, from, NAME)
    const ip = hosts.next()
    const node = await startNode({ settings: { 'libtorrent.interface': ip, 'libtorrent.encryption': 'off' } })
    await downloadComplete(node, await addDownload(node, torrent, from))
    await truncate(join(from, NAME), LEFT * PIECE)
    return { node, address: [ip, await peerPort(node)] }
  }
  const fetchesAgain = async (node: NodeProcess): Promise<void> => {
    const record = await downloadRecord(node, made.infoHash)
    assert.equal(record.status, 'DLSTATUS_DOWNLOADING')
    assert.equal(record.progress, LEFT / PIECES)
  }

  test('libtorrent hears of them', { timeout: 120_000, skip: needs('netns', 'libtorrent') }, async t => {
    const { node, address } = await cutShort('of-libtorrent')
    t.after(async () => void (await node.stop()))
    const peer = await LibtorrentPeer.start(hosts.next())
    t.after(() => peer.stop())
    const tap = await startTap(hosts.next(), { ip: address[0], port: address[1] })
    t.after(() => tap.stop())
    const id = await peer.add({ torrent, dir: await folder.sub('to-libtorrent'), peers: [[tap.ip, tap.port]] })
    const rows = async () => peer.peers(id)
    await waitFor('libtorrent knows', async () => (await rows()).some(row => row.pieces === LEFT), 60_000, rows)
    // On one connection: a later one would begin with the truth.
    const [connection = assert.fail('nobody connected')] = tap.connections.filter(one => one.called.said > 10_000)
    const lost = Array.from({ length: PIECES - LEFT }, (_, i) => LEFT + i)
    assert.deepEqual(
      [...takenBack(connection)].toSorted((a, b) => a - b),
      lost,
    )
    assert.equal((await rows()).filter(row => row.pieces === LEFT).length, 1)
    const { progress } = await peer.status(id)
    assert.ok(progress > 0 && progress < 1, `${progress}`)
    await fetchesAgain(node)
    cell('lt_donthave', 'libtorrent')
  })
})
