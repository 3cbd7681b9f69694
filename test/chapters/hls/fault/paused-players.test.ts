// Players that stop within a segment: the native server would cut them after about 10 s, the node does not while it has
// room. These tests wait in real time, side by side, because the time in question is the native server's.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import type { HlsService } from '../../../../src/chapters/hls/service/hls-api.ts'
import { planOf } from '../../../../src/chapters/hls/core/segment-plan.ts'
import { ask, KEY, type Running, startServer, until } from '../../../contract/http/harness.ts'
import { HASH } from '../../../contract/http/service-double.ts'
import { madeFacts } from '../kit/made-facts.ts'

/** Longer than the native 10 s and the 4 s of its clock's steps. */
const PAUSE_MS = 17_000
const MIB = 1024 * 1024
const PATH = `/downloads/${HASH}/hls/0/segments/0.ts`

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** A player that stops reading after its first bytes. */
class Player {
  readonly socket: Socket
  readonly #chunks: Buffer[] = []
  #length = 0
  #goal = 1
  closed = false

  constructor(port: number, link = '') {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('error', () => undefined)
    this.socket.on('close', () => (this.closed = true))
    this.socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#length += chunk.length
      if (this.#length >= this.#goal) this.socket.pause()
    })
    const opened = link === '' ? `X-Api-Key: ${KEY}\r\n` : ''
    this.socket.write(`GET ${PATH}${link} HTTP/1.1\r\nHost: localhost\r\n${opened}\r\n`)
  }

  /** Reads on; so many bytes, and stops again. */
  take(bytes = Number.POSITIVE_INFINITY): void {
    this.#goal = this.#length + bytes
    this.socket.resume()
  }

  /** Bytes that came, those of the head too. */
  get length(): number {
    return this.#length
  }

  /** The first bytes. */
  get start(): string {
    return this.#chunks[0]?.toString('latin1', 0, 20) ?? ''
  }

  get body(): Buffer {
    const all = Buffer.concat(this.#chunks)
    return all.subarray(all.indexOf('\r\n\r\n') + 4)
  }
}

async function serverOf(segment: Buffer): Promise<Running> {
  const hls: HlsService = {
    plan: async ({ sound }) => planOf(madeFacts(), 1_000_000, sound),
    segment: async () => segment,
  }
  return startServer({}, 4, { services: { hls } as object })
}

describe('paused players', { concurrency: true }, () => {
  test('one that stops within a segment has all of it when it goes on', async () => {
    const segment = randomBytes(24 * MIB)
    const server = await serverOf(segment)
    const player = new Player(server.port)
    await until(() => player.length > 0)
    await pause(PAUSE_MS)
    assert.equal(player.closed, false)
    player.take()
    await until(() => player.length >= segment.length + 100, 20_000)
    await until(() => player.body.length === segment.length)
    assert.ok(player.body.equals(segment))
    player.socket.destroy()
    await server.stop()
  })

  test('a segment under way ends when the link that opened it is taken back', async () => {
    const segment = randomBytes(24 * MIB)
    const server = await serverOf(segment)
    const parameters = JSON.stringify({ name: 'set', infohash: HASH, fileindex: 0, days: 7 })
    const headers = { 'Content-Type': 'application/json' }
    const given = await ask(server.port, '/links', { method: 'PUT', headers, body: parameters })
    const { url, id } = given.json() as { url: string; id: string }
    const player = new Player(server.port, url.slice(url.indexOf('?')))
    await until(() => player.length > 0)
    assert.match(player.start, /^HTTP\/1\.1 200 /)
    assert.equal((await ask(server.port, `/links/${id}`, { method: 'DELETE' })).status, 200)
    // Longer than between two looks at the links.
    await pause(3000)
    player.take()
    await until(() => player.closed)
    assert.ok(player.body.length < segment.length, `${player.body.length} bytes`)
    await server.stop()
  })

  test('two that trickle do not keep players of another film waiting', async () => {
    const server = await serverOf(Buffer.alloc(48 * MIB))
    const players = [new Player(server.port), new Player(server.port)]
    await until(() => players.every(({ length }) => length > 0))
    const trickling = setInterval(() => {
      for (const player of players) player.take(MIB)
    }, 2000)
    let tries = 0
    for (; tries < 30; tries += 1) {
      const { status } = await ask(server.port, PATH.replace('/hls/0/', '/hls/1/'))
      if (status === 200) break
      assert.equal(status, 503)
      await pause(500)
    }
    assert.ok(tries > 5 && tries < 30, `${tries} tries`)
    clearInterval(trickling)
    for (const player of players) player.socket.destroy()
    await server.stop()
  })

  test('two of them do not keep the next one waiting for longer than before', async () => {
    const server = await serverOf(Buffer.alloc(48 * MIB))
    const players = [new Player(server.port), new Player(server.port)]
    await until(() => players.every(({ length }) => length > 0))
    const refusals: number[] = []
    for (;;) {
      const { status } = await ask(server.port, PATH)
      if (status === 200) break
      refusals.push(status)
      assert.equal(status, 503)
      assert.ok(refusals.length < 60, 'it is served by and by')
      await pause(500)
    }
    assert.ok(refusals.length > 5, 'those that pause are not cut at once')
    for (const player of players) player.take()
    await until(() => players.filter(player => player.closed).length === 1)
    for (const player of players) player.socket.destroy()
    await server.stop()
  })
})
