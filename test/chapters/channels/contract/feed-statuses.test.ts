// Statuses and codes of part 4.6 of the specification, with the choices of decisions part 3, and the feeds that
// channels are.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { parseFeed } from '../../../../src/chapters/channels/feeds/wire/parse-feed.ts'
import { parseMagnet } from '../../../../src/wire/metainfo/magnet.ts'
import { assertRefused, send } from '../../../contract/spec/rig.ts'
import type { Json } from '../../../contract/spec/shapes.ts'

const UNKNOWN = 'f'.repeat(40)
const made = makeTorrent({ name: 'A film of old', announce: [['http://t.example/announce']] })
let node: NodeProcess
let cid = ''
let foreign = ''
let feedUrl = ''
const server = createServer((request, reply) => {
  if (request.url === '/a.torrent') return reply.end(made.torrent)
  return reply.end(
    `<rss><channel><item><guid>1</guid><description>Seen</description><link>/a.torrent</link></item></channel></rss>`,
  )
})

before(async () => {
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  feedUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed?a=1&b=%C3%A4`
  node = await startNode({ settings: { 'network.allow_private': '127.0.0.0/8' } })
  cid = await make('Films')
  foreign = await make('Of another')
  await ok('DELETE', `/channels/discovered/${foreign}`)
})
after(async () => {
  server.close()
  await node.stop()
})

const at = (rest: string, channel = cid): string => `/channels/discovered/${channel}${rest}`
const feedAt = (url: string, channel = cid): string => at(`/rssfeeds/${encodeURIComponent(url)}`, channel)

async function ok(method: string, path: string, body?: object): Promise<Json> {
  const answer = await node.request(method, path, body)
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.body.toString()}`)
  return answer.json<Json>()
}

async function make(name: string): Promise<string> {
  return String((await ok('PUT', '/channels/discovered', { name }))['dispersy_cid'])
}

async function refused(status: number, code: string, method: string, path: string): Promise<void> {
  const answer = await send(node, method, path, null)
  assert.equal(assertRefused(answer, status, `${method} ${path}`), code, `${method} ${path}`)
}

test('added once, listed as it was given, read on demand, removed once', async () => {
  assert.deepEqual(await ok('GET', at('/rssfeeds')), { rssfeeds: [] })
  await refused(404, 'FeedNotFound', 'DELETE', feedAt(feedUrl))
  assert.deepEqual(await ok('PUT', feedAt(feedUrl)), { added: true })
  await refused(409, 'FeedExists', 'PUT', feedAt(feedUrl))
  assert.deepEqual(await ok('POST', at('/recheckfeeds')), { rechecked: true })
  const [row] = (await ok('GET', at('/rssfeeds')))['rssfeeds'] as Json[]
  const { url, failures, error, last_check: last, next_check: next } = row ?? {}
  assert.deepEqual([url, failures, error], [feedUrl, 0, ''])
  assert.ok(Number(next) - Number(last) > 1_700)
  const torrents = (await ok('GET', at('/torrents')))['torrents'] as Json[]
  assert.deepEqual(
    torrents.map(({ infohash }) => infohash),
    [made.infoHash],
  )
  assert.deepEqual(await ok('DELETE', feedAt(feedUrl)), { removed: true })
  await refused(404, 'FeedNotFound', 'DELETE', feedAt(feedUrl))
  assert.deepEqual(await ok('POST', at('/recheckfeeds')), { rechecked: true })
})

test('unknown channels 404, those of others 403, what is no address of the web 400', async () => {
  const asks = [
    ['GET', '/rssfeeds'],
    ['PUT', `/rssfeeds/${encodeURIComponent(feedUrl)}`],
    ['DELETE', `/rssfeeds/${encodeURIComponent(feedUrl)}`],
    ['POST', '/recheckfeeds'],
  ] as const
  for (const [method, rest] of asks) {
    await refused(404, 'ChannelNotFound', method, at(rest, UNKNOWN))
    await refused(404, 'ChannelNotFound', method, at(rest, 'x'))
    await refused(403, 'NotChannelOwner', method, at(rest, foreign))
  }
  await refused(400, 'BadScheme', 'PUT', feedAt('file:///etc/passwd'))
  await refused(400, 'InvalidParameter', 'PUT', feedAt('words'))
})

test('a channel is a feed: with the key, or by its links without one, which open nothing else', async () => {
  const links = await ok('GET', at('/feedlinks'))
  for (const [format, link] of [
    ['rss', String(links['rss_url'])],
    ['atom', String(links['atom_url'])],
  ]) {
    const reply = await fetch(link ?? '')
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), `application/${format}+xml; charset=utf-8`)
    const text = await reply.text()
    assert.ok(!text.includes('token='), 'its own address stands in it without the token')
    const { title, items } = parseFeed({ bytes: Buffer.from(text), contentType: '', url: link ?? '' })
    assert.equal(title, 'Films')
    assert.deepEqual([items.length, items[0]?.title, items[0]?.description], [1, 'A film of old', 'Seen'])
    const magnet = parseMagnet(items[0]?.sources[0] ?? '')
    assert.deepEqual([magnet.infoHash, magnet.trackers], [made.infoHash, ['http://t.example/announce']])
    const other = (link ?? '').replace(cid, foreign)
    assert.equal((await fetch(other)).status, 403)
    assert.equal((await fetch((link ?? '').replace('/feed?', '/torrents?'))).status, 401)
  }
  const keyed = await node.request('GET', at('/feed?format=rss'))
  assert.equal(keyed.status, 200)
  assert.equal((await node.request('GET', at('/feed?format=json'))).status, 400)
  await refused(404, 'ChannelNotFound', 'GET', at('/feed', UNKNOWN))
  await refused(404, 'ChannelNotFound', 'GET', at('/feedlinks', UNKNOWN))
})
