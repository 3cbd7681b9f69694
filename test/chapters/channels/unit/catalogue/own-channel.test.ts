// A channel of our own from making it to its end, and what others see of it, through the thread.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CatalogueHappening } from '../../../../../src/chapters/channels/ports/channel-catalogue.ts'
import type { ChannelId } from '../../../../../src/chapters/channels/wire/types.ts'
import { openCatalogue } from '../../kit/open-catalogue.ts'
import { passOn, torrentOf } from './catalogue-kit.ts'

test('a channel is made, filled, edited and seen whole by a subscriber', async t => {
  const here = await openCatalogue(t)
  const there = await openCatalogue(t)
  const happened: CatalogueHappening[] = []
  here.network.watch(event => happened.push(event))
  const made = await here.library.create('Free films', 'without\nborders', 'closed')
  const cid = made.dispersy_cid as ChannelId
  assert.equal(made.can_edit, true)
  await Promise.all([1, 2, 3].map(n => here.library.addTorrent(cid, torrentOf(n))))
  await assert.rejects(here.library.addTorrent(cid, torrentOf(2)), { code: 'DuplicateTorrentFileError' })
  await here.library.editTorrent(cid, torrentOf(2).infoHash, { name: 'second film' })
  assert.deepEqual(await here.library.removeTorrents(cid, [torrentOf(3).infoHash, torrentOf(4).infoHash]), [
    torrentOf(4).infoHash,
  ])
  await here.library.createPlaylist(cid, 'both', 'of them')
  const [playlist] = await here.library.playlists(cid, true)
  assert.ok(playlist)
  await here.library.addToPlaylist(cid, playlist.id, torrentOf(1).infoHash)
  await here.library.addToPlaylist(cid, playlist.id, torrentOf(2).infoHash)
  await assert.rejects(here.library.addToPlaylist(cid, playlist.id, torrentOf(2).infoHash), { code: 'StateConflict' })
  await here.library.comment(cid, torrentOf(1).infoHash, 'good')
  assert.equal(happened.filter(event => event.kind === 'head' && event.own).length > 0, true)

  assert.equal(await there.library.subscribe(cid, true), true)
  assert.equal(await passOn(here.network, there.network, cid), true)
  const seen = await there.library.channel(cid)
  assert.equal(seen.name, 'Free films')
  assert.equal(seen.torrents, 2)
  assert.equal(seen.can_edit, false)
  const names = (await there.library.torrents(cid, true)).map(({ name }) => name)
  assert.deepEqual(names.sort(), ['second film', 'torrent 1'])
  const [copied] = await there.library.playlists(cid, true)
  assert.deepEqual(
    copied?.torrents.map(({ name }) => name),
    ['torrent 1', 'second film'],
  )
  assert.deepEqual(
    (await there.library.comments(cid)).map(({ text, infohash }) => [text, infohash]),
    [['good', torrentOf(1).infoHash]],
  )
  assert.deepEqual(
    (await there.library.search('second', 10, true)).torrents.map(({ name }) => name),
    ['second film'],
  )
  await assert.rejects(there.library.addTorrent(cid, torrentOf(9)), { code: 'NotChannelOwner' })

  await here.library.remove(cid)
  assert.deepEqual(await here.library.own(), [])
  const ended = await here.network.known(cid)
  assert.equal(ended?.head?.records, 0)
  assert.equal(await passOn(here.network, there.network, cid), true)
  assert.deepEqual(await there.library.torrents(cid, true), [])
})

test('a restart keeps everything, and the key', async t => {
  const first = await openCatalogue(t)
  const { dispersy_cid: cid } = await first.library.create('mine', '', 'open')
  await first.library.addTorrent(cid, torrentOf(1))
  const head = (await first.network.known(cid as ChannelId))?.head
  const author = await first.library.author()
  await first.close(5000)
  const again = await openCatalogue(t, { folder: first.folder })
  assert.equal(again.facts.created, false)
  assert.equal(await again.library.author(), author)
  assert.deepEqual((await again.network.known(cid as ChannelId))?.head, head)
  await again.library.addTorrent(cid, torrentOf(2))
  assert.ok(((await again.network.known(cid as ChannelId))?.head?.sequence ?? 0) > (head?.sequence ?? 0))
  assert.equal((await again.library.channel(cid)).torrents, 2)
})
