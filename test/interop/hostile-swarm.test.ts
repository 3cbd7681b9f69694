// Peers that lie, in a swarm with one honest libtorrent: garbage, over-long messages, deep bencode, wrong metadata,
// wrong pieces. The node drops or bans them, finishes from the honest one, and does not grow.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { encodeExtendedHandshake } from '../../src/wire/peer/extension.ts'
import { encodeMetadataData } from '../../src/wire/peer/ut-metadata.ts'
import { differences, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { interopPlace } from '../kit/runners/interop-place.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { framed, type RawPeer, startRawPeer, validHandshake } from '../kit/peers/raw-peer.ts'
import { needs } from '../kit/requirements.ts'
import { residentMiB } from '../kit/nodes/resident-memory.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 2 ** 20
const NAME = 'wanted.bin'
const skip = needs('netns', 'libtorrent')

/** What hostile peers do with a connection, by name. */
function hostilities(made: MadeTorrent): Record<string, (socket: Socket) => void> {
  const hello = (id: string) => validHandshake(made.infoHash, id)
  const flood = (socket: Socket, chunk: Uint8Array) => {
    const push = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', push)
    push()
  }
  return {
    'garbage instead of a handshake': socket => flood(socket, randomBytes(65536)),
    'a handshake of another torrent': socket => socket.write(validHandshake('ab'.repeat(20), 'other')),
    'a message of 2 GiB': socket => {
      socket.write(hello('overlong'))
      socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff, 20]))
      flood(socket, Buffer.alloc(65536, 1))
    },
    'bencode nested 10,000 deep': socket => {
      socket.write(hello('nested'))
      flood(socket, framed(20, Buffer.concat([Buffer.from([0]), Buffer.alloc(10_000, 'l'), Buffer.alloc(10_000, 'e')])))
    },
    'a bitfield of the wrong length': socket => {
      socket.write(hello('bitfield'))
      flood(socket, framed(5, Buffer.alloc(60_000, 255)))
    },
    'have of a piece that is not there': socket => {
      socket.write(hello('have'))
      flood(socket, framed(4, Buffer.from([0x7f, 0, 0, 0])))
    },
    'blocks nobody asked for': socket => {
      socket.write(hello('unasked'))
      flood(socket, framed(7, Buffer.alloc(8 + 16384)))
    },
    'silence after the handshake': socket => socket.write(hello('silent')),
  }
}

describe('hostile swarm', { skip, concurrency: 1 }, () => {
  const { hosts, folder } = interopPlace()

  const honest = async (made: MadeTorrent, place: string, more: object = {}) => {
    const dir = await folder.sub(`${place}-from`)
    await writeContent(made, dir, NAME)
    const peer = await LibtorrentPeer.start(hosts.next())
    const id = await peer.add({ torrent: await writeTorrent(made, folder.path), dir, ...more })
    await peer.complete(id)
    return { peer, id }
  }
  const startAt = () => startNode({ settings: { 'libtorrent.interface': hosts.next() } })
  const magnetOf = (made: MadeTorrent, peers: readonly { ip: string; port: number }[]) =>
    `magnet:?xt=urn:btih:${made.infoHash}${peers.map(peer => `&x.pe=${peer.ip}:${peer.port}`).join('')}`

  test('the download ends well among liars, memory stays flat', { timeout: 120_000 }, async t => {
    const made = makeTorrent({ name: NAME, length: 24 * MIB, pieceLength: 64 * 1024, seed: 11 })
    const seeder = await honest(made, 'liars', { upload_limit: 4 * MIB })
    const liars: RawPeer[] = []
    for (const behave of Object.values(hostilities(made))) liars.push(await startRawPeer(hosts.next(), behave))
    const node = await startAt()
    try {
      const to = await folder.sub('liars-to')
      const infoHash = await addDownload(node, magnetOf(made, [...liars, seeder.peer]), to)
      await downloadUntil(node, infoHash, record => record.progress > 0.2)
      const early = residentMiB(node.pid)
      await downloadComplete(node, infoHash)
      const late = residentMiB(node.pid)
      t.diagnostic(`resident memory ${early.toFixed(0)} MiB at 20 %, ${late.toFixed(0)} MiB at the end`)
      assert.ok(late < early + 60, `memory grew from ${early} to ${late} MiB`)
      assert.deepEqual(await differences(made, to, NAME), [])
      for (const [index, name] of Object.keys(hostilities(made)).entries()) {
        const liar = liars[index] as RawPeer
        assert.ok(liar.connections >= 1, `${name}: never connected to`)
        if (!name.startsWith('silence'))
          assert.equal(liar.open, 0, `${name}: not dropped, ${liar.connections} connections`)
      }
    } finally {
      await node.stop()
      await seeder.peer.stop()
      for (const liar of liars) await liar.stop()
    }
  })

  test('metadata that does not match is refused; the honest peer gives it', { timeout: 60_000 }, async () => {
    const made = makeTorrent({ name: NAME, length: 2 * MIB, seed: 12 })
    const wrong = Buffer.from(made.info)
    wrong[wrong.length - 20] = (wrong[wrong.length - 20] ?? 0) ^ 1
    const liar = await startRawPeer(hosts.next(), socket => serveMetadata(socket, made.infoHash, wrong))
    const node = await startAt()
    const to = await folder.sub('metadata-to')
    try {
      const infoHash = await addDownload(node, magnetOf(made, [liar]), to)
      await waitFor('the liar is dropped', () => liar.connections > 0 && liar.open === 0)
      assert.equal((await downloadRecord(node, infoHash)).status, 'DLSTATUS_METADATA')
      const seeder = await honest(made, 'metadata')
      await addDownload(node, magnetOf(made, [seeder.peer]), to)
      await downloadComplete(node, infoHash)
      assert.deepEqual(await differences(made, to, NAME), [])
      await seeder.peer.stop()
    } finally {
      await node.stop()
      await liar.stop()
    }
  })

  test('a source of wrong pieces is banned instead of asked for ever; others go on', { timeout: 90_000 }, async () => {
    const made = makeTorrent({ name: NAME, length: 8 * MIB, pieceLength: 256 * 1024, seed: 13 })
    let served = 0
    const liar = await startRawPeer(hosts.next(), socket => serveZeroes(socket, made, bytes => (served += bytes)))
    const node = await startAt()
    try {
      const torrent = await writeTorrent(made, folder.path)
      const infoHash = await addDownload(node, torrent, await folder.sub('wrong-to'))
      await addDownload(node, magnetOf(made, [liar]), folder.path)
      await waitFor('the liar is banned', () => served > 0 && liar.open === 0, 60_000)
      const record = await downloadRecord(node, infoHash)
      assert.equal(record.progress, 0)
      assert.ok(served <= made.content.length, `${served} bytes were fetched from a source of which all is wrong`)
      const before = served
      const other = makeTorrent({ name: NAME, length: 4 * MIB, seed: 14 })
      const second = await honest(other, 'beside')
      const beside = await addDownload(node, magnetOf(other, [second.peer]), await folder.sub('beside-to'))
      await downloadComplete(node, beside)
      const late = await honest(made, 'late')
      await addDownload(node, magnetOf(made, [liar, late.peer]), folder.path)
      await downloadComplete(node, infoHash)
      assert.equal(served, before, 'nothing more was taken from the liar')
      await second.peer.stop()
      await late.peer.stop()
    } finally {
      await node.stop()
      await liar.stop()
    }
  })

  test('wrong pieces that threads hash are refused too: nothing of them is kept', { timeout: 60_000 }, async () => {
    const made = makeTorrent({ name: NAME, length: 2 * MIB, pieceLength: 64 * 1024, seed: 16 })
    let served = 0
    const liar = await startRawPeer(hosts.next(), socket => serveZeroes(socket, made, bytes => (served += bytes)))
    const node = await startAt()
    try {
      await startHashing(node, await folder.sub('hashing'))
      const infoHash = await addDownload(node, await writeTorrent(made, folder.path), await folder.sub('threads-to'))
      await addDownload(node, magnetOf(made, [liar]), folder.path)
      await waitFor('the liar is banned', () => served > 0 && liar.open === 0, 30_000)
      const record = await downloadRecord(node, infoHash)
      assert.deepEqual([record.progress, record.status], [0, 'DLSTATUS_DOWNLOADING'])
    } finally {
      await node.stop()
      await liar.stop()
    }
  })
})

