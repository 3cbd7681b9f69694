// Programs that make a torrent of one file: our node over HTTP, libtorrent through the driver, mktorrent. Each says the
// info hashes it found, which must be the same for the same piece length.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { dictSlices } from '../../../src/wire/bencode.ts'
import { needs } from '../../../test/kit/requirements.ts'
import { callJson } from '../local-http.ts'
import { startOwned } from '../owned-processes.ts'
import { startMeter } from '../process-cost.ts'
import type { Figures } from '../samples.ts'
import { loopFigures, transferFigures } from '../transfer.ts'
import { LibtorrentSession, libtorrent } from './libtorrent.ts'
import { tributary } from './tributary.ts'

/** A torrent to make. */
export interface MakeJob {
  /** The file. */
  readonly path: string
  /** Its bytes. */
  readonly length: number
  /** A power of two. */
  readonly pieceLength: number
  readonly format: 'v1' | 'hybrid'
  /** Folder for what the program writes. */
  readonly home: string
}

/** What came of it. */
export interface Made {
  readonly figures: Figures
  /** SHA-1 of the info dictionary, in hexadecimal. */
  readonly v1: string
  /** SHA-256 of it, in hexadecimal; empty for v1. */
  readonly v2: string
}

/** A maker that runs. */
export interface RunningMaker {
  make(job: MakeJob): Promise<Made>
  stop(): Promise<void>
}

/** One program. */
export interface TorrentMaker {
  readonly name: string
  readonly formats: readonly MakeJob['format'][]
  /** Why it cannot run on this machine; null when it can. */
  missing(): string | null
  /** Starts what stays between two torrents, with its state in `home`. */
  start(home: string, ip: string): Promise<RunningMaker>
}

async function startOurs(home: string, ip: string): Promise<RunningMaker> {
  const { client } = await tributary.start(home, ip)
  const make = async ({ path, format, pieceLength, length }: MakeJob): Promise<Made> => {
    await client.takeLoopDelay()
    const stopMeter = startMeter(client.pid)
    const begin = performance.now()
    const asked = client.to('POST', '/createtorrent', { path, format, piece_length: pieceLength })
    const { infohash, infohash_v2 } = await callJson<{ infohash: string; infohash_v2: string | null }>(asked)
    const figures = transferFigures(length, performance.now() - begin, stopMeter())
    return { figures: { ...figures, ...(await loopFigures(client)) }, v1: infohash, v2: infohash_v2 ?? '' }
  }
  return { make, stop: () => client.stop() }
}

async function startLibtorrent(_home: string, ip: string): Promise<RunningMaker> {
  const session = await LibtorrentSession.start(ip)
  const make = async ({ path, format, pieceLength, length }: MakeJob): Promise<Made> => {
    const stopMeter = startMeter(session.pid)
    const begin = performance.now()
    const made = await session.make(path, format, pieceLength)
    return { figures: transferFigures(length, performance.now() - begin, stopMeter()), ...made }
  }
  return { make, stop: () => session.stop() }
}

/** The shell's own word for what a program cost: it has ended when it could be looked at. */
const TIMED = 'TIMEFORMAT="%R %U %S"; time mktorrent "$@"'

async function byMktorrent({ path, pieceLength, length, home }: MakeJob): Promise<Made> {
  const out = join(home, 'mktorrent.torrent')
  await rm(out, { force: true })
  const options = ['-d', '-a', 'http://127.0.0.1/announce', '-l', String(Math.log2(pieceLength)), '-o', out, path]
  const run = startOwned('bash', ['-c', TIMED, 'bash', ...options])
  const [code] = (await once(run.child, 'close')) as [number]
  const [wall = NaN, user = NaN, system = NaN] = run.output().trim().split('\n').at(-1)?.split(' ').map(Number) ?? []
  if (code !== 0 || Number.isNaN(wall + user + system)) throw new Error(`mktorrent ended with ${code}: ${run.output()}`)
  const info = dictSlices(await readFile(out)).get('info') ?? ''
  const v1 = createHash('sha1').update(info).digest('hex')
  return { figures: { 'MB/s': length / 1e6 / wall, 'CPU-s/GiB': (user + system) / (length / 2 ** 30) }, v1, v2: '' }
}

/** All of them, ours first. */
export const torrentMakers: readonly TorrentMaker[] = [
  { name: tributary.name, formats: ['v1', 'hybrid'], missing: () => null, start: startOurs },
  { name: libtorrent.name, formats: ['v1', 'hybrid'], missing: () => libtorrent.missing(), start: startLibtorrent },
  {
    name: 'mktorrent',
    formats: ['v1'],
    missing: () => needs('mktorrent', 'bash') || null,
    start: async () => ({ make: byMktorrent, stop: async () => undefined }),
  },
]
