// Channels in words, what narrows their lists, their places, and results of a search as they arrive.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListedChannel, ListedTorrent } from '../../../../../src/chapters/channels/ports/channel-library.ts'
import {
  channelPlace,
  channelsHome,
  listPlace,
  searchPlace,
  shownAt,
  type ShownChannels,
} from '../../../../../src/chapters/channels/web/model/channel-places.ts'
import * as words from '../../../../../src/chapters/channels/web/model/channel-words.ts'
import * as pageWords from '../../../../../src/chapters/channels/web/model/channel-page-words.ts'
import { networkTrouble, nothingDiscovered } from '../../../../../src/chapters/channels/web/model/network-words.ts'
import { FoundResults, MAX_FOUND } from '../../../../../src/chapters/channels/web/model/found-results.ts'
import { addressOf, placeOf } from '../../../../../src/web/model/place.ts'
import { sampleChannel, sampleTorrent } from '../../kit/sample-channels.ts'

const CID = 'ab'.repeat(20)

/** What an address of channels shows. */
function shownIn(address: string): ShownChannels {
  const place = placeOf(address, ['channels'])
  assert.equal(place.page, 'chapter')
  return shownAt(place.parts)
}

test('places of channels have addresses, whatever is searched for', () => {
  const words = 'a/b #c? ü%20'
  const places = [
    [channelsHome, '#/channels', { page: 'channels', list: 'discovered', query: '' }],
    [listPlace('own'), '#/channels/own', { page: 'channels', list: 'own', query: '' }],
    [
      searchPlace(words),
      `#/channels/search/${encodeURIComponent(words)}`,
      { page: 'channels', list: 'discovered', query: words },
    ],
    [channelPlace(CID), `#/channels/${CID}`, { page: 'channel', channel: CID, tab: 'torrents' }],
    [channelPlace(CID, 'feeds'), `#/channels/${CID}/feeds`, { page: 'channel', channel: CID, tab: 'feeds' }],
  ] as const
  for (const [place, address, shown] of places) {
    assert.equal(addressOf(place), address)
    assert.deepEqual(placeOf(address, ['channels']), place)
    assert.deepEqual(shownAt(place.parts), shown)
  }
  for (const address of ['#/channels/search/%E0%A4%A', '#/channels/nowhere', '#/channels/search/', '#/channels/'])
    assert.deepEqual(shownIn(address), shownAt([]), address)
  assert.deepEqual(shownIn(`#/channels/${CID}/<b>`), { page: 'channel', channel: CID, tab: 'torrents' })
})

test('what is known of a channel, in one line', () => {
  const channel = sampleChannel(1, { torrents: 1, votes: 1200, spam: 0, modified: 940 })
  assert.equal(words.channelFacts(channel, 1000), '1 torrent · 1,200 subscribers · changed 1 min ago')
  const spam = sampleChannel(1, { torrents: 0, votes: 0, spam: 3, modified: 0 })
  assert.equal(words.channelFacts(spam, 1000), '0 torrents · 0 subscribers · reported as spam by 3')
  assert.equal(words.ago(2000, 1000), 'just now', 'a clock that runs ahead')
  assert.equal(words.channelTag({ own: true, can_edit: true, subscribed: false }), 'Yours')
  assert.equal(words.channelTag({ own: false, can_edit: true, subscribed: true }), 'Subscribed · You may add')
  assert.equal(words.channelTag({ own: false, can_edit: false, subscribed: false }), '')
  assert.equal(words.named('  ', 'channel'), 'Unnamed channel')
  for (const { mode, name } of pageWords.modeChoices) assert.equal(pageWords.modeName(mode), name)
})

test('health says when nobody was asked, and no seeders are not that', () => {
  assert.equal(words.healthText(sampleTorrent(1, { num_seeders: 5, last_tracker_check: 0 })), 'not checked')
  const checked = { num_seeders: 0, num_leechers: 1234, last_tracker_check: 7 }
  assert.equal(words.healthText(sampleTorrent(1, checked)), '0 / 1,234')
})

test('of several sources the largest counts are shown; errors are none', () => {
  const row = (seeders: number, leechers: number) => [{ infohash: 'ab', seeders, leechers }]
  assert.deepEqual(words.largestHealth({ 'http://a': row(3, 9), DHT: row(5, 1), 'http://b': { error: 'late' } }), {
    seeders: 5,
    leechers: 9,
  })
  assert.equal(words.largestHealth({ 'http://b': { error: 'late' }, DHT: [] }), null)
})

test('a list is narrowed by every word, in names and descriptions', () => {
  const all = [
    sampleChannel(1, { name: 'Old Films', description: 'silent ones' }),
    sampleChannel(2, { name: 'Music', description: 'of FILMS' }),
  ]
  const ids = (text: string) => words.matching(all, text).map(({ id }) => id)
  assert.deepEqual(ids('films'), [1, 2])
  assert.deepEqual(ids(' SILENT  films '), [1])
  assert.deepEqual(ids('silent music'), [])
  assert.equal(words.matching(all, '  '), all)
})