/** A check of files starts the threads that hash: pieces that come soon after are theirs and not the main thread's. */
async function startHashing(node: NodeProcess, dir: string): Promise<void> {
  const kept = makeTorrent({ name: 'kept.bin', length: 4 * MIB, seed: 15 })
  await writeContent(kept, dir, 'kept.bin')
  await downloadComplete(node, await addDownload(node, await writeTorrent(kept, dir), dir))
}

/** Says it has everything, unchokes, and answers each request with zeroes. */
function serveZeroes(socket: Socket, made: MadeTorrent, served: (bytes: number) => void): void {
  const pieces = Math.ceil(made.content.length / made.pieceLength)
  socket.write(validHandshake(made.infoHash, 'zeroes'))
  socket.write(framed(5, Buffer.alloc(Math.ceil(pieces / 8), 255)))
  socket.write(framed(1, Buffer.alloc(0)))
  let rest = Buffer.alloc(0)
  let greeted = false
  socket.on('data', chunk => {
    rest = Buffer.concat([rest, chunk])
    if (!greeted && rest.length >= 68) {
      greeted = true
      rest = rest.subarray(68)
    }
    while (greeted && rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const message = rest.subarray(4, 4 + rest.readUInt32BE(0))
      rest = rest.subarray(4 + message.length)
      if (message[0] !== 6) continue
      served(message.readUInt32BE(9))
      socket.write(framed(7, Buffer.concat([message.subarray(1, 9), Buffer.alloc(message.readUInt32BE(9))])))
    }
  })
}

/** Answers every request for metadata with pieces of `info`, by the message id that the other side asked for. */
function serveMetadata(socket: Socket, infoHash: string, info: Uint8Array): void {
  socket.write(validHandshake(infoHash, 'metadata'))
  const hello = encodeExtendedHandshake({ m: new Map([['ut_metadata', 3]]), metadataSize: info.length })
  socket.write(framed(20, Buffer.concat([Buffer.from([0]), hello])))
  let theirId = 0
  let asked = 0
  socket.on('data', chunk => {
    const text = chunk.toString('latin1')
    theirId = Number(/11:ut_metadatai(\d+)e/.exec(text)?.[1] ?? theirId)
    const requests = text.split('8:msg_typei0e').length - 1
    for (let count = 0; count < requests; count++) {
      const piece = asked++ % Math.ceil(info.length / 16384)
      const data = encodeMetadataData(piece, info.length, info.subarray(piece * 16384, (piece + 1) * 16384))
      socket.write(framed(20, Buffer.concat([Buffer.from([theirId]), data])))
    }
  })
}
