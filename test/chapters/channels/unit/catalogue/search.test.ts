// Full text over what is held and what the network brought; completions; the family filter.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openInlineCatalogue } from '../../kit/open-catalogue.ts'
import { Author, NOW_MS, torrentOf } from './catalogue-kit.ts'

const NAMES = [
  'Big Buck Bunny 1080p',
  'Elephants Dream',
  'The Bunny of Prague: Café',
  'Naked hardcore xxx',
  'Sintel dream',
]

test('words are found in any order, as prefixes, without their marks; each torrent once', async t => {
  const { library } = openInlineCatalogue(t, () => NOW_MS)
  const { dispersy_cid: cid } = await library.create('Open films', 'bunnies and dreams', 'closed')
  const { dispersy_cid: twin } = await library.create('Copies', '', 'closed')
  for (const [n, name] of NAMES.entries()) await library.addTorrent(cid, torrentOf(n, { name }))
  await library.addTorrent(twin, torrentOf(0, { name: NAMES[0] as string }))
  const found = async (text: string, hideXxx = true): Promise<string[]> =>
    (await library.search(text, 10, hideXxx)).torrents.map(({ name }) => name)
  assert.deepEqual(await found('bunny'), ['Big Buck Bunny 1080p', 'The Bunny of Prague: Café'])
  assert.deepEqual(await found('PRAGUE cafe'), ['The Bunny of Prague: Café'])
  assert.deepEqual(await found('dre*'), ['Sintel dream', 'Elephants Dream'])
  assert.deepEqual(await found('eleph'), ['Elephants Dream'], 'the last word may go on')
  assert.deepEqual(await found('bunny elephants'), [])
  assert.deepEqual(await found('hardcore'), [])
  assert.deepEqual(await found('hardcore', false), ['Naked hardcore xxx'])
  for (const text of ['', '"', 'a"b OR (', '-', '漢字かな', '\u{1f600}', 'x'.repeat(5000)])
    await library.search(text, 10, true)
  const [channel] = (await library.search('films', 10, true)).channels
  assert.equal(channel?.dispersy_cid, cid)
  assert.ok((channel?.relevance_score ?? 0) > 0)
  await library.editTorrent(cid, torrentOf(1).infoHash, { name: 'Renamed' })
  await library.removeTorrents(cid, [torrentOf(2).infoHash])
  assert.deepEqual(await found('elephants'), [])
  assert.deepEqual(await found('prague'), [])
  assert.deepEqual(await found('renamed'), ['Renamed'])
})

test('completions go on from the last word', async t => {
  const { library } = openInlineCatalogue(t, () => NOW_MS)
  const { dispersy_cid: cid } = await library.create('Open films', '', 'closed')
  for (const [n, name] of NAMES.entries()) await library.addTorrent(cid, torrentOf(n, { name }))
  assert.deepEqual(await library.completions('bu', 5, true), ['bunny', 'buck'])
  assert.deepEqual(await library.completions('big bu', 5, true), ['big buck', 'big bunny'])
  assert.deepEqual(await library.completions('hardc', 5, true), [])
  assert.deepEqual(await library.completions('hardc', 5, false), ['hardcore'])
  assert.deepEqual(await library.completions('', 5, true), [])
})

test('what the network brings is checked, matched and filtered, and not kept', async t => {
  const { library } = openInlineCatalogue(t, () => NOW_MS)
  const owner = new Author(5)
  const record = (clock: number, name: string): Uint8Array =>
    owner.record(owner.channel, clock, torrentOf(clock, { name })).bytes
  const forged = Uint8Array.from(record(1, 'bunny forged'))
  forged[forged.length - 1] = (forged[forged.length - 1] ?? 0) ^ 1
  const info = owner.record(owner.channel, 9, { kind: 'channel', name: 'bunnies', description: '', mode: 'open' }).bytes
  const brought = [
    record(2, 'good bunny'),
    record(3, 'cat'),
    record(4, 'naked bunny hardcore xxx'),
    forged,
    info,
    new Uint8Array(5),
  ]
  const { torrents, channels } = await library.takeFound('bunn', brought, true)
  assert.deepEqual(
    torrents.map(({ name, dispersy_cid }) => [name, dispersy_cid]),
    [['good bunny', owner.channel]],
  )
  assert.deepEqual(
    channels.map(({ name }) => name),
    ['bunnies'],
  )
  await assert.rejects(library.torrents(owner.channel, true), { code: 'ChannelNotFound' })
  assert.equal((await library.counts()).refused['forged'], 1)
})

test('a peer that asks gets records that it can check itself', async t => {
  const here = openInlineCatalogue(t, () => NOW_MS)
  const there = openInlineCatalogue(t, () => NOW_MS)
  const { dispersy_cid: cid } = await here.library.create('Open films', '', 'closed')
  for (const [n, name] of NAMES.entries()) await here.library.addTorrent(cid, torrentOf(n, { name }))
  const { heads, records } = await here.network.searchFor('bunny', 10)
  assert.equal(heads[0]?.channel, cid)
  const { torrents } = await there.library.takeFound('bunny', records, true)
  assert.deepEqual(torrents.map(({ name }) => name).sort(), ['Big Buck Bunny 1080p', 'The Bunny of Prague: Café'])
})
