// Pages of a list of 100,000 seeding torrents, of which some change meanwhile: what one request costs the main thread,
// from the query to the bytes, and what the first of a filter costs.

import { Bench } from 'tinybench'
import type { InfoHash } from '../../src/base/ids.ts'
import { SystemClock } from '../../src/io/clock.ts'
import type { StoredDownload } from '../../src/ports/records.ts'
import { DownloadEntry } from '../../src/services/downloads/download-entry.ts'
import { pageJson } from '../../src/services/downloads/download-listing.ts'
import { DownloadSet } from '../../src/services/downloads/download-set.ts'
import { ListPages } from '../../src/services/downloads/list/list-pages.ts'
import type { ListQuery } from '../../src/services/downloads/list/list-query-api.ts'
import type { TorrentHandle } from '../../src/torrent/types.ts'
import { SeededRandom } from '../../test/kit/sim/seeded-random.ts'
import { runTasks } from './run-tasks.ts'

const COUNT = 100_000
/** Torrents that say something new before each page: at 100 pages a second, all in 200 seconds. */
const CHANGES = 5

const QUERY: ListQuery = {
  only: null,
  filter: 'seeding ubuntu',
  sort: 'name',
  descending: false,
  after: null,
  offset: 0,
  limit: 100,
  totals: false,
  facets: false,
}

/** A torrent at rest, as the engine has it. */
class RestingTorrent {
  readonly suspended = true
  readonly infoHash: InfoHash
  revision = 0
  readonly #name: string
  readonly #random: SeededRandom

  constructor(infoHash: InfoHash, name: string, random: SeededRandom) {
    this.infoHash = infoHash
    this.#name = name
    this.#random = random
  }

  snapshot() {
    return {
      infoHash: this.infoHash,
      name: this.#name,
      status: 'seeding' as const,
      progress: 1,
      sizeBytes: 1e9,
      pieceCount: 1000,
      etaSec: 0,
      downRate: 0,
      upRate: 0,
      totalDown: 1e9,
      totalUp: this.#random.below(1e9),
      peersKnown: this.revision,
      seedsKnown: 1,
      peersConnected: 0,
      seedsConnected: 0,
      availability: 0,
      error: '',
      destination: '/srv/downloads',
    }
  }

  trackers() {
    return [{ url: 'http://tracker.example:6969/announce', status: 'Working', peers: 3, seeders: 2, leechers: 1 }]
  }
}

function rowOf(infoHash: InfoHash, name: string, position: number): StoredDownload {
  return {
    infoHash,
    infoHashV2: null,
    name,
    sourceUri: '',
    destination: '/srv/downloads',
    announceTiers: [],
    webSeeds: [],
    peers: [],
    addedAtMs: 1_700_000_000_000 + position,
    hops: 0,
    safeSeeding: false,
    selectedFiles: null,
    userStopped: false,
    totalUp: 0,
    totalDown: 0,
    finishedAtMs: null,
    error: '',
    position,
    pieceCount: 1000,
    controls: null,
    seededSec: 0,
    goalReached: false,
    movingTo: null,
    movedFrom: null,
  }
}

async function main(): Promise<void> {
  const random = new SeededRandom(1)
  const set = new DownloadSet()
  set.listed = true
  const torrents = Array.from({ length: COUNT }, (_, at) => {
    const infoHash = Buffer.from(random.bytes(20)).toString('hex') as InfoHash
    const name = `${at % 10 === 0 ? 'Ubuntu' : 'Debian'}.${random.below(1_000_000)}.x86_64.iso`
    const entry = new DownloadEntry(rowOf(infoHash, name, at))
    set.enter(entry)
    const torrent = new RestingTorrent(infoHash, name, random)
    entry.attach(torrent as unknown as TorrentHandle)
    return torrent
  })
  const clock = new SystemClock()
  const pages = new ListPages(set, clock)
  const settings = () => ({ maxDownloadRate: 0, maxUploadRate: 0 })
  let after: string | null = null
  const page = async (query: Partial<ListQuery>) => {
    for (let i = 0; i < CHANGES; i++) (torrents[random.below(COUNT)] as RestingTorrent).revision += 1
    const found = await pages.find({ ...QUERY, ...query })
    await pageJson(set, found, null, { clock, settings })
    after = found.next === '' ? null : found.next
  }
  let filter = 0
  const bench = new Bench({ time: 3000, warmup: true })
  bench
    .add('page of 100 with filter and order', () => page({ after }))
    .add('page of 100, all of them', () => page({ filter: '', sort: null, after }))
    .add('page of 100, fields name and status', async () => {
      await pageJson(set, await pages.find(QUERY), ['name', 'status'], { clock, settings })
    })
    .add('first page of a filter that is new', () => page({ filter: `debian ${filter++ % 1000}` }))
  await runTasks(`pages of a list of ${COUNT}, ${CHANGES} changes before each`, bench)
  pages.stop()
}

await main()
