// A catalogue of channels in memory, for networks of many nodes on virtual time: real encodings, trees and folds,
// signatures that cost a hash. What it keeps and refuses is what ports/channel-catalogue.ts says; ranks, quotas and
// texts are the real one's.

import { sameBytes } from '../../../../src/base/same-bytes.ts'
import { createHash } from 'node:crypto'
import type { InfoHash } from '../../../../src/base/ids.ts'
import type {
  CatalogueHappening,
  ChannelCatalogue,
  ChannelStanding,
  FoundRecords,
  HeadVerdict,
  KnownChannel,
  RecordRole,
  RecordsVerdict,
} from '../../../../src/chapters/channels/ports/channel-catalogue.ts'
import { foldChannel } from '../../../../src/chapters/channels/wire/fold.ts'
import { encodeHead, verifyHead } from '../../../../src/chapters/channels/wire/head-codec.ts'
import { channelIdOf } from '../../../../src/chapters/channels/wire/ids.ts'
import { decodeRecord, encodeRecord } from '../../../../src/chapters/channels/wire/record-codec.ts'
import { verifyRecord } from '../../../../src/chapters/channels/wire/record-signature.ts'
import { sortedIdsSource, treeNodeOf, treeRoot, type TreeSource } from '../../../../src/chapters/channels/wire/tree.ts'
import {
  type ChannelHead,
  type ChannelId,
  type ChannelRecord,
  type ChannelVote,
  MAX_FUTURE_S,
  type RecordContent,
  type RecordId,
} from '../../../../src/chapters/channels/wire/types.ts'
import { encodeVote, verifyVote } from '../../../../src/chapters/channels/wire/vote-codec.ts'

/** A key of tests. */
export function testKey(name: string): Uint8Array {
  return createHash('sha256').update(name).digest()
}

/** Signs with a key of tests. */
export function signAs(key: Uint8Array): (bytes: Uint8Array) => Uint8Array {
  return bytes => createHash('sha512').update(key).update(bytes).digest()
}

