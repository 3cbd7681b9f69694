// Debian's aria2 as a peer of a test, driven by its JSON-RPC. It finds peers only through the tracker.

import { mkdir, readFile } from 'node:fs/promises'
import { ARIA2_PEER_PORT, aria2Arguments, Aria2Rpc } from './aria2-rpc.ts'
import { type DaemonProcess, startDaemon } from '../nodes/daemon-process.ts'
import { waitFor } from '../wait-for.ts'

/** One aria2c with one torrent. */
export class Aria2Peer {
  readonly name = 'aria2'
  readonly ip: string
  readonly port = ARIA2_PEER_PORT
  readonly #daemon: DaemonProcess
  readonly #rpc: Aria2Rpc
  #gid = ''

  private constructor(ip: string, home: string, more: readonly string[]) {
    this.ip = ip
    this.#rpc = new Aria2Rpc(ip)
    this.#daemon = startDaemon('aria2c', [...aria2Arguments(ip, home), '--bt-tracker-interval=2', ...more])
  }

  /** `more` arguments go before those of a closed network. */
  static async start(ip: string, home: string, more: readonly string[] = []): Promise<Aria2Peer> {
    await mkdir(home, { recursive: true })
    const peer = new Aria2Peer(ip, home, more)
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
    return this.#rpc.call('aria2.getVersion').then(
      () => true,
      () => false,
    )
  }

  /** Adds a torrent whose data lies (or will lie) in `dir`; existing data is checked. */
  async add(torrentPath: string, dir: string): Promise<void> {
    const torrent = (await readFile(torrentPath)).toString('base64')
    this.#gid = (await this.#rpc.call('aria2.addTorrent', torrent, [], { dir, 'check-integrity': 'true' })) as string
  }

  /** A magnet; its peers come from its trackers. */
  async addMagnet(magnet: string, dir: string): Promise<void> {
    this.#gid = (await this.#rpc.call('aria2.addUri', [magnet], { dir })) as string
  }

  /** A magnet is followed by the download of what it names. */
  async #seeds(): Promise<boolean> {
    const next = (await this.#rpc.status(this.#gid)).followedBy?.[0]
    if (next !== undefined) this.#gid = next
    return this.#rpc.seeds(this.#gid)
  }

  /** Waits until every byte is here and checked. */
  async complete(limitMs = 120_000): Promise<void> {
    await waitFor(
      'aria2 complete',
      () => this.#seeds(),
      limitMs,
      () => this.#daemon.output(),
    )
  }

  stop(): Promise<void> {
    return this.#daemon.stop()
  }
}
