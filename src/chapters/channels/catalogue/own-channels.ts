// Own channels: records signed by their keys, and their heads. A head is signed once for all that a batch has changed.

import { sameBytes } from '../../../base/same-bytes.ts'
import { encodeHead, headFromBytes } from '../wire/head-codec.ts'
import { encodeRecord } from '../wire/record-codec.ts'
import type { InfoHash } from '../../../base/ids.ts'
import type { ChannelHead, ChannelId, ChannelRecord, RecordContent } from '../wire/types.ts'
import { type ChannelRow, type ChannelRows, OWN } from './channel-rows.ts'
import type { ChannelView } from './channel-view.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import type { HeldTree } from './held-tree.ts'
import type { OwnKeys, Signer } from './own-keys.ts'
import { EXTRA, HELD, type RecordRows } from './record-rows.ts'

/** The parts of the thread that own writes need. */
export interface OwnParts {
  readonly context: CatalogueContext
  readonly channels: ChannelRows
  readonly rows: RecordRows
  readonly tree: HeldTree
  readonly view: ChannelView
  readonly keys: OwnKeys
}

/** Own channels: records signed by their keys, and their heads. */
export class OwnChannels {
  readonly #parts: OwnParts
  readonly #changed = new Set<ChannelId>()

  constructor(parts: OwnParts) {
    this.#parts = parts
  }

  /** Signs and stores a statement by us: into the set of an own channel, as an extra of another's. */
  write(channel: ChannelRow, content: RecordContent): ChannelRecord {
    const { rows, view, tree, keys, context } = this.#parts
    const own = channel.standing === OWN
    const record = this.sign(channel, content, own ? this.#ownSigner(channel.cid) : keys.author())
    const row = rows.insert(channel.id, record, own ? HELD : EXTRA)
    if (own) {
      tree.forget(channel.id, [record.id])
      this.#changed.add(channel.cid)
    } else context.tell({ kind: 'extra', channel: channel.cid })
    view.refresh(channel, [{ row, role: own ? HELD : EXTRA, counted: -1, record }])
    return record
  }

  /** A statement by `signer` with its next clock; not stored yet. */
  sign(channel: ChannelRow, content: RecordContent, { publicKey, sign }: Signer): ChannelRecord {
    const { rows, context } = this.#parts
    // Clocks go with the time, so that a node that was restored from an older copy gives none twice.
    const clock = Math.max(rows.lastClock(channel.id, publicKey) + 1, context.nowS())
    return encodeRecord({ channel: channel.cid, author: publicKey, clock, timeS: context.nowS(), content }, sign)
  }

  /** The set of an own channel has changed: its head is signed at the end of the batch. */
  noteChanged(cid: ChannelId): void {
    this.#changed.add(cid)
  }

  /** Signs the heads of what has changed. */
  signHeads(): void {
    const { channels, tree } = this.#parts
    for (const cid of this.#changed) {
      const channel = channels.find(cid)
      if (channel === undefined) continue
      const root = tree.root(channel.id)
      const before = channel.head === null ? null : headFromBytes(channel.head)
      const same = before !== null && before.records === root.count && sameBytes(before.root, root.hash)
      if (!same) this.#setHead(channel, { records: root.count, root: root.hash, pack: null })
    }
    this.#changed.clear()
  }

  /** Forgets what a batch has changed that was undone. */
  forget(): void {
    this.#changed.clear()
  }

  /** The head of the same set with its pack; null: see ChannelCatalogue.signPack. */
  signPack(channel: ChannelRow, sequence: number, pack: InfoHash): ChannelHead | null {
    if (channel.held_sequence !== sequence || channel.head === null || channel.head_sequence !== sequence) return null
    if (this.#parts.keys.ofChannel(channel.cid) === null) return null
    const { records, root } = headFromBytes(channel.head)
    return this.#setHead(channel, { records, root, pack })
  }

  #setHead(channel: ChannelRow, set: Pick<ChannelHead, 'records' | 'root' | 'pack'>): ChannelHead {
    const { context, channels } = this.#parts
    const { publicKey, sign } = this.#ownSigner(channel.cid)
    // As the clocks of records: never one that an older copy of this node has given.
    const sequence = Math.max(channel.head_sequence + 1, context.nowS())
    const head = encodeHead({ publicKey, sequence, timeS: context.nowS(), ...set }, sign)
    channels.setHead(channel, head)
    channels.setHeld(channel, sequence, set.records)
    return head
  }

  #ownSigner(cid: ChannelId): Signer {
    const signer = this.#parts.keys.ofChannel(cid)
    if (signer === null) throw new Error(`the key of ${cid} is gone`)
    return signer
  }
}
