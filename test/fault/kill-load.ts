// The load of node-kill.test: clients that add, stop, resume and delete downloads, change a setting, let small torrents
// finish and follow the events, until the node dies under them; and what they were told by then.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Random } from '../../src/ports/random.ts'
import type { DownloadRecord } from '../../src/services/api.ts'
import { downloadUntil } from '../kit/nodes/downloads-client.ts'
import type { NodeProcess } from '../kit/nodes/node-process.ts'
import { StatusClient, Unanswered } from './status-client.ts'

/** Downloads that nobody has, alive at a time. */
const MAX_ALIVE = 60

/** Length of the pieces of seeded torrents. */
export const SEEDED_PIECE_BYTES = 16 * 1024

/** What clients know of a download; null = they asked for a change and heard nothing. */
interface Known {
  present: boolean | null
  stopped: boolean | null
  /** They read that it has finished. */
  finished: boolean
}

/** A torrent that another node seeds. */
export interface SeededTorrent {
  readonly infoHash: string
  readonly magnet: string
  /** Of its file. */
  readonly name: string
  readonly content: Uint8Array
}

/** What was asked for and what was answered, over all lives of the node. */
export class KillLoad {
  /** Answers with status 200 so far. */
  answered = 0
  readonly counts: Record<string, number> = {}
  readonly #random: Random
  readonly #torrents: readonly SeededTorrent[]
  readonly #destination: string
  readonly #known = new Map<string, Known>()
  #named = 0
  #rate = 0
  #rateAnswered = 0
  /** Lines of events that were read, by id. */
  readonly #events = new Map<number, string>()
  #newestEvent = 0
  readonly #powerCuts: boolean

  /** `powerCuts`: nodes lose what they have not synced; then events may go, and pieces may have to come again. */
  constructor(random: Random, torrents: readonly SeededTorrent[], destination: string, powerCuts = false) {
    this.#random = random
    this.#torrents = torrents
    this.#destination = destination
    this.#powerCuts = powerCuts
  }

