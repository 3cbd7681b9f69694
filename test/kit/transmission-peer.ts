// Debian's transmission-daemon as a peer of a test, driven by its RPC. It finds peers only through the tracker.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DaemonProcess, startDaemon } from './daemon-process.ts'
import { waitFor } from './wait-for.ts'

const RPC_PORT = 19091
const PEER_PORT = 19413

interface TransmissionTorrent {
  readonly percentDone: number
  readonly status: number
  readonly leftUntilDone: number
  readonly errorString: string
  readonly recheckProgress: number
}

function settings(ip: string): object {
  return {
    'rpc-bind-address': ip,
    'rpc-port': RPC_PORT,
    'rpc-whitelist-enabled': false,
    'rpc-host-whitelist-enabled': false,
    'rpc-authentication-required': false,
    'peer-port': PEER_PORT,
    'bind-address-ipv4': ip,
    'dht-enabled': false,
    'lpd-enabled': false,
    'pex-enabled': false,
    'utp-enabled': false,
    'port-forwarding-enabled': false,
    encryption: 0,
    'download-queue-enabled': false,
    'seed-queue-enabled': false,
    'ratio-limit-enabled': false,
    preallocation: 1,
  }
}

/** One transmission-daemon with one torrent. */
export class TransmissionPeer {
  readonly name = 'transmission'
  readonly ip: string
  #daemon: DaemonProcess
  #session = ''

  private constructor(ip: string, home: string) {
    this.ip = ip
    this.#daemon = startDaemon('transmission-daemon', ['-f', '-g', home, '--no-auth'])
  }

  static async start(ip: string, home: string): Promise<TransmissionPeer> {
    await mkdir(home, { recursive: true })
    await writeFile(join(home, 'settings.json'), JSON.stringify(settings(ip)))
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
    return this.#call('session-get', {}).then(
      () => true,
      () => false,
    )
  }

  async #call(method: string, args: object): Promise<Record<string, unknown>> {
    const send = () =>
      fetch(`http://${this.ip}:${RPC_PORT}/transmission/rpc`, {
        method: 'POST',
        headers: { 'x-transmission-session-id': this.#session },
        body: JSON.stringify({ method, arguments: args }),
      })
    let reply = await send()
    if (reply.status === 409) {
      this.#session = reply.headers.get('x-transmission-session-id') ?? ''
      await reply.arrayBuffer()
      reply = await send()
    }
    const answer = (await reply.json()) as { result: string; arguments: Record<string, unknown> }
    if (answer.result !== 'success') throw new Error(`transmission ${method}: ${answer.result}`)
    return answer.arguments
  }

  /** Adds a torrent whose data lies (or will lie) in `dir`; existing data is checked. */
  async add(torrentPath: string, dir: string): Promise<void> {
    const metainfo = (await readFile(torrentPath)).toString('base64')
    await this.#call('torrent-add', { metainfo, 'download-dir': dir })
  }

  async #torrent(): Promise<TransmissionTorrent> {
    const fields = ['percentDone', 'status', 'leftUntilDone', 'errorString', 'recheckProgress']
    const answer = await this.#call('torrent-get', { fields })
    return (answer['torrents'] as TransmissionTorrent[])[0] as TransmissionTorrent
  }

  /** Waits until every byte is here and checked (status 5, 6 = seeding). */
  async complete(limitMs = 120_000): Promise<void> {
    let last: TransmissionTorrent | undefined
    const look = async () =>
      (last = await this.#torrent()).leftUntilDone === 0 && last.percentDone === 1 && last.status >= 5
    await waitFor('transmission complete', look, limitMs, () => last)
  }

  stop(): Promise<void> {
    return this.#daemon.stop()
  }
}
