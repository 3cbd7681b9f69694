// kill -9 of the built node while feeds come in: each item is in the channel exactly once in the end, nothing that was
// removed comes back, and a removed feed stays removed. Feeds of the meanest servers leave the node as it was.

import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { makeTestFolder, type TestFolder } from '../../../kit/content/content-on-disk.ts'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { endless } from '../../../fault/hostile-http.ts'

const KILLS = Number(process.env['KILLS'] ?? '4')
const SEED = Number(process.env['SEED'] ?? Date.now() % 1e6)
const ITEMS = 60
const SETTINGS = { 'network.allow_private': '127.0.0.1/32' }

const torrents = Array.from({ length: ITEMS }, (_, at) => makeTorrent({ name: `item ${at}`, length: 20_000, seed: at }))
/** Times each torrent was fetched. */
const fetched = new Map<string, number>()
let folder: TestFolder
let base = ''

function feed(): string {
  const items = torrents.map(
    (_, at) =>
      `<item><guid>n${at}</guid><title>item ${at}</title><enclosure type="application/x-bittorrent" url="/${at}.torrent"/></item>`,
  )
  return `<rss><channel><title>Items</title>${items.toReversed().join('')}</channel></rss>`
}

function answer(request: IncomingMessage, reply: ServerResponse): void {
  const path = request.url ?? ''
  const number = /^\/(\d+)\.torrent$/.exec(path)?.[1]
  if (path === '/feed') return void reply.end(feed())
  if (path === '/100mb') return endless(reply)
  if (path === '/private') return void reply.writeHead(302, { location: 'http://127.0.0.2:9/feed' }).end()
  if (path === '/loop') return void reply.writeHead(302, { location: '/loop' }).end()
  if (path === '/entities')
    return void reply.end('<!DOCTYPE rss [<!ENTITY a "b">]><rss><channel><title>&a;</title></channel></rss>')
  if (path === '/wrong')
    return void reply.end(
      '<rss><channel><item><guid>1</guid><link>/none.torrent</link></item><item><guid>2</guid><link>/feed</link></item></channel></rss>',
    )
  if (number === undefined) return void reply.writeHead(404).end()
  fetched.set(number, (fetched.get(number) ?? 0) + 1)
  reply.end(torrents[Number(number)]?.torrent)
}

const server = createServer(answer)

before(async () => {
  folder = await makeTestFolder()
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(async () => {
  server.closeAllConnections()
  server.close()
  await folder.remove()
})

async function ok<T>(node: NodeProcess, method: string, path: string, body?: object): Promise<T> {
  const reply = await node.request(method, path, body)
  assert.equal(reply.status, 200, `${method} ${path}: ${reply.body.toString()}`)
  return reply.json<T>()
}

async function makeChannel(node: NodeProcess, name: string): Promise<string> {
  const made = await ok<{ dispersy_cid: string }>(node, 'PUT', '/channels/discovered', { name })
  return `/channels/discovered/${made.dispersy_cid}`
}

interface Row {
  readonly infohash: string
  readonly name: string
}

async function listed(node: NodeProcess, channel: string): Promise<Row[]> {
  return (await node.get<{ torrents: Row[] }>(`${channel}/torrents`)).torrents
}

interface FeedRow {
  readonly url: string
  readonly error: string
  readonly failures: number
}

async function feedsOf(node: NodeProcess, channel: string): Promise<FeedRow[]> {
  return (await node.get<{ rssfeeds: FeedRow[] }>(`${channel}/rssfeeds`)).rssfeeds
}

const segment = (path: string): string => `/rssfeeds/${encodeURIComponent(base + path)}`

test(`kill -9 at ${KILLS} random moments: each item exactly once`, { timeout: 60_000 + KILLS * 30_000 }, async t => {
  t.diagnostic(`SEED=${SEED}`)
  const stateDir = await folder.sub('state')
  const random = new SeededRandom(SEED)
  let node = await startNode({ stateDir, settings: SETTINGS })
  t.after(() => node.kill('SIGKILL'))
  const channel = await makeChannel(node, 'Items')
  await ok(node, 'PUT', channel + segment('/feed'))
  for (let kill = 0; kill < KILLS; kill++) {
    const recheck = node.request('POST', `${channel}/recheckfeeds`).catch(() => null)
    const target = Math.min(fetched.size + 2 + random.below(12), ITEMS - 1)
    await waitFor('torrents of the feed', () => fetched.size >= target, 30_000)
    await node.kill('SIGKILL')
    await recheck
    node = await startNode({ stateDir, settings: SETTINGS })
    assert.deepEqual(
      (await feedsOf(node, channel)).map(({ url }) => url),
      [`${base}/feed`],
    )
  }
  await ok(node, 'POST', `${channel}/recheckfeeds`)
  await waitFor('all items', async () => (await listed(node, channel)).length >= ITEMS, 30_000)
  const names = (await listed(node, channel)).map(({ name }) => name)
  assert.deepEqual(names.toSorted(), torrents.map((_, at) => `item ${at}`).toSorted())

  // What its owner removed does not come back, also when the node died right after.
  const gone = (await listed(node, channel))[0]?.infohash ?? ''
  await ok(node, 'DELETE', `${channel}/torrents/${gone}`)
  await node.kill('SIGKILL')
  node = await startNode({ stateDir, settings: SETTINGS })
  const before = [...fetched.values()].reduce((sum, count) => sum + count, 0)
  await ok(node, 'POST', `${channel}/recheckfeeds`)
  assert.equal((await listed(node, channel)).length, ITEMS - 1)
  const asked = [...fetched.values()].reduce((sum, count) => sum + count, 0)
  assert.equal(asked, before, 'items that were dealt with are not fetched again')

  await ok(node, 'DELETE', channel + segment('/feed'))
  await node.kill('SIGKILL')
  node = await startNode({ stateDir, settings: SETTINGS })
  assert.deepEqual(await feedsOf(node, channel), [])
})

test('mean feeds are refused with a reason and leave the node as it was', { timeout: 90_000 }, async t => {
  const node = await startNode({ settings: SETTINGS })
  t.after(() => node.stop())
  const channel = await makeChannel(node, 'Mean')
  const paths = ['/100mb', '/private', '/loop', '/entities', '/none']
  for (const path of [...paths, '/wrong']) await ok(node, 'PUT', channel + segment(path))
  await ok(node, 'POST', `${channel}/recheckfeeds`)
  const rows = new Map((await feedsOf(node, channel)).map(row => [row.url.slice(base.length), row]))
  for (const path of paths) {
    assert.ok((rows.get(path)?.failures ?? 0) >= 1, path)
    assert.notEqual(rows.get(path)?.error, '', path)
  }
  assert.equal(rows.get('/wrong')?.error, '')
  assert.deepEqual(await listed(node, channel), [])
  assert.equal((await node.get<{ state: string; last_exception: unknown }>('/state')).last_exception, null)
})
