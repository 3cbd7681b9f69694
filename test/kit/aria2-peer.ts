// Debian's aria2 as a peer of a test, driven by its JSON-RPC. It finds peers only through the tracker.

import { mkdir, readFile } from 'node:fs/promises'
import { type DaemonProcess, startDaemon } from './daemon-process.ts'
import { waitFor } from './wait-for.ts'

const RPC_PORT = 16800
const PEER_PORT = 16881

interface Aria2Status {
  readonly status: string
  readonly seeder?: string
  readonly verifiedLength?: string
  readonly completedLength: string
  readonly totalLength: string
  readonly errorMessage?: string
}

/** One aria2c with one torrent. */
export class Aria2Peer {
  readonly name = 'aria2'
  readonly ip: string
  #daemon: DaemonProcess
  #gid = ''

  private constructor(ip: string, home: string) {
    this.ip = ip
    this.#daemon = startDaemon('aria2c', [
      '--no-conf',
      '--enable-rpc',
      '--rpc-listen-all',
      `--rpc-listen-port=${RPC_PORT}`,
      '--rpc-max-request-size=64M',
      `--listen-port=${PEER_PORT}`,
      `--interface=${ip}`,
      '--enable-dht=false',
      '--enable-dht6=false',
      '--bt-enable-lpd=false',
      '--enable-peer-exchange=false',
      '--disable-ipv6',
      '--seed-ratio=0.0',
      '--file-allocation=none',
      '--bt-min-crypto-level=plain',
      '--bt-require-crypto=false',
      '--allow-overwrite=true',
      '--bt-tracker-interval=2',
      `--dir=${home}`,
    ])
  }

  static async start(ip: string, home: string): Promise<Aria2Peer> {
    await mkdir(home, { recursive: true })
    const peer = new Aria2Peer(ip, home)
    await waitFor(
      'aria2 answers',
      () => peer.#answers(),
      30_000,
      () => peer.#daemon.output(),
    )
    return peer
  }

  async #answers(): Promise<boolean> {
    this.#daemon.assertRunning()
    return this.#call('aria2.getVersion').then(
      () => true,
      () => false,
    )
  }

  async #call(method: string, ...params: unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: '1', method, params })
    const reply = await fetch(`http://${this.ip}:${RPC_PORT}/jsonrpc`, { method: 'POST', body })
    const answer = (await reply.json()) as { result?: unknown; error?: { message: string } }
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }

  /** Adds a torrent whose data lies (or will lie) in `dir`; existing data is checked. */
  async add(torrentPath: string, dir: string): Promise<void> {
    const torrent = (await readFile(torrentPath)).toString('base64')
    this.#gid = (await this.#call('aria2.addTorrent', torrent, [], { dir, 'check-integrity': 'true' })) as string
  }

  /** Waits until every byte is here and checked. */
  async complete(limitMs = 120_000): Promise<void> {
    let last: Aria2Status | undefined
    await waitFor(
      'aria2 complete',
      async () => this.#isSeeding((last = await this.#status())),
      limitMs,
      () => last,
    )
  }

  #isSeeding(now: Aria2Status): boolean {
    if (now.status === 'error') throw new Error(`aria2: ${now.errorMessage}`)
    return now.seeder === 'true' && now.verifiedLength === undefined && now.completedLength === now.totalLength
  }

  async #status(): Promise<Aria2Status> {
    const keys = ['status', 'seeder', 'verifiedLength', 'completedLength', 'totalLength', 'errorMessage']
    return (await this.#call('aria2.tellStatus', this.#gid, keys)) as Aria2Status
  }

  stop(): Promise<void> {
    return this.#daemon.stop()
  }
}
