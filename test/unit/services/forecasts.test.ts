// Forecasts of files of downloads, over doubles: which torrent is asked, and what the others take from the line.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FilmFacts } from '../../../src/torrent/streams/film-facts.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { FakeTorrent, startDownloads } from './service-doubles.ts'

const FILM: FilmFacts = { bytesPerSecond: 100, index: [], keys: null }

test('the torrent is asked, with the rate of all other downloads', async () => {
  const { downloads, engine, sources, clock } = await startDownloads()
  const made = [1, 2, 3].map(seed => makeTorrent({ name: `film ${seed}`, seed }))
  const torrents: FakeTorrent[] = []
  for (const [i, { infoHash, torrent }] of made.entries()) {
    sources.set(`/${i}.torrent`, torrent)
    await downloads.add({ uri: `/${i}.torrent`, destination: `/data/${i}` })
    const fake = engine.torrents.get(infoHash)
    assert.ok(fake instanceof FakeTorrent)
    fake.downRate = 10 ** (i + 1)
    torrents.push(fake)
  }
  const infohash = made[1]?.infoHash ?? ''
  assert.equal((await downloads.forecast(infohash, 0, { second: 5 }, FILM))?.state, 'plays')
  assert.deepEqual(
    torrents.map(({ asked }) => asked),
    [[], [[0, { second: 5 }, FILM, 1010]], []],
  )
  await downloads.forecast(infohash, 0, { second: 5 }, FILM)
  assert.equal(torrents[1]?.asked.length, 1, 'who asks again at once hears the same')
  await downloads.forecast(infohash, 0, { second: 6 }, FILM)
  clock.advance(1001)
  await downloads.forecast(infohash, 0, { second: 5 }, FILM)
  assert.equal(torrents[1]?.asked.length, 3)
  await assert.rejects(downloads.forecast('ab'.repeat(20), 0, { second: 0 }, FILM), { code: 'DownloadNotFound' })
})
