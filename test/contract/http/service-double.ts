// A double of all services: answers with complete records, notes every call, fails on demand, and serves one file from
// memory whose bytes become available step by step.

import { AppError } from '../../../src/base/errors.ts'
import type { Slot } from '../../../src/ports/arena.ts'
import type {
  Asker,
  Caller,
  DebugService,
  DownloadRecord,
  EventRecord,
  EventRun,
  Explanation,
  FileRecord,
  Json,
  ListedDownload,
  ListOptions,
  MetricsService,
  Services,
  StreamReader,
  StreamableFile,
  TorrentDescription,
} from '../../../src/services/api.ts'
import type { QueueMove } from '../../../src/services/downloads/queue/queue-api.ts'
import type { ListPage, ListQuery } from '../../../src/services/downloads/list/list-query-api.ts'
import { chapterKits } from '../../kit/chapter-kits.ts'
import { download, downloadDetails, file, HASH } from './sample-records.ts'
import { foldersDouble, torrentInfoDouble } from './adding-double.ts'
import { trackersDouble } from './trackers-double.ts'
import { bannedDouble } from './banned-double.ts'
import { slowModeDouble } from './slow-mode-double.ts'
import { updatesDouble } from './updates-double.ts'
import { linksDouble } from './links-double.ts'
import { keysDouble } from './keys-double.ts'
import { loginDouble } from './login-double.ts'
import { ratesDouble } from './rates-double.ts'
import { watchingDouble } from './watching-double.ts'

export { download, HASH } from './sample-records.ts'

/** A reader of bytes in memory; `availableTo` says how many bytes of the file are there. */
class MemoryReader implements StreamReader {
  readonly #double: ServiceDouble
  closed = false
  #wait: { position: number; resolve: (count: number) => void; reject: (error: unknown) => void } | null = null

  constructor(double: ServiceDouble) {
    this.#double = double
  }

