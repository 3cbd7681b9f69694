// Debian's qbittorrent-nox (libtorrent inside) over its web interface.

import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { needs } from '../../../test/kit/requirements.ts'
import { waitFor } from '../../../test/kit/wait-for.ts'
import { type BenchTorrent, magnetOf } from '../bench-torrent.ts'
import { call, callJson, type HttpRequest, untilAnswers } from '../local-http.ts'
import { bytesOnDisk } from '../first-bytes.ts'
import { type OwnedProcess, startOwned } from '../owned-processes.ts'
import {
  type AddJob,
  type ApiRequests,
  type Client,
  type ClientKind,
  type FirstBytes,
  PartialClient,
  type PeerAddress,
} from './client.ts'

const WEB_PORT = 18081
const PEER_PORT = 18881
/** Its interface shows the state as of the last refresh; the default of 1,500 ms would hide when a transfer ended. */
const REFRESH_MS = 100

function configuration(ip: string, home: string): string {
  return [
    '[LegalNotice]',
    'Accepted=true',
    '[Application]',
    String.raw`FileLogger\Enabled=false`,
    '[BitTorrent]',
    ...[`Port=${PEER_PORT}`, 'DHTEnabled=false', 'LSDEnabled=false', 'PeXEnabled=false', 'BTProtocol=TCP']
      .concat('Encryption=2', 'QueueingSystemEnabled=false', 'MultiConnectionsPerIp=true', `InterfaceAddress=${ip}`)
      .concat(`DefaultSavePath=${home}`, 'MaxUploads=-1', 'MaxUploadsPerTorrent=-1', `RefreshInterval=${REFRESH_MS}`)
      .map(line => String.raw`Session\ ${line}`.replace(' ', '')),
    '[Network]',
    'PortForwardingEnabled=false',
    '[Preferences]',
    ...[`Address=${ip}`, `Port=${WEB_PORT}`, 'LocalHostAuth=false', 'AuthSubnetWhitelistEnabled=true']
      .concat('AuthSubnetWhitelist=10.77.0.0/16, 127.0.0.0/8', 'CSRFProtection=false', 'HostHeaderValidation=false')
      .concat('UseUPnP=false')
      .map(line => String.raw`WebUI\ ${line}`.replace(' ', '')),
    '',
  ].join('\n')
}

interface TorrentFacts {
  readonly hash: string
  readonly progress: number
  readonly state: string
  readonly total_size: number
}

/** How a torrent is added, beside what it is. */
interface AddOptions {
  readonly dir: string
  readonly paused?: boolean
  readonly trust?: boolean
  readonly inOrder?: boolean
}

class QBittorrentClient extends PartialClient implements Client {
  readonly address: PeerAddress
  readonly #daemon: OwnedProcess
  #last = ''

  constructor(daemon: OwnedProcess, ip: string) {
    super()
    this.#daemon = daemon
    this.address = { ip, port: PEER_PORT }
  }

  get pid(): number {
    return this.#daemon.pid
  }

