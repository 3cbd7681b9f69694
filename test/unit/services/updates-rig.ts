// Following and publishing over doubles: items in memory instead of a DHT, rows in memory instead of a database,
// downloads without a network, time moved by hand. Keys and signatures are real.

import assert from 'node:assert/strict'
import type { InfoHash } from '../../../src/base/ids.ts'
import { nodeEd25519 } from '../../../src/io/ed25519.ts'
import type { FoundSignedItem, MutableItems, SignedItem } from '../../../src/ports/dht-items.ts'
import type { FollowedKey, PublishedTorrent, UpdateRecords } from '../../../src/ports/update-records.ts'
import { FollowedUpdates, type UpdateSettings } from '../../../src/services/updates/followed-updates.ts'
import { PublishedUpdates } from '../../../src/services/updates/published-updates.ts'
import { UpdateVersions } from '../../../src/services/updates/update-versions.ts'
import { mutableTarget, signedBytes } from '../../../src/wire/dht/dht-item.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { encodeUpdateItem } from '../../../src/wire/update-item.ts'
import type { MadeTorrent } from '../../kit/content/make-torrent.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { FakeAnonymousEngines } from './anonymous-doubles.ts'
import { type DownloadsBench, MemoryRecords, startDownloads } from './service-doubles.ts'

/** The key pair of most tests. */
export const SEED = new Uint8Array(32).fill(7)
export const KEY = Buffer.from(nodeEd25519.publicKey(SEED)).toString('hex')
export const LINK = `magnet:?xs=urn:btpk:${KEY}&s=6e&tr=udp://t.example:1&x.pe=10.0.0.1:5`
export const SALT = Buffer.from('6e', 'hex')
export const TARGET = hex(mutableTarget(Buffer.from(KEY, 'hex'), SALT))

export const MINUTE = 60_000

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** An item of the key above. */
export function itemOf(seq: bigint, value: Uint8Array | InfoHash, salt: Uint8Array = SALT): SignedItem {
  const bytes = typeof value === 'string' ? encodeUpdateItem(value) : value
  const signature = nodeEd25519.sign(signedBytes(salt, seq, bytes), SEED)
  return { key: nodeEd25519.publicKey(SEED), salt, seq, value: bytes, signature }
}

/** A DHT with one place. */
export class MemoryItems implements MutableItems {
  readonly held = new Map<string, FoundSignedItem>()
  readonly stored: SignedItem[] = []
  finds = 0
  /** Lookups under way at a time, at most. */
  most = 0
  /** What a lookup waits for. */
  gate: Promise<void> = Promise.resolve()
  /** Nobody answers. */
  deaf = false
  #now = 0

  put(item: SignedItem, copies = 8): void {
    this.held.set(hex(mutableTarget(item.key, item.salt)), { ...item, copies })
  }

  async find(key: Uint8Array, salt: Uint8Array): Promise<FoundSignedItem | null> {
    this.finds++
    this.#now++
    this.most = Math.max(this.most, this.#now)
    await this.gate
    this.#now--
    return this.deaf ? null : (this.held.get(hex(mutableTarget(key, salt))) ?? null)
  }

  async store(item: SignedItem): Promise<{ stored: number; newer: FoundSignedItem | null }> {
    await this.gate
    if (this.deaf) return { stored: 0, newer: null }
    this.stored.push(item)
    const known = this.held.get(hex(mutableTarget(item.key, item.salt)))
    if (known !== undefined && known.seq > item.seq) return { stored: 0, newer: known }
    this.put(item)
    return { stored: 8, newer: null }
  }
}

/** Rows that survive the services. */
export class MemoryUpdateRecords implements UpdateRecords {
  readonly followedRows = new Map<string, FollowedKey>()
  readonly publishedRows = new Map<string, PublishedTorrent>()
  /** Thrown by the next write. */
  failWith: Error | null = null

  async followed(): Promise<FollowedKey[]> {
    return [...this.followedRows.values()]
  }

  async keepFollowed(key: FollowedKey): Promise<void> {
    this.#check()
    this.followedRows.set(key.target, key)
  }

