// Streams: ranges byte for byte, conditions, HEAD, multipart, waiting, clients that go (decisions part 2, row stream).

import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { Agent } from 'node:http'
import { type Socket, connect } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { StreamableFile } from '../../../src/services/api.ts'
import { type Answer, KEY, type Running, ask, envelope, startServer, until } from './harness.ts'
import { HASH } from './service-double.ts'

const SIZE = 3_000_017
const content = randomBytes(SIZE)
const PATH = `/downloads/${HASH}/stream/0`

let server: Running
before(async () => {
  server = await startServer({ maxStreams: 40 })
})
after(() => server.stop())
beforeEach(() => {
  server.double.content = content
  server.double.fileName = 'Film/film.mp4'
  server.double.makeAvailable(Number.POSITIVE_INFINITY)
  server.double.atHandTo = 0
  server.double.streamLate = false
})

const get = (range?: string, headers: Record<string, string> = {}, agent?: Agent): Promise<Answer> =>
  ask(server.port, PATH, {
    headers: range === undefined ? headers : { Range: range, ...headers },
    ...(agent === undefined ? {} : { agent }),
  })

function assertPart(answer: Answer, start: number, end: number): void {
  assert.equal(answer.status, 206)
  assert.equal(answer.headers['content-range'], `bytes ${start}-${end}/${SIZE}`)
  assert.equal(answer.headers['content-length'], String(end - start + 1))
  assert.ok(answer.body.equals(content.subarray(start, end + 1)), `${start}-${end} differs`)
}

async function compareRandomRanges(rounds: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const one = async () => {
    const start = randomInt(SIZE)
    const end = randomInt(3) === 0 ? randomInt(start, SIZE) : Math.min(SIZE - 1, start + randomInt(100_000))
    assertPart(await get(`bytes=${start}-${end}`, {}, agent), start, end)
  }
  for (let round = 0; round < rounds; round++) await Promise.all(Array.from({ length: 10 }, one))
  agent.destroy()
  assert.equal(server.double.openReaders, 0)
  assert.equal(server.arena.freeCount, server.arena.slotCount)
}

test('500 random ranges over kept connections equal the file byte for byte', () => compareRandomRanges(50))

test('ranges at hand, in part or whole, at once or after a wait, equal the file byte for byte', async () => {
  for (const streamLate of [false, true]) {
    for (const atHandTo of [SIZE, SIZE / 2]) {
      Object.assign(server.double, { streamLate, atHandTo })
      await compareRandomRanges(20)
    }
  }
})

test('a short range at hand needs neither a reader nor a slot', async () => {
  server.double.atHandTo = SIZE
  const { length } = server.double.readers
  const { reads } = server.double
  for (const [start, end] of [
    [0, 0],
    [5, 16_500],
    [100_000, 165_535],
    [SIZE - 1, SIZE - 1],
  ] as const) {
    assertPart(await get(`bytes=${start}-${end}`), start, end)
  }
  assert.equal(server.double.readers.length, length)
  assert.equal(server.double.reads, reads)
})

