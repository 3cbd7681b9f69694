// The built node with a web seed and no peers: range reads while it downloads, what the interface shows of it, a
// redirect, a server that breaks off, and a stop.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Explanation, PeerRecord } from '../../src/services/api.ts'
import { withWebSeeds } from '../../src/wire/metainfo/new-info.ts'
import { makeTestFolder, type TestFolder, writeTorrent } from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

const KIB = 1024
const MIB = 1024 * KIB
const SIZE = 48 * MIB + 321
/** What the server gives in one step, every 20 ms. */
const STEP = 80 * KIB

describe('a web seed alone', { concurrency: 1 }, () => {
  const made = makeTorrent({ name: 'film.mkv', length: SIZE, pieceLength: 256 * KIB })
  let folder: TestFolder
  let node: NodeProcess
  let server: Server
  let base: string
  /** `first-last` of every request, and of those that are under way. */
  const ranges: string[] = []
  const active = new Set<ServerResponse>()

  function serve(request: IncomingMessage, reply: ServerResponse): void {
    if (request.url === '/moved/film.mkv') return void reply.writeHead(302, { location: '/film.mkv' }).end()
    if (request.url !== '/film.mkv') return void reply.writeHead(404).end()
    const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const [first, last] = [Number(from), Number(to)]
    ranges.push(`${first}-${last}`)
    active.add(reply)
    reply.writeHead(206, { 'content-range': `bytes ${first}-${last}/${SIZE}`, 'content-length': last - first + 1 })
    // Every tenth request is cut in the middle.
    const end = ranges.length % 10 === 0 ? (first + last) / 2 : last + 1
    let at = first
    const step = setInterval(() => {
      const next = Math.min(last + 1, at + STEP)
      reply.write(made.content.subarray(at, next))
      at = next
      if (at > last) reply.end()
      else if (at > end) request.socket.destroy()
    }, 20)
    reply.on('close', () => {
      clearInterval(step)
      active.delete(reply)
    })
  }

  before(async () => {
    folder = await makeTestFolder()
    server = createServer(serve)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    node = await startNode()
  })
  after(async () => {
    await node?.stop()
    server?.closeAllConnections()
    await new Promise(resolve => server?.close(resolve))
    await folder?.remove()
  })

  const torrentFile = (...urls: string[]): Promise<string> =>
    writeTorrent({ ...made, torrent: withWebSeeds(made.torrent, urls) }, folder.path)

  test('ranges are read anywhere while it downloads, and it ends with the right bytes', {
    timeout: 120_000,
  }, async () => {
    const to = await folder.sub('first')
    const infoHash = await addDownload(node, await torrentFile(`${base}/gone/`, `${base}/moved/`), to)
    const read = async (from: number, length: number): Promise<void> => {
      const started = performance.now()
      const headers = { range: `bytes=${from}-${from + length - 1}` }
      const reply = await node.request('GET', `/downloads/${infoHash}/stream/0`, undefined, headers)
      assert.equal(reply.status, 206)
      assert.ok(reply.body.equals(made.content.subarray(from, from + length)), `${from}: other bytes`)
      assert.ok(performance.now() - started < 8000, `${from}: ${performance.now() - started} ms`)
    }
    await node.until<{ downloads: { progress: number }[] }>(
      '/downloads',
      ({ downloads }) => (downloads[0]?.progress ?? 0) > 0,
    )
    await read(SIZE - 300_000, 300_000)
    await read(20 * MIB + 5, MIB)
    assert.ok((await downloadRecord(node, infoHash)).progress < 0.9, 'it was still downloading')
    await Promise.all([read(40 * MIB, 500_000), read(10 * MIB, 500_000)])
    await downloadComplete(node, infoHash)
    assert.ok((await readFile(join(to, 'film.mkv'))).equals(made.content), 'other bytes on disk')
    await node.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })
  })

  test('it is shown among the peers and in explain; a stop ends its requests', { timeout: 60_000 }, async () => {
    const to = await folder.sub('second')
    const infoHash = await addDownload(node, await torrentFile(`${base}/gone/`, `${base}/`), to)
    const explained = () => node.get<Explanation>(`/downloads/${infoHash}/explain`)
    const working = await waitFor('it works', async () => {
      const answer = await explained()
      return answer.web_seeds[1]?.state === 'active' && answer.web_seeds[1].speed_down > 0 ? answer : null
    })
    assert.deepEqual(
      working.web_seeds.map(({ url, state }) => [url, state]),
      [
        [`${base}/gone/`, 'off'],
        [`${base}/`, 'active'],
      ],
    )
    assert.match(working.web_seeds[0]?.error ?? '', /404/)
    const { peers } = (await downloadRecord(node, infoHash, '?get_peers=1')) as unknown as { peers: PeerRecord[] }
    const [shown] = peers
    assert.equal(peers.length, 1)
    assert.equal(shown?.connection_type, 1)
    assert.equal(shown.ip, '127.0.0.1')
    assert.ok(shown.dtotal > 0 && shown.downrate > 0)
    await node.request('PATCH', `/downloads/${infoHash}`, { state: 'stop' })
    await waitFor('no request is left', () => active.size === 0, 5000)
  })
})
