// Rights that are taken back and modes that change count from then on: what others had written by then stays, however
// fast the owner is.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChannelId } from '../../../../../src/chapters/channels/wire/types.ts'
import { type InlineCatalogue, openInlineCatalogue } from '../../kit/open-catalogue.ts'
import { Author, NOW_MS, torrentOf } from './catalogue-kit.ts'

const shown = async ({ library }: InlineCatalogue, cid: string): Promise<string[]> =>
  (await library.torrents(cid, false)).map(({ name }) => name)

test('what a contributor wrote before its rights were taken back stays; what it writes later does not come in', async t => {
  const catalogue = openInlineCatalogue(t, () => NOW_MS)
  const { library, network } = catalogue
  const { dispersy_cid: cid } = await library.create('Films', '', 'closed')
  const channel = cid as ChannelId
  const author = new Author(3)
  await library.grant(cid, author.hex, true, false)
  const extra = (n: number) =>
    network.offerRecords(channel, [author.record(channel, n, torrentOf(n)).bytes], 'extra', 'peer')
  assert.deepEqual(await extra(1), { kept: 1, known: 0, refused: 0 })
  await library.grant(cid, author.hex, false, false)
  assert.deepEqual(await shown(catalogue, cid), ['torrent 1'])
  assert.equal((await network.extras(channel, 10)).length, 0)
  await extra(2)
  assert.deepEqual(await shown(catalogue, cid), ['torrent 1'])
})

test('an open channel that is closed keeps what strangers had added', async t => {
  const catalogue = openInlineCatalogue(t, () => NOW_MS)
  const { library, network } = catalogue
  const { dispersy_cid: cid } = await library.create('Films', '', 'open')
  const channel = cid as ChannelId
  const author = new Author(4)
  await network.offerRecords(channel, [author.record(channel, 1, torrentOf(1)).bytes], 'extra', 'peer')
  await library.change(cid, { mode: 'closed' })
  assert.deepEqual(await shown(catalogue, cid), ['torrent 1'])
})
