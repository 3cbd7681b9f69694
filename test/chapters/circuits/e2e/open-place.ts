// A place in the open that downloads name: tracker, web seed, peer, node of the DHT, in one, on loopback. It gives no
// useful answer and notes which info hash reached it and how.

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net'

/** What came, by info hash: `tracker`, `source`, `web seed`, `peer` (or `peer encrypted`), `datagram`. */
export interface OpenPlace {
  /** Address of trackers, torrent files (`/NAME.torrent`) and web seeds (`/seed/`). */
  readonly url: string
  /** Where a peer listens, `ip:port`. */
  readonly peer: string
  /** Where a node of the DHT listens, `ip:port`. */
  readonly node: string
  /** All that came so far, oldest first, as `KIND INFOHASH`, or a path where no info hash was named. */
  readonly seen: readonly string[]
  /** Ways in which this info hash came. */
  waysOf(infoHash: string): string[]
  stop(): Promise<void>
}

const IP = '127.0.0.1'

/** Opens it; `hashes` are looked for in datagrams. */
export async function openPlace(hashes: () => Iterable<string>): Promise<OpenPlace> {
  const seen: string[] = []
  const http = createServer((request, reply) => {
    const url = request.url ?? ''
    if (url.startsWith('/announce')) seen.push(`tracker ${hashIn(url)}`)
    else seen.push(`${url.startsWith('/seed/') ? 'web seed' : 'source'} ${url}`)
    reply.statusCode = 404
    reply.end()
  })
  const sockets = new Set<Socket>()
  const peers = createTcp(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    // A BitTorrent handshake names the torrent behind its first 28 bytes.
    socket.once('data', bytes =>
      seen.push(bytes[0] === 19 ? `peer ${bytes.subarray(28, 48).toString('hex')}` : 'peer encrypted'),
    )
  })
  const datagrams = createSocket('udp4', (bytes, from) => {
    const answer = dhtAnswer(bytes)
    if (answer !== null) datagrams.send(answer, from.port, from.address)
    const text = bytes.toString('hex')
    for (const hash of hashes()) if (text.includes(hash)) seen.push(`datagram ${hash}`)
  })
  http.listen(0, IP)
  peers.listen(0, IP)
  datagrams.bind(0, IP)
  await Promise.all([http, peers, datagrams].map(one => once(one, 'listening')))
  const portOf = (address: AddressInfo | string | null): number => (address as AddressInfo).port
  return {
    url: `http://${IP}:${portOf(http.address())}`,
    peer: `${IP}:${portOf(peers.address())}`,
    node: `${IP}:${datagrams.address().port}`,
    seen,
    waysOf: infoHash => [
      ...new Set(seen.filter(line => line.endsWith(` ${infoHash}`)).map(line => line.split(' ')[0] ?? '')),
    ],
    async stop() {
      for (const socket of sockets) socket.destroy()
      http.closeAllConnections()
      await Promise.all([http, peers].map(server => new Promise(resolve => server.close(resolve))))
      await new Promise<void>(resolve => datagrams.close(() => resolve()))
    },
  }
}

function hashIn(url: string): string {
  const raw = /[?&]info_hash=([^&]*)/.exec(url)?.[1] ?? ''
  const text = raw.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(text, 'latin1').toString('hex')
}

/** A node of the DHT that knows nobody: who asks it goes on to ask it. Null: no query. */
function dhtAnswer(query: Buffer): Buffer | null {
  const text = query.toString('latin1')
  const transaction = /1:t(\d+):/.exec(text)
  if (transaction === null || !text.includes('1:y1:q')) return null
  const from = transaction.index + transaction[0].length
  const id = text.slice(from, from + Number(transaction[1]))
  const node = '5:nodes0:5:token2:ok'
  return Buffer.from(`d1:rd2:id20:${'\x5a'.repeat(20)}${node}e1:t${id.length}:${id}1:y1:re`, 'latin1')
}
