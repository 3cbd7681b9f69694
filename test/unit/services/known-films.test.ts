// Readers of downloads and what is known of their films, over doubles: who asks for it, when, and until when.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Downloads } from '../../../src/services/downloads/downloads.ts'
import type { ReaderOptions, StreamReader } from '../../../src/services/downloads/streams-api.ts'
import type { FilmFacts } from '../../../src/torrent/streams/film-facts.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { FakeTorrent, startDownloads } from './service-doubles.ts'

const made = makeTorrent({
  files: [
    { path: 'a.txt', length: 40_000 },
    { path: 'b.mkv', length: 70_000 },
  ],
})

async function withFilm(): Promise<{ downloads: Downloads; torrent: FakeTorrent }> {
  const { downloads, engine, sources } = await startDownloads()
  sources.set('/x.torrent', made.torrent)
  await downloads.add({ uri: '/x.torrent', destination: '/data/here' })
  const torrent = engine.torrents.get(made.infoHash)
  assert.ok(torrent instanceof FakeTorrent)
  return { downloads, torrent }
}

test('readers that have to wait are told what is known of their film, at once and later, until they are closed', async () => {
  const { downloads, torrent } = await withFilm()
  const asker = new AbortController()
  const known = (bytesPerSecond: number): FilmFacts => ({ bytesPerSecond, index: [], keys: null })
  const file = await downloads.streamable(made.infoHash, '1', asker)
  /** Waits at two places; answers the reader. */
  const waiting = (options?: ReaderOptions): StreamReader => {
    const reader = file.openReader(options)
    void reader.waitFor(0)
    void reader.waitFor(1000)
    return reader
  }
  torrent.readersWait = true
  waiting().close()
  assert.deepEqual(torrent.films, [], 'nobody knows films')
  const followers = new Set<(facts: FilmFacts) => void>()
  let follows = 0
  downloads.films.setSource({
    follow(played, tell) {
      assert.deepEqual(played, { infoHash: made.infoHash, fileIndex: 1, name: 'b.mkv' })
      follows += 1
      tell(known(100))
      followers.add(tell)
      return () => followers.delete(tell)
    },
    duration: async () => null,
  })
  torrent.readersWait = false
  waiting().close()
  assert.equal(follows, 0, 'what is there needs no window')
  torrent.readersWait = true
  const reader = waiting()
  for (const tell of followers) tell(known(200))
  assert.deepEqual([follows, torrent.films], [1, [known(100), known(200)]])
  reader.close()
  void reader.waitFor(0)
  assert.deepEqual([follows, followers.size], [1, 0])
  downloads.films.setSource(null)
  waiting().close()
  assert.equal(torrent.films.length, 2)
})

test('a reader in the background asks for no facts, and the record does not show where it reads', async () => {
  const { downloads, torrent } = await withFilm()
  torrent.readersWait = true
  downloads.films.setSource({
    follow: () => assert.fail('it may be who finds the facts'),
    duration: async () => null,
  })
  const reader = (await downloads.streamable(made.infoHash, '1', new AbortController())).openReader({
    background: true,
  })
  void reader.waitFor(0)
  const modes: boolean[] = []
  for await (const { vod_mode } of downloads.list({ peers: false, pieces: false, files: false })) modes.push(vod_mode)
  assert.deepEqual(modes, [false])
  reader.close()
  assert.equal(torrent.openReaders, 0)
})

test('how long a film plays is asked of whoever knows films, if anybody does', async () => {
  const { downloads } = await withFilm()
  const asker = new AbortController()
  assert.equal(await downloads.films.duration(made.infoHash, 1, asker), null)
  downloads.films.setSource({
    follow: () => () => undefined,
    duration: async (...asked) => {
      assert.deepEqual(asked, [made.infoHash, 1, asker])
      return 61.5
    },
  })
  assert.equal(await downloads.films.duration(made.infoHash, 1, asker), 61.5)
})

test('a reader for which there is no place asks again when it waits next', async () => {
  const { downloads, torrent } = await withFilm()
  torrent.readersWait = true
  const places = [null, null, () => undefined]
  let asked = 0
  downloads.films.setSource({ follow: () => places[asked++] ?? null, duration: async () => null })
  const reader = (await downloads.streamable(made.infoHash, '1', new AbortController())).openReader()
  for (let wait = 1; wait <= 5; wait += 1) void reader.waitFor(wait)
  assert.equal(asked, 3)
  reader.close()
})