  waitFor(position: number): number | Promise<number> {
    if (position >= this.#double.content.length) return 0
    const there = this.#double.availableTo - position
    if (there > 0) return there
    return new Promise((resolve, reject) => {
      this.#wait = { position, resolve, reject }
    })
  }

  get waiting(): boolean {
    return this.#wait !== null
  }

  wake(): void {
    const wait = this.#wait
    if (wait === null || this.#double.availableTo <= wait.position) return
    this.#wait = null
    wait.resolve(this.#double.availableTo - wait.position)
  }

  fail(error: unknown): void {
    this.#wait?.reject(error)
    this.#wait = null
  }

  async read(position: number, length: number, slot: Slot): Promise<number> {
    await new Promise(resolve => setImmediate(resolve))
    const bytes = this.#double.content.subarray(position, Math.min(position + length, this.#double.availableTo))
    slot.bytes.set(bytes)
    this.#double.reads += 1
    return bytes.length
  }

  close(): void {
    this.closed = true
    this.fail(new AppError('Aborted'))
  }
}

type Deliver = (run: EventRun) => boolean

/** A run of one event. */
function runOf(record: EventRecord): EventRun {
  return { ids: [record.id], lines: [`${JSON.stringify(record)}\n`] }
}

/**
 * What the double of a chapter's services is made by; `note` is called with the name of each call and its arguments.
 */
type MakeDouble = (note: (...call: unknown[]) => void) => object

const kits = (await chapterKits('service-double')) as readonly { readonly serviceDouble: MakeDouble }[]
const ofChapters = kits.map(kit => kit.serviceDouble)

export class ServiceDouble implements Services {
  /** Every call as [method, ...arguments]. */
  readonly calls: unknown[][] = []
  /** Who made the requests that name paths. */
  readonly callers: Caller[] = []
  /** Thrown by the next calls when set. */
  failure: unknown = null
  content: Buffer = Buffer.alloc(0)
  availableTo = Number.POSITIVE_INFINITY
  /** Bytes of the file, from its start, that are read without waiting. */
  atHandTo = 0
  /** The file of a stream is known only after a while. */
  streamLate = false
  fileName = 'Film/film.mp4'
  downloadCount = 1
  /** The settings. */
  sections: Record<string, Record<string, Json>> = { libtorrent: { port: -1 } }
  reads = 0
  /** A memory dump takes until then. */
  dumpMade: Promise<void> = Promise.resolve()
  readonly readers: MemoryReader[] = []
  readonly followers = new Set<Deliver>()
  /** Asked by tests of event back pressure. */
  room: (() => undefined | Promise<void>) | null = null

  /** How many readers are open now. */
  get openReaders(): number {
    return this.readers.filter(reader => !reader.closed).length
  }

  /** How many readers wait for bytes now. */
  get waitingReaders(): number {
    return this.readers.filter(reader => reader.waiting).length
  }

  /** Makes bytes of the file available up to `end`. */
  makeAvailable(end: number): void {
    this.availableTo = end
    for (const reader of this.readers) reader.wake()
  }

  #note(...call: unknown[]): void {
    this.calls.push(call)
    if (this.failure !== null) throw this.failure
  }

  constructor() {
    for (const make of ofChapters)
      Object.assign(
        this,
        make((...call) => this.#note(...call)),
      )
  }

  readonly downloads = {
    whenListed: () => Promise.resolve(),
    list: (options: ListOptions): AsyncIterable<ListedDownload> => {
      this.#note('list', options)
      return this.#listed(options)
    },
    listJson: async () => {
      this.#note('list', {})
      return [Buffer.from(JSON.stringify({ downloads: this.#records() }))]
    },
    earlyPage: () => Promise.resolve(null),
    findPage: async (query: ListQuery): Promise<ListPage> => {
      this.#note('findPage', query)
      const infohashes = this.#records().map(({ infohash }) => infohash)
      return {
        infohashes: infohashes.slice(0, query.limit ?? undefined),
        total: infohashes.length,
        next: '',
        totals: null,
        facets: null,
      }
    },
    pageJson: async ({ infohashes, total, next }: ListPage, fields: readonly string[] | null) => {
      this.#note('pageJson', fields)
      return [Buffer.from(JSON.stringify({ downloads: infohashes.map(() => download), total, next }))]
    },
    record: async (infohash: string, options: unknown) => {
      this.#note('record', infohash, options)
      return download
    },
    followList: (deliver: (line: Uint8Array) => boolean) => {
      this.#note('followList')
      const event = { downloads: this.#records(), removed: [], complete: true }
      queueMicrotask(() => deliver(Buffer.from(`${JSON.stringify({ type: 'downloads_changed', event })}\n`)))
      return { close: () => this.#note('unfollowList') }
    },
    add: async (request: unknown) => {
      this.#note('add', request)
      return { started: true, infohash: HASH }
    },
    addFile: async (bytes: Uint8Array, request: unknown) => {
      this.#note('addFile', bytes, request)
      return { started: true, infohash: HASH }
    },
    magnet: async (infohash: string) => {
      this.#note('magnet', infohash)
      return { magnet: `magnet:?xt=urn:btih:${infohash}` }
    },
    explain: async (infohash: string): Promise<Explanation> => {
      this.#note('explain', infohash)
      const reasons = [{ code: 'all_choke', message: 'Every peer chokes us.' }]
      const seed = { url: 'http://a.test/', state: 'waiting', speed_down: 0, total_down: 7, error: 'busy', retry_in: 9 }
      const web_seeds = [{ ...seed, state: 'waiting' as const }]
      return { infohash, status: 'DLSTATUS_DOWNLOADING', moving: false, time_seeded: 0, reasons, web_seeds }
    },
    ...trackersDouble((...call) => this.#note(...call)),
    renameFile: async (infohash: string, request: { readonly path: string; readonly name: string }) => {
      this.#note('renameFile', infohash, request)
      return true
    },
    remove: async (infohash: string, removeData: boolean) => {
      this.#note('remove', infohash, removeData)
      return { infohash, removed: true }
    },
    moveInQueue: async (infohashes: readonly string[], to: QueueMove) => {
      this.#note('moveInQueue', infohashes, to)
      return { modified: true, downloads: infohashes.map((infohash, at) => ({ infohash, queue_position: at })) }
    },
    patch: async (infohash: string, change: object) => {
      this.#note('patch', infohash, change)
      return { infohash, modified: Object.keys(change).length > 0 }
    },
    files: async (infohash: string): Promise<Iterable<FileRecord>> => {
      this.#note('files', infohash)
      return this.listedFiles()
    },
    describe: async (infohash: string): Promise<TorrentDescription | null> => {
      this.#note('describe', infohash)
      return { piece_length: 16_384, files: 1, multi_file: true, comment: 'c', created_by: 'd', creation_date: 7 }
    },
    freeSpace: async (folder: string) => {
      this.#note('freeSpace', folder)
      return 123_456_789
    },
    torrentFile: async (infohash: string): Promise<Uint8Array> => {
      this.#note('torrentFile', infohash)
      return Buffer.from('d4:infod4:name4:Filmee')
    },
    streamable: (infohash: string, fileIndex: string, _asker: Asker): StreamableFile | Promise<StreamableFile> => {
      this.#note('streamable', infohash, fileIndex)
      const file: StreamableFile = {
        name: this.fileName,
        size: this.content.length,
        tag: `${infohash}-${fileIndex}`,
        readNow: (position, length, into) => this.#readNow(position, length, into),
        openReader: () => this.#open(),
      }
      return this.streamLate ? Promise.resolve(file) : file
    },
  }

  /** The files of the download, made as they are taken. */
  listedFiles: () => Iterable<FileRecord> = () => [file]

  #records(): DownloadRecord[] {
    return Array.from({ length: this.downloadCount }, () => download)
  }

  async *#listed({ details = false, only }: ListOptions): AsyncGenerator<ListedDownload, void> {
    if (only !== undefined && !only.includes(HASH)) return
    for (const record of this.#records()) yield details ? { ...record, details: downloadDetails } : record
  }

  #readNow(position: number, length: number, into: Uint8Array): number {
    const end = Math.min(position + length, this.atHandTo, this.availableTo)
    const bytes = this.content.subarray(position, Math.max(position, end))
    into.set(bytes)
    return bytes.length
  }

  #open(): StreamReader {
    const reader = new MemoryReader(this)
    this.readers.push(reader)
    return reader
  }

  readonly torrentInfo = torrentInfoDouble((...call) => this.#note(...call))

  readonly debug: DebugService = {
    cpuHistory: () => [{ time: 1_700_000_000_000, cpu: 1.5 }],
    memoryHistory: () => [{ time: 1_700_000_000_000, mem: 80_000_000 }],
    openFiles: async () => [{ path: '/srv/x', fd: 7 }],
    openSockets: async () => [{ family: 2, status: 'LISTEN', laddr: '127.0.0.1:1', raddr: '-', type: 1, fd: 8 }],
    doctor: async () => ({
      healthy: false,
      time: 1_700_000_000,
      findings: [
        {
          state: 'problem' as const,
          check: 'ports',
          code: 'port_taken',
          parameters: { port: 80 },
          text: 'The port is taken.',
          advice: 'Set another.',
        },
      ],
    }),
    threads: async () => [{ thread_id: 1, thread_name: 'main', frames: ['x.js:1 run'] }],
    log: async (process, maxLines) => {
      this.#note('log', process, maxLines)
      return 'a line\n'
    },
    memoryDump: async (): Promise<StreamableFile> => {
      this.#note('memoryDump')
      await this.dumpMade
      return { name: 'dump', size: this.content.length, tag: 'dump', openReader: () => this.#open() }
    },
    profilerState: () => 'STOPPED',
    startProfiler: async () => this.#note('startProfiler'),
    stopProfiler: async () => {
      this.#note('stopProfiler')
      return '/srv/state/x.cpuprofile'
    },
  }

  readonly metrics: MetricsService = {
    families: async () => [{ name: 'a_total', help: 'A.', type: 'counter', samples: [{ value: 7 }] }],
  }

  readonly torrentMaker = {
    create: async (request: unknown, _signal: AbortSignal, caller: Caller) => {
      this.callers.push(caller)
      this.#note('createTorrent', request)
      return {
        id: 1,
        infohash: HASH,
        infohash_v2: 'ab'.repeat(32),
        name: 'Film',
        size: 1000,
        files: 1,
        piece_length: 16_384,
        total_pieces: 1,
        skipped: 0,
        torrent_path: null,
        added: true,
        torrent: Buffer.from('d4:infodee') as Uint8Array,
      }
    },
  }

  readonly imports = {
    run: async (request: unknown, _signal: AbortSignal, caller: Caller) => {
      this.callers.push(caller)
      this.#note('import', request)
      const counts = { pieces: 8, pieces_kept: 7, pieces_to_check: 1, pieces_sampled: 1 }
      const reasons = [{ code: 'time_differs', message: '1 file is changed (Film/film.mp4).' }]
      const place = { source: HASH, infohash: HASH, name: 'Film', destination: '/srv/downloads' }
      return { results: [{ ...place, result: 'checking' as const, reasons, ...counts }], total: 1, next: '' }
    },
  }

  readonly updates = updatesDouble((...call) => this.#note(...call))

  readonly links = linksDouble((...call) => this.#note(...call))
  readonly login = loginDouble((...call) => this.#note(...call))

  readonly watching = watchingDouble((...call) => this.#note(...call))
  readonly rates = ratesDouble((...call) => this.#note(...call))

  readonly settings = {
    read: () => {
      this.#note('settings')
      return { settings: this.sections, ports: { 'libtorrent~port': 6881 } }
    },
    change: async (body: Json, caller: Caller) => {
      this.callers.push(caller)
      this.#note('changeSettings', body)
      return { modified: true, restart_required: [], overridden: [] }
    },
    effective: () => {
      this.#note('effectiveSettings')
      const port = { value: -1, source: 'default' as const, stored: null, default: -1 }
      return {
        file: '/srv/state/tributary.yaml',
        settings: { libtorrent: { port: { ...port, needs_restart: true, restart_pending: false } } },
      }
    },
    history: async (before: number | null, limit: number) => {
      this.#note('settingsHistory', before, limit)
      return [{ id: 3, time: 1_700_000_000, option: 'libtorrent.port', value: -1, origin: 'request' as const }]
    },
    schema: () => ({ type: 'object' }),
  }

  readonly slowMode = slowModeDouble((...call) => this.#note(...call))
  readonly bannedPeers = bannedDouble((...call) => this.#note(...call))
  readonly callerPaths = {
    admit: <T>(request: T, caller: Caller): T => {
      this.callers.push(caller)
      return request
    },
  }

  readonly folders = foldersDouble((...call) => this.#note(...call), this.callers)

  readonly keys = keysDouble((...call) => this.#note(...call))

  /** Whatever the label, all downloads have it. */
  readonly sharing = { view: () => ({ downloads: this.downloads, events: this.events, has: () => true }) }

  readonly shutdown = { shutDown: () => this.#note('shutDown') }

  readonly state = {
    upgrading: false,
    read: () => {
      this.#note('state')
      return { state: 'STARTED' as const, last_exception: null, volumes: [] }
    },
    network: () => ({
      bound_to: ['10.8.0.2'],
      kept_to_devices: true,
      proxied: false,
      external_ipv4: '198.51.100.7',
      external_ipv6: null,
      mappings: [
        {
          gateway: '192.168.1.1',
          via: 'PCP' as const,
          protocol: 'tcp' as const,
          internal_port: 6881,
          external_port: 6881,
          external_ip: null,
        },
      ],
      mapping_problems: [],
    }),
    ports: () => {
      this.#note('ports')
      return { 'http_api~port': 52194 }
    },
  }

  readonly statistics = {
    communities: () => {
      this.#note('communities')
      const identifier = { identifier: 'mainline_dht4', member: 'ab'.repeat(20), classification: 'MainlineDHT' }
      return [{ ...identifier, candidates: 3, global_time: 0, packets_sent: 5, packets_received: 4 }]
    },
    dispersy: () => {
      this.#note('dispersy')
      return {
        wan_address: '198.51.100.7:6881',
        lan_address: '192.168.1.2:6881',
        connection: 'unknown' as const,
        runtime: 1.5,
        total_downloaded: 400,
        total_uploaded: 500,
        packets_sent: 5,
        packets_received: 4,
      }
    },
    ipv8: () => {
      this.#note('ipv8')
      return { total_up: 700, total_down: 800, session_uptime: 9.5 }
    },
    tribler: async () => {
      this.#note('tribler')
      const queue = { failed: 1, total: 6, pending: 2, success: 3, type: 'DHT' }
      return { num_channels: 0, database_size: 4096, torrent_queue_stats: [queue] }
    },
  }

  readonly events = {
    follow: (since: number | null, deliver: Deliver, room?: () => undefined | Promise<void>) => {
      this.#note('follow', since)
      this.room = room ?? null
      deliver(runOf({ id: 1, type: 'events_start', event: { tribler_started: true, version: '1.2.3' } }))
      this.followers.add(deliver)
      return { close: () => this.followers.delete(deliver) }
    },
  }

  /** Sends an event to all followers; those that refuse are gone. */
  emit(record: EventRecord): void {
    const run = runOf(record)
    for (const deliver of [...this.followers]) if (!deliver(run)) this.followers.delete(deliver)
  }
}
