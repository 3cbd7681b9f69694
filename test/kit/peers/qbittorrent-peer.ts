// Debian's qbittorrent-nox as a peer of a test, driven by its Web API. It finds peers only through the tracker.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DaemonProcess, startDaemon } from '../nodes/daemon-process.ts'
import { waitFor } from '../wait-for.ts'

const WEB_PORT = 18_556
const PEER_PORT = 19_556

/** A torrent as the Web API lists it, as far as tests look at it. */
export interface QbittorrentTorrent {
  readonly hash: string
  readonly state: string
  readonly progress: number
}

/** One qbittorrent-nox with its files in `home`. */
export class QbittorrentPeer {
  /** Where it keeps torrents and resume data. */
  readonly backup: string
  readonly #url: string
  readonly #daemon: DaemonProcess

  private constructor(ip: string, home: string) {
    this.#url = `http://${ip}:${WEB_PORT}/api/v2`
    this.backup = join(home, 'qBittorrent', 'data', 'BT_backup')
    this.#daemon = startDaemon('qbittorrent-nox', [`--profile=${home}`])
  }

  static async start(ip: string, home: string): Promise<QbittorrentPeer> {
    const folder = join(home, 'qBittorrent', 'config')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'qBittorrent.conf'), configuration(ip))
    const peer = new QbittorrentPeer(ip, home)
    let last = ''
    const answers = async (): Promise<boolean> => {
      peer.#daemon.assertRunning()
      last = await fetch(`${peer.#url}/app/version`).then(
        reply => (reply.ok ? '' : `status ${reply.status}`),
        error => String(error.cause ?? error),
      )
      return last === ''
    }
    try {
      await waitFor('qbittorrent-nox answers', answers, 30_000, () => `${last} ${peer.#daemon.output()}`)
    } catch (error) {
      await peer.stop()
      throw error
    }
    return peer
  }

  /** Adds a torrent whose data lies (or will lie) in `dir`; `more` are fields of the request. */
  async add(torrentPath: string, dir: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
    const form = new FormData()
    form.set('torrents', new Blob([await readFile(torrentPath)]), 'a.torrent')
    for (const [name, value] of Object.entries({ savepath: dir, ...more })) form.set(name, value)
    await this.call('torrents/add', form)
  }

  /** A request of the Web API. Rejects unless it is answered well. */
  async call(path: string, form: FormData | URLSearchParams): Promise<void> {
    const reply = await fetch(`${this.#url}/${path}`, { method: 'POST', body: form })
    if (!reply.ok) throw new Error(`qbittorrent ${path}: ${reply.status} ${await reply.text()}`)
  }

  /** What the Web API answers to a GET. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test says what it expects
  async read<T>(path: string): Promise<T> {
    return (await (await fetch(`${this.#url}/${path}`)).json()) as T
  }

  torrents(): Promise<QbittorrentTorrent[]> {
    return this.read('torrents/info')
  }

  /** Waits until a torrent is as `done` says. */
  async until(hash: string, done: (torrent: QbittorrentTorrent) => boolean, limitMs = 60_000): Promise<void> {
    let last: QbittorrentTorrent[] = []
    const look = async (): Promise<boolean> => {
      last = await this.torrents()
      return last.some(torrent => torrent.hash === hash && done(torrent))
    }
    await waitFor('qbittorrent-nox has come so far', look, limitMs, () => last)
  }

  /** Ends it as a service manager does: its resume data is written then. */
  quit(): Promise<void> {
    return this.#daemon.quit()
  }

  stop(): Promise<void> {
    return this.#daemon.stop()
  }
}

function configuration(ip: string): string {
  const off = ['DHTEnabled', 'LSDEnabled', 'PeXEnabled', 'UseUPnP', 'QueueingSystemEnabled']
  const session = [
    ...off.map(name => `Session\\${name}=false`),
    `Session\\InterfaceAddress=${ip}`,
    `Session\\Port=${PEER_PORT}`,
    'Session\\BTProtocol=TCP',
    'Session\\MultiConnectionsPerIp=true',
  ]
  const web = ['Enabled=true', `Address=${ip}`, `Port=${WEB_PORT}`, 'UseUPnP=false']
  const auth = ['AuthSubnetWhitelistEnabled=true', 'AuthSubnetWhitelist=10.77.0.0/16']
  const sections = {
    BitTorrent: session,
    LegalNotice: ['Accepted=true'],
    Preferences: [...web, ...auth].map(line => `WebUI\\${line}`),
  }
  return Object.entries(sections)
    .map(([name, lines]) => `[${name}]\n${lines.join('\n')}\n`)
    .join('')
}
