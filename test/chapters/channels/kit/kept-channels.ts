// Own and subscribed channels in memory, as the keepers of heads and packs see the catalogue: real records, heads and
// trees, without a database. Signatures are checked as the catalogue checks them.

import { sameBytes } from '../../../../src/base/same-bytes.ts'
import type {
  CatalogueHappening,
  ChannelCatalogue,
  KnownChannel,
} from '../../../../src/chapters/channels/ports/channel-catalogue.ts'
import { encodeHead, verifyHead } from '../../../../src/chapters/channels/wire/head-codec.ts'
import { channelIdOf } from '../../../../src/chapters/channels/wire/ids.ts'
import { decodeRecord, encodeRecord } from '../../../../src/chapters/channels/wire/record-codec.ts'
import { verifyRecord } from '../../../../src/chapters/channels/wire/record-signature.ts'
import { treeRoot } from '../../../../src/chapters/channels/wire/tree.ts'
import type { ChannelHead, ChannelId, ChannelRecord, RecordId } from '../../../../src/chapters/channels/wire/types.ts'
import { parseInfoHash } from '../../../../src/base/ids.ts'
import { type SigningKey, verifySignature } from '../../../kit/doubles/signing-key.ts'

interface Kept {
  standing: KnownChannel['standing']
  head: ChannelHead | null
  heldSequence: number
  held: Map<RecordId, Uint8Array>
  readonly here: Map<RecordId, Uint8Array>
  readonly key: SigningKey | null
}

type KeptCatalogue = Pick<
  ChannelCatalogue,
  'wanted' | 'known' | 'offerHead' | 'offerRecords' | 'adopt' | 'heldRecords' | 'signPack' | 'watch'
>

/**
 * Own and subscribed channels in memory, as the keepers of heads and packs see the catalogue: real records, heads and
 * trees, without a database.
 */
export class KeptChannels implements KeptCatalogue {
  readonly #channels = new Map<ChannelId, Kept>()
  readonly #watchers = new Set<(event: CatalogueHappening) => void>()
  #clock = 0

  /** An own channel. */
  own(key: SigningKey): ChannelId {
    const channel = channelIdOf(key.publicKey)
    this.#enter(channel, 'own', key)
    return channel
  }

  /** A subscribed channel of which nothing is known. */
  subscribe(channel: ChannelId): void {
    this.#enter(channel, 'subscribed', null)
  }

  /** Neither own nor subscribed any more. */
  leave(channel: ChannelId): void {
    this.#channels.delete(channel)
    this.#tell({ kind: 'standing', channel, standing: null })
  }

  /** Writes playlists of these names into an own channel, and its next head. */
  write(channel: ChannelId, names: readonly string[]): ChannelRecord[] {
    const kept = this.#channels.get(channel)
    if (kept?.key === null || kept === undefined) throw new Error('not an own channel')
    const { publicKey: author, sign } = kept.key
    const records = names.map(name => {
      const content = { kind: 'playlist', name, description: '' } as const
      return encodeRecord({ channel, author, clock: ++this.#clock, timeS: 1_800_000_000, content }, sign)
    })
    for (const record of records) kept.held.set(record.id, record.bytes)
    this.#sign(channel, kept, null)
    return records
  }

  ids(channel: ChannelId): RecordId[] {
    return [...(this.#channels.get(channel)?.held.keys() ?? [])].sort()
  }

  #enter(channel: ChannelId, standing: Kept['standing'], key: SigningKey | null): void {
    const nothing = { head: null, heldSequence: 0, held: new Map(), here: new Map() }
    this.#channels.set(channel, { standing, key, ...nothing })
    this.#tell({ kind: 'standing', channel, standing })
  }

  #sign(channel: ChannelId, kept: Kept, pack: string | null): ChannelHead {
    if (kept.key === null) throw new Error('not an own channel')
    const { publicKey, sign } = kept.key
    const ids = [...kept.held.keys()]
    const sequence = (kept.head?.sequence ?? 0) + 1
    const set = { records: ids.length, root: treeRoot(ids), timeS: 1_800_000_000 }
    const head = encodeHead({ publicKey, sequence, ...set, pack: pack === null ? null : parseInfoHash(pack) }, sign)
    kept.head = head
    kept.heldSequence = sequence
    this.#tell({ kind: 'head', channel, own: true })
    return head
  }

  #tell(event: CatalogueHappening): void {
    for (const happened of this.#watchers) happened(event)
  }

  wanted(): Promise<KnownChannel[]> {
    return Promise.resolve([...this.#channels].map(([channel, kept]) => ({ channel, ...kept })))
  }

  known(channel: ChannelId): Promise<KnownChannel | null> {
    const kept = this.#channels.get(channel)
    return Promise.resolve(kept === undefined ? null : { channel, ...kept })
  }

  offerHead(head: ChannelHead) {
    const kept = this.#channels.get(head.channel)
    if (kept === undefined || !verifyHead(head, verifySignature)) return Promise.resolve('refused' as const)
    if (kept.head !== null && kept.head.sequence >= head.sequence) return Promise.resolve('known' as const)
    kept.head = head
    this.#tell({ kind: 'head', channel: head.channel, own: false })
    return Promise.resolve('newer' as const)
  }

  offerRecords(channel: ChannelId, records: readonly Uint8Array[]) {
    const verdict = { kept: 0, known: 0, refused: 0 }
    for (const bytes of records) {
      try {
        const record = decodeRecord(bytes)
        if (!verifyRecord(record, verifySignature)) throw new Error('forged')
        this.#channels.get(channel)?.here.set(record.id, record.bytes)
        verdict.kept++
      } catch {
        verdict.refused++
      }
    }
    return Promise.resolve(verdict)
  }

  adopt(head: ChannelHead, change: { readonly added: readonly RecordId[]; readonly whole: boolean }): Promise<boolean> {
    const kept = this.#channels.get(head.channel)
    if (kept === undefined) return Promise.resolve(false)
    const ids = change.whole ? change.added : [...kept.held.keys(), ...change.added]
    const held = new Map<RecordId, Uint8Array>()
    for (const id of ids) {
      const bytes = kept.here.get(id) ?? kept.held.get(id)
      if (bytes !== undefined) held.set(id, bytes)
    }
    const right = held.size === head.records && sameBytes(treeRoot([...held.keys()]), head.root)
    if (right) {
      kept.held = held
      kept.heldSequence = head.sequence
    }
    return Promise.resolve(right)
  }

  heldRecords(channel: ChannelId, after: RecordId | null) {
    const kept = this.#channels.get(channel)
    const rows = [...(kept?.held ?? [])].map(([id, bytes]) => ({ id, bytes }))
    const sorted = rows.sort((one, other) => (one.id < other.id ? -1 : 1))
    return Promise.resolve(sorted.filter(({ id }) => after === null || id > after).slice(0, 100))
  }

  signPack(channel: ChannelId, sequence: number, pack: string): Promise<ChannelHead | null> {
    const kept = this.#channels.get(channel)
    if (kept?.head?.sequence !== sequence) return Promise.resolve(null)
    return Promise.resolve(this.#sign(channel, kept, pack))
  }

  watch(happened: (event: CatalogueHappening) => void): () => void {
    this.#watchers.add(happened)
    return () => this.#watchers.delete(happened)
  }
}
