// Debian's transmission-daemon as a peer of a test, driven by its RPC. It finds peers only through the tracker.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DaemonProcess, startDaemon } from '../nodes/daemon-process.ts'
import { TRANSMISSION_PEER_PORT, TransmissionRpc, transmissionSettings } from './transmission-rpc.ts'
import { waitFor } from '../wait-for.ts'

interface TransmissionTorrent {
  readonly percentDone: number
  readonly status: number
  readonly leftUntilDone: number
  readonly errorString: string
  readonly recheckProgress: number
}

/** One transmission-daemon with one torrent. */
export class TransmissionPeer {
  readonly name = 'transmission'
  readonly ip: string
  readonly port = TRANSMISSION_PEER_PORT
  readonly #daemon: DaemonProcess
  readonly #rpc: TransmissionRpc

  private constructor(ip: string, home: string) {
    this.ip = ip
    this.#rpc = new TransmissionRpc(ip)
    this.#daemon = startDaemon('transmission-daemon', ['-f', '-g', home, '--no-auth'])
  }

  /** `settings` of settings.json go before those of a closed network. */
  static async start(ip: string, home: string, settings: object = {}): Promise<TransmissionPeer> {
    await mkdir(home, { recursive: true })
    await writeFile(join(home, 'settings.json'), JSON.stringify({ ...transmissionSettings(ip), ...settings }))
    const peer = new TransmissionPeer(ip, home)
    await waitFor(
      'transmission answers',
      () => peer.#answers(),
      30_000,
      () => peer.#daemon.output(),
    )
    return peer
  }

  async #answers(): Promise<boolean> {
    this.#daemon.assertRunning()
    return this.#rpc.call('session-get', {}).then(
      () => true,
      () => false,
    )
  }

  /** Adds a torrent whose data lies (or will lie) in `dir`; existing data is checked. `unwanted` are files by index. */
  async add(torrentPath: string, dir: string, unwanted: readonly number[] = []): Promise<void> {
    const metainfo = (await readFile(torrentPath)).toString('base64')
    const files = unwanted.length === 0 ? {} : { 'files-unwanted': unwanted }
    await this.#rpc.call('torrent-add', { metainfo, 'download-dir': dir, ...files })
  }

  /** Bytes of what it wants that are missing. */
  async missing(): Promise<number> {
    return (await this.#torrent()).leftUntilDone
  }

  /** A magnet; its peers come from its trackers. */
  async addMagnet(magnet: string, dir: string): Promise<void> {
    await this.#rpc.call('torrent-add', { filename: magnet, 'download-dir': dir })
  }

  async #torrent(): Promise<TransmissionTorrent> {
    const fields = ['percentDone', 'status', 'leftUntilDone', 'errorString', 'recheckProgress']
    const answer = await this.#rpc.call('torrent-get', { fields })
    return (answer['torrents'] as TransmissionTorrent[])[0] as TransmissionTorrent
  }

  /** Waits until every byte is here and checked (status 5, 6 = seeding). */
  async complete(limitMs = 120_000): Promise<void> {
    let last: TransmissionTorrent | undefined
    const look = async () =>
      (last = await this.#torrent()).leftUntilDone === 0 && last.percentDone === 1 && last.status >= 5
    await waitFor('transmission complete', look, limitMs, () => last)
  }

  /** Any request, for what this class has no word for. */
  call(method: string, args: object): Promise<Record<string, unknown>> {
    return this.#rpc.call(method, args)
  }

  /** Ends it as a service manager does: its resume files are written then. */
  quit(): Promise<void> {
    return this.#daemon.quit()
  }

  stop(): Promise<void> {
    return this.#daemon.stop()
  }
}
