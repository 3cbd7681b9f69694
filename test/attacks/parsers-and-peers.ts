// Parsers and peers: what strangers can send to each door of a node, changed, cut and far too large: torrents, magnets, JSON,
// HTTP itself, the peer protocol, answers of a tracker, datagrams. The node must live, answer within a bound, stay within
// its memory and log nothing unhandled. Made from README, src/docs and /docs of a running node alone.

import { createSocket } from 'node:dgram'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { makeTestFolder } from '../kit/content-on-disk.ts'
import { fuzzSource, type Fuzz } from '../kit/fuzz.ts'
import { type MadeTorrent, makeTorrent } from '../kit/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/node-process.ts'
import { framed, validHandshake } from '../kit/raw-peer.ts'
import { residentMiB } from '../kit/resident-memory.ts'
import { ask, sendBytes } from './raw-request.ts'
import { runAttack, type Tally } from './tally.ts'

const SECONDS = Number(process.env['SECONDS'] ?? '100')
/** Longest answer of GET /state; the machine may be shared with other work. */
const ANSWER_LIMIT_MS = 3000
const MEMORY_LIMIT_MIB = 700

/** What an attack of one kind is given. */
interface Ground {
  readonly tally: Tally
  readonly node: NodeProcess
  readonly fuzz: Fuzz
  readonly film: MadeTorrent
  readonly peerPort: number
  readonly trackerUrl: string
}

const bencoded = (text: string | Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${text.length}:`), Buffer.from(text)])

/** Torrents that are wrong as a whole: deep, wide, long, with numbers and names that parsers trip over. */
function bombs(): Uint8Array[] {
  const deep = (open: string, depth: number) => Buffer.from(open.repeat(depth) + 'e'.repeat(depth))
  const info = (inner: string) => Buffer.from(`d4:infod${inner}12:piece lengthi16384e6:pieces20:${'x'.repeat(20)}ee`)
  const file = (path: string) => `d6:lengthi1e4:pathl${path}ee`
  return [
    deep('l', 1_000_000),
    deep('d1:a', 200_000),
    Buffer.from(`d4:info${'l'.repeat(500_000)}`),
    Buffer.from('99999999999999999999:x'),
    Buffer.from(`d4:infod6:lengthi${'9'.repeat(5000)}e4:name1:xee`),
    info('6:lengthi9007199254740993e4:name1:x'),
    info('6:lengthi-1e4:name1:x'),
    info(`5:filesl${file('1:a').repeat(150_000)}e4:name1:x`),
    info(`5:filesl${file('1:d'.repeat(3000) + '1:f').repeat(300)}e4:name1:x`),
    info(`5:filesl${file('2:..2:..3:etc')}e4:name2:..`),
    info(`6:lengthi1e4:name200000:${'n'.repeat(200_000)}`),
    Buffer.from(`d13:announce-list${'l'.repeat(2)}ee4:infode`),
    Buffer.from(
      `d13:announce-listl${'l9:udp://a:1e'.repeat(60_000)}e4:infod6:lengthi1e4:name1:x12:piece lengthi16384e6:pieces20:${'x'.repeat(20)}ee`,
    ),
    Buffer.from(`d${Array.from({ length: 100_000 }, (_, at) => `6:${String(at).padStart(6, '0')}i0e`).join('')}e`),
  ]
}

/** Bodies that are torrents, changed and cut. */
async function torrents({ tally, node, fuzz, film }: Ground): Promise<void> {
  const headers = { 'x-api-key': node.key, 'content-type': 'application/x-bittorrent' }
  const large = fuzz.below(12) === 0
  const body = large ? fuzz.pick(bombs()) : fuzz.mutate(film.torrent)
  const answer = await ask(node.port, 'POST', '/downloads?paused=1', { headers, body, limitMs: 15_000 })
  const told = () =>
    `${answer.status} ${answer.body.slice(0, 200)} for ${Buffer.from(body.subarray(0, 120)).toString('latin1')}`
  tally.check('a torrent is taken or refused in words', answer.status >= 200 && answer.status < 500, told)
  const infoHash = /"infohash":\s*"([0-9a-f]{40})"/.exec(answer.body)?.[1]
  if (infoHash === undefined || infoHash === film.infoHash) return
  const removed = await ask(node.port, 'DELETE', `/downloads/${infoHash}?remove_data=1`, { headers, limitMs: 15_000 })
  tally.check(
    'what was taken can be removed',
    removed.status === 200,
    () => `${removed.status} ${removed.body.slice(0, 200)}`,
  )
}

/** Magnets with changed characters and absurd parameters. */
async function magnets({ tally, node, fuzz, film }: Ground): Promise<void> {
  const base = `magnet:?xt=urn:btih:${film.infoHash}&dn=x&tr=udp://127.0.0.1:1/&x.pe=127.0.0.1:1&so=0-1&ws=http://127.0.0.1:1/`
  const odd = [
    `magnet:?${'tr=udp://127.0.0.1:1&'.repeat(20_000)}`,
    `${base}&so=0-4294967295`,
    `${base}&x.pe=[::]:0`,
    `magnet:?xt=urn:btmh:1220${'f'.repeat(64)}&so=${'0,'.repeat(50_000)}`,
  ]
  const uri = fuzz.below(4) === 0 ? fuzz.pick(odd) : Buffer.from(fuzz.mutate(Buffer.from(base))).toString('latin1')
  const headers = { 'x-api-key': node.key, 'content-type': 'application/json' }
  const answer = await ask(node.port, 'PUT', '/downloads', {
    headers,
    body: JSON.stringify({ uri, paused: true }),
    limitMs: 25_000,
  })
  tally.check(
    'a magnet is taken or refused in words',
    answer.status >= 200 && answer.status < 500,
    () => `${answer.status} ${answer.body.slice(0, 200)} for ${uri.slice(0, 200)}`,
  )
  const infoHash = /"infohash":\s*"([0-9a-f]{40})"/.exec(answer.body)?.[1]
  if (infoHash !== undefined && infoHash !== film.infoHash)
    await ask(node.port, 'DELETE', `/downloads/${infoHash}`, { headers })
}

