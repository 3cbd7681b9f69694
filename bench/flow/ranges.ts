// Ranges: a complete file over HTTP, 64 KiB, 1 MiB and whole, to 1, 16 and 100 clients; nginx is the one to measure by,
// and a bare uWebSockets.js server tells what ours can reach.
// Ranges are loaded by wrk, whole files by curl; after each size the same server is read under load and every byte
// compared.

import { once } from 'node:events'
import { join } from 'node:path'
import { type BenchPlace, inPlace } from '../lib/bench-place.ts'
import { type BenchTorrent, makeBenchTorrent } from '../lib/bench-torrent.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import type { FlowOptions } from '../lib/flow-result.ts'
import type { HttpRequest } from '../lib/local-http.ts'
import { startOwned } from '../lib/owned-processes.ts'
import { startMeter } from '../lib/process-cost.ts'
import { checkUnderLoad } from '../lib/range-check.ts'
import { clientsThatCan } from '../lib/rivals/all.ts'
import { startBareServer } from '../lib/rivals/bare-uws.ts'
import type { Client, ClientKind } from '../lib/rivals/client.ts'
import { nginxMissing, startNginx } from '../lib/rivals/nginx.ts'
import type { CaseResult, Figures } from '../lib/samples.ts'
import { loopFigures, transferFigures } from '../lib/transfer.ts'
import { takeTurns } from '../lib/turns.ts'
import { runWrk, wrkMissing } from '../lib/wrk.ts'

const MIB = 2 ** 20
const WHOLE = 0
/** A single whole file is over in a third of a second: so many one after the other make one run. */
const WHOLE_IN_A_ROW = 3

/** A running server of the file. */
interface Server {
  readonly name: string
  readonly pid: number
  readonly what: HttpRequest
  /** Null: not one of the BitTorrent clients. */
  readonly client: Client | null
  stop(): Promise<void>
}

interface Load {
  readonly torrent: BenchTorrent
  readonly range: number
  readonly clients: number
  readonly seconds: number
  readonly home: string
}

