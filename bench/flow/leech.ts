// Leech: one torrent of 1 GiB from one libtorrent seeder at full speed, in pieces of 1 MiB and of 256 KiB; ours and
// libtorrent from a seeder of their own kind too, since libtorrent's ends what a leech can reach, and both seeders
// alone, to a sink. 4 GiB by us and libtorrent in a run of everything.

import { inPlace } from '../lib/bench-place.ts'
import { makeBenchTorrent } from '../lib/bench-torrent.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import type { FlowOptions } from '../lib/flow-result.ts'
import { clientsThatCan, transferring } from '../lib/rivals/all.ts'
import { type CaseResult, OURS } from '../lib/samples.ts'
import { leechOnce, sinkOnce } from '../lib/transfer.ts'
import { takeTurns } from '../lib/turns.ts'

/** Who is measured with a seeder of its own kind, as a seeder alone, and with four times as much. */
const BOTH = [OURS, 'libtorrent']

/** One case. */
interface LeechCase {
  readonly id: string
  readonly mib: number
  readonly pieceKiB: number
  readonly ownSeeder: boolean
  /** Nobody leeches: what comes is thrown away, and the figures are the seeder's. */
  readonly sink: boolean
  /** Us and libtorrent alone. */
  readonly both: boolean
}

function casesOf(level: FlowOptions['level'], mib: number): readonly LeechCase[] {
  const first = { id: 'leech, 1024 KiB pieces', mib, pieceKiB: 1024, ownSeeder: false, sink: false, both: false }
  const own = { ...first, id: 'leech from a seeder of the same kind', ownSeeder: true, both: true }
  const sink = { ...first, id: 'a seeder to a sink, 1024 KiB pieces', sink: true, both: true }
  const small = { ...first, id: 'leech, 256 KiB pieces', pieceKiB: 256 }
  const long = { ...first, id: 'leech of four times as much, 1024 KiB pieces', mib: 4 * mib, both: true }
  if (level === 'quick') return [first]
  return level === 'all' ? [first, small, own, sink, long] : [first, small, own, sink]
}

export const leech: Flow = {
  name: 'leech',
  run: options =>
    inPlace(async place => {
      const mib = options.mib ?? 1024
      const { kinds, notes } = clientsThatCan(['leech'], options.only)
      const [cases, failures]: [CaseResult[], string[]] = [[], [...notes]]
      const dir = await place.folder.sub('content')
      for (const wanted of casesOf(options.level, mib)) {
        const sizes = { name: 'leech.bin', length: wanted.mib * 2 ** 20, pieceLength: wanted.pieceKiB * 1024 }
        const torrent = await makeBenchTorrent({ dir, metainfoDir: place.folder.path, ...sizes })
        const all = transferring(kinds, options.level)
        const turns = all
          .filter(({ name }) => !wanted.both || BOTH.includes(name))
          .map(kind => ({
            client: kind.name,
            run: () =>
              wanted.sink
                ? sinkOnce(place, kind, torrent)
                : leechOnce(place, kind, torrent, wanted.ownSeeder ? kind : null),
          }))
        cases.push(await takeTurns(wanted.id, 'MB/s', turns, options, failures))
      }
      return { title: `Leech ${mib} MiB from one libtorrent seeder`, cases, notes: failures }
    }),
}

await runAlone(leech, import.meta.url)
