// First byte: a torrent is added that has nothing yet, and its file is asked for at once, at the beginning and at 90 %:
// when is the first byte of the body here, when are 4 MiB? With a free seeder, by a client that has downloaded before
// and by one just started, and with one limited to 10 MB/s, which shows whether what is asked for comes first. Every
// byte received is compared.

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchPlace, inPlace, settle, warmMemory } from '../lib/bench-place.ts'
import { type BenchTorrent, contentAt, makeBenchTorrent } from '../lib/bench-torrent.ts'
import { firstBytes } from '../lib/first-bytes.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import { clientsThatCan } from '../lib/rivals/all.ts'
import type { Client, ClientKind } from '../lib/rivals/client.ts'
import type { CaseResult, Figures } from '../lib/samples.ts'
import { startSwarm } from '../lib/transfer.ts'
import { takeTurns } from '../lib/turns.ts'

const MIB = 2 ** 20
const WANTED = 4 * MIB
/** Length of what a warm client has downloaded. */
const BEFORE = 32 * MIB
const SLOW = 10_000_000

interface FirstByteCase {
  readonly torrent: BenchTorrent
  /** Where to read, as a part of the length. */
  readonly part: number
  /** Of the seeder, bytes/s; 0 = none. */
  readonly limit: number
  /** The client has downloaded this one before; null: it was just started. */
  readonly before: BenchTorrent | null
}

async function downloadBefore(place: BenchPlace, client: Client, torrent: BenchTorrent, dir: string): Promise<void> {
  const swarm = await startSwarm(place, torrent)
  try {
    await client.add({ torrent: swarm.torrent, dir, from: 'metainfo', peers: [swarm.seeder.address], viaTracker: true })
    await firstBytes(client, torrent, { from: 0, length: MIB, dir })
    await client.whenComplete()
  } finally {
    await swarm.stop()
  }
}

async function firstByteOnce(place: BenchPlace, kind: ClientKind, what: FirstByteCase): Promise<Figures> {
  const home = await place.folder.sub(`first-${kind.name}-${place.turn()}`)
  const to = join(home, 'to')
  await mkdir(to)
  const swarm = await startSwarm(place, what.torrent, what.limit)
  const { client } = await kind.start(join(home, 'home'), place.hosts.next())
  const from = Math.floor((what.torrent.length * what.part) / 4096) * 4096
  try {
    if (what.before !== null) await downloadBefore(place, client, what.before, to)
    await settle()
    await warmMemory(what.torrent.length / MIB + 256)
    const begin = performance.now()
    const how = { from: 'metainfo', viaTracker: true, onlyAsked: true, inOrder: true } as const
    await client.add({ ...how, torrent: swarm.torrent, dir: to, peers: [swarm.seeder.address] })
    const got = await firstBytes(client, what.torrent, { from, length: WANTED, dir: to })
    if (!got.bytes.equals(await contentAt(what.torrent, from, WANTED))) throw new Error('other bytes than asked for')
    return { 'first byte ms': got.firstAt - begin, 'first 4 MiB ms': got.lastAt - begin }
  } finally {
    await client.stop()
    await swarm.stop()
    await rm(home, { recursive: true })
  }
}

const CASES = [
  { limit: 0, warm: true, text: ', warm' },
  { limit: 0, warm: false, text: '' },
  { limit: SLOW, warm: false, text: ', seeder at 10 MB/s' },
] as const

export const firstByte: Flow = {
  name: 'first-byte',
  run: options =>
    inPlace(async place => {
      const anywhere = clientsThatCan(['leech', 'play'], options.only)
      const inOrder = clientsThatCan(['leech', 'play-in-order'], options.only)
      const [cases, failures]: [CaseResult[], string[]] = [[], [...anywhere.notes, ...inOrder.notes]]
      const dir = await place.folder.sub('content')
      const made = { dir, metainfoDir: place.folder.path, pieceLength: MIB }
      const torrent = await makeBenchTorrent({ ...made, name: 'film.bin', length: (options.mib ?? 1024) * MIB })
      const before = await makeBenchTorrent({ ...made, name: 'before.bin', length: BEFORE })
      for (const { limit, warm, text } of CASES)
        for (const part of [0, 0.9]) {
          const id = `first byte at ${part * 100} %${text}`
          const what = { torrent, part, limit, before: warm ? before : null }
          const kinds = part === 0 ? [...anywhere.kinds, ...inOrder.kinds] : anywhere.kinds
          const turns = kinds.map(kind => ({ client: kind.name, run: () => firstByteOnce(place, kind, what) }))
          cases.push(await takeTurns(id, 'first byte ms', turns, options, failures))
        }
      failures.push('tributary finds the seeder at the tracker, the others are given its address too')
      failures.push('libtorrent by deadlines of pieces; qbittorrent in order, looked at in its file')
      return { title: 'First byte of a torrent just added, pieces of 1 MiB', cases, notes: failures }
    }),
}

await runAlone(firstByte, import.meta.url)
