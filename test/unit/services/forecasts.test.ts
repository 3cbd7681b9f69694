// Forecasts of files of downloads, over doubles: which torrent is asked, and what the others take from the line.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FilmFacts } from '../../../src/torrent/streams/film-facts.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { FakeTorrent, startDownloads } from './service-doubles.ts'

const FILM: FilmFacts = { bytesPerSecond: 100, index: [], keys: null }

/** Three downloads with 10, 100 and 1,000 bytes/s. */
async function threeDownloads() {
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
  return { downloads, clock, torrents, infohash: made[1]?.infoHash ?? '' }
}

test('the torrent is asked, with the rate of all other downloads, of which nothing else is found out', async () => {
  const { downloads, clock, torrents, infohash } = await threeDownloads()
  for (const torrent of torrents) torrent.snapshot = () => assert.fail('a whole snapshot was made')
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

test('a file of a suspended download that is all there plays, and nothing is woken for it', async () => {
  const { downloads, clock, torrents, infohash } = await threeDownloads()
  const [, torrent] = torrents
  assert.ok(torrent)
  torrent.suspended = true
  torrent.progress = 1
  const forecast = await downloads.forecast(infohash, 0, { second: 5 }, FILM)
  assert.deepEqual([forecast?.state, forecast?.startInSec, forecast?.missingBytes], ['plays', 0, 0])
  assert.deepEqual([torrent.suspended, torrent.asked], [true, []])
  assert.equal(await downloads.forecast(infohash, 0, { second: 5 }, { ...FILM, bytesPerSecond: 0 }), null)
  // What is not selected may lack anything, and so may what is not complete.
  await downloads.patch(infohash, { selected_files: [] })
  torrent.suspended = true
  await downloads.forecast(infohash, 0, { second: 5 }, FILM)
  assert.deepEqual([torrent.suspended, torrent.asked.length], [false, 1])
  await downloads.patch(infohash, { selected_files: [0] })
  torrent.suspended = true
  torrent.progress = 0.99
  clock.advance(1001)
  await downloads.forecast(infohash, 0, { second: 5 }, FILM)
  assert.deepEqual([torrent.suspended, torrent.asked.length], [false, 2])
})
