// Clients that close in the middle of an answer, or of their request, cost nothing: no socket, no reader, no memory and
// no exception is left of hundreds of them.

import assert from 'node:assert/strict'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { test } from 'node:test'
import { makeTestFolder, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { residentMiB } from '../kit/nodes/resident-memory.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 2 ** 20
/** So many that followers of events left behind would be more than may follow. */
const ROUNDS = 140

/** Sockets of the process: files and threads of its own come and go. */
function sockets(pid: number): number {
  const folder = `/proc/${pid}/fd`
  const isSocket = (name: string): boolean => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:')
    } catch {
      // Closed meanwhile.
      return false
    }
  }
  return readdirSync(folder).filter(isSocket).length
}

/** Sends `request`, reads until `bytes` came (0: nothing is awaited), and closes with a reset or in order. */
function leave(node: NodeProcess, request: string, bytes: number, reset: boolean): Promise<void> {
  return new Promise(resolve => {
    const socket = connect(node.port, '127.0.0.1')
    let got = 0
    const end = (): void => void (reset ? socket.resetAndDestroy() : socket.destroy())
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    socket.on('data', chunk => {
      got += chunk.length
      if (got >= bytes) end()
    })
    const head = request.includes('\r\n')
      ? request
      : `${request} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${node.key}\r\n\r\n`
    socket.write(head, () => (bytes === 0 ? end() : undefined))
  })
}

test('hundreds of clients that leave in mid-answer leave nothing behind', { timeout: 120_000 }, async t => {
  const folder = await makeTestFolder()
  const made = makeTorrent({ name: 'film.bin', length: 24 * MIB, pieceLength: MIB, seed: 5 })
  await writeContent(made, folder.path, 'film.bin')
  const node = await startNode()
  t.after(async () => {
    await node.stop()
    await folder.remove()
  })
  const infoHash = await addDownload(node, await writeTorrent(made, folder.path), folder.path)
  await downloadComplete(node, infoHash)
  const stream = `GET /downloads/${infoHash}/stream/0`
  const body = 'Host: localhost\r\nX-Api-Key: '
  const requests: [request: string, bytes: number][] = [
    [stream, 1],
    [stream, 3 * MIB],
    [stream, 0],
    ['GET /downloads?get_files=1&get_peers=1&get_pieces=1', 1],
    ['GET /events', 1],
    ['GET /events', 1],
    ['GET /docs/swagger-ui-bundle.js', 1000],
    ['GET /torrentinfo?torrent=magnet:%3Fxt=urn:btih:' + 'ab'.repeat(20), 0],
    [`PUT /downloads HTTP/1.1\r\n${body}${node.key}\r\nContent-Length: 500000\r\n\r\n{"uri": "x`, 0],
  ]
  const round = (reset: boolean): Promise<unknown> =>
    Promise.all(requests.map(([request, bytes]) => leave(node, request, bytes, reset)))
  // The first ones load code and start threads.
  for (let n = 0; n < 8; n++) await round(n % 2 === 0)
  const settled = () => node.get<{ downloads: unknown[] }>('/downloads')
  await settled()
  const before = { sockets: sockets(node.pid), rss: residentMiB(node.pid) }
  for (let n = 0; n < ROUNDS; n++) await round(n % 2 === 0)
  await waitFor(
    'sockets to be closed',
    () => sockets(node.pid) <= before.sockets + 4,
    20_000,
    () => [before.sockets, sockets(node.pid)],
  )
  // Sooner than the torrent is suspended, which would tell of it anyway.
  await node.until<{ downloads: { vod_mode: boolean }[] }>(
    '/downloads',
    ({ downloads }) => downloads.every(download => !download.vod_mode),
    5000,
  )
  const grown = Math.round(residentMiB(node.pid) - before.rss)
  t.diagnostic(`${ROUNDS * requests.length} clients, ${grown} MiB more`)
  assert.ok(grown < 48, `${grown} MiB more`)
  const events = await fetch(`${node.baseUrl}/events`, { headers: { 'x-api-key': node.key } })
  assert.equal(events.status, 200)
  await events.body?.cancel()
  const { last_exception } = await node.get<{ last_exception: unknown }>('/state')
  assert.equal(last_exception, null)
  assert.equal((await downloadRecord(node, infoHash)).status, 'DLSTATUS_SEEDING')
})
