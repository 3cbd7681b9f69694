// One transfer from one seeder to leechers: the measured client is on one side, libtorrent always on the other. Seeder,
// tracker and leechers are new for each run; what arrived is compared byte by byte.

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchPlace, settle, warmMemory } from './bench-place.ts'
import { assertSameContent, type BenchTorrent, withTracker } from './bench-torrent.ts'
import { startFixedTracker } from './fixed-tracker.ts'
import { type MeteredCost, startMeter } from './process-cost.ts'
import type { AddJob, Client, ClientKind } from './rivals/client.ts'
import { LibtorrentSession } from './rivals/libtorrent.ts'
import { sinkAll } from './seeder-sink.ts'
import type { Figures } from './samples.ts'

const MIB = 2 ** 20

/** Room for what the clients keep beside the content, MiB. */
export const SPARE_MIB = 512

/** A seeder that a tracker names. */
export interface SeededSwarm {
  /** With the tracker in it. */
  readonly torrent: BenchTorrent
  readonly announce: string
  readonly seeder: Client
  stop(): Promise<void>
}

/** Starts a libtorrent seeder of `torrent`, uploading at most `limit` bytes/s (0 = no limit), and its tracker. */
export async function startSwarm(place: BenchPlace, torrent: BenchTorrent, limit = 0): Promise<SeededSwarm> {
  const seeder = await LibtorrentSession.start(place.hosts.next())
  await seeder.seed(torrent, limit)
  return swarmAround(place, torrent, seeder)
}

async function swarmAround(place: BenchPlace, torrent: BenchTorrent, seeder: Client): Promise<SeededSwarm> {
  const tracker = await startFixedTracker(place.hosts.next(), [seeder.address])
  return {
    torrent: await withTracker(torrent, place.folder.path, tracker.url),
    announce: tracker.url,
    seeder,
    async stop() {
      await seeder.stop()
      await tracker.stop()
    },
  }
}

/** Figures of a transfer of `bytes`. */
export function transferFigures(bytes: number, ms: number, cost: MeteredCost): Figures {
  return {
    'MB/s': bytes / 1e3 / ms,
    'CPU-s/GiB': cost.cpuSec / (bytes / 2 ** 30),
    'peak RSS MiB': cost.peakRssMiB,
    'peak anon MiB': cost.peakAnonMiB,
  }
}

/** The delays of the main loop as figures; none where there is no loop. */
export async function loopFigures(client: Client): Promise<Figures> {
  const delay = await client.takeLoopDelay()
  return delay === null ? {} : { 'loop p99 ms': delay.p99, 'loop max ms': delay.max }
}

/** The same with a seeder of another kind. */
async function startSwarmOf(place: BenchPlace, kind: ClientKind, torrent: BenchTorrent): Promise<SeededSwarm> {
  const home = await place.folder.sub(`seeder-${kind.name}-${place.turn()}`)
  const { client: seeder } = await kind.start(home, place.hosts.next())
  await seeder.add({ torrent, dir: torrent.dir, from: 'metainfo', peers: [] })
  await seeder.whenComplete()
  return swarmAround(place, torrent, seeder)
}

/** `kind` downloads the torrent from one seeder: libtorrent, or one of the kind `from`. */
export async function leechOnce(
  place: BenchPlace,
  kind: ClientKind,
  torrent: BenchTorrent,
  from: ClientKind | null = null,
): Promise<Figures> {
  const home = await place.folder.sub(`leech-${kind.name}-${place.turn()}`)
  const to = join(home, 'to')
  await mkdir(to)
  const swarm = await (from === null ? startSwarm(place, torrent) : startSwarmOf(place, from, torrent))
  const { client } = await kind.start(join(home, 'home'), place.hosts.next())
  try {
    await settle()
    await warmMemory(torrent.length / MIB + SPARE_MIB)
    await client.takeLoopDelay()
    const stopMeter = startMeter(client.pid)
    const begin = performance.now()
    const { announce } = swarm
    await client.add({ torrent: swarm.torrent, dir: to, from: 'metainfo', peers: [swarm.seeder.address], announce })
    await client.whenComplete()
    const ms = performance.now() - begin
    const figures = { ...transferFigures(torrent.length, ms, stopMeter()), ...(await loopFigures(client)) }
    await client.stop()
    await assertSameContent(torrent, to)
    return figures
  } finally {
    await client.stop()
    await swarm.stop()
    await rm(home, { recursive: true })
  }
}

/** A seeder of `kind` gives the torrent to one that throws it away: MB/s, and CPU and memory of the seeder. */
export async function sinkOnce(place: BenchPlace, kind: ClientKind, torrent: BenchTorrent): Promise<Figures> {
  const { seeder, stop } = await startSwarmOf(place, kind, torrent)
  try {
    await settle()
    const stopMeter = startMeter(seeder.pid)
    const begin = performance.now()
    await sinkAll(torrent, seeder.address)
    return transferFigures(torrent.length, performance.now() - begin, stopMeter())
  } finally {
    await stop()
  }
}

/** `kind` seeds the torrent to `leechers` libtorrent sessions that know only the seeder. */
export async function seedOnce(
  place: BenchPlace,
  kind: ClientKind,
  torrent: BenchTorrent,
  leechers: number,
): Promise<Figures> {
  const home = await place.folder.sub(`seed-${kind.name}-${place.turn()}`)
  const { client } = await kind.start(join(home, 'home'), place.hosts.next())
  const tracker = await startFixedTracker(place.hosts.next(), [client.address])
  const sessions: LibtorrentSession[] = []
  try {
    await client.add({ torrent, dir: torrent.dir, from: 'metainfo', peers: [] })
    await client.whenComplete()
    for (let index = 0; index < leechers; index++) sessions.push(await LibtorrentSession.start(place.hosts.next()))
    const folders = await Promise.all(sessions.map((_, index) => placeFor(home, index)))
    await settle()
    await warmMemory((torrent.length / MIB) * leechers + SPARE_MIB)
    const tracked = await withTracker(torrent, place.folder.path, tracker.url)
    const figures = await seedTo(client, tracked, sessions, folders)
    for (const folder of folders) await assertSameContent(torrent, folder)
    return figures
  } finally {
    await client.stop()
    await Promise.all(sessions.map(session => session.stop()))
    await tracker.stop()
    await rm(home, { recursive: true })
  }
}

async function placeFor(home: string, index: number): Promise<string> {
  const folder = join(home, `to-${index}`)
  await mkdir(folder)
  return folder
}

async function seedTo(
  client: Client,
  torrent: BenchTorrent,
  sessions: readonly LibtorrentSession[],
  folders: readonly string[],
): Promise<Figures> {
  await client.takeLoopDelay()
  const stopMeter = startMeter(client.pid)
  const begin = performance.now()
  const download = async (session: LibtorrentSession, dir: string) => {
    const job: AddJob = { torrent, dir, from: 'metainfo', peers: [client.address] }
    await session.add(job)
    await session.whenComplete(300_000)
  }
  await Promise.all(sessions.map((session, index) => download(session, folders[index] ?? '')))
  const ms = performance.now() - begin
  const cost = stopMeter()
  return { ...transferFigures(torrent.length * sessions.length, ms, cost), ...(await loopFigures(client)) }
}
