// Memory under 1,000 stream readers: 990 read a file's complete part slowly, 10 wait for pieces that are missing, while
// the rest downloads. The node must stay under 200 MiB of resident memory. Usage: stream-memory [readers].

import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { makeTestFolder, writeContent, writeTorrent } from '../../test/kit/content/content-on-disk.ts'
import { addDownload, downloadUntil } from '../../test/kit/nodes/downloads-client.ts'
import { LibtorrentPeer } from '../../test/kit/peers/libtorrent-peer.ts'
import { claimHosts } from '../../test/kit/nodes/loopback-hosts.ts'
import { makeTorrent } from '../../test/kit/content/make-torrent.ts'
import type { NodeProcess } from '../../test/kit/nodes/node-process.ts'
import { startMeasuredNode } from '../lib/measured-node.ts'
import { processCost } from '../lib/process-cost.ts'
import { report, round } from '../lib/report.ts'

const MIB = 2 ** 20
const readers = Number(process.argv[2] ?? 1000)
if (!Number.isInteger(readers)) throw new Error('usage: stream-memory [readers]')
const WAITING = 10
const SIZE = 256 * MIB
const WATCH_MS = 20_000
/** Each reader takes about this many bytes a second. */
const READER_RATE = 64 * 1024

interface Reader {
  readonly socket: Socket
  received: number
}

/** A client that reads slowly: paused after each chunk until its share of the second has passed. */
function openReader(node: NodeProcess, infoHash: string, from: number): Reader {
  const socket = connect(node.port, '127.0.0.1')
  const reader: Reader = { socket, received: 0 }
  const head = `GET /downloads/${infoHash}/stream/0 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${node.key}\r\nRange: bytes=${from}-\r\n\r\n`
  socket.on('connect', () => socket.write(head))
  socket.on('data', chunk => {
    reader.received += chunk.length
    socket.pause()
    setTimeout(() => socket.resume(), (chunk.length / READER_RATE) * 1000)
  })
  socket.on('error', () => undefined)
  return reader
}

async function peakWhile(pid: number, ms: number): Promise<number> {
  let peak = 0
  const end = performance.now() + ms
  while (performance.now() < end) {
    peak = Math.max(peak, processCost(pid).rssMiB)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return peak
}

async function main(): Promise<void> {
  process.env['TMPDIR'] = '/dev/shm'
  const hosts = await claimHosts()
  const folder = await makeTestFolder()
  const made = makeTorrent({ name: 'film.bin', length: SIZE, pieceLength: MIB })
  const from = await folder.sub('seed')
  await writeContent(made, from, 'film.bin')
  const seeder = await LibtorrentPeer.start(hosts.next())
  const torrent = await writeTorrent(made, folder.path)
  const id = await seeder.add({ torrent, dir: from, seed_mode: true })
  await seeder.complete(id)
  const measured = await startMeasuredNode(join(folder.path, 'node'), { 'libtorrent.interface': hosts.next() })
  const { node } = measured
  const before = processCost(node.pid).rssMiB
  await addDownload(
    node,
    `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${seeder.ip}:${seeder.port}`,
    await folder.sub('to'),
  )
  await downloadUntil(node, made.infoHash, record => record.progress > 0.6)
  await seeder.call('limit', { id, upload: 300_000, download: 0 })
  const all = Array.from({ length: readers }, (_, index) =>
    openReader(
      node,
      made.infoHash,
      index < WAITING ? SIZE - (index + 1) * MIB : Math.floor((index / readers) * 0.1 * SIZE),
    ),
  )
  const peak = await peakWhile(node.pid, WATCH_MS)
  const served = all.filter(reader => reader.received > 0).length
  for (const reader of all) reader.socket.destroy()
  const loop = await measured.stop()
  await seeder.stop()
  await folder.remove()
  await hosts.release()
  report(`memory with ${readers} readers`, [
    {
      'RSS before MiB': round(before, 0),
      'peak RSS MiB': round(peak, 0),
      'readers served': served,
      'loop p99 ms': round(loop.p99, 1),
      limit: 200,
      held: peak < 200 ? 'yes' : 'NO',
    },
  ])
  if (peak >= 200) process.exitCode = 1
}

await main()
