// Leech: one torrent of 1 GiB from one libtorrent seeder at full speed, in pieces of 1 MiB and of 256 KiB.

import { inPlace } from '../lib/bench-place.ts'
import { makeBenchTorrent } from '../lib/bench-torrent.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import { clientsThatCan, transferring } from '../lib/rivals/all.ts'
import type { CaseResult } from '../lib/samples.ts'
import { leechOnce } from '../lib/transfer.ts'
import { takeTurns } from '../lib/turns.ts'

export const leech: Flow = {
  name: 'leech',
  run: options =>
    inPlace(async place => {
      const mib = options.mib ?? 1024
      const { kinds, notes } = clientsThatCan(['leech'], options.only)
      const [cases, failures]: [CaseResult[], string[]] = [[], [...notes]]
      const dir = await place.folder.sub('content')
      for (const pieceKiB of options.level === 'quick' ? [1024] : [1024, 256]) {
        const sizes = { name: 'leech.bin', length: mib * 2 ** 20, pieceLength: pieceKiB * 1024 }
        const torrent = await makeBenchTorrent({ dir, metainfoDir: place.folder.path, ...sizes })
        const turns = transferring(kinds, options.level).map(kind => ({
          client: kind.name,
          run: () => leechOnce(place, kind, torrent),
        }))
        cases.push(await takeTurns(`leech, ${pieceKiB} KiB pieces`, 'MB/s', turns, options, failures))
      }
      return { title: `Leech ${mib} MiB from one libtorrent seeder`, cases, notes: failures }
    }),
}

await runAlone(leech, import.meta.url)