  #get(path: string): HttpRequest {
    return { url: `http://${this.address.ip}:${WEB_PORT}/api/v2/${path}` }
  }

  async #post(path: string, fields: Record<string, string>): Promise<void> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await call({
      ...this.#get(path),
      method: 'POST',
      headers,
      body: String(new URLSearchParams(fields)),
    })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body.toString()}`)
  }

  async #addForm(what: { torrent: BenchTorrent } | { magnet: string }, options: AddOptions): Promise<void> {
    const form = new FormData()
    form.set('savepath', options.dir)
    form.set('paused', String(options.paused ?? false))
    form.set('contentLayout', 'Original')
    form.set('sequentialDownload', String(options.inOrder ?? false))
    if (options.trust) form.set('skip_checking', 'true')
    if ('magnet' in what) form.set('urls', what.magnet)
    else {
      const metainfo = await readFile(what.torrent.trackedPath ?? what.torrent.path)
      form.set('torrents', new Blob([metainfo], { type: 'application/x-bittorrent' }), 'x.torrent')
    }
    const reply = await fetch(this.#get('torrents/add').url, { method: 'POST', body: form })
    const text = await reply.text()
    if (!text.startsWith('Ok')) throw new Error(`torrents/add: ${reply.status} ${text}`)
  }

  async add(job: AddJob): Promise<void> {
    const { torrent } = job
    this.#last = torrent.infoHash
    const magnet = { magnet: magnetOf(torrent, [], job.announce) }
    await this.#addForm(job.from === 'magnet' ? magnet : { torrent }, { dir: job.dir, inOrder: job.inOrder ?? false })
    if (job.peers.length === 0) return
    await waitFor('qbittorrent lists it', async () => (await this.#torrent()) !== undefined)
    const peers = job.peers.map(peer => `${peer.ip}:${peer.port}`).join('|')
    await this.#post('torrents/addPeers', { hashes: torrent.infoHash, peers })
  }

  async #torrent(): Promise<TorrentFacts | undefined> {
    this.#daemon.assertRunning()
    return (await callJson<TorrentFacts[]>(this.#get(`torrents/info?hashes=${this.#last}`)))[0]
  }

  async whenComplete(limitMs = 120_000): Promise<void> {
    const complete = async () => {
      const torrent = await this.#torrent()
      return torrent?.progress === 1 && ['uploading', 'stalledUP', 'forcedUP'].includes(torrent.state)
    }
    await waitFor('qbittorrent complete', complete, limitMs)
  }

  /** It has no other way for players than the file as it grows. */
  firstBytes(torrent: BenchTorrent, from: number, length: number, dir: string): Promise<FirstBytes> {
    return bytesOnDisk(torrent, from, length, dir)
  }

  override async whenMetadata(limitMs = 60_000): Promise<void> {
    await waitFor('metadata', async () => ((await this.#torrent())?.total_size ?? 0) > 0, limitMs)
  }

  override async prepareCheck(job: AddJob): Promise<void> {
    await this.add({ ...job, dir: job.torrent.dir })
    await this.whenComplete(300_000)
  }

  override async check(job: AddJob): Promise<void> {
    const checking = async () => (await this.#torrent())?.state.includes('checking') === true
    await this.#post('torrents/recheck', { hashes: job.torrent.infoHash })
    await waitFor('the check begins', checking, 10_000)
    await waitFor('checked', async () => !(await checking()), 300_000)
    if ((await this.#torrent())?.progress !== 1) throw new Error('the check found bad data')
  }

  /** Trusting: it checks about one small torrent a second. */
  override async addMany(torrents: readonly BenchTorrent[], dir: string, state: 'seeding' | 'stopped'): Promise<void> {
    const stopped = state === 'stopped'
    for (const torrent of torrents) await this.#addForm({ torrent }, { dir, paused: stopped, trust: !stopped })
    const wanted = stopped ? ['pausedDL', 'pausedUP'] : ['uploading', 'stalledUP']
    const there = async () => {
      const all = await callJson<TorrentFacts[]>(this.#get('torrents/info'))
      return all.filter(each => wanted.includes(each.state)).length === torrents.length
    }
    await waitFor('all there', there, 600_000)
  }

  override async count(): Promise<number> {
    return (await callJson<TorrentFacts[]>(this.#get('torrents/info'))).length
  }

  override api(): ApiRequests {
    return { list: this.#get('torrents/info'), trivial: this.#get('app/version') }
  }

  stop(): Promise<void> {
    return this.#daemon.stop()
  }
}

export const qbittorrent: ClientKind = {
  name: 'qbittorrent',
  can: new Set(['play-in-order', 'leech', 'seed', 'recheck', 'magnet', 'api', 'start', 'restart']),
  missing: () => needs('qbittorrent-nox') || null,
  async start(home, ip) {
    const folder = join(home, 'qBittorrent/config')
    await mkdir(folder, { recursive: true })
    const file = join(folder, 'qBittorrent.conf')
    if (!existsSync(file)) await writeFile(file, configuration(ip, home))
    const begin = performance.now()
    const env = { HOME: home, QT_QPA_PLATFORM: 'offscreen' }
    const daemon = startOwned('qbittorrent-nox', [`--profile=${home}`], { env })
    await untilAnswers(`http://${ip}:${WEB_PORT}/api/v2/app/version`, () => daemon.assertRunning())
    const ms = performance.now() - begin
    return { client: new QBittorrentClient(daemon, ip), firstAnswerMs: ms, startedMs: ms }
  },
}
