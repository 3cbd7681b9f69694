// Debian's aria2 over its JSON-RPC. It takes no addresses of peers, only a tracker, and has no recheck: its check is
// the one it makes when a torrent with data is added.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ARIA2_PEER_PORT, aria2Arguments, Aria2Rpc, type Aria2Status } from '../../../test/kit/peers/aria2-rpc.ts'
import { needs } from '../../../test/kit/requirements.ts'
import { waitFor } from '../../../test/kit/wait-for.ts'
import { type BenchTorrent, magnetOf } from '../bench-torrent.ts'
import { call, untilAnswers } from '../local-http.ts'
import { type OwnedProcess, startOwned } from '../owned-processes.ts'
import {
  type AddJob,
  type ApiRequests,
  type Client,
  type ClientKind,
  PartialClient,
  type PeerAddress,
} from './client.ts'

/** What its own interfaces ask for in a list. */
const LIST_KEYS = [
  ...['gid', 'status', 'totalLength', 'completedLength', 'uploadLength', 'downloadSpeed', 'uploadSpeed', 'infoHash'],
  ...['numSeeders', 'seeder', 'connections', 'errorCode', 'errorMessage', 'dir', 'bittorrent'],
]

function argumentsFor(ip: string, home: string): string[] {
  const session = join(home, 'session')
  return [
    ...aria2Arguments(ip, home),
    ...['--bt-max-peers=0', '--max-concurrent-downloads=100000', '--auto-save-interval=0', '--rlimit-nofile=16384'],
    ...[`--save-session=${session}`, `--input-file=${session}`, '--rpc-save-upload-metadata=true'],
    ...['--force-save=true', '--bt-save-metadata=true'],
  ]
}

class Aria2Client extends PartialClient implements Client {
  readonly address: PeerAddress
  readonly #daemon: OwnedProcess
  readonly #rpc: Aria2Rpc
  #last = ''
  /** Its control file beside the data: the next client would find it there. */
  #control: string | null = null

  constructor(daemon: OwnedProcess, ip: string) {
    super()
    this.#daemon = daemon
    this.#rpc = new Aria2Rpc(ip, call)
    this.address = { ip, port: ARIA2_PEER_PORT }
  }

  get pid(): number {
    return this.#daemon.pid
  }

  #call(method: string, ...params: unknown[]): Promise<unknown> {
    this.#daemon.assertRunning()
    return this.#rpc.call(method, ...params)
  }

  async #addMetainfo(torrent: BenchTorrent, options: Record<string, string>): Promise<void> {
    const metainfo = (await readFile(torrent.trackedPath ?? torrent.path)).toString('base64')
    this.#last = (await this.#call('aria2.addTorrent', metainfo, [], options)) as string
  }

  async add(job: AddJob): Promise<void> {
    const options = { dir: job.dir, 'check-integrity': 'true' }
    this.#control = join(job.dir, `${job.torrent.name}.aria2`)
    if (job.from === 'metainfo') return this.#addMetainfo(job.torrent, options)
    const magnet = magnetOf(job.torrent, [], job.announce)
    this.#last = (await this.#call('aria2.addUri', [magnet], options)) as string
  }

  async whenComplete(limitMs = 120_000): Promise<void> {
    await waitFor('aria2 complete', () => this.#rpc.seeds(this.#last), limitMs)
  }

  override async whenMetadata(limitMs = 60_000): Promise<void> {
    await waitFor('metadata', async () => (await this.#rpc.status(this.#last)).followedBy !== undefined, limitMs)
  }

  override async prepareCheck(): Promise<void> {}

  override async check(job: AddJob): Promise<void> {
    await this.add({ ...job, dir: job.torrent.dir })
    await this.whenComplete(300_000)
  }

  override async addMany(torrents: readonly BenchTorrent[], dir: string, state: 'seeding' | 'stopped'): Promise<void> {
    const stopped = state === 'stopped'
    const options = { dir, pause: String(stopped), 'check-integrity': String(!stopped) }
    for (const torrent of torrents) await this.#addMetainfo(torrent, options)
    const seeding = async () =>
      ((await this.#call('aria2.tellActive', ['seeder'])) as Aria2Status[]).filter(each => each.seeder === 'true')
        .length === torrents.length
    if (!stopped) await waitFor('all seeding', seeding, 300_000)
    await this.#call('aria2.saveSession')
  }

  override async count(): Promise<number> {
    const active = (await this.#call('aria2.tellActive', ['gid'])) as unknown[]
    const waiting = (await this.#call('aria2.tellWaiting', 0, 100_000, ['gid'])) as unknown[]
    return active.length + waiting.length
  }

  override api(): ApiRequests {
    const calls = [
      { methodName: 'aria2.tellActive', params: [LIST_KEYS] },
      { methodName: 'aria2.tellWaiting', params: [0, 100_000, LIST_KEYS] },
    ]
    return { list: this.#rpc.request('system.multicall', calls), trivial: this.#rpc.request('aria2.getVersion') }
  }

  async stop(): Promise<void> {
    await this.#daemon.stop(2000)
    if (this.#control !== null) await rm(this.#control, { force: true })
  }
}

export const aria2: ClientKind = {
  name: 'aria2',
  can: new Set(['leech', 'seed', 'recheck', 'magnet', 'api', 'start', 'restart']),
  missing: () => needs('aria2c') || null,
  async start(home, ip) {
    await mkdir(home, { recursive: true })
    await writeFile(join(home, 'session'), '', { flag: 'a' })
    const begin = performance.now()
    const daemon = startOwned('aria2c', argumentsFor(ip, home))
    await untilAnswers(new Aria2Rpc(ip).url, () => daemon.assertRunning())
    const ms = performance.now() - begin
    return { client: new Aria2Client(daemon, ip), firstAnswerMs: ms, startedMs: ms }
  },
}