test('a client that goes while a stream at hand is blocked leaves no reader behind', async () => {
  server.double.content = randomBytes(32 * 1024 * 1024)
  server.double.atHandTo = server.double.content.length
  const socket = connect(server.port, '127.0.0.1')
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${KEY}\r\n\r\n`)
  await until(() => server.double.openReaders === 1)
  socket.destroy()
  await until(() => server.double.openReaders === 0)
  assert.equal(server.exceptions.length, 0)
})

test('a reader that cannot be opened after the first bytes cuts the connection, and only that', async () => {
  server.double.content = randomBytes(32 * 1024 * 1024)
  const { streamable } = server.double.downloads
  server.double.downloads.streamable = (...request) => {
    const file = streamable(...request) as StreamableFile
    const openReader = () => {
      throw new AppError('FileNotFound')
    }
    return { ...file, openReader }
  }
  server.double.atHandTo = server.double.content.length
  await assert.rejects(get())
  server.double.downloads.streamable = streamable
  server.double.content = content
  assertPart(await get('bytes=0-99'), 0, 99)
})

test('a GET without Range is 206 of the whole, with all headers of the file', async () => {
  const answer = await get()
  assertPart(answer, 0, SIZE - 1)
  assert.equal(answer.headers['accept-ranges'], 'bytes')
  assert.equal(answer.headers.etag, `"${HASH}-0"`)
  assert.equal(answer.headers['content-type'], 'video/mp4')
  assert.equal(answer.headers['content-security-policy'], 'sandbox allow-same-origin')
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
})

test('suffix, open and overlong ranges', async () => {
  assertPart(await get('bytes=-5'), SIZE - 5, SIZE - 1)
  assertPart(await get(`bytes=${SIZE - 3}-`), SIZE - 3, SIZE - 1)
  assertPart(await get(`bytes=10-${SIZE * 2}`), 10, SIZE - 1)
  assertPart(await get(`bytes=-${SIZE * 2}`), 0, SIZE - 1)
  assertPart(await get('BYTES = 0-0 '), 0, 0)
})

test('a range outside the file is 416 with its size', async () => {
  for (const range of [`bytes=${SIZE}-`, `bytes=${SIZE * 2}-${SIZE * 3}`, 'bytes=-0']) {
    const answer = await get(range)
    assert.equal(answer.status, 416, range)
    assert.equal(answer.headers['content-range'], `bytes */${SIZE}`)
    assert.equal(envelope(answer).code, 'RangeNotSatisfiable')
  }
})

test('malformed ranges and other units are ignored', async () => {
  for (const range of ['bytes=5-2', 'bytes=a-b', 'bytes=-', 'bytes=', 'items=0-1', 'bytes 0-1', 'bytes=0-1,x']) {
    assertPart(await get(range), 0, SIZE - 1)
  }
})

/** Takes a multipart answer apart, checking its frame. */
function parts(answer: Answer): { range: string; body: Buffer }[] {
  const boundary = /^multipart\/byteranges; boundary=([0-9a-f]+)$/.exec(answer.headers['content-type'] ?? '')?.[1]
  assert.ok(boundary !== undefined)
  const found: { range: string; body: Buffer }[] = []
  let at = 0
  for (;;) {
    const lead: string = at === 0 ? `--${boundary}` : `\r\n--${boundary}`
    assert.equal(answer.body.toString('latin1', at, at + lead.length), lead)
    at += lead.length
    if (answer.body.toString('latin1', at) === '--\r\n') return found
    const headEnd = answer.body.indexOf('\r\n\r\n', at)
    const match = /^\r\nContent-Type: video\/mp4\r\nContent-Range: bytes ((\d+)-(\d+))\/3000017$/.exec(
      answer.body.toString('latin1', at, headEnd),
    )
    assert.ok(match !== null)
    const length = Number(match[3]) - Number(match[2]) + 1
    at = headEnd + 4
    found.push({ range: match[1] ?? '', body: answer.body.subarray(at, at + length) })
    at += length
  }
}

test('several ranges come as multipart, in the order asked for', async () => {
  const answer = await get(`bytes=1000000-2000000, 0-0,-7,${SIZE}-`)
  assert.equal(answer.status, 206)
  assert.equal(answer.headers['content-range'], undefined)
  assert.equal(Number(answer.headers['content-length']), answer.body.length)
  const found = parts(answer)
  assert.deepEqual(
    found.map(part => part.range),
    ['1000000-2000000', '0-0', `${SIZE - 7}-${SIZE - 1}`],
  )
  for (const { range, body } of found) {
    const [start, end] = range.split('-').map(Number)
    assert.ok(body.equals(content.subarray(start, (end ?? 0) + 1)), range)
  }
})

test('16 ranges are multipart, 17 are the whole file, one that exists is single', async () => {
  const many = (count: number) =>
    `bytes=${Array.from({ length: count }, (_, at) => `${at * 10}-${at * 10 + 3}`).join(',')}`
  assert.equal(parts(await get(many(16))).length, 16)
  assertPart(await get(many(17)), 0, SIZE - 1)
  assertPart(await get(`bytes=${SIZE}-,5-9`), 5, 9)
})

test('HEAD is 200 with the length of the file, whatever range', async () => {
  const answer = await ask(server.port, PATH, { method: 'HEAD', headers: { Range: 'bytes=0-1' } })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-length'], String(SIZE))
  assert.equal(answer.headers['content-range'], undefined)
  assert.equal(answer.headers['accept-ranges'], 'bytes')
})

test('answers without a body keep their connection', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sockets = new Set<number | undefined>()
  agent.on('free', (socket: Socket) => sockets.add(socket.localPort))
  const gone = `/downloads/${HASH}/nothing`
  for (const [method, path, header] of [
    ['HEAD', PATH, ''],
    ['HEAD', '/state', ''],
    ['HEAD', gone, ''],
    ['GET', PATH, '*'],
    ['HEAD', PATH, '*'],
  ] as const) {
    await ask(server.port, path, { method, agent, headers: header === '' ? {} : { 'If-None-Match': header } })
    assertPart(await get('bytes=0-9', {}, agent), 0, 9)
  }
  agent.destroy()
  assert.equal(sockets.size, 1)
})

test('If-None-Match is 304, If-Range decides about the range', async () => {
  for (const tag of [`"${HASH}-0"`, `W/"${HASH}-0"`, '*', `"x", "${HASH}-0"`]) {
    const answer = await get('bytes=0-1', { 'If-None-Match': tag })
    assert.equal(answer.status, 304, tag)
    assert.equal(answer.headers.etag, `"${HASH}-0"`)
    assert.equal(answer.body.length, 0)
  }
  assertPart(await get('bytes=0-1', { 'If-None-Match': '"other"' }), 0, 1)
  assertPart(await get('bytes=0-1', { 'If-Range': `"${HASH}-0"` }), 0, 1)
  for (const other of ['"other"', `W/"${HASH}-0"`, 'Wed, 21 Oct 2015 07:28:00 GMT']) {
    assertPart(await get('bytes=0-1', { 'If-Range': other }), 0, SIZE - 1)
  }
})

test('an empty file is 200 without a body, a range of it 416', async () => {
  server.double.content = Buffer.alloc(0)
  const whole = await get()
  assert.equal(whole.status, 200)
  assert.equal(whole.headers['content-length'], '0')
  assert.equal((await get('bytes=x')).status, 200)
  const range = await get('bytes=0-0')
  assert.equal(range.status, 416)
  assert.equal(range.headers['content-range'], 'bytes */0')
})

test('the type follows the extension', async () => {
  const types: [string, string][] = [
    ['a/b.mkv', 'video/x-matroska'],
    ['b.nothing-known', 'application/octet-stream'],
    ['noextension', 'application/octet-stream'],
    ['a.srt', 'application/x-subrip'],
  ]
  for (const [name, type] of types) {
    server.double.fileName = name
    assert.equal((await get('bytes=0-0')).headers['content-type'], type, name)
  }
})

test('a reader waits for missing bytes and gets each as it comes', async () => {
  server.double.makeAvailable(0)
  const answer = get('bytes=100-2000000')
  await until(() => server.double.openReaders === 1)
  for (const end of [50, 150, 100_000, 100_001, 1_500_000, SIZE]) {
    server.double.makeAvailable(end)
    if (end < SIZE) await until(() => server.double.waitingReaders === 1)
  }
  assertPart(await answer, 100, 2_000_000)
})

test('a waiting reader holds no slot and sends its head before the data', async () => {
  server.double.makeAvailable(0)
  const socket = connect(server.port, '127.0.0.1')
  let got = ''
  socket.on('data', chunk => {
    got += chunk.toString('latin1')
  })
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${KEY}\r\n\r\n`)
  await until(() => got.endsWith('\r\n\r\n'))
  assert.match(got, /^HTTP\/1\.1 206 /)
  assert.equal(server.arena.freeCount, server.arena.slotCount)
  assert.equal(server.double.openReaders, 1)
  socket.destroy()
  await until(() => server.double.openReaders === 0)
})

