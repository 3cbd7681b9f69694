// Our node, as users start it: the built command line, its own HTTP interface, default settings but for the address.

import { request } from 'node:http'
import { commandPath, type NodeProcess, startNode } from '../../../test/kit/nodes/node-process.ts'
import { pass } from '../bench-place.ts'
import { type BenchTorrent, magnetOf } from '../bench-torrent.ts'
import { callJson, type HttpRequest } from '../local-http.ts'
import { type LoopDelay, type MeasuredNode, startMeasuredNode } from '../measured-node.ts'
import { killAtExit } from '../owned-processes.ts'
import type { AddJob, ApiRequests, Client, ClientKind, PeerAddress, Started } from './client.ts'

const LOOK_MS = 5
/** Looks at a check: each costs the node and this process, which share the cores with the hashing. */
const CHECK_LOOK_MS = 20
const ADDING_AT_ONCE = 16

/** What the flows read of a download's record. */
export interface DownloadFacts {
  readonly infohash: string
  readonly status: string
  readonly progress: number
  readonly total_up: number
}

/** A running node of ours. */
export class TributaryNode implements Client {
  readonly address: PeerAddress
  readonly #node: NodeProcess
  readonly #measured: MeasuredNode | null
  #finished = new Set<string>()
  #wake: (() => void) | null = null
  #last = ''

  private constructor(node: NodeProcess, measured: MeasuredNode | null, address: PeerAddress) {
    this.#node = node
    this.#measured = measured
    this.address = address
  }

  /** Follows a started node. */
  static async of(node: NodeProcess, measured: MeasuredNode | null, ip: string): Promise<TributaryNode> {
    const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
    const client = new TributaryNode(node, measured, { ip, port: variables.ports['libtorrent~port'] ?? 0 })
    await client.#follow()
    return client
  }

  get pid(): number {
    return this.#node.pid
  }

