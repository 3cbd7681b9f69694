// What the tests of the catalogue share: made-up torrents and authors, records that they sign, a channel passed on from
// one catalogue to another.

import { parseInfoHash } from '../../../../../src/base/ids.ts'
import { nodeEd25519 } from '../../../../../src/io/ed25519.ts'
import type { ChannelCatalogue } from '../../../../../src/chapters/channels/ports/channel-catalogue.ts'
import { channelIdOf } from '../../../../../src/chapters/channels/wire/ids.ts'
import { encodeHead } from '../../../../../src/chapters/channels/wire/head-codec.ts'
import { encodeRecord } from '../../../../../src/chapters/channels/wire/record-codec.ts'
import { treeRoot } from '../../../../../src/chapters/channels/wire/tree.ts'
import type {
  ChannelHead,
  ChannelId,
  ChannelRecord,
  RecordContent,
  RecordId,
  TorrentContent,
} from '../../../../../src/chapters/channels/wire/types.ts'

/** 2026-11-22, milliseconds. */
export const NOW_MS = 1_795_300_000_000
/** The same in seconds. */
export const NOW_S = NOW_MS / 1000

/** A torrent that nobody has. */
export function torrentOf(n: number, change: Partial<TorrentContent> = {}): TorrentContent {
  const infoHash = parseInfoHash(n.toString(16).padStart(40, '0'))
  if (infoHash === null) throw new Error('not an info hash')
  return {
    kind: 'torrent',
    infoHash,
    name: `torrent ${n}`,
    description: '',
    size: 1000 + n,
    files: [],
    fileCount: 0,
    trackers: ['http://tracker.example/announce'],
    category: 'video',
    ...change,
  }
}

/** A key pair. */
export class Author {
  readonly publicKey: Uint8Array
  readonly #seed: Uint8Array

  constructor(n: number) {
    this.#seed = Buffer.alloc(32, n)
    Buffer.from(this.#seed.buffer).writeUInt32BE(n)
    this.publicKey = nodeEd25519.publicKey(this.#seed)
  }

  get channel(): ChannelId {
    return channelIdOf(this.publicKey)
  }

  get hex(): string {
    return Buffer.from(this.publicKey).toString('hex')
  }

  record(channel: ChannelId, clock: number, content: RecordContent, timeS = NOW_S): ChannelRecord {
    const sign = (bytes: Uint8Array): Uint8Array => nodeEd25519.sign(bytes, this.#seed)
    return encodeRecord({ channel, author: this.publicKey, clock, timeS, content }, sign)
  }

  head(sequence: number, ids: readonly RecordId[], timeS = NOW_S): ChannelHead {
    const sign = (bytes: Uint8Array): Uint8Array => nodeEd25519.sign(bytes, this.#seed)
    const { publicKey } = this
    return encodeHead({ publicKey, sequence, records: ids.length, root: treeRoot(ids), timeS, pack: null }, sign)
  }
}

/** All that one catalogue holds of a channel, taken by another one. */
export async function passOn(from: ChannelCatalogue, to: ChannelCatalogue, channel: ChannelId): Promise<boolean> {
  const known = await from.known(channel)
  if (known?.head === null || known?.head === undefined) return false
  await to.offerHead(known.head, 'peer')
  const held = await from.heldRecords(channel, null, 1 << 26)
  const lacking = new Set(
    await to.lacking(
      channel,
      held.map(({ id }) => id),
    ),
  )
  const wanted = held.filter(({ id }) => lacking.has(id)).map(({ bytes }) => bytes)
  await to.offerRecords(channel, wanted, 'wanted', 'peer')
  return to.adopt(known.head, { added: held.map(({ id }) => id), removed: [], whole: true })
}
