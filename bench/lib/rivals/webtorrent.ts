// WebTorrent (from npm, with its own lock file in bench/rivals/webtorrent; `make bench-rivals` installs it).

import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { projectRoot } from '../../../test/kit/project-root.ts'
import { type BenchTorrent, magnetOf } from '../bench-torrent.ts'
import { type HttpRequest, untilAnswers } from '../local-http.ts'
import { type AddJob, type Client, type ClientKind, PartialClient, type PeerAddress } from './client.ts'
import { JsonLinesProcess } from './json-lines.ts'

const installed = join(projectRoot, 'node_modules/.rivals/webtorrent')
const session = fileURLToPath(new URL('./webtorrent-session.js', import.meta.url))
const HTTP_PORT = 18089

class WebTorrentClient extends PartialClient implements Client {
  readonly address: PeerAddress
  readonly #lines: JsonLinesProcess

  constructor(lines: JsonLinesProcess, address: PeerAddress) {
    super()
    this.#lines = lines
    this.address = address
  }

  get pid(): number {
    return this.#lines.pid
  }

  async add(job: AddJob): Promise<void> {
    const peers = job.peers.map(peer => [peer.ip, peer.port])
    const what = job.from === 'magnet' ? { magnet: magnetOf(job.torrent, []) } : { torrent: job.torrent.path }
    await this.#lines.call('add', { ...what, dir: job.dir, peers, onlyAsked: job.onlyAsked ?? false })
  }

  async whenComplete(limitMs = 120_000): Promise<void> {
    await this.#lines.call('complete', {}, limitMs)
  }

  override async whenMetadata(limitMs = 60_000): Promise<void> {
    await this.#lines.call('metadata', {}, limitMs)
  }

  override async prepareCheck(job: AddJob): Promise<void> {
    await this.add({ ...job, dir: job.torrent.dir })
    await this.whenComplete()
  }

  override async check(): Promise<void> {
    await this.#lines.call('check')
  }

  override file(torrent: BenchTorrent): HttpRequest {
    return { url: `http://${this.address.ip}:${HTTP_PORT}/webtorrent/${torrent.infoHash}/${torrent.name}` }
  }

  override async addMany(torrents: readonly BenchTorrent[], dir: string, state: 'seeding' | 'stopped'): Promise<void> {
    const paused = state === 'stopped'
    await this.#lines.call('many', { torrents: torrents.map(torrent => torrent.path), dir, paused })
  }

  override async count(): Promise<number> {
    return Number((await this.#lines.call('count'))['count'])
  }

  stop(): Promise<void> {
    return this.#lines.stop()
  }
}

export const webtorrent: ClientKind = {
  name: 'webtorrent',
  can: new Set(['leech', 'seed', 'recheck', 'magnet', 'stream', 'play', 'start']),
  missing: () =>
    existsSync(join(installed, 'node_modules/webtorrent/index.js')) ? null : 'not installed: make bench-rivals',
  async start(home, ip) {
    await mkdir(home, { recursive: true })
    const begin = performance.now()
    const lines = new JsonLinesProcess(process.execPath, [session, installed, `${ip}:${HTTP_PORT}`])
    const asked = lines.call('port')
    await untilAnswers(`http://${ip}:${HTTP_PORT}/webtorrent`, () => lines.assertRunning())
    const ms = performance.now() - begin
    const { port } = await asked
    return { client: new WebTorrentClient(lines, { ip, port: Number(port) }), firstAnswerMs: ms, startedMs: ms }
  },
}
