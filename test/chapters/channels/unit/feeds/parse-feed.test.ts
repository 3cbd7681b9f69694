// Feeds as they are in the field, and what is done to those who read them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../../src/base/errors.ts'
import { parseFeed } from '../../../../../src/chapters/channels/feeds/wire/parse-feed.ts'
import { MAX_FEED_ITEMS_READ, type ParsedFeed } from '../../../../../src/chapters/channels/feeds/wire/types.ts'

const HASH = '0123456789abcdef0123456789abcdef01234567'
const MAGNET = `magnet:?xt=urn:btih:${HASH}`

function read(text: string | Uint8Array, contentType = ''): ParsedFeed {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  return parseFeed({ bytes, contentType, url: 'https://feeds.example/all/feed.xml' })
}

const rss = (items: string): string =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:torrent="http://xmlns.ezrss.it/0.1/" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Films</title>${items}</channel></rss>`

test('RSS 2.0: guid, title, description without markup, enclosure before link', () => {
  const { title, items } = read(
    rss(`<item><guid isPermaLink="false">n1</guid><title>A &amp; B</title><link>https://x.example/page</link>
      <description>&lt;p&gt;Old &amp;amp; <![CDATA[<b>good</b>]]>&lt;/p&gt;</description>
      <enclosure url="/a.torrent?k=1&amp;v=2" type="application/x-bittorrent" length="5"/></item>`),
  )
  assert.equal(title, 'Films')
  assert.deepEqual(items, [
    {
      key: 'n1',
      title: 'A & B',
      description: 'Old & good',
      sources: ['https://feeds.example/a.torrent?k=1&v=2', 'https://x.example/page'],
    },
  ])
})

test('Atom: id, summary, links by relation', () => {
  const { items, title } = read(
    `<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">T</title><entry><id>urn:1</id><title>One</title><summary>S</summary>
      <link rel="self" href="https://x.example/self"/><link rel="alternate" href="https://x.example/1"/>
      <link rel="enclosure" type="application/x-bittorrent" href="https://x.example/1.torrent"/></entry>
      <entry><id>urn:2</id><link href="${MAGNET}"/></entry></feed>`,
  )
  assert.equal(title, 'T')
  assert.deepEqual(
    items.map(({ key, sources }) => [key, ...sources]),
    [
      ['urn:1', 'https://x.example/1.torrent', 'https://x.example/1'],
      ['urn:2', MAGNET],
    ],
  )
  assert.equal(items[0]?.description, 'S')
})

test('RSS 1.0: items beside the channel, named by rdf:about', () => {
  const { items } = read(
    `<rdf:RDF xmlns:rdf="r"><channel><title>C</title></channel><item rdf:about="https://x.example/a"><title>A</title><link>https://x.example/a.torrent</link></item></rdf:RDF>`,
  )
  assert.deepEqual(
    items.map(({ key, sources }) => [key, ...sources]),
    [['https://x.example/a', 'https://x.example/a.torrent']],
  )
})

test('magnets stand in links, guids, elements of their own; an info hash alone makes one', () => {
  const { items } = read(
    rss(
      `<item><link>${MAGNET}</link></item><item><guid>${MAGNET}&amp;dn=x</guid></item>` +
        `<item><torrent:magnetURI><![CDATA[${MAGNET}&dn=y]]></torrent:magnetURI><guid>g</guid></item>` +
        `<item><title>h</title><torrent:infoHash>${HASH.toUpperCase()}</torrent:infoHash></item>` +
        `<item><media:group><media:content url="${MAGNET}&amp;dn=z"/></media:group></item>`,
    ),
  )
  assert.deepEqual(
    items.map(({ sources }) => sources),
    [[MAGNET], [`${MAGNET}&dn=x`], [`${MAGNET}&dn=y`], [MAGNET], [`${MAGNET}&dn=z`]],
  )
  assert.deepEqual(
    items.map(({ key }) => key),
    [MAGNET, `${MAGNET}&dn=x`, 'g', MAGNET, `${MAGNET}&dn=z`],
  )
})