const verify = (key: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean =>
  sameBytes(signAs(key)(bytes), signature)

interface Kept {
  readonly channel: ChannelId
  standing: ChannelStanding
  head: ChannelHead | null
  heldSequence: number
  held: Set<RecordId>
  source: TreeSource
  readonly roles: Map<RecordId, RecordRole | 'held'>
  readonly records: Map<RecordId, ChannelRecord>
  readonly votes: Map<string, ChannelVote>
  clock: number
  key: Uint8Array | null
}

/**
 * A catalogue of channels in memory, for networks of many nodes on virtual time: real encodings, trees and folds,
 * signatures that cost a hash.
 */
export class MemoryCatalogue implements ChannelCatalogue {
  readonly author: Uint8Array
  readonly channels = new Map<ChannelId, Kept>()
  readonly happenings: CatalogueHappening[] = []
  /** Counts what was refused. */
  refused = 0
  readonly #watchers = new Set<(event: CatalogueHappening) => void>()
  readonly #nowS: () => number

  constructor(name: string, nowS: () => number) {
    this.author = testKey(`author ${name}`)
    this.#nowS = nowS
  }

  // Writing, as clients would have it.

  /** A channel of this node. */
  create(name: string, mode: 'open' | 'semi-open' | 'closed' = 'closed'): ChannelId {
    const key = testKey(`channel ${name}`)
    const kept = this.#keep(channelIdOf(key), 'own')
    kept.key = key
    this.write(kept.channel, [{ kind: 'channel', name, description: '', mode }])
    this.#happen({ kind: 'standing', channel: kept.channel, standing: 'own' })
    return kept.channel
  }

  /** Records by this node; in a channel of its own with a new head. */
  write(channel: ChannelId, contents: readonly RecordContent[]): RecordId[] {
    const kept = this.#of(channel)
    const author = kept.key ?? this.author
    const ids = contents.map(content => {
      const record = encodeRecord(
        { channel, author, clock: ++kept.clock, timeS: this.#nowS(), content },
        signAs(author),
      )
      kept.records.set(record.id, record)
      kept.roles.set(record.id, kept.key === null ? 'extra' : 'held')
      return record.id
    })
    if (kept.key === null) this.#happen({ kind: 'extra', channel })
    else this.#publish(kept, [...kept.held, ...ids])
    return ids
  }

  /** The owner leaves records out of its next head. */
  drop(channel: ChannelId, ids: readonly RecordId[]): void {
    const kept = this.#of(channel)
    this.#publish(
      kept,
      [...kept.held].filter(id => !ids.includes(id)),
    )
  }

  subscribe(channel: ChannelId): void {
    const kept = this.#keep(channel, 'subscribed')
    kept.standing = 'subscribed'
    const vote = { channel, voter: this.author, value: 1 as const, timeS: this.#nowS() }
    kept.votes.set(keyText(this.author), encodeVote(vote, signAs(this.author)))
    this.#happen({ kind: 'standing', channel, standing: 'subscribed' })
  }

  /** As one that is not subscribed any more. */
  leave(channel: ChannelId): void {
    this.#of(channel).standing = 'discovered'
    this.#happen({ kind: 'standing', channel, standing: 'discovered' })
  }

  /** As upkeep does with the worst ranked. */
  forget(channel: ChannelId): void {
    this.channels.delete(channel)
    this.#happen({ kind: 'standing', channel, standing: null })
  }

  /** The records of a channel that are in the held set. */
  heldOf(channel: ChannelId): RecordId[] {
    return [...(this.channels.get(channel)?.held ?? [])].sort()
  }

  // The port.

  worthAnnouncing(limit: number): Promise<KnownChannel[]> {
    const order = { own: 0, subscribed: 1, discovered: 2 }
    const all = [...this.channels.values()].sort((a, b) => order[a.standing] - order[b.standing])
    return Promise.resolve(all.slice(0, limit).map(known))
  }

  wanted(): Promise<KnownChannel[]> {
    const all = [...this.channels.values()].filter(({ standing }) => standing !== 'discovered')
    return Promise.resolve(all.map(known))
  }

  known(channel: ChannelId): Promise<KnownChannel | null> {
    const kept = this.channels.get(channel)
    return Promise.resolve(kept === undefined ? null : known(kept))
  }

  offerHead(head: ChannelHead, _from: string): Promise<HeadVerdict> {
    if (!verifyHead(head, verify) || head.timeS > this.#nowS() + MAX_FUTURE_S) {
      this.refused++
      return Promise.resolve('refused')
    }
    const before = this.channels.get(head.channel)
    if (before?.head != null && before.head.sequence >= head.sequence) return Promise.resolve('known')
    const kept = this.#keep(head.channel, 'discovered')
    kept.head = head
    this.#happen({ kind: 'head', channel: head.channel, own: kept.standing === 'own' })
    return Promise.resolve(before === undefined ? 'new' : 'newer')
  }

  treeNode(channel: ChannelId, prefix: string): ReturnType<ChannelCatalogue['treeNode']> {
    const kept = this.channels.get(channel)
    const node = kept === undefined || kept.heldSequence === 0 ? null : treeNodeOf(kept.source, prefix)
    return Promise.resolve(node === null ? null : { sequence: kept?.heldSequence ?? 0, node })
  }

  lacking(channel: ChannelId, ids: readonly RecordId[]): Promise<RecordId[]> {
    const records = this.channels.get(channel)?.records
    return Promise.resolve(ids.filter(id => records?.has(id) !== true))
  }

  records(channel: ChannelId, ids: readonly RecordId[], maxBytes: number): Promise<Uint8Array[]> {
    const kept = this.channels.get(channel)
    const found: Uint8Array[] = []
    let bytes = 0
    for (const id of ids) {
      const record = kept?.records.get(id)
      if (record === undefined) continue
      bytes += record.bytes.length
      if (bytes > maxBytes) break
      found.push(record.bytes)
    }
    return Promise.resolve(found)
  }

  offerRecords(
    channel: ChannelId,
    encodings: readonly Uint8Array[],
    role: RecordRole,
    _from: string,
  ): Promise<RecordsVerdict> {
    const kept = this.channels.get(channel)
    const verdict = { kept: 0, known: 0, refused: 0 }
    for (const bytes of encodings) {
      const record = read(bytes)
      if (kept === undefined || record === null || !this.#isFine(kept, record, role)) verdict.refused++
      else if (kept.records.has(record.id)) verdict.known++
      else {
        kept.records.set(record.id, record)
        kept.roles.set(record.id, role)
        verdict.kept++
      }
    }
    this.refused += verdict.refused
    if (role === 'extra' && verdict.kept > 0 && kept?.key != null) this.#takeExtras(kept)
    return Promise.resolve(verdict)
  }

  adopt(head: ChannelHead, change: Parameters<ChannelCatalogue['adopt']>[1]): Promise<boolean> {
    const kept = this.channels.get(head.channel)
    if (kept === undefined) return Promise.resolve(false)
    const ids = new Set(change.whole ? [] : kept.held)
    for (const id of change.removed) ids.delete(id)
    for (const id of change.added) ids.add(id)
    const all = [...ids]
    const here = all.every(id => kept.records.has(id))
    if (!here || all.length !== head.records || !sameBytes(treeRoot(all), head.root)) return Promise.resolve(false)
    for (const id of kept.held) if (!ids.has(id)) kept.records.delete(id)
    this.#hold(kept, all, head.sequence)
    return Promise.resolve(true)
  }

  extras(channel: ChannelId, limit: number): Promise<RecordId[]> {
    const kept = this.channels.get(channel)
    const ids = [...(kept?.roles ?? [])].filter(([id, role]) => role === 'extra' && kept?.held.has(id) !== true)
    return Promise.resolve(
      ids
        .map(([id]) => id)
        .reverse()
        .slice(0, limit),
    )
  }

  preview(channel: ChannelId, limit: number): Promise<Uint8Array[]> {
    const records = [...(this.channels.get(channel)?.records.values() ?? [])]
    const named = records.filter(({ content }) => content.kind === 'channel').slice(-1)
    const torrents = records.filter(({ content }) => content.kind === 'torrent').slice(-limit + 1)
    return Promise.resolve([...named, ...torrents].map(({ bytes }) => bytes))
  }

  searchFor(text: string, limit: number): Promise<FoundRecords> {
    const found: FoundRecords & { heads: ChannelHead[]; records: Uint8Array[] } = { heads: [], records: [] }
    for (const { head, records } of this.channels.values()) {
      const fitting = [...records.values()].filter(({ content }) => 'name' in content && content.name?.includes(text))
      if (head !== null && fitting.length > 0) found.heads.push(head)
      found.records.push(...fitting.map(({ bytes }) => bytes))
    }
    return Promise.resolve({ heads: found.heads.slice(0, limit), records: found.records.slice(0, limit) })
  }

  votes(channel: ChannelId, limit: number): Promise<ChannelVote[]> {
    const votes = [...(this.channels.get(channel)?.votes.values() ?? [])]
    return Promise.resolve(votes.reverse().slice(0, limit))
  }

  offerVotes(votes: readonly ChannelVote[], _from: string): Promise<number> {
    let fresh = 0
    for (const vote of votes) {
      const kept = this.channels.get(vote.channel)
      const before = kept?.votes.get(keyText(vote.voter))
      if (kept === undefined || !verifyVote(vote, verify) || (before !== undefined && before.timeS >= vote.timeS))
        continue
      kept.votes.set(keyText(vote.voter), vote)
      fresh++
    }
    return Promise.resolve(fresh)
  }

  heldRecords(): ReturnType<ChannelCatalogue['heldRecords']> {
    return Promise.resolve([])
  }

  signPack(): Promise<null> {
    return Promise.resolve(null)
  }

  watch(happened: (event: CatalogueHappening) => void): () => void {
    this.#watchers.add(happened)
    return () => this.#watchers.delete(happened)
  }

  #isFine(kept: Kept, record: ChannelRecord, role: RecordRole): boolean {
    if (record.channel !== kept.channel || !verifyRecord(record, verify)) return false
    if (record.timeS > this.#nowS() + MAX_FUTURE_S) return false
    if (role !== 'extra') return true
    const held = [...kept.held].map(id => kept.records.get(id) as ChannelRecord)
    const extras = [...kept.records.values()].filter(({ id }) => kept.roles.get(id) === 'extra')
    return foldChannel({ channel: kept.channel, held, extras: [...extras, record] }).taken.includes(record.id)
  }

  #takeExtras(kept: Kept): void {
    const extras = [...kept.roles].filter(([, role]) => role === 'extra').map(([id]) => id)
    for (const id of extras) kept.roles.set(id, 'held')
    this.#publish(kept, [...kept.held, ...extras])
  }

  #publish(kept: Kept, ids: readonly RecordId[]): void {
    const publicKey = kept.key as Uint8Array
    const sequence = (kept.head?.sequence ?? 0) + 1
    const all = [...new Set(ids)]
    const unsigned = { publicKey, sequence, records: all.length, root: treeRoot(all), timeS: this.#nowS(), pack: null }
    kept.head = encodeHead(unsigned, signAs(publicKey))
    this.#hold(kept, all, sequence)
    this.#happen({ kind: 'head', channel: kept.channel, own: true })
  }

  #hold(kept: Kept, ids: readonly RecordId[], sequence: number): void {
    kept.held = new Set(ids)
    kept.source = sortedIdsSource(ids)
    kept.heldSequence = sequence
    for (const id of ids) kept.roles.set(id, 'held')
  }

  #of(channel: ChannelId): Kept {
    const kept = this.channels.get(channel)
    if (kept === undefined) throw new Error('no such channel')
    return kept
  }

  #keep(channel: ChannelId, standing: ChannelStanding): Kept {
    const kept: Kept = this.channels.get(channel) ?? {
      channel,
      standing,
      head: null,
      heldSequence: 0,
      held: new Set(),
      source: sortedIdsSource([]),
      roles: new Map(),
      records: new Map(),
      votes: new Map(),
      clock: 0,
      key: null,
    }
    this.channels.set(channel, kept)
    return kept
  }

  #happen(event: CatalogueHappening): void {
    this.happenings.push(event)
    for (const happened of this.#watchers) happened(event)
  }
}

/** What a torrent record says in tests. */
export function torrentContent(index: number, name = `torrent ${index}`): RecordContent {
  const infoHash = createHash('sha1').update(`torrent ${index}`).digest('hex') as InfoHash
  return {
    kind: 'torrent',
    infoHash,
    name,
    description: '',
    size: 1000 + index,
    files: [{ path: `file ${index}.bin`, size: 1000 + index }],
    fileCount: 1,
    trackers: [],
    category: 'other',
  }
}

function known({ channel, head, standing, heldSequence }: Kept): KnownChannel {
  return { channel, head, standing, heldSequence }
}

function keyText(key: Uint8Array): string {
  return Buffer.from(key).toString('hex')
}

function read(bytes: Uint8Array): ChannelRecord | null {
  try {
    return decodeRecord(bytes)
  } catch {
    return null
  }
}