  /** Loads the node until it is gone. */
  async run(node: NodeProcess): Promise<void> {
    const events = this.#follow(node)
    const lanes = [this.#adds, this.#changes, this.#settings, this.#finishes]
    await Promise.all(lanes.map(lane => this.#lane(node, lane)))
    await events
  }

  /** What clients were told is true of the node that runs now; what they do not know is taken from it. */
  async verify(node: NodeProcess): Promise<void> {
    const { downloads } = await node.get<{ downloads: DownloadRecord[] }>('/downloads')
    const records = new Map(downloads.map(record => [record.infohash, record]))
    for (const [infoHash, known] of this.#known) this.#verifyDownload(infoHash, known, records.get(infoHash))
    for (const infoHash of records.keys()) assert.ok(this.#known.has(infoHash), `${infoHash} was never asked for`)
    if (this.#powerCuts) await this.#verifyClaims(node)
    else for (const [infoHash, { finished }] of this.#known) if (finished) await this.#verifyFinished(node, infoHash)
    const { settings } = await node.get<{ settings: { libtorrent: { max_upload_rate: number } } }>('/settings')
    const rate = Math.max(0, settings.libtorrent.max_upload_rate - 1e9)
    assert.ok(rate >= this.#rateAnswered && rate <= this.#rate, `${rate}: ${this.#rateAnswered}`)
    // What was asked for and not answered may be lost: what is in force now is what must stay.
    this.#rateAnswered = rate
    if (this.#powerCuts) this.#events.clear()
    else await this.#verifyEvents(node)
  }

  /** Pieces that the node says it has, once it has looked at the files, are on the disk byte for byte. */
  async #verifyClaims(node: NodeProcess): Promise<void> {
    for (const { infoHash, name, content } of this.#torrents) {
      const known = this.#known.get(infoHash)
      if (known?.present !== true) continue
      const { status, pieces = '' } = await downloadUntil(
        node,
        infoHash,
        record => !/CHECKING|METADATA|LOADING/.test(record.status),
        20_000,
        '?get_pieces=1',
      )
      known.finished = status === 'DLSTATUS_SEEDING'
      const bits = Buffer.from(pieces, 'base64')
      const path = join(this.#destination, name)
      const there = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
      for (let piece = 0; piece * SEEDED_PIECE_BYTES < content.length; piece++) {
        if (((bits[piece >> 3] ?? 0) & (0x80 >> (piece & 7))) === 0) continue
        const [from, to] = [piece * SEEDED_PIECE_BYTES, (piece + 1) * SEEDED_PIECE_BYTES]
        assert.ok(there.subarray(from, to).equals(content.subarray(from, to)), `${name}: piece ${piece} is not there`)
        this.counts['claimed'] = (this.counts['claimed'] ?? 0) + 1
      }
    }
  }

  #verifyDownload(infoHash: string, known: Known, record: DownloadRecord | undefined): void {
    known.present ??= record !== undefined
    assert.equal(record !== undefined, known.present, `${infoHash}: ${JSON.stringify(known)}`)
    if (record === undefined) return void this.#known.delete(infoHash)
    const stopped = record.status === 'DLSTATUS_STOPPED'
    known.stopped ??= stopped
    assert.equal(stopped, known.stopped, `${infoHash}: ${record.status}`)
  }

  async #verifyFinished(node: NodeProcess, infoHash: string): Promise<void> {
    await node.until<{ downloads: DownloadRecord[] }>(
      '/downloads',
      ({ downloads }) => {
        const record = downloads.find(entry => entry.infohash === infoHash)
        return record?.status === 'DLSTATUS_SEEDING' && record.progress === 1
      },
      20_000,
    )
  }

  /** Every event that was read is in the log, as it was read. */
  async #verifyEvents(node: NodeProcess): Promise<void> {
    const missing = new Map(this.#events)
    if (missing.size === 0) return
    await readEvents(node, Math.min(...missing.keys()) - 1, (id, line) => {
      const read = missing.get(id)
      if (read !== undefined) assert.equal(line, read)
      missing.delete(id)
      return missing.size > 0
    })
    assert.deepEqual([...missing.values()], [])
    this.#events.clear()
  }

  async #lane(node: NodeProcess, work: (client: StatusClient) => Promise<void>): Promise<void> {
    const client = new StatusClient(node.port, node.key)
    try {
      while (!client.gone) await work.call(this, client)
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
    } finally {
      client.close()
    }
  }

  async #ask(client: StatusClient, what: string, method: string, path: string, body: object): Promise<void> {
    const status = await client.request(method, path, body)
    assert.equal(status, 200, `${method} ${path}`)
    this.answered++
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  async #adds(client: StatusClient): Promise<void> {
    const alive = [...this.#known.values()].filter(known => known.present !== false).length
    if (alive >= MAX_ALIVE) return nextTurn()
    const infoHash = `dead${(++this.#named).toString(16).padStart(36, '0')}`
    await this.#add(client, 'add', infoHash, `magnet:?xt=urn:btih:${infoHash}`)
  }

  async #add(client: StatusClient, what: string, infoHash: string, uri: string): Promise<void> {
    const known: Known = { present: null, stopped: false, finished: false }
    this.#known.set(infoHash, known)
    await this.#ask(client, what, 'PUT', '/downloads', { uri, destination: this.#destination })
    known.present = true
  }

  async #delete(client: StatusClient, what: string, infoHash: string, known: Known): Promise<void> {
    Object.assign(known, { present: null, stopped: null, finished: false })
    await this.#ask(client, what, 'DELETE', `/downloads/${infoHash}`, { remove_data: true })
    known.present = false
  }

  /** Stops, resumes or deletes one of those that nobody has. */
  async #changes(client: StatusClient): Promise<void> {
    const names = [...this.#known].filter(([name, { present }]) => present === true && name.startsWith('dead'))
    const [infoHash, known] = names[this.#random.below(names.length)] ?? []
    if (infoHash === undefined || known === undefined) return nextTurn()
    if (this.#random.below(2) === 0) return this.#delete(client, 'delete', infoHash, known)
    const stop = known.stopped !== true
    known.stopped = null
    await this.#ask(client, 'change', 'PATCH', `/downloads/${infoHash}`, { state: stop ? 'stop' : 'resume' })
    known.stopped = stop
  }

  async #settings(client: StatusClient): Promise<void> {
    const rate = ++this.#rate
    await this.#ask(client, 'setting', 'POST', '/settings', { libtorrent: { max_upload_rate: 1e9 + rate } })
    this.#rateAnswered = rate
  }

  /** Adds a torrent that is seeded, or deletes one that was seen to finish. */
  async #finishes(client: StatusClient): Promise<void> {
    const torrent = this.#torrents[this.#random.below(this.#torrents.length)]
    assert.ok(torrent !== undefined)
    const known = this.#known.get(torrent.infoHash)
    if (known === undefined || known.present === false) {
      await this.#add(client, 'add seeded', torrent.infoHash, torrent.magnet)
    } else if (known.finished) await this.#delete(client, 'delete finished', torrent.infoHash, known)
    else await nextTurn()
  }

  async #follow(node: NodeProcess): Promise<void> {
    await readEvents(node, this.#newestEvent, (id, line) => {
      assert.ok(id > this.#newestEvent, `event ${id} after ${this.#newestEvent}`)
      this.#newestEvent = id
      this.#events.set(id, line)
      const { type, event } = JSON.parse(line) as { type: string; event?: { infohash?: string } }
      const known = this.#known.get(event?.infohash ?? '')
      if (type !== 'torrent_finished' || known?.present !== true) return true
      known.finished = true
      this.counts['finished'] = (this.counts['finished'] ?? 0) + 1
      return true
    })
  }
}

/** Reads events after `since` until `take` answers false or the node is gone. */
function readEvents(node: NodeProcess, since: number, take: (id: number, line: string) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': node.key }
    const request = get(`${node.baseUrl}/events?since=${since}`, { headers, agent: false }, response => {
      let rest = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        try {
          for (const line of lines) {
            if (line === '' || line.includes('"events_start"')) continue
            if (take((JSON.parse(line) as { id: number }).id, line)) continue
            request.destroy()
            break
          }
        } catch (error) {
          request.destroy()
          reject(error)
        }
      })
      response.on('error', () => undefined)
      response.on('close', resolve)
    })
    request.on('error', () => resolve())
  })
}