test('a client that goes in the middle closes its reader at once', async () => {
  const socket = connect(server.port, '127.0.0.1')
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${KEY}\r\n\r\n`)
  await new Promise(resolve => socket.once('data', resolve))
  socket.destroy()
  await until(() => server.double.openReaders === 0 && server.arena.freeCount === server.arena.slotCount)
  assert.equal(server.exceptions.length, 0)
})

test('a reader that fails to close does not end the process', async () => {
  server.double.makeAvailable(0)
  const failure = new Error('close failed')
  const { streamable } = server.double.downloads
  server.double.downloads.streamable = async (...request) => {
    const file = await streamable(...request)
    return { ...file, openReader: () => failingClose(file.openReader(), failure) }
  }
  const socket = connect(server.port, '127.0.0.1')
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${KEY}\r\n\r\n`)
  await new Promise(resolve => socket.once('data', resolve))
  socket.destroy()
  await until(() => server.exceptions.length > 0)
  server.double.downloads.streamable = streamable
  assert.equal(server.exceptions.splice(0)[0], failure)
  server.double.makeAvailable(SIZE)
  assertPart(await get('bytes=0-0'), 0, 0)
})

test('a failure before the first byte is an envelope, later it cuts the connection', async () => {
  const openReader = () => {
    throw new AppError('FileNotFound')
  }
  const { streamable } = server.double.downloads
  server.double.downloads.streamable = async () => ({ name: 'a', size: 5, tag: 't', openReader })
  assert.equal(envelope(await get()).code, 'FileNotFound')
  server.double.downloads.streamable = streamable
  server.double.makeAvailable(300_000)
  const answer = get()
  await until(() => server.double.waitingReaders === 1)
  for (const reader of server.double.readers) reader.fail(new AppError('DiskError'))
  await assert.rejects(answer)
  assert.equal(server.exceptions.length, 0)
  assert.equal(server.double.openReaders, 0)
})