/** One curl; the bytes it got. Cut off after `limitSec` (its exit code 28), unless 0. */
async function curl(what: HttpRequest, times: number, limitSec: number): Promise<number> {
  const headers = Object.entries(what.headers ?? {}).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const limit = limitSec > 0 ? ['-m', String(limitSec)] : []
  const outputs = Array.from({ length: times }, () => ['-o', '/dev/null', what.url]).flat()
  const run = startOwned('curl', ['-s', '-f', ...limit, '-w', String.raw`%{size_download}\n`, ...headers, ...outputs])
  const [code] = (await once(run.child, 'close')) as [number]
  const sizes = run.output().trim().split('\n').map(Number)
  if (code !== 0 && code !== 28) throw new Error(`curl ended with ${code}`)
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function wholeFiles(server: Server, load: Load): Promise<number> {
  const alone = load.clients === 1
  const each = () => curl(server.what, alone ? WHOLE_IN_A_ROW : 1, alone ? 0 : load.seconds * 2)
  const bytes = (await Promise.all(Array.from({ length: load.clients }, each))).reduce((sum, got) => sum + got, 0)
  const right = load.torrent.length * WHOLE_IN_A_ROW
  if (alone && bytes !== right) throw new Error(`${bytes} bytes instead of ${right}`)
  return bytes
}

async function loadOnce(server: Server, load: Load): Promise<Figures> {
  await server.client?.takeLoopDelay()
  const stopMeter = startMeter(server.pid)
  const begin = performance.now()
  if (load.range === WHOLE) {
    const bytes = await wholeFiles(server, load)
    const figures = transferFigures(bytes, performance.now() - begin, stopMeter())
    return { ...figures, ...(server.client && (await loopFigures(server.client))) }
  }
  const { range, torrent, seconds, home } = load
  const ranges = { range, size: torrent.length }
  const result = await runWrk({ what: server.what, connections: load.clients, seconds, ranges, home })
  const cost = stopMeter()
  return {
    ...transferFigures(result.bytes, result.seconds * 1000, cost),
    'req/s': result.requests / result.seconds,
    'p50 ms': result.p50,
    'p99 ms': result.p99,
    ...(server.client && (await loopFigures(server.client))),
  }
}

async function startClient(place: BenchPlace, kind: ClientKind, torrent: BenchTorrent): Promise<Server> {
  const { client } = await kind.start(await place.folder.sub(`server-${kind.name}`), place.hosts.next())
  await client.add({ torrent, dir: torrent.dir, from: 'metainfo', peers: [] })
  await client.whenComplete()
  return { name: kind.name, pid: client.pid, what: client.file(torrent), client, stop: () => client.stop() }
}

async function startServers(place: BenchPlace, kinds: readonly ClientKind[], torrent: BenchTorrent): Promise<Server[]> {
  const servers: Server[] = []
  for (const kind of kinds) servers.push(await startClient(place, kind, torrent))
  const bare = await startBareServer(join(torrent.dir, torrent.name), place.hosts.next())
  servers.push({ name: 'bare uWS', pid: bare.pid, what: { url: bare.url }, client: null, stop: () => bare.stop() })
  if (nginxMissing() !== null) return servers
  const nginx = await startNginx(await place.folder.sub('nginx'), torrent.dir, place.hosts.next())
  const what = { url: nginx.baseUrl + torrent.name }
  return [...servers, { name: 'nginx', pid: nginx.pid, what, client: null, stop: () => nginx.stop() }]
}

function casesOf(options: FlowOptions): { range: number; clients: number; id: string }[] {
  const quick = options.level === 'quick'
  const sizes = quick ? [65536, MIB] : [65536, MIB, WHOLE]
  const names = new Map([
    [65536, 'ranges of 64 KiB'],
    [MIB, 'ranges of 1 MiB'],
    [WHOLE, 'whole file'],
  ])
  const clients = quick ? [1, 16] : [1, 16, 100]
  const told = (count: number) => `${count} client${count === 1 ? '' : 's'}`
  return sizes.flatMap(range =>
    clients.map(count => ({ range, clients: count, id: `${names.get(range)}, ${told(count)}` })),
  )
}

async function measure(
  options: FlowOptions,
  servers: readonly Server[],
  base: Pick<Load, 'torrent' | 'home'>,
  failures: string[],
): Promise<CaseResult[]> {
  const cases: CaseResult[] = []
  const wanted = casesOf(options)
  for (const { range, clients, id } of wanted) {
    const load = { ...base, range, clients, seconds: options.seconds }
    const turns = servers.map(server => ({ client: server.name, run: () => loadOnce(server, load) }))
    cases.push(await takeTurns(id, 'MB/s', turns, options, failures))
  }
  for (const range of new Set(wanted.map(each => each.range)))
    for (const server of servers) {
      const check = { ...base, what: server.what, range, seconds: 1 }
      await checkUnderLoad(check).catch((error: unknown) =>
        failures.push(`FAILED comparing ranges of ${range} bytes: ${server.name}: ${String(error)}`),
      )
    }
  return cases
}

export const ranges: Flow = {
  name: 'ranges',
  run: options =>
    inPlace(async place => {
      const title = 'Ranges of a complete file over HTTP'
      if (wrkMissing() !== null) return { title, cases: [], notes: [`FAILED ranges: ${wrkMissing()}`] }
      const { kinds, notes } = clientsThatCan(['stream'], options.only)
      const failures = [...notes, ...(nginxMissing() === null ? [] : [`nginx is missing (${nginxMissing()})`])]
      const dir = await place.folder.sub('content')
      const sizes = { name: 'film.bin', length: (options.mib ?? 1024) * MIB, pieceLength: MIB }
      const torrent = await makeBenchTorrent({ dir, metainfoDir: place.folder.path, ...sizes })
      const servers = await startServers(place, kinds, torrent)
      try {
        const cases = await measure(options, servers, { torrent, home: place.folder.path }, failures)
        return { title, cases, notes: failures }
      } finally {
        for (const server of servers) await server.stop()
      }
    }),
}

await runAlone(ranges, import.meta.url)
