// Trackers that answer HTML, redirect for ever, never answer, flood, bomb or lie, over real sockets: each is a row with
// a clear error, memory stays flat, and a torrent beside them is served as if nothing were.

import assert from 'node:assert/strict'
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { after, before, test } from 'node:test'
import { parseInfoHash } from '../../src/base/ids.ts'
import { SystemClock } from '../../src/io/clock.ts'
import { GuardedHttp } from '../../src/io/net/guarded-http.ts'
import { SystemRandom } from '../../src/io/random.ts'
import { DgramNetwork } from '../../src/io/net/udp-dgram.ts'
import type { HashAnnouncer } from '../../src/ports/announcer.ts'
import { TorrentAnnouncers } from '../../src/tracker/announcer.ts'
import { strictLog } from '../unit/tracker/tracker-kit.ts'
import { waitFor } from '../kit/wait-for.ts'
import { endless, gzipBomb, type HostileServer, loopbackWorld, serve } from './hostile-http.ts'

const GOOD = 'd8:completei1e10:incompletei1e8:intervali1800e5:peers6:\x7f\0\0\x01\x1a\xe1e'
let hostile: HostileServer
let local: HostileServer
let announcers: TorrentAnnouncers
let http: GuardedHttp
let made = 0

before(async () => {
  local = await serve((_, reply) => void reply.end(Buffer.from(GOOD, 'latin1')), '127.0.0.2')
  hostile = await serve((request, reply) => {
    const path = (request.url ?? '').split('?')[0]
    if (path === '/good/announce') return void reply.end(Buffer.from(GOOD, 'latin1'))
    if (path === '/html') return void reply.end('<html><body>parked</body></html>')
    if (path === '/circle') return void reply.writeHead(302, { location: '/circle' }).end()
    if (path === '/for-ever')
      return void reply.writeHead(302, { location: `/for-ever?${hostile.requests.length}` }).end()
    if (path === '/flood') return endless(reply)
    if (path === '/bomb') return gzipBomb(reply)
    if (path === '/odd-peers') return void reply.end('d8:intervali1e5:peers5:abcdee')
    if (path === '/nested') return void reply.end('l'.repeat(10_000))
    if (path === '/500') return void reply.writeHead(500).end('broken')
    if (path === '/403') return void reply.writeHead(403).end('d14:failure reason6:bannede')
    if (path === '/hang-up') return void request.socket.destroy()
    if (path === '/to-local') return void reply.writeHead(302, { location: local.url('/announce') }).end()
    // '/silent': nothing is ever sent.
  })
  const world = loopbackWorld()
  http = new GuardedHttp({ userAgent: 'Tributary/test', localIp: null }, world)
  announcers = new TorrentAnnouncers(
    { httpTimeoutMs: 1_000, udpRetryBaseMs: 50, udpTries: 2 },
    {
      clock: new SystemClock(),
      random: new SystemRandom(),
      log: strictLog,
      http,
      udp: new DgramNetwork(),
      resolver: world.resolver,
    },
  )
  announcers.setListenPort(6_881)
})

after(async () => {
  await announcers.close()
  await http.close()
  await hostile.stop()
  await local.stop()
})

function torrent(url: string, peers: string[] = []): HashAnnouncer {
  const infoHash = parseInfoHash((++made).toString(16).padStart(40, '0'))
  assert.ok(infoHash !== null)
  return announcers.create({
    infoHash,
    peerId: Buffer.from('-TB0100-abcdefghijkl'),
    tiers: [[url]],
    isPrivate: () => false,
    wantedPeers: () => 50,
    counters: () => ({ uploaded: 0, downloaded: 0, left: 1 }),
    onPeers: found => void peers.push(...found.map(peer => `${peer.ip}:${peer.port}`)),
  })
}

/** Starts a torrent on `url` and answers its row once it was asked. */
async function statusOf(url: string): Promise<string> {
  const announcer = torrent(url)
  announcer.start()
  const settled = (): string | false => {
    const status = announcer.rows()[0]?.status ?? ''
    return status !== 'Not contacted yet' && status !== 'Updating' && status
  }
  const status = await waitFor(`a status of ${url}`, settled, 10_000)
  await announcer.stop(1_000)
  return status
}

test('every hostile HTTP tracker is a row with its own error, and a good torrent beside them works', async () => {
  const expected: Record<string, RegExp> = {
    '/html': /^Error: the tracker answered with a web page$/,
    '/circle': /^Error: the redirects go round in a circle$/,
    '/for-ever': /^Error: more than 5 redirects$/,
    '/flood': /^Error: the answer is longer than 1048576 bytes$/,
    '/bomb': /^Error: the answer is longer than 1048576 bytes$/,
    '/odd-peers': /^Error: a compact peer list of 5 bytes$/,
    '/nested': /^Error: the tracker's answer cannot be read/,
    '/500': /^Error: the tracker answered with HTTP status 500$/,
    '/403': /^Error: banned$/,
    '/hang-up': /^Error: the connection was/,
    '/silent': /^Error: no answer within 1 s$/,
    '/to-local': /^Error: a public address redirects to a private one$/,
  }
  const before = process.memoryUsage.rss()
  const checks = Object.entries(expected).map(async ([path, text]) => {
    assert.match(await statusOf(hostile.url(path)), text, path)
  })
  const peers: string[] = []
  const good = torrent(hostile.url('/good/announce'), peers)
  good.start()
  await waitFor('the good torrent', () => good.rows()[0]?.status === 'Working', 5_000)
  assert.deepEqual(peers, ['127.0.0.1:6881'])
  await Promise.all(checks)
  assert.ok(process.memoryUsage.rss() - before < 120 * 1024 * 1024, 'memory grew')
  await good.stop(1_000)
  assert.equal(local.requests.length, 0)
})

