// Creation: a torrent made of a file of 1 GiB in the page cache, v1 and hybrid, pieces of 1 MiB, until the program has
// answered or ended. All must find the same info hashes.

import { join } from 'node:path'
import { type BenchPlace, inPlace } from '../lib/bench-place.ts'
import { makeBenchTorrent } from '../lib/bench-torrent.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import { type MakeJob, type RunningMaker, type TorrentMaker, torrentMakers } from '../lib/rivals/torrent-makers.ts'
import { type CaseResult, OURS } from '../lib/samples.ts'
import { takeTurns, type Turn } from '../lib/turns.ts'

const MIB = 2 ** 20
const FORMATS = ['v1', 'hybrid'] as const

type Job = Omit<MakeJob, 'format' | 'home'>

interface Running {
  readonly maker: TorrentMaker
  readonly home: string
  readonly running: RunningMaker
}

/** Those on this machine; `only` narrows the rivals by name. */
function makersHere(only: readonly string[] | null): { makers: TorrentMaker[]; notes: string[] } {
  const wanted = torrentMakers.filter(({ name }) => name === OURS || (only?.includes(name) ?? true))
  const notes = wanted.flatMap(each => (each.missing() === null ? [] : [`${each.name} is missing (${each.missing()})`]))
  return { makers: wanted.filter(each => each.missing() === null), notes }
}

async function startAll(place: BenchPlace, makers: readonly TorrentMaker[]): Promise<Running[]> {
  const all: Running[] = []
  for (const maker of makers) {
    const home = await place.folder.sub(`create-${maker.name}`)
    all.push({ maker, home, running: await maker.start(home, place.hosts.next()) })
  }
  return all
}

/** One maker's turns; the first that runs says which hashes the others must find, unless `found` has them already. */
function turnOf({ maker, home, running }: Running, job: Job, format: MakeJob['format'], found: Set<string>): Turn {
  const run = async () => {
    const { figures, v1, v2 } = await running.make({ ...job, format, home })
    found.add(`${v1} ${v2}`)
    if (found.size > 1) throw new Error(`found ${v1} ${v2}, others ${[...found].join(', ')}`)
    return figures
  }
  return { client: maker.name, run }
}

export const create: Flow = {
  name: 'create',
  run: options =>
    inPlace(async place => {
      const mib = options.mib ?? 1024
      const size = mib === 1024 ? '1 GiB' : `${mib} MiB`
      const dir = await place.folder.sub('content')
      const sizes = { name: 'create.bin', length: mib * MIB, pieceLength: MIB }
      const { infoHash } = await makeBenchTorrent({ dir, metainfoDir: place.folder.path, ...sizes })
      const job = { path: join(dir, sizes.name), length: sizes.length, pieceLength: MIB }
      const { makers, notes } = makersHere(options.only)
      const all = await startAll(place, makers)
      const cases: CaseResult[] = []
      try {
        for (const format of FORMATS) {
          const found = new Set(format === 'v1' ? [`${infoHash} `] : [])
          const able = all.filter(({ maker }) => maker.formats.includes(format))
          const turns = able.map(each => turnOf(each, job, format, found))
          cases.push(await takeTurns(`create ${size}, ${format}`, 'MB/s', turns, options, notes))
        }
      } finally {
        for (const { running } of all) await running.stop()
      }
      return { title: `A torrent made of ${mib} MiB in the page cache`, cases, notes }
    }),
}

await runAlone(create, import.meta.url)
