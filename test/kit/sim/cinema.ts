// A node that plays a film which comes in from seeders with a rate each, on virtual time; and the swarm that films are
// really played from: three limited seeders whose rates swing by half, of which one leaves.

import type { FilmFacts } from '../../../src/torrent/streams/film-facts.ts'
import type { MadeTorrent } from '../content/make-torrent.ts'
import type { FakePeer } from '../peers/fake-peer.ts'
import { awake } from './awake.ts'
import { FilmPlayer, type PlayedRun } from './film-player.ts'
import { SeededRandom } from './seeded-random.ts'
import { type SimNode, SimSwarm } from './sim-swarm.ts'

const ARENA_BYTES = 32 * 1024 * 1024
/** Rates of seeders that swing are drawn anew this often. */
const SWING_MS = 5000
/** A seeder leaves within these seconds of play. */
const [LEAVES_FROM, LEAVES_TO] = [10, 110]
const SECONDS = 120

/** A film that comes in. */
export interface Screen {
  readonly player: FilmPlayer
  readonly seeders: readonly FakePeer[]
}

/** What is needed to play. */
export interface Cinema extends Screen {
  readonly swarm: SimSwarm
  close(): Promise<void>
}

/** Adds a film to a node. `rates`: of each seeder, bytes/s; 0: endless. `step`: see PlayedFilm. */
export async function screen(
  swarm: SimSwarm,
  node: SimNode,
  torrent: MadeTorrent,
  bytesPerSecond: number,
  rates: readonly number[],
  step?: (ms: number) => Promise<void>,
): Promise<Screen> {
  const seeders = rates.map(upRate => swarm.peer(torrent, {}, { upRate }))
  const handle = node.add(torrent, { peers: await Promise.all(seeders.map(peer => peer.listen())) })
  const film: FilmFacts = { bytesPerSecond, index: [], keys: null }
  const player = new FilmPlayer({
    clock: swarm.clock,
    torrent: () => awake(handle),
    film,
    pieceLength: torrent.pieceLength,
    length: torrent.content.length,
    ...(step === undefined ? {} : { step }),
    have: piece => ((handle.haveBits()[piece >> 3] ?? 0) & (0x80 >> (piece & 7))) !== 0,
  })
  return { player, seeders }
}

/** Makes it. `rates`: of each seeder, bytes/s. */
export async function cinema(
  seed: number,
  torrent: MadeTorrent,
  bytesPerSecond: number,
  rates: readonly number[],
): Promise<Cinema> {
  const swarm = new SimSwarm(seed)
  const node = await swarm.node({ arenaBytes: ARENA_BYTES })
  const { player, seeders } = await screen(swarm, node, torrent, bytesPerSecond, rates)
  return {
    swarm,
    player,
    seeders,
    close() {
      player.close()
      return swarm.close()
    },
  }
}

/**
 * Two minutes of a film of 100,000 bytes/s, begun when the forecast says so. The three seeders together give `share`
 * times its rate on average, each between a half and one and a half of its part, drawn anew every 5 s; the first of
 * them leaves at some second of play. Everything is drawn from `seed`.
 */
export async function swingingRun(seed: number, torrent: MadeTorrent, share: number): Promise<PlayedRun> {
  const bytesPerSecond = 100_000
  const each = (share * bytesPerSecond) / 3
  const random = new SeededRandom(seed)
  const draw = (): number => random.below(1_000_000) / 1_000_000
  const { player, seeders, swarm, close } = await cinema(seed, torrent, bytesPerSecond, [each, each, each])
  const swing = (): void => {
    for (const { host } of seeders) host.line.upRate = each * (0.5 + draw())
  }
  swing()
  const swings = swarm.clock.every(SWING_MS, swing)
  const leaves = LEAVES_FROM + Math.floor((LEAVES_TO - LEAVES_FROM) * draw())
  try {
    return await player.play(
      0,
      SECONDS,
      ({ startInSec }) => startInSec === 0,
      second => {
        if (second === leaves) void seeders[0]?.close()
      },
    )
  } finally {
    swings.cancel()
    await close()
  }
}
