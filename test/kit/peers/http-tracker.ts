// A small HTTP tracker for tests (BEP 3, 23): trusts everybody, keeps what it was told so that tests can ask.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One announce as it came in. */
export interface SeenAnnounce {
  readonly infoHash: string
  readonly ip: string
  readonly port: number
  readonly event: string
  readonly uploaded: number
  readonly downloaded: number
  readonly left: number
  /** Clock ms. */
  readonly atMs: number
  readonly peerId: string
}

/** How a tracker answers. */
export interface HttpTrackerOptions {
  /** Every answer comes so late; default 0. */
  readonly delayMs?: number
  /** What it asks for, seconds; default 5 and 1. */
  readonly intervalSec?: number | ((seen: SeenAnnounce) => number)
  readonly minIntervalSec?: number
  /** Peers it names beside those that announced, `ip port` each; default none. */
  readonly names?: (seen: SeenAnnounce) => readonly string[]
  /** Where it listens; default a free port. */
  readonly port?: number
}

export interface HttpTracker {
  /** The announce URL. */
  readonly url: string
  readonly announces: SeenAnnounce[]
  stop(): Promise<void>
}

/** Splits a query without decoding bytes as UTF-8: info_hash is binary. */
function queryOf(url: string): Map<string, string> {
  const pairs = (url.split('?')[1] ?? '').split('&').map(pair => pair.split('='))
  const decode = (text: string) =>
    text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return new Map(pairs.map(([key = '', value = '']) => [key, decode(value)]))
}

function compactPeers(peers: Iterable<string>): Buffer {
  const rows = [...peers].map(key => {
    const [ip = '', port = ''] = key.split(' ')
    return Buffer.from([...ip.split('.').map(Number), Number(port) >> 8, Number(port) & 255])
  })
  return Buffer.concat(rows)
}

function replyTo(swarms: Map<string, Map<string, boolean>>, seen: SeenAnnounce, options: HttpTrackerOptions): Buffer {
  const swarm = swarms.get(seen.infoHash) ?? new Map<string, boolean>()
  swarms.set(seen.infoHash, swarm)
  const self = `${seen.ip} ${seen.port}`
  if (seen.event === 'stopped') swarm.delete(self)
  else swarm.set(self, seen.left === 0)
  const named = options.names?.(seen) ?? []
  const peers = compactPeers([...swarm.keys(), ...named].filter(key => key !== self))
  const complete = [...swarm.values()].filter(Boolean).length
  const { intervalSec = 5, minIntervalSec = 1 } = options
  const interval = typeof intervalSec === 'number' ? intervalSec : intervalSec(seen)
  const times = `8:intervali${interval}e12:min intervali${minIntervalSec}e`
  const head = `d8:completei${complete}e10:incompletei${swarm.size - complete}e${times}5:peers${peers.length}:`
  return Buffer.concat([Buffer.from(head), peers, Buffer.from('e')])
}

function seenIn(request: IncomingMessage): SeenAnnounce {
  const query = queryOf(request.url ?? '')
  const number = (key: string) => Number(query.get(key) ?? 0)
  return {
    infoHash: Buffer.from(query.get('info_hash') ?? '', 'latin1').toString('hex'),
    ip: (request.socket.remoteAddress ?? '').replace('::ffff:', ''),
    port: number('port'),
    event: query.get('event') ?? '',
    uploaded: number('uploaded'),
    downloaded: number('downloaded'),
    left: number('left'),
    atMs: performance.now(),
    peerId: Buffer.from(query.get('peer_id') ?? '', 'latin1').toString('hex'),
  }
}

/** Starts a tracker at `ip` and a free port. */
export async function startHttpTracker(ip: string, options: HttpTrackerOptions = {}): Promise<HttpTracker> {
  const announces: SeenAnnounce[] = []
  const swarms = new Map<string, Map<string, boolean>>()
  const server = createServer((request: IncomingMessage, reply: ServerResponse) => {
    const seen = seenIn(request)
    announces.push(seen)
    reply.setHeader('content-type', 'text/plain')
    const answer = replyTo(swarms, seen, options)
    if (options.delayMs === undefined) reply.end(answer)
    else setTimeout(() => reply.end(answer), options.delayMs)
  })
  await new Promise<void>(resolve => server.listen(options.port ?? 0, ip, resolve))
  return {
    url: `http://${ip}:${(server.address() as AddressInfo).port}/announce`,
    announces,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
