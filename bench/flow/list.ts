// List: GET /downloads, /downloads/{infohash}/files and /state with many torrents, to 1 and 16 connections; of the
// rivals their list of everything and their cheapest call. All torrents are stopped. Afterwards, under load, 100 of
// ours move, and the list must show every change that is older than 200 ms.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchPlace, inPlace } from '../lib/bench-place.ts'
import { type BenchTorrent, makeTinyTorrents } from '../lib/bench-torrent.ts'
import { checkMoves } from '../lib/list-moves.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import type { FlowOptions } from '../lib/flow-result.ts'
import { call, type HttpRequest } from '../lib/local-http.ts'
import { startMeter } from '../lib/process-cost.ts'
import { clientsThatCan } from '../lib/rivals/all.ts'
import type { ApiRequests, Client, ClientKind } from '../lib/rivals/client.ts'
import { TributaryNode } from '../lib/rivals/tributary.ts'
import { type CaseResult, type Figures, OURS } from '../lib/samples.ts'
import { loopFigures } from '../lib/transfer.ts'
import { takeTurns } from '../lib/turns.ts'
import { runWrk, wrkMissing } from '../lib/wrk.ts'

/** Longest single run of wrk against a client that answers slowly, seconds. */
const LONGEST_SEC = 6

/** With more torrents than this qBittorrent needs minutes for one row (16 clients wait over ten seconds at 5,000). */
const QBITTORRENT_MOST = { standard: 1000, all: 5000 }
/** With more than this rivals are left out but for `all`. */
const RIVALS_MOST = 5000

interface Listed {
  readonly name: string
  readonly client: Client
  readonly requests: ApiRequests
  /** Folder for bodies of requests. */
  readonly home: string
}

async function startListed(
  place: BenchPlace,
  kind: ClientKind,
  torrents: readonly BenchTorrent[],
  dir: string,
): Promise<Listed> {
  const home = await place.folder.sub(`list-${kind.name}-${place.turn()}`)
  const { client } = await kind.start(home, place.hosts.next())
  await client.addMany(torrents, dir, 'stopped')
  const count = await client.count()
  if (count !== torrents.length) throw new Error(`${kind.name} lists ${count} of ${torrents.length}`)
  return { name: kind.name, client, requests: client.api(torrents[0] as BenchTorrent), home }
}

/** Long enough for a dozen answers to one connection, three rounds to many; at least a second. */
async function secondsFor(what: HttpRequest, connections: number): Promise<number> {
  await call(what)
  const begin = performance.now()
  await call(what)
  const once = (performance.now() - begin) / 1000
  return Math.ceil(Math.min(LONGEST_SEC, connections === 1 ? once * 12 : once * connections * 3))
}

async function loadOnce(listed: Listed, what: HttpRequest, connections: number): Promise<Figures> {
  const { client, home } = listed
  const seconds = await secondsFor(what, connections)
  await client.takeLoopDelay()
  const stopMeter = startMeter(client.pid)
  const result = await runWrk({ what, connections, seconds, home })
  const cost = stopMeter()
  return {
    'req/s': result.requests / result.seconds,
    'CPU ms/req': (cost.cpuSec * 1000) / result.requests,
    'p50 ms': result.p50,
    'p99 ms': result.p99,
    'peak RSS MiB': cost.peakRssMiB,
    ...(await loopFigures(client)),
  }
}

async function measure(
  options: FlowOptions,
  count: number,
  all: readonly Listed[],
  failures: string[],
): Promise<CaseResult[]> {
  const cases: CaseResult[] = []
  const calls = [
    ['list', `list of ${count}`],
    ['trivial', `trivial call with ${count}`],
    ['files', `files of one of ${count}`],
  ] as const
  for (const [call_, title] of options.level === 'quick' ? calls.slice(0, 2) : calls)
    for (const connections of [1, 16]) {
      const turns = all.flatMap(listed => {
        const what = listed.requests[call_]
        const run = (request: HttpRequest) => loadOnce(listed, request, connections)
        return what === undefined ? [] : [{ client: listed.name, run: () => run(what) }]
      })
      const id = `${title}, ${connections} client${connections === 1 ? '' : 's'}`
      cases.push(await takeTurns(id, 'req/s', turns, options, failures))
    }
  return cases
}

function kindsFor(kinds: readonly ClientKind[], count: number, options: FlowOptions): ClientKind[] {
  return kinds.filter(kind => {
    if (kind.name === OURS) return true
    if (kind.name === 'qbittorrent') return options.level !== 'quick' && count <= QBITTORRENT_MOST[options.level]
    return options.level === 'all' || count <= RIVALS_MOST
  })
}

async function listOf(
  place: BenchPlace,
  options: FlowOptions,
  kinds: readonly ClientKind[],
  torrents: readonly BenchTorrent[],
  failures: string[],
): Promise<CaseResult[]> {
  const dir = join(place.folder.path, 'content')
  const running: Listed[] = []
  try {
    for (const kind of kinds) {
      try {
        running.push(await startListed(place, kind, torrents, dir))
      } catch (error) {
        failures.push(`FAILED list of ${torrents.length}: ${kind.name}: ${String(error)}`)
      }
    }
    const cases = await measure(options, torrents.length, running, failures)
    const ours = running.find(listed => listed.client instanceof TributaryNode)
    if (ours?.client instanceof TributaryNode)
      await checkMoves(place, ours.client, torrents, ours.home).catch((error: unknown) =>
        failures.push(`FAILED list of ${torrents.length}: changes: ${String(error)}`),
      )
    return cases
  } finally {
    for (const listed of running) await listed.client.stop()
  }
}

export const list: Flow = {
  name: 'list',
  run: options =>
    inPlace(async place => {
      const title = 'The interface with many torrents'
      if (wrkMissing() !== null) return { title, cases: [], notes: [`FAILED list: ${wrkMissing()}`] }
      const { kinds, notes } = clientsThatCan(['api'], options.only)
      const [cases, failures]: [CaseResult[], string[]] = [[], [...notes]]
      const counts = options.counts ?? (options.level === 'quick' ? [1000] : [100, 1000, 5000, 10_000])
      const dir = await place.folder.sub('content')
      await mkdir(join(place.folder.path, 'metainfo'))
      const torrents = await makeTinyTorrents(dir, join(place.folder.path, 'metainfo'), Math.max(...counts))
      for (const count of counts)
        cases.push(
          ...(await listOf(place, options, kindsFor(kinds, count, options), torrents.slice(0, count), failures)),
        )
      return { title, cases, notes: failures }
    }),
}

await runAlone(list, import.meta.url)
