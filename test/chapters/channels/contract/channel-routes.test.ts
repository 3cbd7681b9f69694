// Routes of channels over a real socket: what of a request reaches the services, its form there, and the answer made of
// theirs. An impossible name is 404 before any service is asked.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, envelope, type Running, startServer } from '../../../contract/http/harness.ts'
import { CHANNEL, listedChannel } from '../kit/service-double.ts'
import { HASH } from '../../../contract/http/sample-records.ts'

let server: Running
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const AT = `/channels/discovered/${CHANNEL}`

/** The last call that a request makes, and its answer. */
async function called(method: string, path: string, body?: object): Promise<[unknown[], unknown]> {
  const before = server.double.calls.length
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await ask(server.port, path, { method, ...sent })
  assert.equal(answer.status, 200, `${method} ${path}`)
  assert.equal(server.double.calls.length, before + 1)
  return [server.double.calls.at(-1) ?? [], answer.json()]
}

test('defaults: closed, no description, ten popular ones, the filter on, add without moderating', async () => {
  const cases: [string, string, object | undefined, unknown[]][] = [
    ['PUT', '/channels/discovered', { name: 'Films' }, ['createChannel', 'Films', '', 'closed']],
    ['GET', '/channels/popular', undefined, ['popular', 10]],
    ['GET', '/channels/discovered', undefined, ['discovered', false]],
    ['GET', `${AT}/torrents`, undefined, ['channelTorrents', CHANNEL, false]],
    ['GET', `${AT}/playlists?disable_filter=1`, undefined, ['playlists', CHANNEL, true]],
    ['PUT', `${AT}/torrents`, { torrent: 'ZGU=' }, ['addUpload', CHANNEL, 'ZGU=', '']],
    ['PUT', `${AT}/spam`, {}, ['callSpam', CHANNEL, true]],
    ['PUT', `${AT}/comments`, { text: 'x' }, ['comment', CHANNEL, '', 'x']],
    ['PUT', `${AT}/grants`, { contributor: 'AB'.repeat(32) }, ['grant', CHANNEL, 'ab'.repeat(32), true, false]],
    ['PATCH', AT, {}, ['changeChannel', CHANNEL, {}]],
  ]
  for (const [method, path, body, call] of cases) assert.deepEqual((await called(method, path, body))[0], call, path)
})

test('names in paths: any case, decoded once, lists with commas', async () => {
  const upper = AT.replace(CHANNEL, CHANNEL.toUpperCase())
  assert.deepEqual((await called('DELETE', upper))[0], ['removeChannel', CHANNEL])
  const uri = 'http://t.example/a%20b.torrent?x=1&y=2'
  const [call, answer] = await called('PUT', `${AT}/torrents/${encodeURIComponent(uri)}`)
  assert.deepEqual(call.slice(0, 4), ['addUri', CHANNEL, uri, ''])
  assert.deepEqual(answer, { added: uri })
  const [removed, failed] = await called('DELETE', `${AT}/torrents/${HASH.toUpperCase()},,%20zz%20`)
  assert.deepEqual(removed, ['removeTorrents', CHANNEL, [HASH, 'zz']])
  assert.deepEqual(failed, { removed: false, failed_torrents: [CHANNEL] })
  const entry = await called('PUT', `${AT}/playlists/3/${HASH.toUpperCase()}`)
  assert.deepEqual(entry[0], ['addToPlaylist', CHANNEL, 3, HASH])
})

test('what is no name is 404, and no service is asked', async () => {
  const before = server.double.calls.length
  const cases: [string, string, string][] = [
    ['GET', '/channels/discovered/zz', 'ChannelNotFound'],
    ['GET', `/channels/discovered/${CHANNEL}0`, 'ChannelNotFound'],
    ['PUT', '/channels/subscribed/x', 'ChannelNotFound'],
    ['DELETE', `${AT}/playlists/x`, 'PlaylistNotFound'],
    ['POST', `${AT}/playlists/-1`, 'PlaylistNotFound'],
    ['PUT', `${AT}/playlists/3/zz`, 'TorrentNotFound'],
    ['PATCH', `${AT}/torrents/zz`, 'TorrentNotFound'],
    ['DELETE', `${AT}/comments/1.5`, 'CommentNotFound'],
    ['GET', '/torrents/zz', 'TorrentNotFound'],
  ]
  for (const [method, path, code] of cases) {
    const answer = await ask(server.port, path, { method })
    assert.deepEqual([answer.status, envelope(answer).code], [404, code], path)
  }
  assert.equal(server.double.calls.length, before)
})

test('answers are made of what the services give', async () => {
  const { name, description, dispersy_cid: identifier } = listedChannel
  const overview = { name, description, identifier }
  assert.deepEqual((await called('GET', AT))[1], { overview, channel: listedChannel })
  assert.deepEqual((await called('GET', '/mychannel'))[1], { mychannel: overview })
  assert.deepEqual((await called('GET', `/channels/subscribed/${CHANNEL}`))[1], { subscribed: true, votes: 3 })
  assert.deepEqual((await called('GET', '/channels/subscribed'))[1], { subscribed: [listedChannel] })
  const created = await called('PUT', '/channels/discovered', { name: 'x' })
  assert.deepEqual(created[1], { added: listedChannel.id, dispersy_cid: CHANNEL })
  const taken = await called('PUT', `${AT}/grants`, { contributor: 'ab'.repeat(32), add: false })
  assert.deepEqual(taken[1], { granted: false })
  assert.deepEqual(await called('GET', '/search?q=old+films'), [['search', 'old films'], { queried: true }])
  assert.deepEqual((await called('GET', '/search/completions?q=fil'))[1], { completions: ['films of old'] })
})

test('parameters that are missing or wrong: 400', async () => {
  const before = server.double.calls.length
  const cases: [string, string, object?][] = [
    ['PUT', '/channels/discovered', {}],
    ['PUT', '/channels/discovered', { name: 'x', mode: 'ajar' }],
    ['GET', '/channels/popular?limit=0'],
    ['GET', '/channels/discovered?disable_filter=perhaps'],
    ['PUT', `${AT}/torrents`, {}],
    ['PUT', `${AT}/playlists`, { name: 'x' }],
    ['PUT', `${AT}/comments`, {}],
    ['PUT', `${AT}/comments`, { text: 'x', infohash: 'zz' }],
    ['PUT', `${AT}/grants`, { contributor: 'zz' }],
    ['GET', '/search'],
    ['GET', '/search/completions?q='],
    ['GET', `/search?q=${'x'.repeat(501)}`],
  ]
  for (const [method, path, body] of cases) {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    assert.equal((await ask(server.port, path, { method, ...sent })).status, 400, `${path} ${JSON.stringify(body)}`)
  }
  assert.equal(server.double.calls.length, before)
})
