// Range streaming of the built node over real sockets: 500 random ranges against the file, and a client that stops
// reading for a minute and still gets every byte.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'

const MIB = 2 ** 20
const SIZE = 48 * MIB + 12_345
const RANGES = 500
const SILENCE_MS = 60_000

describe('streaming a complete file', { concurrency: 2 }, () => {
  const made = makeTorrent({ name: 'film.mkv', length: SIZE, pieceLength: 512 * 1024 })
  let folder: TestFolder
  let node: NodeProcess
  let path: string

  before(async () => {
    folder = await makeTestFolder()
    const home = await folder.sub('data')
    await writeContent(made, home, 'film.mkv')
    node = await startNode()
    const infoHash = await addDownload(node, await writeTorrent(made, folder.path), home)
    await downloadComplete(node, infoHash)
    path = `/downloads/${infoHash}/stream/0`
  })
  after(async () => {
    await node?.stop()
    await folder?.remove()
  })

  test(`${RANGES} random ranges are those of the file`, async () => {
    const one = async () => {
      const from = Math.floor(Math.random() * SIZE)
      const length = Math.ceil(Math.random() ** 4 * 4 * MIB)
      const to = Math.min(SIZE, from + length) - 1
      const reply = await node.request('GET', path, undefined, { range: `bytes=${from}-${from + length - 1}` })
      assert.equal(reply.status, 206)
      assert.equal(reply.headers.get('content-range'), `bytes ${from}-${to}/${SIZE}`)
      assert.ok(reply.body.equals(made.content.subarray(from, to + 1)), `range ${from}-${to} differs`)
    }
    for (let done = 0; done < RANGES; done += 10) await Promise.all(Array.from({ length: 10 }, one))
  })

  test('a client that stops reading for 60 s and then reads on gets every byte', { timeout: 120_000 }, async () => {
    const socket = connect(node.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${node.key}\r\nConnection: keep-alive\r\n\r\n`)
    await once(socket, 'readable')
    // The silence is what is tested: uWebSockets.js by itself cuts such a response after ten seconds.
    await new Promise(resolve => setTimeout(resolve, SILENCE_MS))
    const body = await readBody(socket)
    socket.destroy()
    assert.equal(body.length, SIZE)
    assert.ok(body.equals(made.content), 'the bytes are those of the file')
  })
})

/** Reads the head and then exactly as many bytes as it promises. */
async function readBody(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  let received = 0
  let wanted = Number.POSITIVE_INFINITY
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    received += chunk.length
    if (wanted === Number.POSITIVE_INFINITY) {
      const head = Buffer.concat(chunks)
      const end = head.indexOf('\r\n\r\n')
      if (end >= 0) wanted = end + 4 + Number(/content-length: (\d+)/i.exec(head.subarray(0, end).toString())?.[1])
    }
    if (received >= wanted) break
  }
  const all = Buffer.concat(chunks)
  return all.subarray(all.indexOf('\r\n\r\n') + 4)
}
