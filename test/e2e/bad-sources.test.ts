// PUT /downloads and GET /torrentinfo with sources that lie: each gets its status and code, nothing is added, memory is
// flat.

import assert from 'node:assert/strict'
import { open, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { makeTestFolder, type TestFolder } from '../kit/content/content-on-disk.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { residentMiB } from '../kit/nodes/resident-memory.ts'

const MIB = 2 ** 20
const good = makeTorrent({ name: 'good.bin' })

function endless(reply: ServerResponse): void {
  const chunk = Buffer.alloc(65536, 'x')
  const push = () => {
    while (!reply.destroyed && reply.write(chunk));
  }
  reply.on('drain', push)
  push()
}

/** What the hostile web server answers, by path. */
const pages: Record<string, (reply: ServerResponse, request: IncomingMessage) => void> = {
  '/good.torrent': reply => reply.end(good.torrent),
  '/moved': reply => reply.writeHead(302, { location: '/good.torrent' }).end(),
  '/html': reply => reply.end('<html><body>not a torrent</body></html>'),
  '/loop': reply => reply.writeHead(302, { location: '/loop' }).end(),
  '/endless': endless,
  '/bomb': reply => reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(200 * MIB))),
  '/gone': reply => reply.writeHead(404).end(),
  '/to-magnet': reply => reply.writeHead(302, { location: `magnet:?xt=urn:btih:${'cd'.repeat(20)}` }).end(),
}

describe('bad sources', { concurrency: 1 }, () => {
  let folder: TestFolder
  let node: NodeProcess
  let server: Server
  let base: string

  before(async () => {
    folder = await makeTestFolder()
    server = createServer((request, reply) => (pages[request.url ?? ''] ?? pages['/gone'])?.(reply, request))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    node = await startNode({ settings: { 'network.allow_private': '["127.0.0.0/8"]' } })
  })
  after(async () => {
    await node?.stop()
    server?.close()
    server?.closeAllConnections()
    await folder?.remove()
  })

  const refused = async (uri: string, status: number, code: string) => {
    for (const [method, path, body] of [
      ['PUT', '/downloads', { uri, destination: folder.path }],
      ['GET', `/torrentinfo?torrent=${encodeURIComponent(uri)}`, undefined],
    ] as const) {
      const reply = await node.request(method, path, body)
      const { error } = reply.json<{ error: { handled: boolean; code: string; message: string } }>()
      assert.deepEqual(
        [reply.status, error.code, error.handled],
        [status, code, true],
        `${method} ${uri}: ${error.message}`,
      )
      assert.ok(error.message.length > 10, 'the message says what to do')
    }
  }

  test('files that are no torrents', async () => {
    const huge = join(folder.path, 'huge.torrent')
    const file = await open(huge, 'w')
    await file.truncate(200 * MIB)
    await file.close()
    await refused(`file:${huge}`, 400, 'TorrentUnreadable')
    const nested = join(folder.path, 'nested.torrent')
    await writeFile(nested, `d4:info${'l'.repeat(10_000)}${'e'.repeat(10_000)}e`)
    await refused(nested, 400, 'TorrentUnreadable')
    await refused(join(folder.path, 'missing.torrent'), 400, 'TorrentUnreadable')
    await refused(`file:${folder.path}`, 400, 'TorrentUnreadable')
    await refused('file:/dev/zero', 400, 'TorrentUnreadable')
  })

  test('links that cannot be read', async () => {
    await refused('magnet:?xt=urn:btih:zzzz', 400, 'BadMagnet')
    await refused('ftp://127.0.0.1/x.torrent', 400, 'BadScheme')
    await refused('relative/path.torrent', 400, 'BadScheme')
  })

  test('web servers that lie', { timeout: 60_000 }, async () => {
    const before_ = residentMiB(node.pid)
    await refused(`${base}/html`, 400, 'TorrentUnreadable')
    await refused(`${base}/loop`, 502, 'SourceFailed')
    await refused(`${base}/endless`, 502, 'SourceFailed')
    await refused(`${base}/bomb`, 502, 'SourceFailed')
    await refused(`${base}/gone`, 502, 'SourceFailed')
    const grown = residentMiB(node.pid) - before_
    assert.ok(grown < 80, `memory grew by ${grown.toFixed(0)} MiB`)
  })

  test('nothing of all that was added; a good source behind a redirect is', async () => {
    assert.deepEqual(await node.get('/downloads'), { downloads: [] })
    for (const [uri, infohash] of [
      [`${base}/moved`, good.infoHash],
      [`${base}/to-magnet`, 'cd'.repeat(20)],
    ] as const) {
      const reply = await node.request('PUT', '/downloads', { uri, destination: folder.path })
      assert.deepEqual(reply.json(), { started: true, infohash })
    }
  })

  test('private addresses are refused unless allowed', async () => {
    const strict = await startNode()
    try {
      const reply = await strict.request('PUT', '/downloads', { uri: `${base}/good.torrent` })
      assert.equal(reply.status, 502)
      assert.equal(reply.json<{ error: { code: string } }>().error.code, 'AddressRefused')
    } finally {
      await strict.stop()
    }
  })
})
