// Readers: a thousand connections at once that read random ranges of a complete file, of 64 KiB and of 1 MiB. What
// counts is how long the main loop is held up and the most memory; each size has a node of its own.

import { rm } from 'node:fs/promises'
import { type BenchPlace, inPlace } from '../lib/bench-place.ts'
import { type BenchTorrent, makeBenchTorrent } from '../lib/bench-torrent.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import { startMeter } from '../lib/process-cost.ts'
import { checkUnderLoad } from '../lib/range-check.ts'
import { tributary } from '../lib/rivals/tributary.ts'
import type { CaseResult, Figures } from '../lib/samples.ts'
import { loopFigures, transferFigures } from '../lib/transfer.ts'
import { takeTurns } from '../lib/turns.ts'
import { runWrk, wrkMissing } from '../lib/wrk.ts'

const MIB = 2 ** 20
const READERS = 1000
/** So long that all thousand have had answers and have come back for more. */
const SECONDS = 5
const ROUNDS = 3
const SIZES = [
  { range: 65536, name: '64 KiB' },
  { range: MIB, name: '1 MiB' },
] as const

async function readOnce(place: BenchPlace, torrent: BenchTorrent, range: number): Promise<Figures> {
  const home = await place.folder.sub(`readers-${place.turn()}`)
  const { client } = await tributary.start(home, place.hosts.next())
  try {
    await client.add({ torrent, dir: torrent.dir, from: 'metainfo', peers: [] })
    await client.whenComplete()
    const what = client.file(torrent)
    await client.takeLoopDelay()
    const stopMeter = startMeter(client.pid)
    const ranges = { range, size: torrent.length }
    const result = await runWrk({ what, connections: READERS, seconds: SECONDS, ranges, home })
    const cost = stopMeter()
    const loop = await loopFigures(client)
    await checkUnderLoad({ torrent, what, range, seconds: 1, home })
    const figures = transferFigures(result.bytes, result.seconds * 1000, cost)
    return { ...figures, 'req/s': result.requests / result.seconds, 'p99 ms': result.p99, ...loop }
  } finally {
    await client.stop()
    await rm(home, { recursive: true })
  }
}

export const readers: Flow = {
  name: 'readers',
  run: options =>
    inPlace(async place => {
      const title = `${READERS} readers of ranges at once`
      if (wrkMissing() !== null) return { title, cases: [], notes: [`FAILED readers: ${wrkMissing()}`] }
      const dir = await place.folder.sub('content')
      const sizes = { name: 'film.bin', length: (options.mib ?? 1024) * MIB, pieceLength: MIB }
      const torrent = await makeBenchTorrent({ dir, metainfoDir: place.folder.path, ...sizes })
      const cases: CaseResult[] = []
      const notes: string[] = []
      const how = { ...options, rounds: Math.min(ROUNDS, options.rounds), everyone: true }
      for (const { range, name } of SIZES) {
        const turns = [{ client: tributary.name, run: () => readOnce(place, torrent, range) }]
        cases.push(await takeTurns(`${READERS} readers of ${name}`, 'MB/s', turns, how, notes))
      }
      return { title, cases, notes }
    }),
}

await runAlone(readers, import.meta.url)