test('what cannot be a torrent is no source: sounds, other schemes; items without any are left out', () => {
  const { items } = read(
    rss(
      '<item><guid>a</guid><enclosure url="https://x.example/a.mp3" type="audio/mpeg"/></item>' +
        '<item><guid>b</guid><link>file:///etc/passwd</link></item><item><guid>c</guid><link>javascript:alert(1)</link></item>' +
        '<item/><item>text</item>',
    ),
  )
  assert.deepEqual(items, [])
})

test('documents that declare entities are refused, and those of others are not read', () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>${rss('<item><title>&b;</title></item>')}`
  assert.throws(() => read(bomb), DecodeError)
  const external = `<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>${rss('<item><title>&x;</title></item>')}`
  assert.throws(() => read(external), DecodeError)
  const old = `<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://n.example/rss-0.91.dtd">${rss(`<item><title>&unknown; &#65;</title><link>${MAGNET}</link></item>`).replace(/^<\?xml.*?\?>/, '')}`
  assert.equal(read(old).items[0]?.title, '&unknown; A')
})

test('what is no feed, cut off or too deep is refused', () => {
  const wrong = ['', 'hello', '<html><body><p>Not here</p></body></html>', '{"items":[]}', rss('').slice(0, -6)]
  wrong.push(`${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}`, rss('<item><__proto__><x>1</x></__proto__></item>'))
  wrong.push(rss('<item><constructor><prototype>1</prototype></constructor></item>'))
  for (const text of wrong) assert.throws(() => read(text), DecodeError, text.slice(0, 60))
})

test('charsets: by mark, by Content-Type, by declaration, and when all of them lie', () => {
  const title = (bytes: Uint8Array, type = ''): string => read(bytes, type).title
  const text = '<?xml version="1.0" encoding="ENC"?><rss><channel><title>Käse</title></channel></rss>'
  const latin = (label: string): Uint8Array => Buffer.from(text.replace('ENC', label), 'latin1')
  assert.equal(title(latin('iso-8859-1')), 'Käse')
  assert.equal(title(latin('utf-8')), 'Käse', 'no UTF-8 at all')
  assert.equal(title(latin('klingon')), 'Käse')
  assert.equal(title(latin('utf-8'), 'text/xml; charset=windows-1252'), 'Käse')
  assert.equal(title(Buffer.from(text.replace('ENC', 'utf-16'))), 'Käse', 'it says UTF-16')
  assert.equal(title(Buffer.from(`\ufeff${text.replace('ENC', 'utf-16')}`, 'utf16le')), 'Käse')
  assert.equal(title(Buffer.from(text.replace('ENC', 'utf-16'), 'utf16le')), 'Käse', 'without a mark')
  assert.equal(title(Buffer.from(text.replace('ENC', 'x'), 'utf8'), 'text/xml; charset="UTF-8"'), 'Käse')
  const cyrillic = Buffer.concat([
    Buffer.from('<?xml version="1.0" encoding="windows-1251"?><rss><channel><title>'),
    Buffer.from([0xcc, 0xe8, 0xf0]),
    Buffer.from('</title></channel></rss>'),
  ])
  assert.equal(title(cyrillic), 'Мир')
})

test('texts and lists are bounded', () => {
  const long = 'x'.repeat(100_000)
  const item = `<item><guid>${long}</guid><title>${long}</title><description>${'<'.repeat(50_000).replaceAll('<', '&lt;')}</description><link>${MAGNET}</link></item>`
  const { items } = read(rss(item))
  assert.equal(items[0]?.key.length, 2_048)
  assert.ok((items[0]?.title.length ?? 0) <= 1_024)
  const many = Array.from(
    { length: MAX_FEED_ITEMS_READ + 500 },
    (_, at) => `<item><guid>${at}</guid><link>${MAGNET}</link></item>`,
  )
  assert.equal(read(rss(many.join(''))).items.length, MAX_FEED_ITEMS_READ)
})
