// Debian's transmission-daemon over its RPC. It takes no addresses of peers, only a tracker, and on loopback its
// request window keeps it from ever using a core: in transfers it runs only where everything does.

import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { needs } from '../../../test/kit/requirements.ts'
import {
  TRANSMISSION_PEER_PORT,
  TransmissionRpc,
  transmissionSettings,
} from '../../../test/kit/peers/transmission-rpc.ts'
import { waitFor } from '../../../test/kit/wait-for.ts'
import { pass } from '../bench-place.ts'
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

/** What its own web interface asks for in a list. */
const LIST_FIELDS = [
  ...['id', 'hashString', 'name', 'status', 'error', 'errorString', 'totalSize', 'sizeWhenDone', 'leftUntilDone'],
  ...['percentDone', 'recheckProgress', 'metadataPercentComplete', 'rateDownload', 'rateUpload', 'downloadedEver'],
  ...['uploadedEver', 'uploadRatio', 'eta', 'peersConnected', 'peersSendingToUs', 'peersGettingFromUs'],
  ...['queuePosition', 'addedDate', 'doneDate', 'activityDate', 'isFinished', 'isStalled', 'downloadDir', 'labels'],
  ...['seedRatioLimit', 'seedRatioMode', 'trackerStats'],
]

function settings(ip: string, home: string): object {
  return { ...transmissionSettings(ip), 'queue-stalled-enabled': false, 'download-dir': home, 'message-level': 1 }
}

interface TorrentFacts {
  readonly percentDone: number
  readonly status: number
  readonly metadataPercentComplete: number
}

class TransmissionClient extends PartialClient implements Client {
  readonly address: PeerAddress
  readonly #daemon: OwnedProcess
  readonly #rpc: TransmissionRpc
  #last = 0

  constructor(daemon: OwnedProcess, ip: string) {
    super()
    this.#daemon = daemon
    this.#rpc = new TransmissionRpc(ip, call)
    this.address = { ip, port: TRANSMISSION_PEER_PORT }
  }

  get pid(): number {
    return this.#daemon.pid
  }

  #call(method: string, args: object): Promise<Record<string, unknown>> {
    this.#daemon.assertRunning()
    return this.#rpc.call(method, args)
  }

  async #addOne(what: object, dir: string, paused: boolean): Promise<void> {
    const answer = await this.#call('torrent-add', { ...what, 'download-dir': dir, paused })
    this.#last = (Object.values(answer)[0] as { id: number }).id
  }

  async add(job: AddJob): Promise<void> {
    const { torrent } = job
    if (job.from === 'magnet') return this.#addOne({ filename: magnetOf(torrent, [], job.announce) }, job.dir, false)
    const metainfo = (await readFile(torrent.trackedPath ?? torrent.path)).toString('base64')
    return this.#addOne({ metainfo }, job.dir, false)
  }

  async #torrent(): Promise<TorrentFacts> {
    const fields = ['percentDone', 'status', 'metadataPercentComplete']
    const answer = await this.#call('torrent-get', { ids: [this.#last], fields })
    return (answer['torrents'] as TorrentFacts[])[0] as TorrentFacts
  }

  #complete = async (): Promise<boolean> => {
    const { percentDone, status } = await this.#torrent()
    return percentDone === 1 && [0, 5, 6].includes(status)
  }

  async whenComplete(limitMs = 120_000): Promise<void> {
    await waitFor('transmission complete', this.#complete, limitMs)
  }

  override async whenMetadata(limitMs = 60_000): Promise<void> {
    await waitFor('metadata', async () => (await this.#torrent()).metadataPercentComplete === 1, limitMs)
  }

  override async prepareCheck(job: AddJob): Promise<void> {
    await this.add({ ...job, dir: job.torrent.dir })
    await this.whenComplete(300_000)
  }

  /** Status 1 and 2: waiting for the check, checking. */
  override async check(): Promise<void> {
    await this.#call('torrent-verify', { ids: [this.#last] })
    await pass(20)
    await waitFor('checked', async () => ![1, 2].includes((await this.#torrent()).status), 300_000)
    if ((await this.#torrent()).percentDone !== 1) throw new Error('the check found bad data')
  }

  override async addMany(torrents: readonly BenchTorrent[], dir: string, state: 'seeding' | 'stopped'): Promise<void> {
    for (const torrent of torrents) {
      const metainfo = (await readFile(torrent.path)).toString('base64')
      await this.#addOne({ metainfo }, dir, state === 'stopped')
    }
    if (state === 'stopped') return
    const seeding = async () => (await this.#statuses()).filter(status => status === 6).length === torrents.length
    await waitFor('all seeding', seeding, 900_000)
  }

  async #statuses(): Promise<number[]> {
    const answer = await this.#call('torrent-get', { fields: ['status'] })
    return (answer['torrents'] as { status: number }[]).map(each => each.status)
  }

  override async count(): Promise<number> {
    return (await this.#statuses()).length
  }

  override api(): ApiRequests {
    const list = this.#rpc.request('torrent-get', { fields: LIST_FIELDS })
    return { list, trivial: this.#rpc.request('session-get', { fields: ['version'] }) }
  }

  stop(): Promise<void> {
    return this.#daemon.stop()
  }
}

export const transmission: ClientKind = {
  name: 'transmission',
  can: new Set(['leech', 'seed', 'recheck', 'magnet', 'api', 'start', 'restart']),
  missing: () => needs('transmission-daemon') || null,
  async start(home, ip) {
    await mkdir(home, { recursive: true })
    const file = join(home, 'settings.json')
    if (!existsSync(file)) await writeFile(file, JSON.stringify(settings(ip, home)))
    const begin = performance.now()
    const daemon = startOwned('transmission-daemon', ['-f', '-g', home, '--no-auth'])
    await untilAnswers(new TransmissionRpc(ip).url, () => daemon.assertRunning())
    const ms = performance.now() - begin
    const client = new TransmissionClient(daemon, ip)
    await client.count()
    return { client, firstAnswerMs: ms, startedMs: ms }
  },
}
