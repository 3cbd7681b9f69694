// 100,000 events while fifty readers follow over real sockets, and five of them stop reading: the others get every
// event in order, the five are cut off and find the rest in the log.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { waitFor } from '../../kit/wait-for.ts'
import { temporaryFolder } from '../../unit/records/records-kit.ts'

const EVENTS = 100_000
const READERS = 45
const STALLED = 5
const SERVER = fileURLToPath(new URL('./event-burst-server.js', import.meta.url))

/** The lines of the burst, as every reader must get them. */
const expected = Array.from({ length: EVENTS }, (_, index) => lineOf(index + 1))

function lineOf(id: number): string {
  return JSON.stringify({ id, type: 'torrent_finished', event: { infohash: 'ab'.repeat(20), name: `torrent ${id}` } })
}

/** One reader on a socket of its own; it checks each event against what must come next. */
class Reader {
  readonly socket: Socket
  /** Id of the newest event it has. */
  newest: number
  started = false
  closed = false
  /** The first line that was not what had to come. */
  wrong = ''
  #rest = ''

  constructor(port: number, key: string, since: number | null) {
    this.newest = since ?? 0
    this.socket = connect(port, '127.0.0.1')
    const query = since === null ? '' : `?since=${since}`
    this.socket.write(`GET /events${query} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${key}\r\n\r\n`)
    this.socket.setEncoding('latin1').on('data', (text: string) => this.#read(text))
    this.socket.on('error', () => undefined)
    this.socket.on('close', () => {
      this.closed = true
    })
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      // Sizes of chunks, headers and keep-alives stand between.
      if (!line.startsWith('{')) continue
      if (line === expected[this.newest]) this.newest++
      else if (line.includes('"type":"events_start"')) this.started = true
      else this.wrong ||= `after ${this.newest}: ${line}`
    }
  }
}

interface Server {
  readonly child: ChildProcess
  answer(): Promise<Record<string, unknown>>
}

function startServer(path: string): Server {
  const child = spawn(process.execPath, [SERVER, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  const answer = async (): Promise<Record<string, unknown>> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the server ended')
    return JSON.parse(value) as Record<string, unknown>
  }
  return { child, answer }
}

test('100,000 events reach 45 readers in order while 5 others stall', { timeout: 170_000 }, async t => {
  const server = startServer(join(temporaryFolder(t), 'a.db'))
  const readers: Reader[] = []
  t.after(() => {
    for (const reader of readers) reader.socket.destroy()
    server.child.kill('SIGKILL')
  })
  const { port, key } = (await server.answer()) as { port: number; key: string }
  for (let n = 0; n < READERS + STALLED; n++) readers.push(new Reader(port, key, null))
  await waitFor('all to be greeted', () => readers.every(reader => reader.started))
  const stalled = readers.slice(READERS)
  const following = readers.slice(0, READERS)
  for (const reader of stalled) reader.socket.pause()

  const began = performance.now()
  server.child.stdin?.write(`burst ${EVENTS}\n`)
  const written = await server.answer()
  const far = () => following.map(reader => reader.newest)
  const check = () => {
    for (const reader of following) assert.equal(reader.wrong, '')
    return following.every(reader => reader.newest === EVENTS)
  }
  await waitFor('every event at every reader', check, 120_000, far)
  server.child.stdin?.write('cost\n')
  const cost = await server.answer()
  t.diagnostic(JSON.stringify({ ...written, readMs: Math.round(performance.now() - began), ...cost }))
  assert.ok((cost['grownMiB'] as number) < 200, `memory grew by ${String(cost['grownMiB'])} MiB`)
  assert.ok(!following.some(reader => reader.closed), 'a reader that reads was cut off')

  const count = async (): Promise<unknown> => {
    server.child.stdin?.write('followers\n')
    return (await server.answer())['followers']
  }
  await waitFor('the stalled ones to be cut off', async () => (await count()) === READERS, 30_000, count)
  // What the kernel still holds is read, then the end is seen.
  for (const reader of stalled) reader.socket.resume()
  await waitFor('their end', () => stalled.every(reader => reader.closed))
  for (const reader of stalled) assert.equal(reader.wrong, '')
  const back = stalled.map(reader => new Reader(port, key, reader.newest))
  readers.push(...back)
  await waitFor(
    'what they missed',
    () => back.every(reader => reader.newest === EVENTS),
    60_000,
    () => back.map(reader => [reader.newest, reader.wrong]),
  )
  server.child.stdin?.end()
  assert.deepEqual(await once(server.child, 'exit'), [0, null])
})
