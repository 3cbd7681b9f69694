// Commands as clients give them, with what was answered kept: after the end of the node, whatever it was, each answered
// one must still hold. A command whose answer never came may hold or not.

import { makeTorrent } from '../kit/content/make-torrent.ts'
import type { NodeProcess } from '../kit/nodes/node-process.ts'
import { ask } from './raw-request.ts'
import type { Tally } from './tally.ts'

/** What is known of one thing: the answered value, and whether a later command went without an answer. */
interface Known {
  value: string | null
  doubtful: boolean
}

/**
 * Commands as clients give them, with what was answered kept: after the end of the node, whatever it was, each answered
 * one must still hold.
 */
export class AnsweredCommands {
  answered = 0
  readonly #tally: Tally
  readonly #saveas: string
  /** Labels of downloads by info hash (null: removed), and of one setting. */
  readonly #known = new Map<string, Known>()
  readonly #setting: Known = { value: null, doubtful: false }
  #made = 0

  constructor(tally: Tally, saveas: string) {
    this.#tally = tally
    this.#saveas = saveas
  }

  /** Gives commands, four at a time, until one gets no answer. */
  async run(node: NodeProcess): Promise<void> {
    // Each lane has downloads of its own, so that the order of answers is that of the commands.
    await Promise.all([0, 1, 2].map(lane => this.#downloads(node, lane)).concat(this.#settings(node)))
  }

  /** Compares the node with what was answered. */
  async verify(node: NodeProcess): Promise<void> {
    const { downloads } = await node.get<{ downloads: { infohash: string; labels?: string[] }[] }>('/downloads')
    const listed = new Map(downloads.map(({ infohash, labels = [] }) => [infohash, labels.join()]))
    for (const [infoHash, known] of this.#known) {
      const is = listed.get(infoHash) ?? null
      if (!known.doubtful)
        this.#tally.check(
          'an answered add, change or deletion holds',
          is === known.value,
          () => `${infoHash} is ${is}, answered ${known.value}`,
        )
      Object.assign(known, { value: is, doubtful: false })
    }
    const { settings } = await node.get<{ settings: { libtorrent: { upload_slots: number } } }>('/settings')
    const is = String(settings.libtorrent.upload_slots)
    const { value, doubtful } = this.#setting
    if (value !== null && !doubtful)
      this.#tally.check('an answered setting holds', is === value, () => `${is}, answered ${value}`)
    Object.assign(this.#setting, { value: is, doubtful: false })
  }

  async #send(
    node: NodeProcess,
    known: Known,
    value: string | null,
    method: string,
    path: string,
    body: string | Uint8Array,
  ): Promise<boolean> {
    const headers = {
      'x-api-key': node.key,
      'content-type': typeof body === 'string' ? 'application/json' : 'application/x-bittorrent',
    }
    known.doubtful = true
    const { status } = await ask(node.port, method, path, { headers, body })
    // None, or that the node is ending: it may hold or not.
    if (status === 0 || status === 503) return false
    this.#tally.check('a command is accepted', status === 200, () => `${method} ${path} ${status}`)
    if (status !== 200) return false
    this.answered++
    Object.assign(known, { value, doubtful: false })
    return true
  }

  async #downloads(node: NodeProcess, lane: number): Promise<void> {
    for (;;) {
      const made = makeTorrent({
        name: `a${lane}-${this.#made++}.bin`,
        length: 20_000,
        seed: 1 + this.#tally.random.below(1e9),
      })
      const known: Known = { value: null, doubtful: true }
      this.#known.set(made.infoHash, known)
      const [path, label] = [`/downloads/${made.infoHash}`, `l${this.#made}`]
      const add = `/downloads?paused=1&destination=${encodeURIComponent(this.#saveas)}`
      if (!(await this.#send(node, known, '', 'POST', add, made.torrent))) return
      if (!(await this.#send(node, known, label, 'PATCH', path, JSON.stringify({ labels: [label] })))) return
      if (this.#tally.random.below(3) === 0) continue
      if (!(await this.#send(node, known, null, 'DELETE', path, '{"remove_data":true}'))) return
    }
  }

  async #settings(node: NodeProcess): Promise<void> {
    for (;;) {
      const slots = 1 + this.#tally.random.below(900)
      const body = JSON.stringify({ libtorrent: { upload_slots: slots } })
      if (!(await this.#send(node, this.#setting, String(slots), 'POST', '/settings', body))) return
    }
  }
}
