// The life of a channel among many built nodes on loopback: made with many torrents, seen by all, held by some,
// changed, left by its author for good, taken over by a late subscriber; with some holders that lie. Used by
// channels-life (8 nodes) and `make channels-30`.

import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { type MadeTorrent, makeTorrent } from '../../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { waitFor } from '../../../kit/wait-for.ts'

/** How many of what. */
export interface CrowdPlan {
  readonly nodes: number
  /** Beside the author; liars are among them. */
  readonly subscribers: number
  readonly liars: number
  readonly torrents: number
  /** Of each step, ms. */
  readonly limitMs: number
  readonly say: (line: string) => void
}

/** Bytes of the overlays that a node sent and received. */
export interface NodeBytes {
  readonly role: string
  readonly up: number
  readonly down: number
}

const LIAR = fileURLToPath(new URL('lying-node.js', import.meta.url))
const SETTINGS = {
  'ipv8.start': 'always',
  'ipv8.address': '127.0.0.1',
  'ipv8.walk_interval': 0.5,
  // Only what is looked at runs.
  'tunnel_community.enabled': false,
  'general.log_level': 'warn',
} as const
/** Nodes that start, and requests of an upload, at a time. */
const STARTED_AT_ONCE = 2
const UPLOADS_AT_ONCE = 4

interface Member {
  readonly node: NodeProcess
  readonly role: 'author' | 'holder' | 'liar' | 'other'
}

/**
 * The life of a channel among many built nodes on loopback: made with many torrents, seen by all, held by some,
 * changed, left by its author for good, taken over by a late subscriber; with some holders that lie.
 */
export class ChannelCrowd {
  readonly #plan: CrowdPlan
  readonly #members: Member[] = []
  readonly #torrents: MadeTorrent[] = []
  /** Info hashes that the channel is to have. */
  readonly #wanted = new Set<string>()
  #channel = ''

  constructor(plan: CrowdPlan) {
    this.#plan = plan
  }

