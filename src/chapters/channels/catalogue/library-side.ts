// The jobs of the services' side (ports/channel-library.ts), synchronous in the catalogue's thread: own channels,
// subscriptions, votes. What is written into channels is in contributions.ts, what is listed in lists.ts and search.ts.

import { AppError } from '../../../base/errors.ts'
import { parseInfoHash } from '../../../base/ids.ts'
import { parseChannelId } from '../wire/ids.ts'
import { asProse, asTitle } from '../wire/texts.ts'
import { encodeVote } from '../wire/vote-codec.ts'
import type {
  LibraryCounts,
  ListedChannel,
  ListedComment,
  ListedGrant,
  ListedPlaylist,
  ListedTorrent,
  NewestTorrent,
  SearchResults,
  SwarmHealth,
  UncheckedTorrent,
} from '../ports/channel-library.ts'
import type { ChannelMode, RecordId, TorrentContent } from '../wire/types.ts'
import { type ChannelRow, DISCOVERED, dropContent, isSubscribed, OWN, SUBSCRIBED } from './channel-rows.ts'
import { Contributions } from './contributions.ts'
import { FoundRows } from './found-rows.ts'
import type { LibraryJobs } from './jobs.ts'
import { Lists } from './lists.ts'
import { hex } from './listing.ts'
import type { Parts } from './parts.ts'
import type { Search } from './search.ts'
import { takeAllExtras } from './taken-extras.ts'

type Handlers = {
  readonly [N in keyof LibraryJobs as N extends `library.${infer M}` ? M : never]: (
    ...args: LibraryJobs[N]['args']
  ) => LibraryJobs[N]['reply']
}

type Texts = { readonly name?: string; readonly description?: string }

/**
 * The jobs of the services' side (ports/channel-library.ts), synchronous in the catalogue's thread: own channels,
 * subscriptions, votes.
 */
export class LibrarySide implements Handlers {
  readonly #parts: Parts
  readonly #lists: Lists
  readonly #search: Search
  readonly #contributions: Contributions
  readonly #found: FoundRows

  constructor(parts: Parts, search: Search) {
    this.#parts = parts
    this.#search = search
    this.#lists = new Lists(parts)
    this.#contributions = new Contributions(parts)
    this.#found = new FoundRows(parts)
  }

  discovered(hideXxx: boolean): ListedChannel[] {
    return this.#lists.discovered(hideXxx)
  }

  subscribed(): ListedChannel[] {
    return this.#lists.subscribed()
  }

  own(): ListedChannel[] {
    return this.#lists.standing(OWN)
  }

  channel(cid: string): ListedChannel {
    return this.#lists.listed(this.#named(cid))
  }

  create(name: string, description: string, mode: ChannelMode): ListedChannel {
    const { channels, keys, own } = this.#parts
    const title = asTitle(name, 'Unnamed channel')
    this.#checkName(title, null)
    const row = channels.make(keys.newChannel(), OWN, '')
    own.write(row, { kind: 'channel', name: title, description: asProse(description), mode })
    return this.#lists.listed(channels.byId(row.id))
  }

  change(cid: string, change: Texts & { readonly mode?: ChannelMode }): void {
    const row = this.#ownNamed(cid)
    const name = change.name === undefined ? row.name : asTitle(change.name, row.name)
    this.#checkName(name, row.id)
    const description = change.description === undefined ? row.description : asProse(change.description)
    if (change.mode !== undefined) takeAllExtras(this.#parts, row)
    this.#parts.own.write(row, { kind: 'channel', name, description, mode: change.mode ?? row.mode })
  }

  #checkName(name: string, besides: number | null): void {
    const text = `SELECT 1 FROM channels WHERE standing = ${OWN} AND name = ? AND id <> ?`
    const taken = this.#parts.context.sql.value<number>(text, name, besides ?? 0)
    if (taken !== undefined) throw new AppError('DuplicateChannelIdError', `Channel name already exists: ${name}`)
  }

  remove(cid: string): void {
    const row = this.#ownNamed(cid)
    const { channels, context, own } = this.#parts
    dropContent(context, row.id)
    context.sql.run("UPDATE channels SET name = '', description = '' WHERE id = ?", row.id)
    context.sql.run('DELETE FROM found_channels WHERE rowid = ?', row.id)
    own.noteChanged(row.cid)
    // The last head says that the set is empty; it is kept among the discovered ones, so that peers get it.
    own.signHeads()
    channels.setStanding(row, DISCOVERED)
  }

  subscribe(cid: string, unknownToo: boolean): boolean {
    const { channels } = this.#parts
    const id = parseChannelId(cid)
    const known = id === null ? undefined : channels.find(id)
    if (known === undefined && (!unknownToo || id === null)) throw new AppError('ChannelNotFound')
    const row = known ?? channels.make(id as NonNullable<typeof id>, DISCOVERED, '')
    if (row.standing === OWN) return this.#setOwnSubscription(row, true)
    if (row.standing !== DISCOVERED) return false
    channels.setStanding(row, SUBSCRIBED)
    this.#cast(row, 1)
    return true
  }