  async dropFollowed(target: string): Promise<void> {
    this.#check()
    this.followedRows.delete(target)
  }

  async published(): Promise<PublishedTorrent[]> {
    return [...this.publishedRows.values()]
  }

  async keepPublished(torrent: PublishedTorrent): Promise<void> {
    this.#check()
    this.publishedRows.set(torrent.name, torrent)
  }

  async dropPublished(name: string): Promise<void> {
    this.#check()
    this.publishedRows.delete(name)
  }

  #check(): void {
    const error = this.failWith
    this.failWith = null
    if (error !== null) throw error
  }
}

/** Everything, started. */
export interface UpdatesRig {
  readonly bench: DownloadsBench
  readonly items: MemoryItems
  readonly rows: MemoryUpdateRecords
  readonly following: FollowedUpdates
  readonly publishing: PublishedUpdates
  readonly settings: { -readonly [K in keyof UpdateSettings]: UpdateSettings[K] }
  readonly events: unknown[][]
  /** Files that were cut: [destination, path, length]. */
  readonly trimmed: [string, string, number][]
  /** Moves time on and lets everything that is due run. */
  pass(ms: number): Promise<void>
  /** The metadata of a download has come from its peers. */
  learn(made: MadeTorrent): Promise<void>
}

interface Kept {
  readonly records?: MemoryRecords
  readonly rows?: MemoryUpdateRecords
  readonly items?: MemoryItems
  readonly dht?: boolean
}

/** A node with what an earlier one kept. */
export async function startUpdates(kept: Kept = {}): Promise<UpdatesRig> {
  const rows = kept.rows ?? new MemoryUpdateRecords()
  const items = kept.items ?? new MemoryItems()
  const settings: UpdatesRig['settings'] = { intervalMs: 30 * MINUTE, oldVersions: 'stop' }
  const events: unknown[][] = []
  const trimmed: UpdatesRig['trimmed'] = []
  const bench = await startDownloads(
    kept.records ?? new MemoryRecords(),
    true,
    () => following,
    new FakeAnonymousEngines(),
  )
  const parts = { clock: bench.clock, random: new SeededRandom(5), log: silentLog }
  const trim = async (to: string, files: readonly { readonly path: readonly string[]; readonly length: number }[]) => {
    for (const file of files) trimmed.push([to, file.path.join('/'), file.length])
  }
  const following = new FollowedUpdates({
    ...parts,
    events: { emit: (...event) => void events.push(event) },
    versions: new UpdateVersions(bench.downloads, { trim }),
    settings: () => settings,
  })
  const publishing = new PublishedUpdates({
    ...parts,
    ed25519: nodeEd25519,
    openSeed: async () => SEED,
    metainfo: infoHash => bench.downloads.knownMetainfo(infoHash),
    hidden: infoHash => (bench.downloads.row(infoHash)?.hops ?? 0) > 0,
  })
  const dht = kept.dht === false ? null : items
  await following.start(rows, dht)
  await publishing.start(rows, dht)
  return {
    bench,
    items,
    rows,
    following,
    publishing,
    settings,
    events,
    trimmed,
    async pass(ms) {
      bench.clock.advance(ms)
      await settle()
    },
    async learn(made) {
      const metainfo = decodeMetainfo(made.torrent)
      await bench.downloads.engineEvents.metadata(made.infoHash, metainfo)
      bench.engine.torrents.get(made.infoHash)?.learn(metainfo)
    },
  }
}

/** Everything that can go on has gone on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
}

/** Follows LINK, or another; what PUT answers. Time passes as long as it waits. */
export async function follow(rig: UpdatesRig, uri = LINK, more: object = {}): Promise<string> {
  const answer = rig.bench.downloads.add({ uri, ...more })
  let done = false
  void answer.then(
    () => (done = true),
    () => (done = true),
  )
  await waitFor('PUT answers', async () => {
    if (!done) await rig.pass(1000)
    return done
  })
  const { started, infohash } = await answer
  assert.equal(started, infohash !== '')
  return infohash
}
