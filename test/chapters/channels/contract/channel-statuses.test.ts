// Statuses and codes of parts 4.3 to 4.5 and 7 of the specification, with the choices of decisions part 3: what is
// refused, and what a refusal leaves behind.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { assertRefused, send } from '../../../contract/spec/rig.ts'
import type { Json } from '../../../contract/spec/shapes.ts'

const UNKNOWN = 'f'.repeat(40)
const one = makeTorrent({ name: 'A film of old', length: 20_000, seed: 1 })
const two = makeTorrent({ name: 'Another film', length: 20_000, seed: 2 })
const adult = makeTorrent({ name: 'xxx hardcore porn', length: 20_000, seed: 3 })
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

let node: NodeProcess
let cid = ''
/** Known here, and of somebody else. */
let foreign = ''
const files = createServer((request, reply) => {
  if (request.url === '/two.torrent') return reply.end(two.torrent)
  if (request.url === '/page') return reply.end('<html>no torrent</html>')
  reply.statusCode = 404
  return reply.end()
})
let base = ''

before(async () => {
  await new Promise<void>(listening => files.listen(0, '127.0.0.1', listening))
  base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
  node = await startNode({ settings: { 'network.allow_private': '127.0.0.0/8' } })
  cid = await make('Films')
  foreign = await make('Of another')
  await ok('DELETE', `/channels/discovered/${foreign}`)
})
after(async () => {
  files.close()
  await node.stop()
})

const at = (rest: string, channel = cid): string => `/channels/discovered/${channel}${rest}`

