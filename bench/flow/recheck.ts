// Recheck: a full hash check of 2 GiB that lie in the page cache.

import { rm } from 'node:fs/promises'
import { type BenchPlace, inPlace } from '../lib/bench-place.ts'
import { type BenchTorrent, makeBenchTorrent } from '../lib/bench-torrent.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import { startMeter } from '../lib/process-cost.ts'
import { clientsThatCan } from '../lib/rivals/all.ts'
import type { AddJob, ClientKind } from '../lib/rivals/client.ts'
import type { Figures } from '../lib/samples.ts'
import { loopFigures, transferFigures } from '../lib/transfer.ts'
import { takeTurns } from '../lib/turns.ts'

async function recheckOnce(place: BenchPlace, kind: ClientKind, torrent: BenchTorrent): Promise<Figures> {
  const home = await place.folder.sub(`recheck-${kind.name}-${place.turn()}`)
  const { client } = await kind.start(home, place.hosts.next())
  const job: AddJob = { torrent, dir: torrent.dir, from: 'metainfo', peers: [] }
  try {
    await client.prepareCheck(job)
    await client.takeLoopDelay()
    const stopMeter = startMeter(client.pid)
    const begin = performance.now()
    await client.check(job)
    const ms = performance.now() - begin
    return { ...transferFigures(torrent.length, ms, stopMeter()), ...(await loopFigures(client)) }
  } finally {
    await client.stop()
    await rm(home, { recursive: true })
  }
}

export const recheck: Flow = {
  name: 'recheck',
  run: options =>
    inPlace(async place => {
      const mib = options.mib ?? 2048
      const { kinds, notes } = clientsThatCan(['recheck'], options.only)
      const failures = [...notes]
      const dir = await place.folder.sub('content')
      const sizes = { name: 'recheck.bin', length: mib * 2 ** 20, pieceLength: 2 ** 20 }
      const torrent = await makeBenchTorrent({ dir, metainfoDir: place.folder.path, ...sizes })
      const turns = kinds.map(kind => ({ client: kind.name, run: () => recheckOnce(place, kind, torrent) }))
      const found = await takeTurns('recheck', 'MB/s', turns, options, failures)
      return { title: `Recheck ${mib} MiB in the page cache`, cases: [found], notes: failures }
    }),
}

await runAlone(recheck, import.meta.url)
