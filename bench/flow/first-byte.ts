// First byte: a torrent is added that has nothing yet, and its file is asked for at once, at the beginning and at 90 %:
// when is the first byte of the body here, when are 4 MiB? Once with a free seeder, once with one limited to 10 MB/s,
// which shows whether what is asked for comes first. Every byte received is compared.

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchPlace, inPlace, pass, settle, warmMemory } from '../lib/bench-place.ts'
import { type BenchTorrent, contentAt, makeBenchTorrent } from '../lib/bench-torrent.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import { type BodyStart, bodyStart, type HttpRequest } from '../lib/local-http.ts'
import { clientsThatCan } from '../lib/rivals/all.ts'
import type { ClientKind } from '../lib/rivals/client.ts'
import type { CaseResult, Figures } from '../lib/samples.ts'
import { startSwarm } from '../lib/transfer.ts'
import { takeTurns } from '../lib/turns.ts'

const MIB = 2 ** 20
const WANTED = 4 * MIB
const SLOW = 10_000_000

/** Asks again while the server does not know the file yet. */
async function askUntilThere(what: HttpRequest, limitMs = 60_000): Promise<BodyStart> {
  const end = performance.now() + limitMs
  for (;;) {
    const answer = await bodyStart(what, WANTED)
    if (answer.status === 206) return answer
    if (performance.now() > end) throw new Error(`${what.url}: ${answer.status} ${answer.bytes.toString()}`)
    await pass(5)
  }
}

interface FirstByteCase {
  readonly torrent: BenchTorrent
  /** Where to read, as a part of the length. */
  readonly part: number
  /** Of the seeder, bytes/s; 0 = none. */
  readonly limit: number
}

async function firstByteOnce(place: BenchPlace, kind: ClientKind, what: FirstByteCase): Promise<Figures> {
  const home = await place.folder.sub(`first-${kind.name}-${place.turn()}`)
  const to = join(home, 'to')
  await mkdir(to)
  const swarm = await startSwarm(place, what.torrent, what.limit)
  const { client } = await kind.start(join(home, 'home'), place.hosts.next())
  const at = Math.floor((what.torrent.length * what.part) / 4096) * 4096
  try {
    await settle()
    await warmMemory(what.torrent.length / MIB + 256)
    const begin = performance.now()
    const peers = [swarm.seeder.address]
    await client.add({ torrent: swarm.torrent, dir: to, from: 'metainfo', peers, viaTracker: true, onlyAsked: true })
    const file = client.file(what.torrent)
    const got = await askUntilThere({ ...file, headers: { ...file.headers, range: `bytes=${at}-` } })
    if (!got.bytes.equals(await contentAt(what.torrent, at, WANTED))) throw new Error('other bytes than asked for')
    return { 'first byte ms': got.firstAt - begin, 'first 4 MiB ms': got.lastAt - begin }
  } finally {
    await client.stop()
    await swarm.stop()
    await rm(home, { recursive: true })
  }
}

export const firstByte: Flow = {
  name: 'first-byte',
  run: options =>
    inPlace(async place => {
      const { kinds, notes } = clientsThatCan(['leech', 'stream'], options.only)
      const [cases, failures]: [CaseResult[], string[]] = [[], [...notes]]
      const dir = await place.folder.sub('content')
      const sizes = { name: 'film.bin', length: (options.mib ?? 1024) * MIB, pieceLength: MIB }
      const torrent = await makeBenchTorrent({ dir, metainfoDir: place.folder.path, ...sizes })
      for (const limit of [0, SLOW])
        for (const part of [0, 0.9]) {
          const id = `first byte at ${part * 100} %${limit > 0 ? ', seeder at 10 MB/s' : ''}`
          const what = { torrent, part, limit }
          const turns = kinds.map(kind => ({ client: kind.name, run: () => firstByteOnce(place, kind, what) }))
          cases.push(await takeTurns(id, 'first byte ms', turns, options, failures))
        }
      failures.push('tributary finds the seeder at the tracker, webtorrent is given its address')
      return { title: 'First byte of a torrent just added, pieces of 1 MiB', cases, notes: failures }
    }),
}

await runAlone(firstByte, import.meta.url)