  unsubscribe(cid: string): boolean {
    const row = this.#named(cid)
    if (row.standing === OWN) return this.#setOwnSubscription(row, false)
    if (row.standing !== SUBSCRIBED) return false
    this.#cast(row, 0)
    this.#parts.channels.setStanding(row, DISCOVERED)
    return true
  }

  /** False: it was so already. */
  #setOwnSubscription(row: ChannelRow, subscribed: boolean): boolean {
    if (isSubscribed(row) === subscribed) return false
    this.#parts.channels.setOwnSubscription(row, subscribed)
    return true
  }

  vote(cid: string, value: -1 | 0): void {
    this.#cast(this.#named(cid), value)
  }

  #cast(row: ChannelRow, value: -1 | 0 | 1): void {
    const { keys, votes, context } = this.#parts
    const { publicKey, sign } = keys.author()
    const before = votes.of(row.id, publicKey)
    if (before.value === value) return
    const timeS = Math.max(context.nowS(), before.time + 1)
    votes.keep(row.id, encodeVote({ channel: row.cid, voter: publicKey, value, timeS }, sign))
  }

  torrents(cid: string, hideXxx: boolean): ListedTorrent[] {
    return this.#lists.torrents(this.#named(cid), hideXxx)
  }

  newest(cid: string, limit: number, hideXxx: boolean): NewestTorrent[] {
    return this.#lists.newest(this.#named(cid), limit, hideXxx)
  }

  addTorrent(cid: string, torrent: TorrentContent): RecordId {
    return this.#contributions.addTorrent(this.#named(cid), torrent)
  }

  editTorrent(cid: string, infoHash: string, change: Texts): void {
    this.#contributions.editTorrent(this.#named(cid), infoHash, change)
  }

  removeTorrents(cid: string, infoHashes: readonly string[]): string[] {
    return this.#contributions.removeTorrents(this.#named(cid), infoHashes)
  }

  playlists(cid: string, hideXxx: boolean): ListedPlaylist[] {
    return this.#lists.playlists(this.#named(cid), hideXxx)
  }

  createPlaylist(cid: string, name: string, description: string): void {
    this.#contributions.createPlaylist(this.#named(cid), name, description)
  }

  changePlaylist(cid: string, id: number, change: Texts): void {
    this.#contributions.changePlaylist(this.#named(cid), id, change)
  }

  removePlaylist(cid: string, id: number): void {
    this.#contributions.removePlaylist(this.#named(cid), id)
  }

  addToPlaylist(cid: string, id: number, infoHash: string): void {
    this.#contributions.addToPlaylist(this.#named(cid), id, infoHash)
  }

  removeFromPlaylist(cid: string, id: number, infoHash: string): void {
    this.#contributions.removeFromPlaylist(this.#named(cid), id, infoHash)
  }

  comments(cid: string): ListedComment[] {
    return this.#lists.comments(this.#named(cid))
  }

  comment(cid: string, infoHash: string | null, text: string): void {
    this.#contributions.comment(this.#named(cid), infoHash, text)
  }

  removeComment(cid: string, id: number): void {
    this.#contributions.removeComment(this.#named(cid), id)
  }

  grants(cid: string): ListedGrant[] {
    return this.#lists.grants(this.#named(cid))
  }

  grant(cid: string, contributor: string, add: boolean, moderate: boolean): void {
    const row = this.#ownNamed(cid)
    if (!/^[0-9a-fA-F]{64}$/.test(contributor))
      throw new AppError('InvalidParameter', 'A key has 64 hexadecimal digits.')
    takeAllExtras(this.#parts, row)
    this.#parts.own.write(row, { kind: 'grant', contributor: Buffer.from(contributor, 'hex'), add, moderate })
  }

  author(): string {
    return hex(this.#parts.keys.author().publicKey)
  }

  search(text: string, limit: number, hideXxx: boolean): SearchResults {
    return this.#search.find(text, limit, hideXxx)
  }

  completions(text: string, limit: number, hideXxx: boolean): string[] {
    return this.#search.completions(text, limit, hideXxx)
  }

  takeFound(text: string, records: readonly Uint8Array[], hideXxx: boolean): SearchResults {
    return this.#found.take(text, records, hideXxx)
  }

  unchecked(limit: number, olderThanS: number): UncheckedTorrent[] {
    return this.#lists.unchecked(limit, olderThanS)
  }

  checked(healths: readonly SwarmHealth[]): void {
    this.#lists.checked(healths)
  }

  health(infoHash: string): SwarmHealth | null {
    return this.#lists.health(infoHash)
  }

  torrent(text: string): ReturnType<Lists['torrent']> {
    const infoHash = parseInfoHash(text)
    return infoHash === null ? null : this.#lists.torrent(infoHash)
  }

  counts(): LibraryCounts {
    return this.#lists.counts()
  }

  #named(cid: string): ChannelRow {
    return this.#parts.channels.named(cid)
  }

  #ownNamed(cid: string): ChannelRow {
    const row = this.#named(cid)
    if (row.standing !== OWN) throw new AppError('NotChannelOwner')
    return row
  }
}