test('a tracker on a private address is asked at /announce and nowhere else', async () => {
  assert.equal(await statusOf(local.url('/announce')), 'Working')
  const asked = local.requests.length
  assert.match(await statusOf(local.url('/admin/reboot')), /only the paths \/announce and \/scrape/)
  assert.match(await statusOf(local.url('/x/announce')), /only the paths \/announce and \/scrape/)
  assert.equal(local.requests.length, asked)
  assert.match(await statusOf('http://0.0.0.0:1/announce'), /not allowed/)
  assert.match(await statusOf('http://nobody.test/announce'), /name is not known/)
})

test('connections to a tracker are used again', async () => {
  const openedBefore = hostile.opened
  for (let i = 0; i < 5; i++) assert.equal(await statusOf(hostile.url('/good/announce')), 'Working')
  assert.ok(hostile.opened - openedBefore <= 1, `${hostile.opened - openedBefore} connections for ten announces`)
})

/** A UDP tracker on loopback: `answer` sees each packet and sends what it likes. */
async function udpTracker(
  answer: (packet: Buffer, send: (bytes: Buffer) => void, socket: UdpSocket, port: number) => void,
): Promise<{ url: string; packets: Buffer[]; stop(): Promise<void> }> {
  const socket = createSocket('udp4')
  const packets: Buffer[] = []
  socket.on('message', (packet, from) => {
    packets.push(packet)
    answer(packet, bytes => socket.send(bytes, from.port, from.address), socket, from.port)
  })
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  const url = `udp://127.0.0.1:${socket.address().port}/announce`
  return { url, packets, stop: () => new Promise(resolve => socket.close(() => resolve())) }
}

const connectAnswer = (packet: Buffer): Buffer =>
  Buffer.concat([Buffer.alloc(4), packet.subarray(12, 16), Buffer.alloc(8, 7)])
const announceAnswer = (packet: Buffer, peers = Buffer.alloc(0)): Buffer =>
  Buffer.concat([
    Buffer.from([0, 0, 0, 1]),
    packet.subarray(12, 16),
    Buffer.from('000007080000000100000002', 'hex'),
    peers,
  ])
const isConnect = (packet: Buffer): boolean => packet.length === 16

test('a UDP tracker: lost packets are sent again, the connection id serves a second torrent', async () => {
  let lost = 0
  const tracker = await udpTracker((packet, send) => {
    if (isConnect(packet) && lost++ === 0) return
    send(isConnect(packet) ? connectAnswer(packet) : announceAnswer(packet, Buffer.from([127, 0, 0, 1, 0x1a, 0xe1])))
  })
  assert.equal(await statusOf(tracker.url), 'Working')
  assert.equal(await statusOf(tracker.url), 'Working')
  const kinds = tracker.packets.map(packet => (isConnect(packet) ? 'connect' : `event ${packet[83]}`))
  assert.deepEqual(kinds, ['connect', 'connect', 'event 2', 'event 3', 'event 2', 'event 3'])
  assert.equal(tracker.packets[2]?.subarray(98).toString('latin1'), '\x02\x09/announce\0')
  await tracker.stop()
})

test('UDP garbage, foreign senders and wrong transaction ids are as good as silence', async () => {
  const stranger = createSocket('udp4')
  await new Promise<void>(resolve => stranger.bind(0, '127.0.0.1', resolve))
  const tracker = await udpTracker((packet, send, _, port) => {
    send(Buffer.from('garbage'))
    send(Buffer.alloc(0))
    send(Buffer.concat([Buffer.alloc(4), Buffer.from('ffffffff', 'hex'), Buffer.alloc(8)]))
    stranger.send(connectAnswer(packet), port, '127.0.0.1')
  })
  assert.equal(await statusOf(tracker.url), 'Error: the tracker does not answer')
  assert.equal(tracker.packets.filter(isConnect).length, 2)
  await tracker.stop()
  await new Promise<void>(resolve => stranger.close(() => resolve()))
})

test('UDP errors and cut-off answers are rows; a forgotten connection id is requested again', async () => {
  const refusing = await udpTracker((packet, send) => {
    const error = Buffer.concat([Buffer.from([0, 0, 0, 3]), packet.subarray(12, 16), Buffer.from('go away\x07')])
    send(isConnect(packet) ? connectAnswer(packet) : error)
  })
  assert.equal(await statusOf(refusing.url), 'Error: go away')
  await refusing.stop()
  const cutOff = await udpTracker((packet, send) => {
    send(isConnect(packet) ? connectAnswer(packet) : announceAnswer(packet, Buffer.alloc(5)))
  })
  assert.match(await statusOf(cutOff.url), /^Error: the tracker's answer cannot be read/)
  await cutOff.stop()
  let announces = 0
  const forgetful = await udpTracker((packet, send) => {
    if (isConnect(packet)) return send(connectAnswer(packet))
    const error = Buffer.concat([Buffer.from([0, 0, 0, 3]), packet.subarray(12, 16), Buffer.from('unknown id')])
    send(++announces === 2 ? error : announceAnswer(packet))
  })
  const announcer = torrent(forgetful.url)
  announcer.start()
  await waitFor('started', () => announcer.rows()[0]?.status === 'Working', 5_000)
  await announcer.stop(2_000)
  assert.deepEqual(
    forgetful.packets.map(packet => (isConnect(packet) ? 'connect' : packet[83])),
    ['connect', 2, 3, 'connect', 3],
  )
  await forgetful.stop()
})
