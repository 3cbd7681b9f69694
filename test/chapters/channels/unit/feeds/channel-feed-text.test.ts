// Channels written as feeds: what other programs read in them, and that nothing of a channel's texts breaks out of
// them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewestTorrent } from '../../../../../src/chapters/channels/ports/channel-library.ts'
import { channelFeedText } from '../../../../../src/chapters/channels/feeds/channel-feed-text.ts'
import { parseFeed } from '../../../../../src/chapters/channels/feeds/wire/parse-feed.ts'
import { parseMagnet } from '../../../../../src/wire/metainfo/magnet.ts'

const channel = { dispersy_cid: 'c'.repeat(40), name: 'Films <b>', description: 'Old & good', modified: 1_700_000_100 }
const torrent: NewestTorrent = {
  infohash: '0123456789abcdef0123456789abcdef01234567',
  name: 'A "film" </title> & ]]> \u0001',
  description: 'x < y',
  size: 5,
  category: 'video',
  time: 1_700_000_000,
  trackers: ['http://t.example/announce?a=1&b=2'],
}
const self = 'http://127.0.0.1:1/channels/x/feed?format=rss&token=1'

for (const format of ['atom', 'rss'] as const) {
  test(`${format}: read back, every torrent is there with its magnet link`, () => {
    const { text, contentType } = channelFeedText({ channel, torrents: [torrent], format, self })
    assert.equal(contentType, `application/${format}+xml; charset=utf-8`)
    const { title, items } = parseFeed({ bytes: Buffer.from(text), contentType, url: self })
    assert.equal(title, 'Films')
    const [item] = items
    assert.equal(items.length, 1)
    assert.equal(item?.key, `urn:btih:${torrent.infohash}`)
    assert.equal(item?.title, 'A "film" & ]]>')
    assert.equal(item?.sources.length, 1)
    const magnet = parseMagnet(item?.sources[0] ?? '')
    assert.deepEqual([magnet.infoHash, magnet.trackers], [torrent.infohash, torrent.trackers])
    assert.match(text, format === 'atom' ? /<updated>2023-11-14T22:13:20Z</ : /<pubDate>Tue, 14 Nov 2023 22:13:20 GMT</)
  })
}

test('the tag changes with the text and not else; an empty channel is a feed too', () => {
  const etag = (torrents: readonly NewestTorrent[]) => channelFeedText({ channel, torrents, format: 'atom', self }).etag
  assert.equal(etag([torrent]), etag([{ ...torrent }]))
  assert.notEqual(etag([torrent]), etag([{ ...torrent, name: 'B' }]))
  const { text } = channelFeedText({ channel, torrents: [], format: 'rss', self })
  assert.deepEqual(parseFeed({ bytes: Buffer.from(text), contentType: '', url: self }).items, [])
})