async function ok(method: string, path: string, body?: object): Promise<Json> {
  const answer = await node.request(method, path, body)
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.body.toString()}`)
  return answer.json<Json>()
}

async function make(name: string, more: object = {}): Promise<string> {
  return String((await ok('PUT', '/channels/discovered', { name, ...more }))['dispersy_cid'])
}

/** Fails unless it is refused so. The message. */
async function refused(status: number, code: string, method: string, path: string, body?: object): Promise<string> {
  const answer = await send(node, method, path, body === undefined ? null : JSON.stringify(body))
  assert.equal(assertRefused(answer, status, `${method} ${path}`), code, `${method} ${path}`)
  return String((answer.json()['error'] as Json)['message'])
}

const overview = async (channel = cid): Promise<Json> => (await ok('GET', at('', channel)))['channel'] as Json
const torrents = async (query = ''): Promise<Json[]> => (await ok('GET', at(`/torrents${query}`)))['torrents'] as Json[]
const playlists = async (query = ''): Promise<Json[]> =>
  (await ok('GET', at(`/playlists${query}`)))['playlists'] as Json[]

test('a name that another own channel has: 500 DuplicateChannelIdError, when it is made and when it is renamed', async () => {
  await refused(500, 'DuplicateChannelIdError', 'PUT', '/channels/discovered', { name: 'Films' })
  const second = await make('Songs')
  await refused(500, 'DuplicateChannelIdError', 'PATCH', at('', second), { name: 'Films' })
  await refused(500, 'DuplicateChannelIdError', 'POST', '/mychannel', { name: 'Songs' })
  assert.equal((await overview(second))['name'], 'Songs')
  // Its own name is no other's.
  assert.deepEqual(await ok('PATCH', at(''), { name: 'Films', description: 'Old' }), { modified: true })
  assert.deepEqual(await ok('PATCH', at(''), {}), { modified: false })
  const all = (await ok('GET', '/channels/discovered'))['channels'] as Json[]
  assert.deepEqual(
    all
      .map(({ name }) => name)
      .filter(name => name !== '')
      .sort(),
    ['Films', 'Songs'],
  )
  await ok('DELETE', at('', second))
})

test('channels: empty names 400, long ones cut, closed unless said, all fields as they are', async () => {
  await refused(400, 'MissingParameter', 'PUT', '/channels/discovered', { name: '' })
  await refused(400, 'InvalidParameter', 'PUT', '/channels/discovered', { name: '  ' })
  await refused(400, 'InvalidParameter', 'PUT', '/channels/discovered', { name: 'x', mode: 'secret' })
  await refused(400, 'InvalidParameter', 'PATCH', at(''), { name: ' ' })
  const long = await make('ä'.repeat(300), { description: 'd'.repeat(1100), mode: 'open' })
  const { name, description, mode, own, can_edit: canEdit, torrents: count, dispersy_cid: id } = await overview(long)
  assert.deepEqual([String(name).length, String(description).length], [255, 1023])
  assert.deepEqual([mode, own, canEdit, count, id], ['open', true, true, 0, long])
  assert.equal((await overview())['mode'], 'closed')
  await ok('DELETE', at('', long))
  for (const method of ['GET', 'PATCH', 'DELETE']) await refused(404, 'ChannelNotFound', method, at('', UNKNOWN), {})
})

test('the first own channel is /mychannel; without one it is 404', async () => {
  const { mychannel } = await ok('GET', '/mychannel')
  assert.deepEqual(mychannel, { identifier: cid, name: 'Films', description: 'Old' })
  assert.deepEqual(await ok('POST', '/mychannel', { description: 'Older' }), { modified: true })
  assert.equal((await overview())['description'], 'Older')
  const other = await startNode()
  try {
    assert.equal((await other.request('GET', '/mychannel')).status, 404)
    assert.deepEqual((await other.get<{ channels: unknown[] }>('/channels/discovered')).channels, [])
  } finally {
    await other.stop()
  }
})

test('subscriptions: as part 3.4 says', async () => {
  const path = `/channels/subscribed/${foreign}`
  const state = async () => ok('GET', path)
  assert.deepEqual(await state(), { subscribed: false, votes: 0 })
  await refused(404, 'NotSubscribed', 'DELETE', path)
  assert.deepEqual(await ok('PUT', path), { subscribed: true })
  await refused(409, 'AlreadySubscribed', 'PUT', path)
  assert.deepEqual(await state(), { subscribed: true, votes: 1 })
  const listed = (await ok('GET', '/channels/subscribed'))['subscribed'] as Json[]
  assert.deepEqual(
    listed.filter(channel => channel['own'] !== true).map(channel => channel['dispersy_cid']),
    [foreign],
  )
  assert.deepEqual(await ok('DELETE', path), { unsubscribed: true })
  await refused(404, 'NotSubscribed', 'DELETE', path)
  assert.deepEqual(await state(), { subscribed: false, votes: 0 })
  // PUT looks for it for half a minute before it says so: refusals.test.ts waits for that.
  for (const method of ['GET', 'DELETE'])
    await refused(404, 'ChannelNotFound', method, `/channels/subscribed/${UNKNOWN}`)
})

test('subscriptions of own channels: made is subscribed, and part 3.4 holds for them too', async () => {
  const path = `/channels/subscribed/${cid}`
  const listed = async () =>
    ((await ok('GET', '/channels/subscribed'))['subscribed'] as Json[]).map(channel => channel['dispersy_cid'])
  const { votes } = await ok('GET', path)
  assert.deepEqual(await ok('GET', path), { subscribed: true, votes })
  assert.ok((await listed()).includes(cid))
  await refused(409, 'AlreadySubscribed', 'PUT', path)
  const before = await ok('GET', '/mychannel')
  assert.deepEqual(await ok('DELETE', path), { unsubscribed: true })
  assert.deepEqual(await ok('GET', path), { subscribed: false, votes })
  assert.ok(!(await listed()).includes(cid))
  await refused(404, 'NotSubscribed', 'DELETE', path)
  // Nothing else of it has changed: it is still own, published and listed.
  assert.deepEqual(await ok('GET', '/mychannel'), before)
  assert.deepEqual(await ok('PUT', path), { subscribed: true })
  await refused(409, 'AlreadySubscribed', 'PUT', path)
  assert.deepEqual(await ok('GET', path), { subscribed: true, votes })
})

test('calling a channel spam is counted, and taken back', async () => {
  assert.deepEqual(await ok('PUT', at('/spam', foreign)), { spam: true })
  assert.equal((await overview(foreign))['spam'], 1)
  assert.deepEqual(await ok('PUT', at('/spam', foreign), { spam: false }), { spam: false })
  assert.equal((await overview(foreign))['spam'], 0)
})

test('torrents: corrupt ones 500, twice the same one 500 DuplicateTorrentFileError', async () => {
  await refused(400, 'MissingParameter', 'PUT', at('/torrents'), {})
  for (const torrent of ['%%%', base64(Buffer.from('no torrent')), base64(one.torrent.subarray(0, 60))])
    await refused(500, 'ChannelTorrentError', 'PUT', at('/torrents'), { torrent })
  assert.deepEqual(await torrents(), [])
  assert.deepEqual(await ok('PUT', at('/torrents'), { torrent: base64(one.torrent) }), { added: true })
  await refused(500, 'DuplicateTorrentFileError', 'PUT', at('/torrents'), { torrent: base64(one.torrent) })
  const [listed, ...others] = await torrents()
  assert.deepEqual(others, [])
  const { id, ...rest } = listed ?? {}
  assert.ok(Number.isSafeInteger(id))
  assert.deepEqual(rest, {
    infohash: one.infoHash,
    name: 'A film of old',
    size: 20_000,
    category: 'other',
    num_seeders: 0,
    num_leechers: 0,
    last_tracker_check: 0,
  })
  assert.equal((await overview())['torrents'], 1)
  for (const method of ['GET', 'PUT'])
    await refused(
      404,
      'ChannelNotFound',
      method,
      at('/torrents', UNKNOWN),
      method === 'GET' ? undefined : { torrent: 'x' },
    )
})

test('torrents of addresses and magnets: the address is the answer; what is wrong with them 500', async () => {
  const from = (uri: string): string => at(`/torrents/${encodeURIComponent(uri)}`)
  const uri = `${base}/two.torrent`
  assert.deepEqual(await ok('PUT', from(uri), { description: 'Second' }), { added: uri })
  await refused(500, 'DuplicateTorrentFileError', 'PUT', from(uri))
  await refused(500, 'ChannelTorrentError', 'PUT', from(`magnet:?xt=urn:btih:${two.infoHash}`))
  for (const wrong of [`${base}/page`, `${base}/none`, 'http://127.0.0.1:9/x', 'magnet:?xt=urn:btih:zz'])
    await refused(500, 'ChannelTorrentError', 'PUT', from(wrong))
  for (const wrong of ['ftp://127.0.0.1/x', 'file:///etc/passwd', 'words'])
    await refused(400, 'BadScheme', 'PUT', from(wrong))
  assert.equal((await torrents()).length, 2)
})

test('a torrent is renamed, and known with its channels', async () => {
  const path = at(`/torrents/${two.infoHash}`)
  assert.deepEqual(await ok('PATCH', path, { name: 'The second' }), { modified: true })
  assert.deepEqual(await ok('PATCH', path, {}), { modified: false })
  const { torrent } = await ok('GET', `/torrents/${two.infoHash}`)
  assert.deepEqual([(torrent as Json)['name'], (torrent as Json)['channels']], ['The second', [cid]])
  await refused(404, 'TorrentNotFound', 'PATCH', at(`/torrents/${UNKNOWN}`), { name: 'x' })
  await refused(404, 'TorrentNotFound', 'GET', `/torrents/${UNKNOWN}`)
})

test('the family filter hides the category xxx, for one request not', async () => {
  await ok('PUT', at('/torrents'), { torrent: base64(adult.torrent) })
  assert.equal((await torrents()).length, 2)
  const all = await torrents('?disable_filter=1')
  assert.equal(all.find(({ infohash }) => infohash === adult.infoHash)?.['category'], 'xxx')
  await ok('POST', '/settings', { general: { family_filter: false } })
  assert.equal((await torrents()).length, 3)
  await ok('POST', '/settings', { general: { family_filter: true } })
})

test('playlists: 400, 404 and 409 as parts 4.5 and 7 say', async () => {
  for (const body of [{}, { name: 'Best' }, { description: 'Of all' }])
    await refused(400, 'MissingParameter', 'PUT', at('/playlists'), body)
  assert.deepEqual(await ok('PUT', at('/playlists'), { name: 'Best', description: 'Of all' }), { created: true })
  const [made] = await playlists()
  const path = at(`/playlists/${String(made?.['id'])}`)
  await refused(404, 'NothingToChange', 'POST', path, {})
  assert.deepEqual(await ok('POST', path, { name: 'Better' }), { modified: true })
  const entry = (infohash: string): string => `${path}/${infohash}`
  assert.deepEqual(await ok('PUT', entry(one.infoHash)), { added: true })
  assert.deepEqual(await ok('PUT', entry(adult.infoHash.toUpperCase())), { added: true })
  await refused(409, 'StateConflict', 'PUT', entry(one.infoHash))
  await refused(404, 'TorrentNotFound', 'PUT', entry(UNKNOWN))
  await refused(404, 'TorrentNotFound', 'DELETE', entry(two.infoHash))
  const hashes = async (query = '') => {
    const [list = {}] = await playlists(query)
    return (list['torrents'] as Json[]).map(({ infohash }) => infohash)
  }
  assert.deepEqual(await hashes(), [one.infoHash])
  assert.deepEqual((await hashes('?disable_filter=1')).sort(), [one.infoHash, adult.infoHash].sort())
  const { name, description } = (await playlists())[0] ?? {}
  assert.deepEqual([name, description], ['Better', 'Of all'])
  // An empty description is one.
  assert.deepEqual(await ok('POST', path, { description: '' }), { modified: true })
  assert.deepEqual((await playlists())[0]?.['description'], '')
  assert.deepEqual(await ok('DELETE', entry(one.infoHash)), { removed: true })
  assert.deepEqual(await ok('DELETE', path), { removed: true })
  await refused(404, 'PlaylistNotFound', 'DELETE', path)
  assert.deepEqual(await playlists(), [])
  // Its torrents stay.
  assert.equal((await torrents()).length, 2)
})

test('several torrents are removed at once; those that are not there are named, the others go', async () => {
  const path = at(`/torrents/${one.infoHash.toUpperCase()},${UNKNOWN},zz`)
  assert.deepEqual(await ok('DELETE', path), { removed: false, failed_torrents: [UNKNOWN, 'zz'] })
  assert.deepEqual(
    (await torrents()).map(({ infohash }) => infohash),
    [two.infoHash],
  )
  assert.deepEqual(await ok('DELETE', at(`/torrents/${two.infoHash},${adult.infoHash}`)), { removed: true })
  assert.deepEqual(await torrents('?disable_filter=1'), [])
})

test('comments and grants', async () => {
  await refused(400, 'InvalidParameter', 'PUT', at('/comments'), { text: ' ' })
  await refused(404, 'TorrentNotFound', 'PUT', at('/comments'), { text: 'x', infohash: UNKNOWN })
  assert.deepEqual(await ok('PUT', at('/comments'), { text: 'Welcome' }), { added: true })
  const [comment] = (await ok('GET', at('/comments')))['comments'] as Json[]
  assert.deepEqual([comment?.['text'], comment?.['infohash']], ['Welcome', null])
  assert.deepEqual(await ok('DELETE', at(`/comments/${String(comment?.['id'])}`)), { removed: true })
  await refused(404, 'CommentNotFound', 'DELETE', at(`/comments/${String(comment?.['id'])}`))
  await refused(404, 'CommentNotFound', 'DELETE', at('/comments/x'))
  const { author } = await ok('GET', '/channels/author')
  assert.match(String(author), /^[0-9a-f]{64}$/)
  const contributor = 'ab'.repeat(32)
  await refused(400, 'InvalidParameter', 'PUT', at('/grants'), { contributor: 'ab' })
  assert.deepEqual(await ok('PUT', at('/grants'), { contributor }), { granted: true })
  assert.deepEqual(await ok('GET', at('/grants')), { grants: [{ contributor, add: true, moderate: false }] })
  assert.deepEqual(await ok('PUT', at('/grants'), { contributor, add: false }), { granted: false })
  assert.deepEqual(await ok('GET', at('/grants')), { grants: [] })
})

test('what only the owner may: 403 NotChannelOwner elsewhere', async () => {
  const torrent = base64(one.torrent)
  const asked: [string, string, object?][] = [
    ['PATCH', '', { name: 'Mine' }],
    ['DELETE', ''],
    ['PUT', '/torrents', { torrent }],
    ['PUT', `/torrents/${encodeURIComponent(`${base}/two.torrent`)}`],
    ['PUT', '/playlists', { name: 'a', description: 'b' }],
    ['PUT', '/comments', { text: 'x' }],
    ['PUT', '/grants', { contributor: 'ab'.repeat(32) }],
  ]
  for (const [method, rest, body] of asked) await refused(403, 'NotChannelOwner', method, at(rest, foreign), body)
})

test('statistics count channels and both stores', async () => {
  const { tribler_statistics: figures } = await ok('GET', '/statistics/tribler')
  const { num_channels: count, database_size: bytes } = figures as Json
  assert.ok(Number(count) >= 1, JSON.stringify(figures))
  assert.ok(Number(bytes) > 50_000)
})

test('a channel that is ended has nothing any more', async () => {
  const ending = await make('Ending')
  await ok('PUT', at('/torrents', ending), { torrent: base64(one.torrent) })
  assert.deepEqual(await ok('DELETE', at('', ending)), { removed: true })
  await refused(403, 'NotChannelOwner', 'DELETE', at('', ending))
  assert.deepEqual((await ok('GET', at('/torrents', ending)))['torrents'], [])
  // Its name is free again.
  await ok('DELETE', at('', await make('Ending')))
})
