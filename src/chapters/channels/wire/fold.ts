// What a channel shows: the meaning of a set of records, whole, in memory. The catalogue does the same in steps in its
// database; this is what it is tested against. Invariant: the view depends on the two sets alone, not on the order in
// which records came.

import { type ChannelRules, isOwner, keyOf, mayWrite, type Rights } from './rights.ts'
import type {
  ChannelId,
  ChannelMode,
  ChannelRecord,
  RecordContent,
  RecordId,
  RecordKind,
  TorrentContent,
} from './types.ts'

/** What is known of a channel; signatures are checked, and no record is from the future. */
export interface ChannelSets {
  readonly channel: ChannelId
  /** The set of the owner's head. */
  readonly held: readonly ChannelRecord[]
  /** Records in no head yet. */
  readonly extras: readonly ChannelRecord[]
}

/** A torrent as it is shown: its record with the edits of it. */
export interface ShownTorrent extends TorrentContent {
  readonly record: RecordId
  readonly timeS: number
}

/** A playlist as it is shown. */
export interface ShownPlaylist {
  readonly record: RecordId
  readonly name: string
  readonly description: string
  /** Info hashes of torrents that are shown, in the order of their entries. */
  readonly entries: readonly string[]
}

/** A comment as it is shown. */
export interface ShownComment {
  readonly record: RecordId
  readonly author: string
  readonly target: RecordId | null
  readonly text: string
  readonly timeS: number
}

/** What a channel shows. */
export interface ChannelView {
  /** Empty: there is no channel record. */
  readonly name: string
  readonly description: string
  readonly mode: ChannelMode
  /** Of the newest record that counts; 0: none does. */
  readonly modifiedS: number
  readonly torrents: readonly ShownTorrent[]
  readonly playlists: readonly ShownPlaylist[]
  readonly comments: readonly ShownComment[]
  /** By key; those with neither right are left out. */
  readonly grants: ReadonlyMap<string, Rights>
  /** Extras that count: what the owner's node takes into its next head. */
  readonly taken: readonly RecordId[]
  /** Records that count and change nothing (deleted, replaced): the owner may leave them out of its next head. */
  readonly spent: readonly RecordId[]
}

type RecordOf<K extends RecordKind> = ChannelRecord & {
  readonly content: Extract<RecordContent, { readonly kind: K }>
}

/** Whether `one` replaces `other` of the same author: the higher clock, at equal clocks the smaller id. */
export function isNewer(one: ChannelRecord, other: ChannelRecord): boolean {
  return one.clock > other.clock || (one.clock === other.clock && one.id < other.id)
}

/** The order of records of several authors, the oldest first: time, clock, id. */
export function byTime(one: ChannelRecord, other: ChannelRecord): number {
  return one.timeS - other.timeS || one.clock - other.clock || (one.id < other.id ? 1 : -1)
}

/** What the channel shows. */
export function foldChannel(sets: ChannelSets): ChannelView {
  const held = withoutTwins(sets.held, new Set())
  const extras = withoutTwins(sets.extras, new Set(sets.held.map(slotOf)))
  const rules = rulesOf(sets.channel, [...held, ...extras])
  const all = new Map([...held, ...extras].map(record => [record.id, record]))
  const targetOf = (id: RecordId) => {
    const found = all.get(id)
    return found === undefined ? null : { kind: found.content.kind, author: found.author }
  }
  const taken = extras.filter(record => mayWrite(record, rules, targetOf))
  return new Fold(sets.channel, held, taken).view(rules)
}

/** Author and clock: what two records never share. */
function slotOf(record: ChannelRecord): string {
  return `${keyOf(record.author)} ${record.clock}`
}

/**
 * Each record once, and of those with one author and clock the one with the smallest id; none in a slot that is
 * `taken`.
 */
function withoutTwins(records: readonly ChannelRecord[], taken: ReadonlySet<string>): ChannelRecord[] {
  const bySlot = new Map<string, ChannelRecord>()
  for (const record of records) {
    const slot = slotOf(record)
    const before = bySlot.get(slot)
    if (!taken.has(slot) && (before === undefined || record.id < before.id)) bySlot.set(slot, record)
  }
  return [...bySlot.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
}

/** The rules that the newest channel record and grants by the owner make; those by others make none. */
export function rulesOf(channel: ChannelId, records: readonly ChannelRecord[]): ChannelRules {
  const { info, grants } = ownersWords(channel, records)
  const rights = [...grants].map(([key, { content }]): [string, Rights] => [key, content])
  return { channel, mode: info?.content.mode ?? 'closed', grants: new Map(rights) }
}

function ownersWords(channel: ChannelId, records: readonly ChannelRecord[]) {
  let info: RecordOf<'channel'> | null = null
  const grants = new Map<string, RecordOf<'grant'>>()
  for (const record of records) {
    if (is(record, 'channel')) {
      if (isOwner(record.author, channel) && (info === null || isNewer(record, info))) info = record
    } else if (is(record, 'grant') && isOwner(record.author, channel)) {
      const key = keyOf(record.content.contributor)
      const before = grants.get(key)
      if (before === undefined || isNewer(record, before)) grants.set(key, record)
    }
  }
  return { info, grants }
}

function is<K extends RecordKind>(record: ChannelRecord, kind: K): record is RecordOf<K> {
  return record.content.kind === kind
}

function grouped<T, K>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group === undefined) groups.set(key(item), [item])
    else group.push(item)
  }
  return groups
}

