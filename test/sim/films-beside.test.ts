// Films beside other downloads, and beside each other, on a line that is not enough for all: who plays comes first, as
// far as that helps.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { screen } from '../kit/sim/cinema.ts'
import type { FilmPlayer, PlayedRun } from '../kit/sim/film-player.ts'
import { type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'
import { StepsTogether } from '../kit/sim/steps-together.ts'
import { NO_QUEUE } from '../../src/torrent/session/torrent-queue.ts'
import type { TorrentHandle } from '../../src/torrent/types.ts'

const MIB = 1024 * 1024
/** Of the films, bytes/s. */
const RATE = 200_000
const PIECE = MIB / 2
const ARENA = { arenaBytes: 32 * MIB }

const plays = ({ startInSec }: { startInSec: number | null }): boolean => startInSec === 0

/** A film of so many seconds. */
function film(seconds: number, seed: number) {
  return makeTorrent({ length: Math.ceil((seconds * RATE) / PIECE) * PIECE, pieceLength: PIECE, seed })
}

/** Downloads that come in as fast as the line gives, from one peer each. */
async function otherDownloads(swarm: SimSwarm, node: SimNode, count: number, bytes: number): Promise<TorrentHandle[]> {
  const handles: TorrentHandle[] = []
  for (let i = 0; i < count; i += 1) {
    const torrent = makeTorrent({ length: bytes, pieceLength: MIB / 4, seed: 100 + i })
    handles.push(node.add(torrent, { peers: [await swarm.peer(torrent).listen()] }))
  }
  return handles
}

const downOf = (handles: readonly TorrentHandle[]): number =>
  handles.reduce((sum, handle) => sum + handle.snapshot().totalDown, 0)

/** Plays from each of these seconds on. */
async function playAll(
  player: FilmPlayer,
  places: readonly number[],
  seconds: number,
  onSecond?: () => void,
): Promise<PlayedRun[]> {
  const runs: PlayedRun[] = []
  for (const place of places) runs.push(await player.play(place * RATE, seconds, plays, onSecond))
  return runs
}

function noteOf(runs: readonly PlayedRun[]): string {
  return runs.map(run => `${run.startMs}/${run.bestMs} ms, ${run.stalls} stalls of ${run.stalledMs} ms`).join('; ')
}

/** Beside 20 downloads: five minutes with three jumps. */
async function besideMany(context: TestContext, line: { downRate: number } | null, limit: number): Promise<void> {
  const swarm = new SimSwarm(731)
  const node = await swarm.node({
    ...ARENA,
    ...(line === null ? {} : { line }),
    session: { maxDownloadRate: limit },
  })
  const others = await otherDownloads(swarm, node, 20, 4 * MIB)
  await swarm.clock.advance(20_000)
  const { player } = await screen(swarm, node, film(400, 1), RATE, [0, 0, 0])
  const [began, before] = [swarm.clock.now(), downOf(others)]
  let held = 0
  const runs = await playAll(player, [0, 150, 290, 110], 75, () => {
    if (others[0]?.obstacles().makesWay === true) held += 1
  })
  const rest = (downOf(others) - before) / ((swarm.clock.now() - began) / 1000) / RATE
  context.diagnostic(
    `${noteOf(runs)}; the others had ${rest.toFixed(2)} times the bitrate, and waited for ${held} of 300 s`,
  )
  assert.deepEqual(
    runs.map(({ stalls }) => stalls),
    [0, 0, 0, 0],
    noteOf(runs),
  )
  assert.ok(rest > 0.2, `the others had ${rest}`)
  assert.ok(held > 60, `they are said to have waited for ${held} s`)
  player.close()
  await swarm.close()
}

test('beside 20 other downloads on a line of 1.5 times the bitrate: no stall in five minutes with three jumps', context =>
  besideMany(context, { downRate: 1.5 * RATE }, 0))

test('the same by a limit of 1.5 times the bitrate on a line that gives more', context =>
  besideMany(context, null, 1.5 * RATE))

test('two viewers on a line of 2.5 times the bitrate, one with three seeders, one with one: no stall for both', async context => {
  const swarm = new SimSwarm(732)
  const node = await swarm.node({ ...ARENA, line: { downRate: 2.5 * RATE } })
  const steps = new StepsTogether(swarm.clock, 2)
  const step = (ms: number): Promise<void> => steps.step(ms)
  const screens = [
    await screen(swarm, node, film(300, 1), RATE, [0, 0, 0], step),
    await screen(swarm, node, film(300, 2), RATE, [0], step),
  ]
  const runs = await Promise.all(
    screens.map(async ({ player }) => {
      const played = await playAll(player, [0, 160], 100)
      steps.leave()
      return played
    }),
  )
  context.diagnostic(runs.map(noteOf).join(' | '))
  assert.deepEqual(
    runs.flat().map(({ stalls }) => stalls),
    [0, 0, 0, 0],
    runs.map(noteOf).join(' | '),
  )
  for (const { player } of screens) player.close()
  await swarm.close()
})

test('a film whose own peers are slow holds nobody up for long', async context => {
  const swarm = new SimSwarm(733)
  const node = await swarm.node(ARENA)
  const quick = makeTorrent({ length: 80 * MIB, pieceLength: MIB, seed: 3 })
  const other = node.add(quick, { peers: [await swarm.peer(quick, {}, { upRate: MIB }).listen()] })
  await swarm.clock.advance(5000)
  const { player } = await screen(swarm, node, film(60, 1), RATE, [RATE / 10])
  const [began, before] = [swarm.clock.now(), downOf([other])]
  // It waits for a minute, and does not begin.
  await player.play(0, 0, () => swarm.clock.now() - began >= 60_000)
  const share = (downOf([other]) - before) / (60 * MIB)
  context.diagnostic(`the other one had ${share.toFixed(2)} of its rate`)
  assert.ok(share > 0.7, `${share}`)
  player.close()
  await swarm.close()
})

test('a download that makes way is not slow: none that waits in the queue begins in its place', async () => {
  const swarm = new SimSwarm(734)
  const queue = { ...NO_QUEUE, downloads: 5, slowAfterMs: 12_000 }
  const node = await swarm.node({ ...ARENA, line: { downRate: 1.2 * RATE }, session: { queue } })
  const [other] = await otherDownloads(swarm, node, 4, 8 * MIB)
  const { player } = await screen(swarm, node, film(120, 1), RATE, [0])
  await swarm.clock.advance(5000)
  const next = makeTorrent({ length: MIB, pieceLength: MIB / 4, seed: 9 })
  const waiting = node.add(next, { peers: [await swarm.peer(next).listen()] })
  const began = swarm.clock.now()
  let held = 0
  await player.play(0, 0, () => {
    if (other?.obstacles().makesWay === true) held += 1
    assert.equal(waiting.snapshot().status, 'queued')
    return swarm.clock.now() - began >= 60_000
  })
  assert.ok(held > 150, `held in ${held} of 600 looks`)
  player.close()
  await swarm.close()
})
