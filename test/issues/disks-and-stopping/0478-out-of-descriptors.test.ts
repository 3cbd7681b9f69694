// With few descriptors, more peers and readers than there is room for closed the port for peers, and answered readers
// 500.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { makeTestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'

/** TRIBUTARY_LIMIT=1024 TRIBUTARY_PEERS=1500 TRIBUTARY_READERS=500 is the long form. */
const numberOf = (name: string, usual: number): number => Number(process.env[name] ?? usual)
const LIMIT = numberOf('TRIBUTARY_LIMIT', 512)
const PEERS = numberOf('TRIBUTARY_PEERS', 700)
const READERS = numberOf('TRIBUTARY_READERS', 300)

/** CPU time of a process, s (proc(5): ticks of 10 ms). */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Connections that say `text` and note how they were answered; none reads on. */
function crowd(count: number, port: number, text: string): { sockets: Socket[]; heard: string[] } {
  const heard: string[] = []
  const sockets = Array.from({ length: count }, (_, at) => {
    // From many networks: one alone has few places.
    const localAddress = `127.${1 + (at % 200)}.${Math.floor(at / 200)}.1`
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write(text, 'latin1'))
    socket.on('error', () => undefined)
    socket.once('data', (bytes: Buffer) => {
      heard.push(bytes.toString('latin1', 0, 20))
      socket.pause()
    })
    return socket
  })
  return { sockets, heard }
}

test('peers and readers beyond their shares are refused; the node goes on', {
  skip: needs('prlimit'),
  timeout: 60_000,
}, async () => {
  const folder = await makeTestFolder()
  const made = makeTorrent({ name: 'film.bin', length: 4 * 2 ** 20, pieceLength: 256 * 1024 })
  const home = await folder.sub('data')
  await writeContent(made, home, 'film.bin')
  const node = await startNode({ prefix: ['prlimit', `--nofile=${LIMIT}:${LIMIT}`] })
  const crowds: Socket[] = []
  try {
    const infoHash = await addDownload(node, await writeTorrent(made, folder.path), home)
    await downloadComplete(node, infoHash)
    const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
    const peerPort = variables.ports['libtorrent~port'] ?? 0
    const open = () => readdirSync(`/proc/${node.pid}/fd`).length
    let most = 0
    const watch = setInterval(() => (most = Math.max(most, open())), 5)
    const name = Buffer.from(infoHash, 'hex').toString('latin1')
    const handshake = `\x13BitTorrent protocol${'\0'.repeat(8)}${name}-XX0001-123456789012`
    const peers = crowd(PEERS, peerPort, handshake)
    const get = `GET /downloads/${infoHash}/stream/0 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${node.key}\r\n\r\n`
    const readers = crowd(READERS, node.port, get)
    crowds.push(...peers.sockets, ...readers.sockets)
    const settled = (one: Socket) => one.destroyed || one.readyState === 'closed' || one.bytesRead > 0
    await waitFor('readers', () => readers.sockets.every(settled), 20_000)
    await waitFor('peers', () => peers.sockets.filter(one => !one.connecting).length === PEERS, 20_000)
    const before = cpuSeconds(node.pid)
    const from = performance.now()
    await waitFor('a moment under load', () => performance.now() - from > 1500)
    const busy = (cpuSeconds(node.pid) - before) / ((performance.now() - from) / 1000)
    clearInterval(watch)
    assert.ok(most <= LIMIT - 32, `${most} descriptors`)
    assert.ok(busy < 0.5, `${(100 * busy).toFixed()} % of a core`)
    assert.deepEqual(
      readers.heard.filter(head => !head.startsWith('HTTP/1.1 20')),
      [],
    )
    assert.ok(readers.heard.length > LIMIT / 8, `${readers.heard.length} readers served`)
    for (const one of crowds) one.destroy()
    // The port for peers is there all the time.
    const later = connect(peerPort, '127.0.0.1')
    await once(later, 'connect')
    later.destroy()
    const healthy = async () => (await node.request('GET', '/state').catch(() => null))?.status === 200
    await waitFor('the interface', healthy)
    assert.doesNotMatch(node.logs().stderr, /unhandled|EMFILE/)
  } finally {
    for (const one of crowds) one.destroy()
    await node.stop()
    await folder.remove()
  }
})
