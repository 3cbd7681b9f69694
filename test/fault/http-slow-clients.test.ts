// Clients that stall: the native server would cut them after about 10 s, the node must not before its own limit. These
// tests wait in real time, side by side, because the time in question is the native server's.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type Socket, connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { KEY, type Running, ask, startServer, until } from '../contract/http/harness.ts'
import { HASH } from '../contract/http/service-double.ts'

/** Longer than the native 10 s and the 4 s of its clock's steps. */
const STALL_MS = 17_000
const SIZE = 24 * 1024 * 1024
const content = randomBytes(SIZE)

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** A raw stream client that can stop reading. */
class Client {
  readonly socket: Socket
  #chunks: Buffer[] = []
  #headLength = 0
  #length = 0
  closed = false

  constructor(port: number, headers = '') {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.closed = true
    })
    this.socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#length += chunk.length
      // The head comes in one piece, as the native server sends it.
      if (this.#headLength === 0) this.#headLength = chunk.indexOf('\r\n\r\n') + 4
    })
    this.socket.write(
      `GET /downloads/${HASH}/stream/0 HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${KEY}\r\n${headers}\r\n`,
    )
  }

  get body(): Buffer {
    return Buffer.concat(this.#chunks).subarray(this.#headLength)
  }

  /** How long the body is by now; asked for all the time, so nothing is copied. */
  get bodyLength(): number {
    return this.#length - this.#headLength
  }
}

describe('slow clients', { concurrency: true }, () => {
  let server: Running
  before(async () => {
    server = await startServer({}, 4)
    server.double.content = content
  })
  after(() => server.stop())

  test('a stalled client holds no slot, and reads every byte later', async () => {
    const client = new Client(server.port)
    client.socket.pause()
    await pause(STALL_MS)
    assert.equal(server.arena.freeCount, server.arena.slotCount)
    assert.equal(client.closed, false)
    client.socket.resume()
    await until(() => client.bodyLength === SIZE, 20_000)
    assert.ok(client.body.equals(content))
    client.socket.destroy()
  })

  test('a reader that waits for data longer than the native limit gets it', async () => {
    const own = await startServer()
    own.double.content = content
    own.double.makeAvailable(5_000_000)
    const client = new Client(own.port)
    await until(() => client.bodyLength === 5_000_000)
    await pause(STALL_MS)
    assert.equal(client.closed, false)
    own.double.makeAvailable(SIZE)
    await until(() => client.bodyLength === SIZE, 20_000)
    assert.ok(client.body.equals(content))
    client.socket.destroy()
    await own.stop()
  })

  test('an event stream without events stays open and says so', async () => {
    const socket = connect(server.port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
    })
    socket.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${KEY}\r\n\r\n`)
    // An empty line is a chunk of one byte; the native side sends the end of a chunk with the next one.
    await until(() => text.endsWith('1\r\n\n'), STALL_MS)
    server.double.emit({ id: 5, type: 'tribler_started' })
    await until(() => text.includes('"type":"tribler_started"'))
    socket.destroy()
  })

  test('a silent client is cut after the limit that is set', async () => {
    const own = await startServer({ silentReaderMs: 5000 })
    own.double.content = content
    const client = new Client(own.port)
    client.socket.pause()
    await until(() => own.double.openReaders === 1)
    await until(() => own.double.openReaders === 0, 12_000)
    client.socket.resume()
    await until(() => client.closed)
    assert.ok(client.bodyLength < SIZE)
    await own.stop()
  })

  test('slow clients do not keep others from their slots', async () => {
    const slow = Array.from({ length: 12 }, () => new Client(server.port))
    for (const client of slow) client.socket.pause()
    await until(() => server.double.openReaders >= 12)
    const answer = await ask(server.port, `/downloads/${HASH}/stream/0`)
    assert.ok(answer.body.equals(content))
    for (const client of slow) client.socket.destroy()
  })
})
