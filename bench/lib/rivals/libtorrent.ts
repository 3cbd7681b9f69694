// Debian's libtorrent, through a driver of ours in Python: the rival to beat in transfers, and always the other side.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { projectRoot } from '../../../test/kit/project-root.ts'
import { needs, PYTHON } from '../../../test/kit/requirements.ts'
import { type BenchTorrent, magnetOf } from '../bench-torrent.ts'
import {
  type AddJob,
  type Client,
  type ClientKind,
  type FirstBytes,
  PartialClient,
  type PeerAddress,
} from './client.ts'
import { JsonLinesProcess } from './json-lines.ts'

const script = join(projectRoot, 'bench/lib/rivals/libtorrent-session.py')

/** One session. */
export class LibtorrentSession extends PartialClient implements Client {
  readonly address: PeerAddress
  #lines: JsonLinesProcess

  private constructor(lines: JsonLinesProcess, address: PeerAddress) {
    super()
    this.#lines = lines
    this.address = address
  }

  /** Starts a session that listens at `ip`, on a port of its choice; `prefix`: what runs before it. */
  static async start(
    ip: string,
    carrier: 'tcp' | 'utp' = 'tcp',
    prefix: readonly string[] = [],
  ): Promise<LibtorrentSession> {
    const [program = PYTHON, ...rest] = [...prefix, PYTHON, script, ip, ...(carrier === 'utp' ? ['utp'] : [])]
    const lines = new JsonLinesProcess(program, rest)
    const { port } = await lines.call('port')
    return new LibtorrentSession(lines, { ip, port: Number(port) })
  }

  get pid(): number {
    return this.#lines.pid
  }

  async add(job: AddJob): Promise<void> {
    const peers = job.peers.map(peer => [peer.ip, peer.port])
    const { torrent } = job
    const magnet = { magnet: magnetOf(torrent, [], job.announce) }
    const what = job.from === 'magnet' ? magnet : { torrent: torrent.trackedPath ?? torrent.path }
    await this.#lines.call('add', { ...what, dir: job.dir, peers })
  }

  /** Seeds complete data without a check; `limit` in bytes/s. */
  async seed(torrent: BenchTorrent, limit = 0): Promise<void> {
    const { path, dir } = torrent
    await this.#lines.call('add', { torrent: path, dir, seed_mode: true, upload_limit: limit })
    await this.whenComplete()
  }

  async whenComplete(limitMs = 120_000): Promise<void> {
    await this.#lines.call('wait', { what: 'complete', seconds: limitMs / 1000 })
  }

  override async whenWritten(): Promise<void> {
    await this.#lines.call('written', { seconds: 60 })
  }

  /** By deadlines of pieces. */
  async firstBytes(torrent: BenchTorrent, from: number, length: number): Promise<FirstBytes> {
    const size = torrent.pieceLength
    const [first, last] = [Math.floor(from / size), Math.floor((from + length - 1) / size)]
    await this.#lines.call('deadlines', { from: first, to: last })
    await this.#lines.call('first')
    const firstAt = performance.now()
    await this.#lines.call('rest')
    const lastAt = performance.now()
    const whole = Buffer.from(String((await this.#lines.call('bytes'))['base64']), 'base64')
    return { firstAt, lastAt, bytes: whole.subarray(from - first * size, from - first * size + length) }
  }

  override async whenMetadata(limitMs = 60_000): Promise<void> {
    await this.#lines.call('wait', { what: 'metadata', seconds: limitMs / 1000 })
  }

  override async prepareCheck(job: AddJob): Promise<void> {
    await this.add({ ...job, dir: job.torrent.dir })
    await this.whenComplete()
  }

  override async check(): Promise<void> {
    await this.#lines.call('recheck', { seconds: 300 })
  }

  override async addMany(torrents: readonly BenchTorrent[], dir: string, state: 'seeding' | 'stopped'): Promise<void> {
    const how = state === 'stopped' ? { paused: true } : { seed_mode: true }
    await this.#lines.call('many', { torrents: torrents.map(torrent => torrent.path), dir, ...how })
  }

  /** Downloads all `torrents` from one peer; resolves when every one is complete. */
  async downloadMany(torrents: readonly BenchTorrent[], dir: string, peer: PeerAddress): Promise<void> {
    const paths = torrents.map(torrent => torrent.path)
    await this.#lines.call('many', { torrents: paths, dir, peers: [[peer.ip, peer.port]] })
  }

  /** Makes a torrent of the file, the threads its own default; the info hashes in hexadecimal, `v2` empty for v1. */
  async make(path: string, format: 'v1' | 'hybrid', pieceLength: number): Promise<{ v1: string; v2: string }> {
    const { v1, v2 } = await this.#lines.call('make', { path, format, piece_length: pieceLength })
    return { v1: String(v1), v2: String(v2) }
  }

  override async count(): Promise<number> {
    return Number((await this.#lines.call('count'))['count'])
  }

  stop(): Promise<void> {
    return this.#lines.stop()
  }
}

export const libtorrent: ClientKind = {
  name: 'libtorrent',
  can: new Set(['play', 'leech', 'seed', 'recheck', 'magnet', 'start', 'web-seeds']),
  missing: () => needs('libtorrent') || null,
  async start(home, ip) {
    await mkdir(home, { recursive: true })
    const begin = performance.now()
    const client = await LibtorrentSession.start(ip)
    const ms = performance.now() - begin
    return { client, firstAnswerMs: ms, startedMs: ms }
  },
}
