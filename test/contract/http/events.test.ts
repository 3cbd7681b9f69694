// The event stream: both framings, replay, keep-alive, slow followers (decisions part 6).

import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { KEY, type Running, ask, envelope, realClock, startServer, until } from './harness.ts'

let server: Running
before(async () => {
  server = await startServer({ maxFollowers: 4 })
})
after(() => server.stop())

/** A follower and what it has got so far. */
class Follower {
  text = ''
  ended = false
  readonly #response: IncomingMessage

  constructor(response: IncomingMessage) {
    this.#response = response
    response.on('data', (chunk: Buffer) => {
      this.text += chunk.toString('utf8')
    })
    response.on('error', () => {})
    response.on('close', () => {
      this.ended = true
    })
  }

  get headers(): IncomingMessage['headers'] {
    return this.#response.headers
  }

  close(): void {
    this.#response.destroy()
  }
}

function follow(path = '/events', headers: Record<string, string> = {}): Promise<Follower> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: server.port,
      path,
      agent: false,
      headers: { 'X-Api-Key': KEY, ...headers },
    }
    request(options, response => resolve(new Follower(response)))
      .on('error', reject)
      .end()
  })
}

test('events come one JSON object a line', async () => {
  const follower = await follow()
  assert.match(String(follower.headers['content-type']), /ndjson/)
  server.double.emit({ id: 2, type: 'torrent_finished', event: { infohash: 'a', name: 'two\nlines ä' } })
  server.double.emit({ id: 3, type: 'tribler_started' })
  await until(() => follower.text.includes('"type":"tribler_started"'))
  const records = follower.text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as unknown)
  assert.deepEqual(records, [
    { id: 1, type: 'events_start', event: { tribler_started: true, version: '1.2.3' } },
    { id: 2, type: 'torrent_finished', event: { infohash: 'a', name: 'two\nlines ä' } },
    { id: 3, type: 'tribler_started' },
  ])
  follower.close()
  await until(() => server.double.followers.size === 0)
})

test('server-sent events carry ids and data', async () => {
  const follower = await follow('/events', { Accept: 'text/event-stream' })
  assert.equal(follower.headers['content-type'], 'text/event-stream')
  assert.equal(follower.headers['cache-control'], 'no-cache')
  server.double.emit({ id: 0, type: 'tribler_started' })
  server.double.emit({ id: 7, type: 'tribler_started' })
  await until(() => follower.text.includes('id: 7'))
  assert.match(follower.text, /^id: 1\ndata: \{.*\}\n\n/)
  assert.ok(follower.text.endsWith('id: 7\ndata: {"id":7,"type":"tribler_started"}\n\n'))
  assert.ok(!follower.text.includes('id: 0'), 'a browser would come back and ask for the whole log')
  follower.close()
  await until(() => server.double.followers.size === 0)
})

test('since and Last-Event-ID say where to go on', async () => {
  const since = async (path: string, headers: Record<string, string> = {}) => {
    const follower = await follow(path, headers)
    follower.close()
    await until(() => server.double.followers.size === 0)
    return server.double.calls.at(-1)?.[1]
  }
  assert.equal(await since('/events'), null)
  assert.equal(await since('/events?since=5'), 5)
  assert.equal(await since('/events', { 'Last-Event-ID': '6' }), 6)
  // What a browser sends when it reconnects: the header is newer than its address.
  assert.equal(await since('/events?since=5', { 'Last-Event-ID': '6' }), 6)
  assert.equal(await since('/events?since=5', { 'Last-Event-ID': 'nonsense' }), 5)
  assert.equal(await since('/events', { 'Last-Event-ID': 'nonsense' }), null)
  const bad = await ask(server.port, '/events?since=x')
  assert.equal(bad.status, 400)
  assert.equal(envelope(bad).code, 'InvalidParameter')
})

test('HEAD ends at once and follows nothing', async () => {
  const answer = await ask(server.port, '/events', { method: 'HEAD' })
  assert.equal(answer.status, 200)
  assert.equal(server.double.followers.size, 0)
})

test('followers beyond the limit get a 503', async () => {
  const followers = await Promise.all(Array.from({ length: 4 }, () => follow()))
  const refused = await ask(server.port, '/events')
  assert.equal(refused.status, 503)
  assert.equal(envelope(refused).code, 'TooManyRequests')
  for (const follower of followers) follower.close()
  await until(() => server.double.followers.size === 0)
  const again = await follow()
  again.close()
  await until(() => server.double.followers.size === 0)
})

