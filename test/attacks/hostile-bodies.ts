// Torrents, magnets, JSON and HTTP itself, wrong in the ways that parsers trip over.

import { ask, sendBytes } from './raw-request.ts'
import type { Ground } from './ground.ts'

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
export async function torrents({ tally, node, fuzz, film }: Ground): Promise<void> {
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
export async function magnets({ tally, node, fuzz, film }: Ground): Promise<void> {
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
export async function bodies({ tally, node, fuzz }: Ground): Promise<void> {
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
