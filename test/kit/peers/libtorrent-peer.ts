// Debian's libtorrent as a peer of a test: a session in a Python process (libtorrent-peer.py), spoken to in JSON lines.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { prefixed } from '../nodes/daemon-process.ts'
import { projectRoot } from '../project-root.ts'
import { PYTHON } from '../requirements.ts'
import { waitFor } from '../wait-for.ts'

export interface LibtorrentStatus {
  readonly progress: number
  readonly state: string
  /** Bytes of payload of this session. */
  readonly payload_upload: number
  readonly payload_download: number
  readonly peers: number
  readonly seeding: boolean
  readonly metadata: boolean
  readonly error: string
}

/** A connected peer, as libtorrent sees it. */
export interface LibtorrentPeerRow {
  readonly ip: string
  readonly client: string
  readonly down: number
  readonly up: number
  readonly pieces: number
  readonly upload_only: boolean
  readonly seed: boolean
  readonly utp: boolean
}

/** What to add: one of torrent (a path) and magnet. Limits in bytes/s. */
export interface LibtorrentAdd {
  readonly torrent?: string
  readonly magnet?: string
  readonly dir: string
  readonly peers?: readonly (readonly [string, number])[]
  readonly upload_limit?: number
  readonly download_limit?: number
  /** Trust that the data is complete. */
  readonly seed_mode?: boolean
  /** BEP 16. */
  readonly super_seeding?: boolean
  /** Of each file, 0 to 7. */
  readonly priorities?: readonly number[]
  /** Neither tells peers of others nor listens to them. */
  readonly no_pex?: boolean
}

/** One libtorrent session. */
export class LibtorrentPeer {
  readonly ip: string
  port = 0
  #child: ChildProcess
  #answers: ((answer: Record<string, unknown>) => void)[] = []

  private constructor(ip: string, prefix: readonly string[]) {
    this.ip = ip
    const command = prefixed(PYTHON, [join(projectRoot, 'test/kit/peers/libtorrent-peer.py'), ip, '0'])
    const [program = command.program, ...rest] = [...prefix, command.program, ...command.args]
    this.#child = spawn(program, rest, {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })
    lines.on('line', line => this.#answers.shift()?.(JSON.parse(line) as Record<string, unknown>))
    this.#child.on('exit', () => {
      for (const answer of this.#answers.splice(0)) answer({ error: 'the libtorrent process ended' })
    })
  }

  /** Starts a session at `ip`; `prefix`: what runs a command in another namespace. */
  static async start(ip: string, prefix: readonly string[] = []): Promise<LibtorrentPeer> {
    const peer = new LibtorrentPeer(ip, prefix)
    peer.port = Number((await peer.call('port', {}))['port'])
    return peer
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Sends one command; rejects with its error. */
  async call(op: string, fields: object): Promise<Record<string, unknown>> {
    const answered = new Promise<Record<string, unknown>>(resolve => this.#answers.push(resolve))
    this.#child.stdin?.write(`${JSON.stringify({ op, ...fields })}\n`)
    const answer = await answered
    if (typeof answer['error'] === 'string' && answer['error'] !== '')
      throw new Error(`libtorrent ${op}: ${answer['error']}`)
    return answer
  }

  /** Adds a torrent; resolves with its number. */
  async add(what: LibtorrentAdd): Promise<number> {
    return Number((await this.call('add', what))['id'])
  }

  async status(id: number): Promise<LibtorrentStatus> {
    return (await this.call('status', { id })) as unknown as LibtorrentStatus
  }

  /** Who is connected. */
  async peers(id: number): Promise<LibtorrentPeerRow[]> {
    return (await this.call('peers', { id }))['peers'] as LibtorrentPeerRow[]
  }

  /** Waits until the torrent is complete. */
  async complete(id: number, limitMs = 120_000): Promise<void> {
    let last: LibtorrentStatus | undefined
    const look = async () => (last = await this.status(id)).seeding
    await waitFor('libtorrent complete', look, limitMs, () => last)
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}