test('own channels are those of both lists, each once', () => {
  const [mine, other] = [sampleChannel(1, { own: true, name: 'B' }), sampleChannel(2)]
  const also = sampleChannel(3, { own: true, name: 'A' })
  assert.deepEqual(
    words.ownAmong([mine, other], [mine, also]).map(({ id }) => id),
    [3, 1],
  )
})

test('links and sources of torrents', () => {
  const torrent: Pick<ListedTorrent, 'infohash' | 'name'> = { infohash: CID, name: 'a & b' }
  assert.equal(
    words.magnetFor(torrent, ['http://t/a?b']),
    `magnet:?xt=urn:btih:${CID}&dn=a%20%26%20b&tr=http%3A%2F%2Ft%2Fa%3Fb`,
  )
  assert.deepEqual(words.sourcesIn(` ${CID.toUpperCase()}\n\n https://x/y.torrent \n`), [
    `magnet:?xt=urn:btih:${CID}`,
    'https://x/y.torrent',
  ])
})

test('feeds say where they stand', () => {
  const url = 'https://x/feed'
  const feed = { url, time_added: 1, last_check: 40, next_check: 160, failures: 0, error: '' }
  assert.equal(pageWords.feedText({ ...feed, last_check: 0, next_check: 0 }, 100), 'Not read yet')
  assert.equal(pageWords.feedText(feed, 100), 'Read 1 min ago; next time in 1 min')
  assert.equal(pageWords.feedText({ ...feed, next_check: 90 }, 100), 'Read 1 min ago')
  assert.equal(pageWords.feedText({ ...feed, error: 'gone' }, 100), 'Not read: gone; next try in 1 min')
})

test('nothing there says why, and what to do', () => {
  const none = { state: 'connected', peers: 0, setting: '', problem: '' } as const
  assert.equal(networkTrouble(null), '')
  assert.equal(networkTrouble({ ...none, peers: 2 }), '')
  assert.match(nothingDiscovered({ ...none, peers: 2 }), /Connected to 2 nodes/)
  assert.match(
    nothingDiscovered({ ...none, state: 'off', setting: 'ipv8.enabled' }),
    /setting ipv8\.enabled\. Switch it/,
  )
  const taken = 'UDP port 7759 is taken.'
  assert.match(nothingDiscovered({ ...none, state: 'failed', problem: taken }), /: UDP port 7759 is taken\. The node/)
  assert.match(nothingDiscovered({ ...none, state: 'alone' }), /UDP may leave/)
  assert.match(nothingDiscovered({ ...none, state: 'starting' }), /^Connecting/)
  assert.match(nothingDiscovered(null), /yet/)
})

test('who wrote something', () => {
  const key = 'cd'.repeat(32)
  assert.equal(pageWords.authorText(key, { mine: true, byOwner: true }), 'You')
  assert.equal(pageWords.authorText(key, { mine: false, byOwner: true }), 'Owner')
  assert.equal(pageWords.authorText(key, { mine: false, byOwner: false }), 'cdcdcdcd')
})

function found(type: string, query: string, result: object) {
  return { id: 1, type, event: { query, result } }
}

test('results of one search: each once, the best first, those of other searches not', () => {
  const results = new FoundResults('old films')
  const torrent = (at: number, score: number) => ({
    ...sampleTorrent(at),
    dispersy_cid: CID,
    relevance_score: score,
  })
  const channel: ListedChannel & { relevance_score: number } = { ...sampleChannel(1), relevance_score: 1 }
  assert.equal(results.take(found('search_result_torrent', 'old films', torrent(1, 1))), true)
  assert.equal(results.take(found('search_result_torrent', 'old films', torrent(1, 1))), false)
  assert.equal(results.take(found('search_result_torrent', 'new films', torrent(2, 9))), false)
  assert.equal(results.take(found('search_result_torrent', 'old films', torrent(3, 2))), true)
  assert.equal(results.take(found('search_result_channel', 'old films', channel)), true)
  assert.equal(results.take(found('torrent_discovered', 'old films', torrent(4, 2))), false)
  assert.equal(results.take({ id: 2, type: 'search_result_torrent', event: { query: 'old films' } }), false)
  assert.deepEqual(
    results.torrents.map(one => one.id),
    [3, 1],
  )
  assert.deepEqual([results.channels.length, results.count], [1, 3])
})

test('results are bounded', () => {
  const results = new FoundResults('x')
  for (let at = 1; at <= MAX_FOUND + 10; at++)
    results.take(found('search_result_torrent', 'x', { ...sampleTorrent(at), relevance_score: at }))
  assert.equal(results.torrents.length, MAX_FOUND)
})