test('while the store is upgraded only what tells of it answers', async () => {
  server.double.state.upgrading = true
  try {
    for (const path of ['/state', '/healthz', '/docs/openapi.json']) {
      assert.equal((await ask(server.port, path)).status, 200, path)
    }
    const follower = await follow()
    assert.equal(follower.headers['content-type'], 'application/x-ndjson; charset=utf-8')
    follower.close()
    for (const path of ['/downloads', '/settings', '/variables']) {
      const refused = await ask(server.port, path)
      assert.equal(refused.status, 503, path)
      assert.equal(envelope(refused).code, 'NotReady')
      assert.ok(refused.headers['retry-after'] !== undefined, path)
    }
    const change = await ask(server.port, '/settings', { method: 'POST', body: '{}' })
    assert.equal(change.status, 503)
    await until(() => server.double.followers.size === 0)
  } finally {
    server.double.state.upgrading = false
  }
})

/** A follower that reads nothing. */
async function deafFollower(running = server): Promise<import('node:net').Socket> {
  const socket = connect(running.port, '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${KEY}\r\n\r\n`)
  await until(() => running.double.followers.size === 1)
  return socket
}

const text = 'x'.repeat(10_000)

test('a follower that does not read is cut off before it costs much', async () => {
  const socket = await deafFollower()
  let sent = 0
  while (server.double.followers.size > 0) {
    sent += 1
    assert.ok(sent < 5000, 'never cut off')
    server.double.emit({ id: sent, type: 'tribler_exception', event: { text } })
  }
  // The kernel takes some megabytes of both ends; what is above is ours and has a bound.
  assert.ok(sent * text.length < 20_000_000)
  socket.destroy()
})

test('a reader that takes a little at each keep-alive is kept, one that takes nothing is cut off', async () => {
  const beats: (() => void)[] = []
  const clock = {
    ...realClock,
    every: (_ms: number, run: () => void) => {
      beats.push(run)
      return { cancel: () => undefined }
    },
  }
  const other = await startServer({}, 8, { clock })
  try {
    const fill = async (): Promise<void> => {
      while (other.double.room?.() === undefined) {
        other.double.emit({ id: 5, type: 'tribler_exception', event: { text } })
        await new Promise(setImmediate)
      }
    }
    const socket = await deafFollower(other)
    for (let beat = 0; beat < 4; beat++) {
      await fill()
      for (const run of beats) run()
      assert.equal(other.double.followers.size, 1)
      const room = other.double.room?.()
      socket.resume()
      await room
      socket.pause()
    }
    await fill()
    for (const run of beats) run()
    assert.equal(other.double.followers.size, 1, 'it may be between two reads')
    for (const run of beats) run()
    assert.equal(other.double.followers.size, 0)
    socket.destroy()
  } finally {
    await other.stop()
  }
})

test('what waits goes out as soon as the connection takes again, also when nothing new comes', async () => {
  const socket = await deafFollower()
  let id = 1
  while (server.double.room?.() === undefined) {
    server.double.emit({ id: ++id, type: 'tribler_exception', event: { text } })
    await new Promise(setImmediate)
  }
  let got = ''
  socket.on('data', chunk => {
    got += chunk.toString('latin1')
  })
  socket.resume()
  // Sooner than the next keep-alive, which would take it along.
  await until(() => got.includes(`"id":${id},`), 5000)
  socket.destroy()
  await until(() => server.double.followers.size === 0)
})

test('a replay waits for a slow reader instead of losing it', async () => {
  const socket = await deafFollower()
  let id = 1
  while (server.double.room?.() === undefined) {
    server.double.emit({ id: ++id, type: 'tribler_exception', event: { text } })
  }
  const room = server.double.room?.()
  let got = ''
  socket.on('data', chunk => {
    got += chunk.toString('latin1')
  })
  socket.resume()
  await room
  assert.equal(server.double.followers.size, 1)
  server.double.emit({ id: ++id, type: 'tribler_started' })
  await until(() => got.includes('"tribler_started"}'))
  const ids = [...got.matchAll(/"id":(\d+),"type":"t/g)].map(match => Number(match[1]))
  assert.deepEqual(
    ids,
    Array.from({ length: id - 1 }, (_, at) => at + 2),
  )
  socket.destroy()
  await until(() => server.double.followers.size === 0)
})
