// Long answers over a real socket: whole, in their turn, bounded, and given up when their client goes.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { afterEach, beforeEach, test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { SAMPLE_INFOHASH } from '../../../src/http/routes/infohash.ts'
import type { FileRecord } from '../../../src/services/api.ts'
import { KEY, type Running, ask, envelope, startServer, until } from './harness.ts'

const FILES = `/downloads/${SAMPLE_INFOHASH}/files`

let server: Running
beforeEach(async () => {
  server = await startServer()
})
afterEach(() => server.stop())

function* filesOf(count: number, name = 'file'): Generator<FileRecord, void> {
  for (let index = 0; index < count; index++) yield { index, name, size: 1, included: true, progress: 1, priority: 4 }
}

/** Sends the request and leaves the answer to the caller. */
function begin(path: string) {
  const socket = connect(server.port, '127.0.0.1')
  socket.write(`GET ${path}?key=${KEY} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  return socket
}

test('all files of a large torrent arrive, each with its link', async () => {
  server.double.listedFiles = () => filesOf(20_000)
  const { files } = (await ask(server.port, FILES)).json() as { files: { index: number; stream_url: string }[] }
  assert.equal(files.length, 20_000)
  assert.ok(files.every((file, i) => file.index === i && file.stream_url.includes(`/stream/${i}?`)))
})

test('what breaks while the values are taken is a whole error answer', async () => {
  for (const [thrown, status, code] of [
    [new AppError('DiskError', 'no records'), 500, 'DiskError'],
    [new RangeError('a bug'), 500, 'RangeError'],
  ] as const) {
    server.double.listedFiles = function* () {
      yield* filesOf(5000)
      throw thrown
    }
    const answer = await ask(server.port, FILES)
    assert.equal(answer.status, status)
    assert.equal(envelope(answer).code, code)
    assert.equal(envelope(answer).handled, thrown instanceof AppError)
  }
  assert.equal(server.exceptions.length, 1)
})

test('a client that goes ends the work on its answer', async () => {
  let [taken, closed] = [0, false]
  server.double.listedFiles = function* () {
    try {
      // Ends by itself only where nobody looks for the client.
      for (const one of filesOf(2_000_000, '')) {
        taken += 1
        yield one
      }
    } finally {
      closed = true
    }
  }
  const socket = begin(FILES)
  await until(() => taken > 0)
  socket.destroy()
  await until(() => closed)
  assert.ok(taken < 200_000, `${taken} taken`)
  assert.equal(server.exceptions.length, 0)
})

test('an answer that becomes too long is refused', async () => {
  const name = 'n'.repeat(1024 * 1024)
  let taken = 0
  server.double.listedFiles = function* () {
    for (const one of filesOf(1000, name)) {
      taken += 1
      yield one
    }
  }
  const answer = await ask(server.port, FILES)
  assert.equal(answer.status, 400)
  assert.equal(envelope(answer).code, 'InvalidParameter')
  assert.ok(taken <= 66, `${taken} MiB`)
  // Nothing of it is counted any more.
  server.double.listedFiles = () => filesOf(60, name)
  for (let i = 0; i < 4; i++) assert.equal((await ask(server.port, FILES)).status, 200)
})

test('two are made at a time; the others wait, and who goes meanwhile costs nothing', async () => {
  const held: (() => void)[] = []
  let calls = 0
  server.double.downloads.files = async () => {
    calls += 1
    await new Promise<void>(resolve => held.push(resolve))
    return filesOf(3)
  }
  const answers = Array.from({ length: 2 }, () => ask(server.port, FILES))
  await until(() => calls === 2)
  const gone = begin(FILES)
  await new Promise(resolve => gone.once('connect', resolve))
  // The answer to a request sent after it: the third has been read.
  assert.equal((await ask(server.port, '/state')).status, 200)
  answers.push(ask(server.port, FILES))
  assert.equal((await ask(server.port, '/state')).status, 200)
  gone.destroy()
  assert.equal((await ask(server.port, '/state')).status, 200)
  assert.equal(calls, 2)
  held.shift()?.()
  await until(() => calls === 3)
  for (const give of held) give()
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200)
  assert.equal(calls, 3)
})
