// From when on a film plays without a stall, in whole swarms: right at a constant rate, and safe where rates swing and
// a seeder leaves. The seeds here were not used when the forecast's figures were chosen (decision 0542).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { awake } from '../kit/sim/awake.ts'
import { cinema, swingingRun } from '../kit/sim/cinema.ts'
import type { PlayedRun } from '../kit/sim/film-player.ts'
import { SimSwarm } from '../kit/sim/sim-swarm.ts'

const MIB = 1024 * 1024
const RATE = 400_000
const PIECE = 2 * MIB
const PIECES = 60
const PIECE_MS = (PIECE * 1000) / RATE
/** Places that are jumped to, in pieces: near the end of one, in the middle, before its middle. */
const SEEKS = [14.9, 31.38, 45.4]

const plays = ({ startInSec }: { startInSec: number | null }): boolean => startInSec === 0

for (const rates of [[RATE], [RATE / 3, RATE / 3, RATE / 3], [RATE / 2, RATE / 3, RATE / 6]]) {
  test(`1.3 times the bitrate, ${rates.length} seeders, ${rates.map(Math.round).join(', ')}: right within a piece time all along, no stall in two minutes with three seeks`, async () => {
    const torrent = makeTorrent({ length: PIECES * PIECE, pieceLength: PIECE })
    const { player, close } = await cinema(721, torrent, RATE / 1.3, rates)
    for (const from of [0, ...SEEKS]) {
      const run = await player.play(Math.floor(from * PIECE), 30, plays)
      const note = `piece ${from}: started ${run.startMs}, best ${run.bestMs}`
      assert.equal(run.stalls, 0, note)
      assert.ok(Math.abs(run.startMs - run.bestMs) <= PIECE_MS, note)
      for (const { atMs, forecast } of run.said) {
        if (forecast.startInSec === null) continue
        const error = atMs + forecast.startInSec * 1000 - run.bestMs
        assert.ok(Math.abs(error) <= PIECE_MS, `${note}; after ${atMs} said ${JSON.stringify(forecast)}`)
      }
    }
    await close()
  })
}

test('a film of more than the line gives: the wait is told within a piece time from the start, and there is no stall', async () => {
  // A minute of film at 0.7 times its bitrate: a wait of about half as long.
  const bytesPerSecond = RATE / 0.7
  const torrent = makeTorrent({ length: Math.ceil((60 * bytesPerSecond) / PIECE) * PIECE, pieceLength: PIECE })
  const { player, close } = await cinema(722, torrent, bytesPerSecond, [RATE])
  const run = await player.play(0, torrent.content.length / bytesPerSecond, plays)
  const note = `started ${run.startMs}, best ${run.bestMs}`
  assert.equal(run.stalls, 0, note)
  assert.ok(run.bestMs > 20_000 && run.startMs - run.bestMs <= PIECE_MS, note)
  for (const { atMs, forecast } of run.said) {
    if (forecast.startInSec === null) continue
    assert.deepEqual(forecast.helps, forecast.startInSec === 0 ? [] : ['wait', 'more-peers'])
    const error = atMs + forecast.startInSec * 1000 - run.bestMs
    assert.ok(Math.abs(error) <= PIECE_MS, `${note}; after ${atMs} said ${JSON.stringify(forecast)}`)
  }
  await close()
})

test('a player that begins with the first piece stalls after each of the three seeks', async () => {
  const torrent = makeTorrent({ length: PIECES * PIECE, pieceLength: PIECE })
  const { player, close } = await cinema(721, torrent, RATE / 1.3, [RATE])
  let stalled = 0
  for (const from of SEEKS) {
    const byte = Math.floor(from * PIECE)
    const all = torrent.content.length - Math.floor(from) * PIECE
    const run = await player.play(byte, 30, ({ missingBytes }) => missingBytes <= all - PIECE)
    stalled += Math.min(1, run.stalls)
  }
  assert.equal(stalled, 3)
  await close()
})

interface Outcome {
  readonly smooth: number
  readonly near: number
  readonly runs: readonly PlayedRun[]
  readonly note: string
}

/** Ten runs, with seeds of their own. */
async function tenRuns(share: number): Promise<Outcome> {
  const torrent = makeTorrent({ length: 40 * MIB, pieceLength: MIB / 2 })
  const runs: PlayedRun[] = []
  for (let seed = 1; seed <= 10; seed += 1) runs.push(await swingingRun(9000 + seed + share * 1000, torrent, share))
  const times = runs.map(({ startMs, bestMs, stalls }) => `${startMs}/${bestMs}${stalls > 0 ? ' stalled' : ''}`)
  return {
    runs,
    smooth: runs.filter(({ stalls }) => stalls === 0).length,
    near: runs.filter(({ startMs, bestMs }) => startMs <= 1.5 * bestMs).length,
    note: `${share} times the bitrate: ${times.join(', ')}`,
  }
}

for (const share of [1.95, 1.6]) {
  test(`${share} times the bitrate of three seeders that swing by half, one leaves: two minutes without a stall, begun at most 1.5 times the best`, async () => {
    const { smooth, near, note } = await tenRuns(share)
    assert.ok(smooth >= 9, note)
    assert.equal(near, 10, note)
  })
}

test('1.3 times, so that two seeders give less than the film takes: not reached, but most start well', async () => {
  const { smooth, near, runs, note } = await tenRuns(1.3)
  // Who leaves soon cannot be known: decision 0542 says what is reached, and why no more can be.
  assert.ok(smooth >= 6 && near >= 6, note)
  assert.ok(
    runs.every(({ startMs, bestMs }) => startMs <= 2 * bestMs),
    note,
  )
})

test('what comes in is watched for a minute after the last one who asked, and no longer', async () => {
  const swarm = new SimSwarm(724)
  const torrent = makeTorrent({ length: 12 * MIB, pieceLength: MIB / 4 })
  const node = await swarm.node()
  const peer = swarm.peer(torrent, {}, { upRate: 50_000 })
  const handle = node.add(torrent, { peers: [await peer.listen()] })
  const film = { bytesPerSecond: 100_000, index: [], keys: null }
  const ask = (): string | undefined => awake(handle).forecast(0, { byte: 0 }, film, 0)?.state
  assert.equal(ask(), 'unknown')
  await swarm.clock.advance(10_000)
  assert.equal(ask(), 'later')
  await swarm.clock.advance(59_000)
  assert.equal(ask(), 'later')
  await swarm.clock.advance(62_000)
  assert.equal(ask(), 'unknown', 'begins again')
  await swarm.clock.advance(5000)
  assert.equal(ask(), 'later')
  await swarm.close()
})