  /** All of it. Rejects at the first step that does not come to its end. */
  async live(): Promise<void> {
    await this.#step('all nodes run and know some peers', () => this.#start())
    await this.#step('the channel is made', () => this.#make())
    const all = this.#members
    await this.#step('every node sees it', () => this.#all(all, member => this.#sees(member, 'Concerts')))
    const holders = all.filter(({ role }) => role === 'holder' || role === 'liar')
    await this.#step(`${holders.length} subscribe and hold all records`, async () => {
      for (const holder of holders) await this.#subscribe(holder)
      await this.#all(holders, holder => this.#holdsAll(holder))
    })
    await this.#change(all, holders)
    await this.#step('the author is gone for good', () => this.#kill('author'))
    const late = all.find(({ role }) => role === 'other') as Member
    await this.#step('a late subscriber holds all records', async () => {
      await this.#subscribe(late)
      await this.#holdsAll(late)
    })
    await this.#step('nobody keeps anything that its author did not write', () =>
      this.#all(holders.concat(late), holder => this.#holdsAll(holder)),
    )
    await this.#tellBytes()
  }

  /** Ends all nodes. */
  async close(): Promise<void> {
    await Promise.all(this.#members.splice(0).map(({ node }) => node.stop()))
  }

  /** An edit and a deletion arrive at holders, a new name everywhere. */
  async #change(all: readonly Member[], holders: readonly Member[]): Promise<void> {
    const { node } = all[0] as Member
    const [edited, deleted] = this.#torrents as [MadeTorrent, MadeTorrent]
    await this.#step('an edit arrives at all holders', async () => {
      await this.#ask(node, 'PATCH', `/torrents/${edited.infoHash}`, { name: 'The new name' })
      await this.#all(holders, holder => this.#hasName(holder, edited.infoHash, 'The new name'))
    })
    await this.#step('a deletion arrives at all holders', async () => {
      await this.#ask(node, 'DELETE', `/torrents/${deleted.infoHash}`)
      this.#wanted.delete(deleted.infoHash)
      await this.#all(holders, holder => this.#holdsAll(holder))
    })
    await this.#step('a new name of the channel arrives everywhere', async () => {
      await this.#ask(node, 'PATCH', '', { name: 'Concerts of all years' })
      await this.#all(all, member => this.#sees(member, 'Concerts of all years'))
    })
  }

  async #start(): Promise<void> {
    const { nodes, subscribers, liars } = this.#plan
    const first = await startNode({ settings: SETTINGS })
    this.#members.push({ node: first, role: 'author' })
    await first.get('/channels/discovered')
    await waitFor('the overlay of channels runs', async () => (await peersOf(first)) !== null)
    const address = await lanAddress(first)
    const settings = { ...SETTINGS, 'ipv8.bootstrap_override': address }
    const roles = Array.from({ length: nodes - 1 }, (_, index): Member['role'] => {
      if (index < liars) return 'liar'
      return index < subscribers ? 'holder' : 'other'
    })
    await inTurns(roles, STARTED_AT_ONCE, async role => {
      const node = await startNode({ settings, ...(role === 'liar' ? { cli: LIAR } : {}) })
      this.#members.push({ node, role })
      // The first look at channels opens them.
      await node.get('/channels/discovered')
    })
    await this.#all(this.#members, ({ node }) =>
      waitFor('a peer', async () => ((await peersOf(node)) ?? 0) >= Math.min(3, nodes - 1), this.#plan.limitMs),
    )
  }

  async #make(): Promise<void> {
    const { node } = this.#members[0] as Member
    const reply = await node.request('PUT', '/channels/discovered', { name: 'Concerts', mode: 'closed' })
    assert.equal(reply.status, 200, reply.body.toString())
    const own = await node.get<{ mychannel: { identifier: string } }>('/mychannel')
    this.#channel = own.mychannel.identifier
    for (let index = 0; index < this.#plan.torrents; index++) {
      const made = makeTorrent({ name: `concert ${index}`, length: 1000, seed: index + 1 })
      this.#torrents.push(made)
      this.#wanted.add(made.infoHash)
    }
    await inTurns(this.#torrents, UPLOADS_AT_ONCE, async ({ torrent }) => {
      await this.#ask(node, 'PUT', '/torrents', { torrent: Buffer.from(torrent).toString('base64') })
    })
  }

  async #kill(role: Member['role']): Promise<void> {
    const at = this.#members.findIndex(member => member.role === role)
    const [gone] = this.#members.splice(at, 1)
    await gone?.node.kill('SIGKILL')
    await gone?.node.stop()
  }

  async #subscribe({ node }: Member): Promise<void> {
    const reply = await node.request('PUT', `/channels/subscribed/${this.#channel}`)
    assert.equal(reply.status, 200, reply.body.toString())
  }

  async #ask(node: NodeProcess, method: string, path: string, body?: unknown): Promise<void> {
    const reply = await node.request(method, `/channels/discovered/${this.#channel}${path}`, body)
    assert.equal(reply.status, 200, reply.body.toString())
  }

  #sees({ node }: Member, name: string): Promise<unknown> {
    interface Listed {
      channels: { dispersy_cid: string; name: string }[]
    }
    const isIt = ({ channels }: Listed): boolean =>
      channels.some(channel => channel.dispersy_cid === this.#channel && channel.name === name)
    return node.until('/channels/discovered', isIt, this.#plan.limitMs)
  }

  #holdsAll({ node }: Member): Promise<unknown> {
    return this.#lists(node, torrents => {
      return torrents.length === this.#wanted.size && torrents.every(({ infohash }) => this.#wanted.has(infohash))
    })
  }

  #hasName({ node }: Member, infoHash: string, name: string): Promise<unknown> {
    return this.#lists(node, torrents => torrents.some(each => each.infohash === infoHash && each.name === name))
  }

  async #lists(
    node: NodeProcess,
    fits: (torrents: readonly { infohash: string; name: string }[]) => boolean,
  ): Promise<void> {
    const path = `/channels/discovered/${this.#channel}/torrents?disable_filter=1`
    let seen = 0
    await waitFor(
      'the torrents of the channel',
      async () => {
        const reply = await node.request('GET', path)
        if (reply.status !== 200) return false
        const { torrents } = reply.json<{ torrents: { infohash: string; name: string }[] }>()
        seen = torrents.length
        return fits(torrents)
      },
      this.#plan.limitMs,
      () => `${seen} of ${this.#wanted.size}, as ${node.baseUrl} shows`,
    )
  }

  async #all(members: readonly Member[], work: (member: Member) => Promise<unknown>): Promise<void> {
    await Promise.all(members.map(member => work(member)))
  }

  async #step(what: string, work: () => Promise<unknown>): Promise<void> {
    const startMs = performance.now()
    await work()
    this.#plan.say(`${what}: ${((performance.now() - startMs) / 1000).toFixed(1)} s`)
  }

  async #tellBytes(): Promise<void> {
    const rows = await Promise.all(this.#members.map(bytesOf))
    for (const role of ['holder', 'liar', 'other']) {
      const some = rows.filter(row => row.role === role)
      if (some.length === 0) continue
      const mean = (part: 'up' | 'down'): string =>
        `${Math.round(some.reduce((sum, row) => sum + row[part], 0) / some.length / 1024)} KiB`
      this.#plan.say(
        `bytes of overlays a node, ${some.length} of role ${role}: sent ${mean('up')}, received ${mean('down')}`,
      )
    }
  }
}

async function bytesOf({ node, role }: Member): Promise<NodeBytes> {
  const { ipv8_statistics: all } = await node.get<{ ipv8_statistics: { total_up: number; total_down: number } }>(
    '/statistics/ipv8',
  )
  return { role, up: all.total_up, down: all.total_down }
}

async function lanAddress(node: NodeProcess): Promise<string> {
  interface Statistics {
    dispersy_statistics: { lan_address: string }
  }
  const isThere = ({ dispersy_statistics: { lan_address: at } }: Statistics): boolean => /:[1-9]/.test(at ?? '')
  const { dispersy_statistics: found } = await node.until('/statistics/dispersy', isThere)
  return found.lan_address
}

/** Null: the overlay of channels does not run yet. */
async function peersOf(node: NodeProcess): Promise<number | null> {
  interface Rows {
    dispersy_community_statistics: { classification: string; candidates: number }[]
  }
  const { dispersy_community_statistics: rows } = await node.get<Rows>('/statistics/communities')
  return rows.find(({ classification }) => classification === 'ChannelCommunity')?.candidates ?? null
}

async function inTurns<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++] as T)
  }
  await Promise.all(Array.from({ length: limit }, worker))
}