/** The records that count, the oldest first within held and taken, being put together. */
class Fold {
  readonly #channel: ChannelId
  readonly #held: ReadonlySet<RecordId>
  readonly #records: readonly ChannelRecord[]
  readonly #deleted: ReadonlySet<RecordId>
  readonly #used = new Set<RecordId>()
  #editsByTarget: ReadonlyMap<RecordId, readonly RecordOf<'edit'>[]> | undefined

  constructor(channel: ChannelId, held: readonly ChannelRecord[], taken: readonly ChannelRecord[]) {
    this.#channel = channel
    this.#held = new Set(held.map(record => record.id))
    this.#records = [...held.toSorted(byTime), ...taken.toSorted(byTime)]
    const targets = this.#all('deletion').flatMap(({ content }) => content.targets)
    // Only kinds that can be deleted ask whether they are.
    this.#deleted = new Set(targets)
  }

  view(rules: ChannelRules): ChannelView {
    const { info, grants } = ownersWords(this.#channel, this.#records)
    for (const record of [info, ...grants.values(), ...this.#all('deletion')]) if (record !== null) this.#use(record)
    const torrents = this.#torrents()
    const hashes = new Set<string>(torrents.map(torrent => torrent.infoHash))
    const playlists = this.#playlists(hashes)
    const comments = this.#comments(new Set([...torrents, ...playlists].map(shown => shown.record)))
    return {
      name: info?.content.name ?? '',
      description: info?.content.description ?? '',
      mode: rules.mode,
      modifiedS: this.#records.reduce((newest, record) => Math.max(newest, record.timeS), 0),
      torrents,
      playlists,
      comments,
      grants: new Map([...rules.grants].filter(([, rights]) => rights.add || rights.moderate)),
      taken: this.#records.filter(record => !this.#held.has(record.id)).map(record => record.id),
      spent: this.#records.filter(record => !this.#used.has(record.id)).map(record => record.id),
    }
  }

  #use(record: ChannelRecord): void {
    this.#used.add(record.id)
  }

  /** Those of a kind, the oldest first, held before taken. */
  #all<K extends RecordKind>(kind: K): RecordOf<K>[] {
    return this.#records.filter((record): record is RecordOf<K> => is(record, kind))
  }

  #standing<K extends RecordKind>(kind: K): RecordOf<K>[] {
    return this.#all(kind).filter(record => !this.#deleted.has(record.id))
  }

  /** Name and description of a record after its edits: of each the newest counts. */
  #edited(record: RecordOf<'torrent'> | RecordOf<'playlist'>): { name: string; description: string } {
    const texts = { name: record.content.name, description: record.content.description }
    const edits = this.#edits().get(record.id) ?? []
    const name = edits.findLast(edit => edit.content.name !== null)
    const description = edits.findLast(edit => edit.content.description !== null)
    for (const edit of [name, description]) if (edit !== undefined) this.#use(edit)
    return {
      name: name?.content.name ?? texts.name,
      description: description?.content.description ?? texts.description,
    }
  }

  #edits(): ReadonlyMap<RecordId, readonly RecordOf<'edit'>[]> {
    this.#editsByTarget ??= grouped(this.#standing('edit').sort(byTime), edit => edit.content.target)
    return this.#editsByTarget
  }

  /** Each info hash once: the first record of it. */
  #torrents(): ShownTorrent[] {
    const shown = new Map<string, ShownTorrent>()
    for (const record of this.#standing('torrent')) {
      const { infoHash } = record.content
      if (shown.has(infoHash)) continue
      this.#use(record)
      shown.set(infoHash, { ...record.content, ...this.#edited(record), record: record.id, timeS: record.timeS })
    }
    return [...shown.values()]
  }

  #playlists(torrents: ReadonlySet<string>): ShownPlaylist[] {
    const entries = grouped(this.#standing('entry'), entry => entry.content.playlist)
    return this.#standing('playlist').map(record => {
      this.#use(record)
      const hashes = new Set<string>()
      for (const entry of entries.get(record.id) ?? []) {
        const { infoHash } = entry.content
        if (!torrents.has(infoHash) || hashes.has(infoHash)) continue
        this.#use(entry)
        hashes.add(infoHash)
      }
      return { record: record.id, ...this.#edited(record), entries: [...hashes] }
    })
  }

  #comments(targets: ReadonlySet<RecordId>): ShownComment[] {
    const shown: ShownComment[] = []
    for (const record of this.#standing('comment')) {
      const { target, text } = record.content
      if (target !== null && !targets.has(target)) continue
      this.#use(record)
      shown.push({ record: record.id, author: keyOf(record.author), target, text, timeS: record.timeS })
    }
    return shown
  }
}