/** JSON and HTTP that parsers read in two ways. */
async function bodies({ tally, node, fuzz }: Ground): Promise<void> {
  const json = { 'x-api-key': node.key, 'content-type': 'application/json' }
  const odd = [
    '['.repeat(500_000),
    '{"a":'.repeat(100_000),
    `[${'0,'.repeat(450_000)}0]`,
    '{"general":{"__proto__":{"x":1}}}',
    '"\\ud800"',
    `{"a":1e${'9'.repeat(1000)}}`,
    `{${'"a":1,'.repeat(100_000)}"a":1}`,
  ]
  const body =
    fuzz.below(2) === 0 ? fuzz.pick(odd) : Buffer.from(fuzz.mutate(Buffer.from('{"libtorrent":{"upload_slots":8}}')))
  const answer = await ask(node.port, 'POST', fuzz.pick(['/settings', '/transmission/rpc', '/createtorrent']), {
    headers: json,
    body,
    limitMs: 10_000,
  })
  tally.check(
    'a body is taken or refused in words',
    answer.status >= 200 && answer.status < 500,
    () => `${answer.status} ${answer.body.slice(0, 200)} ${body.toString().slice(0, 80)}`,
  )
  const head = `POST /settings HTTP/1.1\r\nHost: 127.0.0.1:${node.port}\r\nX-Api-Key: ${node.key}\r\nContent-Type: application/json\r\n`
  const twice = [
    `${head}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}`,
    `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    `${head}Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    `${head}Host: evil.example\r\nContent-Length: 2\r\n\r\n{}`,
    `${head}Content-Length: -1\r\n\r\n{}`,
    `${head}Content-Length: 0x2\r\n\r\n{}`,
  ]
  const doubtful = (await sendBytes(node.port, Buffer.from(fuzz.pick(twice)), 700)).toString()
  tally.check('a doubtful length, coding or host is refused', !doubtful.startsWith('HTTP/1.1 200'), () =>
    doubtful.slice(0, 200),
  )
  const chunks = Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`)
  const garbage = fuzz.pick([
    fuzz.mutate(chunks),
    fuzz.bytes(3000),
    Buffer.from(`GET / HTTP/1.1\r\n${'A: b\r\n'.repeat(20_000)}`),
    Buffer.from(`GET /${'a'.repeat(300_000)}`),
  ])
  await sendBytes(node.port, garbage, 400)
  tally.check('garbage on the interface is lived through', node.process.exitCode === null)
}

/** One conversation of a peer that says wrong things. */
async function peer({ tally, node, fuzz, film, peerPort }: Ground): Promise<void> {
  const start = Buffer.from(validHandshake(film.infoHash, `-AT0001-${fuzz.below(1e9)}`))
  const extended = (id: number, payload: Uint8Array) => framed(20, Buffer.concat([Uint8Array.of(id), payload]))
  const hello = Buffer.concat([
    Buffer.from('d1:md11:ut_metadatai1e6:ut_pexi2ee13:metadata_sizei'),
    Buffer.from(String(fuzz.pick([-1, 0, 1e9, 1e15]))),
    Buffer.from('e1:v3:xxxe'),
  ])
  const length = Buffer.alloc(4)
  const sizes = [0xffffffff, 0x7fffffff, 16_777_216, 131_085]
  length.writeUInt32BE(fuzz.pick(sizes))
  const request = Buffer.alloc(12)
  for (const at of [0, 4, 8]) request.writeUInt32BE(fuzz.pick([0, 1, 0xffffffff, 0x7fffffff, 16_384, 131_072]), at)
  const says = [
    () => framed(fuzz.below(30), fuzz.bytes(400)),
    () => framed(6, request),
    () => framed(7, Buffer.concat([request.subarray(0, 8), fuzz.bytes(16_384)])),
    () => framed(5, fuzz.bytes(5000)),
    () => framed(4, request.subarray(0, 4)),
    () => extended(0, fuzz.mutate(hello)),
    () =>
      extended(
        fuzz.below(6),
        Buffer.concat([Buffer.from('d8:msg_typei1e5:piecei0e10:total_sizei1000000000ee'), fuzz.bytes(16_384)]),
      ),
    () => extended(2, Buffer.concat([Buffer.from('d5:added'), bencoded(fuzz.bytes(3000)), Buffer.from('e')])),
    () => extended(fuzz.below(6), Buffer.from('l'.repeat(60_000))),
    () => length,
    () => fuzz.bytes(2000),
  ]
  const first = fuzz.below(6) === 0 ? fuzz.mutate(start) : fuzz.below(6) === 0 ? fuzz.bytes(600) : start
  const parts = [first, ...Array.from({ length: fuzz.below(40) }, () => fuzz.pick(says)())]
  await sendBytes(peerPort, Buffer.concat(parts), 120)
  tally.check('a hostile peer is lived through', node.process.exitCode === null)
}

/** Many connections at once, silent or half greeting; all closed again. */
async function flood({ tally, node, film, peerPort }: Ground): Promise<void> {
  const start = validHandshake(film.infoHash, '-AT0001-flood')
  const ports = [peerPort, node.port]
  const sockets = Array.from({ length: 600 }, (_, at) => {
    const socket = connect({
      port: ports[at % 2] ?? peerPort,
      host: '127.0.0.1',
      localAddress: `127.0.0.${2 + (at % 200)}`,
    })
    socket.on('error', () => undefined).on('connect', () => socket.write(start.subarray(0, at % 69)))
    return socket
  })
  await new Promise(resolve => setTimeout(resolve, 400))
  const answer = await ask(node.port, 'GET', '/state', { headers: { 'x-api-key': node.key } })
  tally.check('the owner is answered in a flood of connections', answer.status === 200, () => answer.status)
  for (const socket of sockets) socket.destroy()
}

/** Datagrams for the port that DHT and uTP share. */
async function datagrams({ tally, node, fuzz, film, peerPort }: Ground): Promise<void> {
  const socket = createSocket('udp4')
  socket.on('error', () => undefined)
  const id = 'abcdefghij0123456789'
  const queries = [
    `d1:ad2:id20:${id}e1:q4:ping1:t2:aa1:y1:qe`,
    `d1:ad2:id20:${id}9:info_hash20:mnopqrstuvwxyz123456e1:q9:get_peers1:t2:aa1:y1:qe`,
    `d1:ad2:id20:${id}4:porti0e5:token8:aoeusnthe1:q13:announce_peer1:t2:aa1:y1:qe`,
    `d1:rd2:id20:${id}5:nodes26:${'n'.repeat(26)}e1:t2:aa1:y1:re`,
    `d1:ad2:id20:${id}1:v1000:${'v'.repeat(1000)}e1:q3:put1:t2:aa1:y1:qe`,
    'l'.repeat(1400),
  ]
  const utp = () =>
    Buffer.concat([
      Uint8Array.of((fuzz.below(6) << 4) | 1, fuzz.below(3)),
      Buffer.from(fuzz.bytes(40)),
      Buffer.from(validHandshake(film.infoHash, 'x')),
    ])
  for (let sent = 0; sent < 400; sent++) {
    const datagram =
      fuzz.below(3) === 0
        ? utp()
        : fuzz.below(3) === 0
          ? fuzz.bytes(1400)
          : fuzz.mutate(Buffer.from(fuzz.pick(queries)))
    socket.send(datagram, peerPort, '127.0.0.1')
    if (sent % 50 === 0) await new Promise(setImmediate)
  }
  await new Promise<void>(resolve => socket.close(() => resolve()))
  tally.check('datagrams are lived through', node.process.exitCode === null)
}

/** A tracker that lies, asked again by force each time. */
async function startTracker(fuzz: Fuzz) {
  let asked = 0
  const peers = Buffer.alloc(60_000, 127)
  const answers = (): Uint8Array[] => [
    fuzz.bytes(2000),
    fuzz.mutate(Buffer.from('d8:intervali1e5:peers6:abcdefe')),
    Buffer.concat([Buffer.from('d8:intervali0e12:min intervali-5e5:peers'), bencoded(peers), Buffer.from('e')]),
    Buffer.from(`d8:intervali99999999999999999999e5:peersl${'d2:ip9:127.0.0.14:porti1ee'.repeat(20_000)}ee`),
    Buffer.from('l'.repeat(200_000)),
    Buffer.alloc(8 * 2 ** 20, 'd1:a'),
    Buffer.from(`d14:failure reason5000:${'<script>'.repeat(625)}e`),
  ]
  const server = createServer((_, reply) => {
    asked++
    reply.on('error', () => undefined)
    if (fuzz.below(6) === 0)
      reply
        .writeHead(302, {
          location: fuzz.pick(['file:///etc/passwd', '/again', 'http://[::1]:1/', `http://${'a'.repeat(5000)}/`]),
        })
        .end()
    else if (fuzz.below(8) === 0)
      reply.writeHead(200, { 'content-length': '1000000000', 'content-encoding': 'gzip' }).write(fuzz.bytes(900))
    else reply.end(fuzz.pick(answers()))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/announce`,
    asked: () => asked,
    stop: () => (server.closeAllConnections(), server.close()),
  }
}

/** A download of its own asks the tracker, then is removed while it may still wait for the answer. */
async function trackers({ tally, node, fuzz, trackerUrl }: Ground): Promise<void> {
  const headers = { 'x-api-key': node.key, 'content-type': 'application/x-bittorrent' }
  const made = makeTorrent({ name: 'asked.bin', length: 20_000, seed: 1 + fuzz.below(1e9), announce: [[trackerUrl]] })
  const added = await ask(node.port, 'POST', '/downloads', { headers, body: made.torrent, limitMs: 10_000 })
  await new Promise(resolve => setTimeout(resolve, fuzz.below(400)))
  const path = `/downloads/${made.infoHash}`
  const asked = await ask(node.port, 'PUT', `${path}/tracker_force_announce`, { headers: { 'x-api-key': node.key } })
  const removed = await ask(node.port, 'DELETE', `${path}?remove_data=1`, {
    headers: { 'x-api-key': node.key },
    limitMs: 10_000,
  })
  const statuses = [added.status, asked.status, removed.status]
  tally.check(
    'a tracker that lies is asked and left in peace',
    statuses.every(status => status === 200),
    () => `${statuses.join()} ${asked.body.slice(0, 200)}`,
  )
}

/** Looks at the node all the time, as its owner does. */
function watch(node: NodeProcess) {
  const seen = { asked: 0, worstMs: 0, failed: 0, peakMiB: 0 }
  let over = false
  const looking = (async () => {
    while (!over) {
      const start = performance.now()
      const answer = await ask(node.port, 'GET', '/state', { headers: { 'x-api-key': node.key }, limitMs: 20_000 })
      seen.asked++
      if (answer.status !== 200) seen.failed++
      seen.worstMs = Math.max(seen.worstMs, performance.now() - start)
      seen.peakMiB = Math.max(seen.peakMiB, residentMiB(node.pid))
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  })()
  return { seen, stop: () => ((over = true), looking) }
}

await runAttack('parsers and peers', async tally => {
  const folder = await makeTestFolder()
  const fuzz = fuzzSource(tally.random.seed)
  const tracker = await startTracker(fuzz)
  const film = makeTorrent({ name: 'film.bin', length: 300_000, announce: [[tracker.url]] })
  const saveas = await folder.sub('to')
  const settings = {
    'libtorrent.dht': true,
    'libtorrent.utp': true,
    'libtorrent.pex': true,
    'libtorrent.dht_bootstrap': '',
    'download_defaults.saveas': saveas,
  }
  const node = await startNode({ settings })
  const watcher = watch(node)
  try {
    await node.request('POST', '/downloads', film.torrent, { 'content-type': 'application/x-bittorrent' })
    const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
    const ground: Ground = {
      tally,
      node,
      fuzz,
      film,
      trackerUrl: tracker.url,
      peerPort: variables.ports['libtorrent~port'] ?? 0,
    }
    const end = performance.now() + SECONDS * 1000
    // Side by side, so that what waits for one does not keep the others.
    const repeat = async (kind: (ground: Ground) => Promise<void>) => {
      do await kind(ground)
      while (performance.now() < end)
    }
    await Promise.all([torrents, magnets, bodies, peer, peer, peer, datagrams, trackers, flood].map(repeat))
    await watcher.stop()
    const { asked, worstMs, failed, peakMiB } = watcher.seen
    tally.note(
      `GET /state asked ${asked} times, slowest ${Math.round(worstMs)} ms; most memory ${Math.round(peakMiB)} MiB; ${tracker.asked()} answers of the tracker`,
    )
    tally.check('GET /state is always answered', failed === 0, () => failed)
    tally.check('GET /state is answered in time', worstMs < ANSWER_LIMIT_MS, () => `${Math.round(worstMs)} ms`)
    tally.check('memory stays within its bound', peakMiB < MEMORY_LIMIT_MIB, () => `${Math.round(peakMiB)} MiB`)
    const { stderr } = node.logs()
    tally.check(
      'nothing unhandled in the log',
      !/unhandled|uncaught/i.test(stderr),
      () => /^.*(unhandled|uncaught).*$/im.exec(stderr)?.[0],
    )
    const ended = await node.kill('SIGTERM')
    tally.check('the node ends', ended.code === 0, () => `${ended.code} ${ended.signal}`)
  } finally {
    await watcher.stop()
    tracker.stop()
    await node.stop()
    await folder.remove()
  }
})
