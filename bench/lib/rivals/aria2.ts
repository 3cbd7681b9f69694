// Debian's aria2 over its JSON-RPC. It takes no addresses of peers, only a tracker, and has no recheck: its check is the
// one it makes when a torrent with data is added.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { needs } from '../../../test/kit/requirements.ts'
import { waitFor } from '../../../test/kit/wait-for.ts'
import { type BenchTorrent, magnetOf } from '../bench-torrent.ts'
import { call, type HttpRequest, untilAnswers } from '../local-http.ts'
import { type OwnedProcess, startOwned } from '../owned-processes.ts'
import {
  type AddJob,
  type ApiRequests,
  type Client,
  type ClientKind,
  PartialClient,
  type PeerAddress,
} from './client.ts'

const RPC_PORT = 16800
const PEER_PORT = 16881

/** What its own interfaces ask for in a list. */
const LIST_KEYS = [
  ...['gid', 'status', 'totalLength', 'completedLength', 'uploadLength', 'downloadSpeed', 'uploadSpeed', 'infoHash'],
  ...['numSeeders', 'seeder', 'connections', 'errorCode', 'errorMessage', 'dir', 'bittorrent'],
]

function argumentsFor(ip: string, home: string): string[] {
  const session = join(home, 'session')
  return [
    ...['--no-conf', '--quiet', '--enable-rpc', '--rpc-listen-all', `--rpc-listen-port=${RPC_PORT}`],
    ...['--rpc-max-request-size=64M', `--listen-port=${PEER_PORT}`, `--interface=${ip}`, '--disable-ipv6'],
    ...['--enable-dht=false', '--enable-dht6=false', '--bt-enable-lpd=false', '--enable-peer-exchange=false'],
    ...['--seed-ratio=0.0', '--file-allocation=none', '--bt-max-peers=0', '--max-concurrent-downloads=100000'],
    ...['--bt-min-crypto-level=plain', '--bt-require-crypto=false', '--allow-overwrite=true', '--auto-save-interval=0'],
    ...[`--dir=${home}`, `--save-session=${session}`, `--input-file=${session}`, '--rpc-save-upload-metadata=true'],
    ...['--force-save=true', '--bt-save-metadata=true', '--rlimit-nofile=16384'],
  ]
}

interface Status {
  readonly status: string
  readonly seeder?: string
  readonly verifiedLength?: string
  readonly followedBy?: readonly string[]
  readonly errorMessage?: string
}

class Aria2Client extends PartialClient implements Client {
  readonly address: PeerAddress
  readonly #daemon: OwnedProcess
  #last = ''
  /** Its control file beside the data: the next client would find it there. */
  #control: string | null = null

  constructor(daemon: OwnedProcess, ip: string) {
    super()
    this.#daemon = daemon
    this.address = { ip, port: PEER_PORT }
  }

  get pid(): number {
    return this.#daemon.pid
  }

  #to(method: string, ...params: unknown[]): HttpRequest {
    return {
      url: `http://${this.address.ip}:${RPC_PORT}/jsonrpc`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }),
    }
  }

  async #call(method: string, ...params: unknown[]): Promise<unknown> {
    this.#daemon.assertRunning()
    const reply = await call(this.#to(method, ...params))
    const answer = JSON.parse(reply.body.toString()) as { result?: unknown; error?: { message: string } }
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
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

  async #status(): Promise<Status> {
    const keys = ['status', 'seeder', 'verifiedLength', 'followedBy', 'errorMessage']
    const status = (await this.#call('aria2.tellStatus', this.#last, keys)) as Status
    if (status.status === 'error') throw new Error(status.errorMessage ?? 'aria2: error')
    return status
  }

  async whenComplete(limitMs = 120_000): Promise<void> {
    const complete = async () => {
      const status = await this.#status()
      return status.seeder === 'true' && status.verifiedLength === undefined
    }
    await waitFor('aria2 complete', complete, limitMs)
  }

  override async whenMetadata(limitMs = 60_000): Promise<void> {
    await waitFor('metadata', async () => (await this.#status()).followedBy !== undefined, limitMs)
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
      ((await this.#call('aria2.tellActive', ['seeder'])) as Status[]).filter(each => each.seeder === 'true').length ===
      torrents.length
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
    return { list: this.#to('system.multicall', calls), trivial: this.#to('aria2.getVersion') }
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
    await untilAnswers(`http://${ip}:${RPC_PORT}/jsonrpc`, () => daemon.assertRunning())
    const ms = performance.now() - begin
    return { client: new Aria2Client(daemon, ip), firstAnswerMs: ms, startedMs: ms }
  },
}
