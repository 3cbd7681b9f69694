// A whole transfer between the node and a client of another project, over a relay that keeps what they said. The one
// who fetches knows only a tracker that names the relay.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeBencode, dictSlices } from '../../../src/wire/bencode.ts'
import { differences, writeContent } from '../content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../nodes/downloads-client.ts'
import type { InteropPlace } from '../runners/interop-place.ts'
import type { MadeTorrent } from '../content/make-torrent.ts'
import { type NodeProcess, startNode } from '../nodes/node-process.ts'
import { type ClientName, type ClientOptions, type OtherClient, startClient } from './other-clients.ts'
import { startNamingTracker, startTap, type TappedConnection, type TappedWords, type WireTap } from './wire-tap.ts'

export interface TappedTransfer {
  readonly client: ClientName
  /** The node fetches; else the client does. */
  readonly toNode: boolean
  readonly made: MadeTorrent
  readonly name: string
  /** The torrent file the seeding side is given; the same content as `made`. */
  readonly torrent: string
  /** The fetching side is given a magnet. */
  readonly magnet: boolean
  readonly clientOptions?: ClientOptions
  readonly nodeSettings?: Readonly<Record<string, string | number | boolean>>
}

/** What the node said and what the client said, for each connection. */
export interface TappedTalk {
  readonly node: TappedWords
  readonly client: TappedWords
}

/** The port on which a node waits for peers. */
export async function peerPort(node: NodeProcess): Promise<number> {
  const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  return variables.ports['libtorrent~port'] ?? 0
}

/** A torrent file as `path`, with `announce` as its only tracker, beside it. */
async function withTracker(path: string, announce: string, to: string): Promise<string> {
  const kept = [...dictSlices(await readFile(path))].filter(([key]) => key !== 'announce' && key !== 'announce-list')
  const entries = [...kept, ['announce', encodeBencode(announce)] as const].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const parts = entries.flatMap(([key, value]) => [encodeBencode(key), value])
  await writeFile(to, Buffer.concat([Buffer.from('d'), ...parts, Buffer.from('e')]))
  return to
}

class Rig {
  readonly #transfer: TappedTransfer
  readonly #hosts: InteropPlace['hosts']
  readonly #folder: InteropPlace['folder']
  readonly #place: string

  constructor(transfer: TappedTransfer, hosts: InteropPlace['hosts'], folder: InteropPlace['folder']) {
    this.#transfer = transfer
    this.#hosts = hosts
    this.#folder = folder
    this.#place = `${transfer.client}-${transfer.toNode}-${transfer.made.infoHash.slice(0, 6)}-${hosts.next()}`
  }

  async run(): Promise<TappedTalk[]> {
    const { toNode, nodeSettings } = this.#transfer
    const ip = this.#hosts.next()
    const node = await startNode({ settings: { 'libtorrent.interface': ip, ...nodeSettings } })
    const client = await this.#startClient().catch(async (error: unknown) => {
      await node.stop()
      throw error
    })
    try {
      const connections = toNode ? await this.#toNode(node, client) : await this.#fromNode(node, client, ip)
      return connections.map(({ caller, called }) =>
        toNode ? { node: caller, client: called } : { node: called, client: caller },
      )
    } finally {
      await client.stop()
      await node.stop()
    }
  }

  async #startClient(): Promise<OtherClient> {
    const { client, clientOptions } = this.#transfer
    return startClient(client, this.#hosts.next(), await this.#folder.sub(`${this.#place}-home`), clientOptions)
  }

  /** Content where the seeding side looks for it. */
  async #from(): Promise<string> {
    const from = await this.#folder.sub(`${this.#place}-from`)
    await writeContent(this.#transfer.made, from, this.#transfer.name)
    return from
  }

  /** What the fetching side is given: a magnet, or a torrent file with the tracker. */
  async #fetch(
    target: { ip: string; port: number },
    start: (what: string, dir: string) => Promise<void>,
  ): Promise<WireTap> {
    const { made, torrent, magnet } = this.#transfer
    const tap = await startTap(this.#hosts.next(), target)
    const tracker = await startNamingTracker(this.#hosts.next(), [tap])
    const stopTap = tap.stop
    tap.stop = async () => void (await Promise.all([stopTap(), tracker.stop()]))
    const link = `magnet:?xt=urn:btih:${made.infoHash}&tr=${encodeURIComponent(tracker.url)}`
    const file = () => withTracker(torrent, tracker.url, join(this.#folder.path, `${this.#place}.torrent`))
    try {
      await start(magnet ? link : await file(), await this.#folder.sub(`${this.#place}-to`))
    } catch (error) {
      await tap.stop()
      throw error
    }
    return tap
  }

  async #arrived(tap: WireTap, complete: Promise<unknown>): Promise<readonly TappedConnection[]> {
    const { made, name } = this.#transfer
    try {
      await complete
      assert.deepEqual(await differences(made, await this.#folder.sub(`${this.#place}-to`), name), [])
      return tap.connections
    } finally {
      await tap.stop()
    }
  }

  async #toNode(node: NodeProcess, client: OtherClient): Promise<readonly TappedConnection[]> {
    const { made, torrent } = this.#transfer
    const nobody = await startNamingTracker(this.#hosts.next(), [])
    try {
      // rtorrent refuses a torrent without a tracker while it has no DHT.
      await client.add(await withTracker(torrent, nobody.url, `${await this.#from()}.torrent`), await this.#from())
      await client.complete(60_000)
    } finally {
      await nobody.stop()
    }
    const tap = await this.#fetch(client, async (what, dir) => void (await addDownload(node, what, dir)))
    return this.#arrived(tap, downloadComplete(node, made.infoHash, 90_000))
  }

  async #fromNode(node: NodeProcess, client: OtherClient, ip: string): Promise<readonly TappedConnection[]> {
    const { made, torrent, magnet } = this.#transfer
    await addDownload(node, torrent, await this.#from())
    await downloadComplete(node, made.infoHash, 60_000)
    const start = (what: string, dir: string) => (magnet ? client.addMagnet(what, dir) : client.add(what, dir))
    const tap = await this.#fetch({ ip, port: await peerPort(node) }, start)
    return this.#arrived(tap, client.complete(90_000))
  }
}

/** Does the transfer, compares every byte, and answers what was said on each connection. */
export function tappedTransfer(
  transfer: TappedTransfer,
  hosts: InteropPlace['hosts'],
  folder: InteropPlace['folder'],
): Promise<TappedTalk[]> {
  return new Rig(transfer, hosts, folder).run()
}
