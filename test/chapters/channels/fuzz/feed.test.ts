// Feeds: any bytes give a feed within its bounds, or a DecodeError, soon; what a channel writes of itself is read
// again.

import assert from 'node:assert/strict'
import { DecodeError } from '../../../../src/base/errors.ts'
import { channelFeedText } from '../../../../src/chapters/channels/feeds/channel-feed-text.ts'
import { parseFeed } from '../../../../src/chapters/channels/feeds/wire/parse-feed.ts'
import { MAX_FEED_ITEMS_READ, type ParsedFeed } from '../../../../src/chapters/channels/feeds/wire/types.ts'
import { fuzz } from '../../../kit/sim/fuzz.ts'

const MAGNET = 'magnet:?xt=urn:btih:0123456789abcdef0123456789abcdef01234567'
const SEEDS = [
  `<?xml version="1.0" encoding="utf-8"?><rss><channel><title>a &amp; b</title><item><guid>1</guid><link>${MAGNET}</link><description><![CDATA[<p>x</p>]]></description><enclosure url="/a.torrent" type="application/x-bittorrent"/></item></channel></rss>`,
  `<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><entry><id>u</id><link rel="enclosure" href="${MAGNET}"/><summary>&#x41;&#65;</summary></entry></feed>`,
  `<!DOCTYPE rdf:RDF PUBLIC "x"><rdf:RDF xmlns:rdf="r"><channel/><item rdf:about="a"><link>http://x/y.torrent</link></item></rdf:RDF>`,
]
const TYPES = [
  '',
  'text/xml; charset=utf-8',
  'text/xml; charset=latin1',
  'application/xml; charset=utf-16',
  'x;charset=\0',
]

function read(bytes: Uint8Array, contentType = ''): ParsedFeed | null {
  try {
    return parseFeed({ bytes, contentType, url: 'https://feeds.example/a/b.xml' })
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error))
    return null
  }
}

fuzz('any bytes give a bounded feed or a DecodeError', 1, source => {
  let bytes: Uint8Array = Buffer.from(source.pick(SEEDS))
  if (source.below(8) > 0) bytes = source.mutate(bytes)
  const feed = read(bytes, source.pick(TYPES))
  if (feed === null) return
  assert.ok(feed.items.length <= MAX_FEED_ITEMS_READ)
  for (const { key, title, description, sources } of feed.items) {
    assert.ok(key !== '' && key.length <= 2_048 && title.length <= 1_024 && description.length <= 3_072)
    assert.ok(sources.length >= 1 && sources.length <= 4)
    for (const uri of sources) assert.match(uri, /^(https?:\/\/|magnet:\?)/i)
  }
})

fuzz('a channel of any words is read again as a feed', 0.5, source => {
  const words = (): string => Buffer.from(source.mutate(Buffer.from('A film <b> & "more" ]]> of old'))).toString('utf8')
  const torrents = Array.from({ length: source.below(5) }, (_, at) => ({
    infohash: at.toString(16).padStart(40, '0'),
    name: words(),
    description: words(),
    category: 'video',
    size: source.below(1e6),
    time: source.below(2e9),
    trackers: [`http://t.example/${encodeURIComponent('ä')}`],
  }))
  const channel = { dispersy_cid: 'c'.repeat(40), name: words(), description: words(), modified: source.below(2e9) }
  for (const format of ['atom', 'rss'] as const) {
    const { text } = channelFeedText({ channel, torrents, format, self: 'http://127.0.0.1:1/' })
    const keys = read(Buffer.from(text))?.items.map(({ key }) => key)
    assert.deepEqual(
      keys,
      torrents.map(({ infohash }) => `urn:btih:${infohash}`),
      text,
    )
  }
})