test('more streams than slots share them; more than the limit get a 503 with Retry-After', async () => {
  server.double.makeAvailable(0)
  const answers = Array.from({ length: 40 }, () => get())
  await until(() => server.double.openReaders === 40)
  const refused = await get()
  assert.equal(refused.status, 503)
  assert.equal(envelope(refused).code, 'TooManyRequests')
  assert.ok(Number(refused.headers['retry-after']) > 0)
  server.double.makeAvailable(SIZE)
  for (const answer of await Promise.all(answers)) assertPart(answer, 0, SIZE - 1)
  assert.equal(server.arena.mostLent, server.arena.slotCount)
  assert.equal(server.double.openReaders, 0)
})

test('the length of a file over 4 GiB is sent in full', async () => {
  const huge = 6 * 1024 ** 3
  const { streamable } = server.double.downloads
  server.double.downloads.streamable = async () => {
    const file = await streamable(HASH, '0', new AbortController())
    return { ...file, size: huge, openReader: () => offsetReader(file.openReader(), huge - SIZE) }
  }
  const answer = await get(`bytes=${huge - 10}-`)
  const head = await ask(server.port, PATH, { method: 'HEAD' })
  server.double.downloads.streamable = streamable
  assert.equal(answer.headers['content-range'], `bytes ${huge - 10}-${huge - 1}/${huge}`)
  assert.ok(answer.body.equals(content.subarray(SIZE - 10)))
  assert.equal(head.headers['content-length'], String(huge))
})

type Reader = ReturnType<Awaited<ReturnType<Running['double']['downloads']['streamable']>>['openReader']>

function failingClose(reader: Reader, failure: Error): Reader {
  return {
    waitFor: position => reader.waitFor(position),
    read: (position, length, slot) => reader.read(position, length, slot),
    close: () => {
      reader.close()
      throw failure
    },
  }
}

// The end of a huge file is the small one.
function offsetReader(reader: Reader, offset: number): Reader {
  return {
    waitFor: position => reader.waitFor(position - offset),
    read: (position, length, slot) => reader.read(position - offset, length, slot),
    close: () => reader.close(),
  }
}
