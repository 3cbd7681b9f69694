// Seed: 1 GiB to one libtorrent leecher, and 256 MiB to eight at once.

import { inPlace } from '../lib/bench-place.ts'
import { makeBenchTorrent } from '../lib/bench-torrent.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import { clientsThatCan, transferring } from '../lib/rivals/all.ts'
import type { CaseResult } from '../lib/samples.ts'
import { seedOnce } from '../lib/transfer.ts'
import { takeTurns } from '../lib/turns.ts'

export const seed: Flow = {
  name: 'seed',
  run: options =>
    inPlace(async place => {
      const { kinds, notes } = clientsThatCan(['seed'], options.only)
      const [cases, failures]: [CaseResult[], string[]] = [[], [...notes]]
      const dir = await place.folder.sub('content')
      const mib = options.mib ?? 1024
      for (const [leechers, share] of [
        [1, mib],
        [8, Math.ceil(mib / 4)],
      ] as const) {
        const sizes = { name: 'seed.bin', length: share * 2 ** 20, pieceLength: 2 ** 20 }
        const torrent = await makeBenchTorrent({ dir, metainfoDir: place.folder.path, ...sizes })
        const turns = transferring(kinds, options.level).map(kind => ({
          client: kind.name,
          run: () => seedOnce(place, kind, torrent, leechers),
        }))
        cases.push(await takeTurns(`seed to ${leechers}`, 'MB/s', turns, options, failures))
      }
      return { title: `Seed ${mib} MiB to one libtorrent leecher, a quarter of it to eight`, cases, notes: failures }
    }),
}

await runAlone(seed, import.meta.url)