  /** A request of this node's interface. */
  to(method: string, path: string, body?: object): HttpRequest {
    const headers = { 'x-api-key': this.#node.key, ...(body && { 'content-type': 'application/json' }) }
    return { url: `${this.#node.baseUrl}${path}`, method, headers, ...(body && { body: JSON.stringify(body) }) }
  }

  /** Every download's record. */
  async downloads(): Promise<DownloadFacts[]> {
    return (await callJson<{ downloads: DownloadFacts[] }>(this.to('GET', '/downloads'))).downloads
  }

  async add(job: AddJob): Promise<void> {
    const { torrent } = job
    this.#last = torrent.infoHash
    // By metainfo it finds peers at the tracker only; addresses it takes from a magnet.
    const magnet = job.from === 'magnet' || (job.peers.length > 0 && job.viaTracker !== true)
    const uri = magnet ? magnetOf(torrent, job.peers) : `file:${torrent.trackedPath ?? torrent.path}`
    await callJson(this.to('PUT', '/downloads', { uri, destination: job.dir }))
  }

  async whenComplete(limitMs = 120_000): Promise<void> {
    const end = performance.now() + limitMs
    for (;;) {
      const record = (await this.downloads()).find(each => each.infohash === this.#last)
      if (record?.status === 'DLSTATUS_SEEDING' && record.progress === 1) return
      if (performance.now() > end) throw new Error(`not complete: ${JSON.stringify(record)}`)
      await this.#finishedOr(this.#finished.has(this.#last) ? LOOK_MS : 250)
    }
  }

  /** It says complete only when all is written. */
  async whenWritten(): Promise<void> {}

  /** Until the event that something finished, or `ms`: asking all the time would cost the node what we measure. */
  #finishedOr(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** One request that is answered when it has come: asking again and again would cost the node what is measured. */
  async whenMetadata(limitMs = 60_000): Promise<void> {
    const uri = encodeURIComponent(`magnet:?xt=urn:btih:${this.#last}`)
    await callJson(this.to('GET', `/torrentinfo?uri=${uri}`), limitMs)
  }

  async prepareCheck(job: AddJob): Promise<void> {
    await this.add({ ...job, dir: job.torrent.dir, peers: [], from: 'metainfo' })
    await this.#whenChecked()
  }

  async check(job: AddJob): Promise<void> {
    this.#last = job.torrent.infoHash
    await callJson(this.to('PATCH', `/downloads/${this.#last}`, { state: 'recheck' }))
    await this.#whenChecked()
  }

  async #whenChecked(): Promise<void> {
    const end = performance.now() + 300_000
    for (;;) {
      const record = (await this.downloads()).find(each => each.infohash === this.#last)
      const checking = record === undefined || /HASHCHECK|ALLOCATING/.test(record.status)
      if (!checking && record.status === 'DLSTATUS_SEEDING' && record.progress === 1) return
      if (!checking || performance.now() > end) throw new Error(`the check failed: ${JSON.stringify(record)}`)
      await pass(CHECK_LOOK_MS)
    }
  }

  file(torrent: BenchTorrent): HttpRequest {
    return this.to('GET', `/downloads/${torrent.infoHash}/stream/0`)
  }

  async addMany(torrents: readonly BenchTorrent[], dir: string, state: 'seeding' | 'stopped'): Promise<void> {
    const left = [...torrents]
    const work = async () => {
      for (let torrent = left.pop(); torrent !== undefined; torrent = left.pop()) {
        await callJson(this.to('PUT', '/downloads', { uri: `file:${torrent.path}`, destination: dir }))
        if (state === 'stopped') await callJson(this.to('PATCH', `/downloads/${torrent.infoHash}`, { state: 'stop' }))
      }
    }
    await Promise.all(Array.from({ length: ADDING_AT_ONCE }, work))
    await this.untilAll(state === 'stopped' ? 'DLSTATUS_STOPPED' : 'DLSTATUS_SEEDING', torrents.length)
  }

  /** Waits until `count` downloads have the status. */
  async untilAll(status: string, count: number, limitMs = 300_000): Promise<void> {
    const end = performance.now() + limitMs
    for (;;) {
      const all = await this.downloads()
      const so = all.filter(each => each.status === status).length
      if (so >= count) return
      if (performance.now() > end) throw new Error(`${so} of ${count} have ${status}`)
      await pass(200)
    }
  }

  async count(): Promise<number> {
    return (await this.downloads()).length
  }

  api(torrent: BenchTorrent): ApiRequests {
    return {
      list: this.to('GET', '/downloads'),
      trivial: this.to('GET', '/state'),
      files: this.to('GET', `/downloads/${torrent.infoHash}/files`),
    }
  }

  async takeLoopDelay(): Promise<LoopDelay | null> {
    return (await this.#measured?.takeLoopDelay()) ?? null
  }

  async stop(): Promise<void> {
    await this.#node.stop()
  }

  /** Reads the stream of events for as long as the node lives. */
  #follow(): Promise<void> {
    const { url, headers } = this.to('GET', '/events')
    return new Promise((resolve, reject) => {
      const sent = request(url, { headers: headers ?? {}, agent: false }, answer => {
        let rest = ''
        answer.setEncoding('utf8').on('data', (text: string) => {
          const lines = (rest + text).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) this.#event(line)
        })
        // The node ends, and with it the stream.
        answer.on('error', () => undefined)
        resolve()
      })
      sent.on('error', reject)
      sent.end()
    })
  }

  #event(line: string): void {
    if (!line.includes('torrent_finished')) return
    const infoHash = /[0-9a-f]{40}/.exec(line)?.[0] ?? ''
    this.#finished.add(infoHash)
    this.#wake?.()
  }
}

async function untilStarted(node: NodeProcess): Promise<void> {
  const ask = { url: `${node.baseUrl}/state`, headers: { 'x-api-key': node.key } }
  while ((await callJson<{ state: string }>(ask)).state !== 'STARTED') await pass(2)
}

/** Starts it without the probe, which would cost what the flow `start` measures. */
export async function startPlain(home: string, ip: string): Promise<Started & { readonly client: TributaryNode }> {
  const begin = performance.now()
  const settings = { 'libtorrent.interface': ip }
  const how = { asUsers: true, cli: commandPath, until: 'listening' } as const
  const node = await startNode({ ...how, settings, stateDir: `${home}/state` })
  killAtExit(node.process)
  await callJson({ url: `${node.baseUrl}/state`, headers: { 'x-api-key': node.key } })
  const firstAnswerMs = performance.now() - begin
  const startedMs = untilStarted(node).then(() => performance.now() - begin)
  return { client: await TributaryNode.of(node, null, ip), firstAnswerMs, startedMs }
}

interface OurKind extends ClientKind {
  start(home: string, ip: string): Promise<Started & { readonly client: TributaryNode }>
}

export const tributary: OurKind = {
  name: 'tributary',
  can: new Set(['leech', 'seed', 'recheck', 'magnet', 'stream', 'play', 'api', 'start', 'restart', 'web-seeds']),
  missing: () => null,
  async start(home, ip) {
    const begin = performance.now()
    const measured = await startMeasuredNode(home, { 'libtorrent.interface': ip })
    const ms = performance.now() - begin
    const client = await TributaryNode.of(measured.node, measured, ip)
    return { client, firstAnswerMs: ms, startedMs: ms }
  },
}
