// Writes of this node into channels, its own or those of others whose rules let it: each is a signed record.

import { AppError } from '../../../base/errors.ts'
import { infoHashBytes, parseInfoHash } from '../../../base/ids.ts'
import { recordIdFromBytes } from '../wire/ids.ts'
import { mayWrite } from '../wire/rights.ts'
import { asProse, asTitle } from '../wire/texts.ts'
import type { RecordContent, RecordId, TorrentContent } from '../wire/types.ts'
import { MAX_TARGETS } from '../wire/record-content.ts'
import { type ChannelRow, OWN } from './channel-rows.ts'
import { MAX_EXTRAS } from './limits.ts'
import type { Parts } from './parts.ts'
import { EXTRA } from './record-rows.ts'

type Texts = { readonly name?: string; readonly description?: string }

/** Writes of this node into channels, its own or those of others whose rules let it: each is a signed record. */
export class Contributions {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  addTorrent(channel: ChannelRow, torrent: TorrentContent): RecordId {
    this.#mayWrite(channel, torrent)
    if (this.#shownTorrent(channel, torrent.infoHash) !== null) throw new AppError('DuplicateTorrentFileError')
    const name = asTitle(torrent.name, 'Unnamed torrent')
    return this.#write(channel, { ...torrent, name, description: asProse(torrent.description) })
  }

  editTorrent(channel: ChannelRow, infoHash: string, change: Texts): void {
    const target = this.#torrent(channel, infoHash)
    this.#edit(channel, target, change)
  }

  removeTorrents(channel: ChannelRow, infoHashes: readonly string[]): string[] {
    const failed: string[] = []
    const targets = new Set<RecordId>()
    for (const infoHash of infoHashes) {
      const found = this.#allOf(channel, infoHash)
      if (found.length > 0 && this.#allows(channel, { kind: 'deletion', targets: found }))
        found.forEach(id => targets.add(id))
      else failed.push(infoHash)
    }
    this.#delete(channel, [...targets])
    return failed
  }

  createPlaylist(channel: ChannelRow, name: string, description: string): void {
    this.#write(channel, {
      kind: 'playlist',
      name: asTitle(name, 'Unnamed playlist'),
      description: asProse(description),
    })
  }

  changePlaylist(channel: ChannelRow, id: number, change: Texts): void {
    this.#edit(channel, this.#playlist(channel, id), change)
  }

  removePlaylist(channel: ChannelRow, id: number): void {
    this.#delete(channel, [this.#playlist(channel, id)])
  }

  addToPlaylist(channel: ChannelRow, id: number, infoHash: string): void {
    const playlist = this.#playlist(channel, id)
    this.#torrent(channel, infoHash)
    if (this.#entries(channel, playlist, infoHash).length > 0) {
      throw new AppError('StateConflict', 'This torrent is already in your playlist.')
    }
    const hash = parseInfoHash(infoHash)
    if (hash !== null) this.#write(channel, { kind: 'entry', playlist, infoHash: hash })
  }

  removeFromPlaylist(channel: ChannelRow, id: number, infoHash: string): void {
    const entries = this.#entries(channel, this.#playlist(channel, id), infoHash)
    if (entries.length === 0) throw new AppError('TorrentNotFound', 'This torrent is not in your playlist.')
    this.#delete(channel, entries)
  }

  comment(channel: ChannelRow, infoHash: string | null, text: string): void {
    const target = infoHash === null ? null : this.#torrent(channel, infoHash)
    const said = asProse(text)
    if (said.trim() === '') throw new AppError('InvalidParameter', 'A comment says something.')
    this.#write(channel, { kind: 'comment', target, text: said })
  }

  removeComment(channel: ChannelRow, id: number): void {
    const comment = this.#shown('comments', channel, id)
    if (comment === null) throw new AppError('CommentNotFound')
    this.#delete(channel, [comment])
  }

  #edit(channel: ChannelRow, target: RecordId, { name, description }: Texts): void {
    if (name === undefined && description === undefined) return
    const title = name === undefined ? null : asTitle(name, '')
    if (title === '') throw new AppError('InvalidParameter', 'A name cannot be empty.')
    this.#write(channel, {
      kind: 'edit',
      target,
      name: title,
      description: description === undefined ? null : asProse(description),
    })
  }

  #delete(channel: ChannelRow, targets: readonly RecordId[]): void {
    for (let at = 0; at < targets.length; at += MAX_TARGETS) {
      this.#write(channel, { kind: 'deletion', targets: targets.slice(at, at + MAX_TARGETS) })
    }
  }

  #write(channel: ChannelRow, content: RecordContent): RecordId {
    this.#mayWrite(channel, content)
    return this.#parts.own.write(channel, content).id
  }

  #mayWrite(channel: ChannelRow, content: RecordContent): void {
    if (!this.#allows(channel, content)) throw new AppError('NotChannelOwner')
    const full = channel.standing !== OWN && this.#parts.rows.countInRole(channel.id, EXTRA) >= MAX_EXTRAS
    if (full) throw new AppError('StateConflict', 'Too many records of this channel wait for its owner.')
  }

  #allows(channel: ChannelRow, content: RecordContent): boolean {
    if (channel.standing === OWN) return true
    const { keys, rows, view } = this.#parts
    const unsigned = { channel: channel.cid, author: keys.author().publicKey, clock: 1, timeS: 0, content }
    return mayWrite(unsigned, view.judge.rules(channel), id => {
      const found = rows.find(channel.id, id)?.record
      return found === undefined ? null : { kind: found.content.kind, author: found.author }
    })
  }

  /** The record of a torrent that is shown. AppError TorrentNotFound. */
  #torrent(channel: ChannelRow, infoHash: string): RecordId {
    const found = this.#shownTorrent(channel, infoHash)
    if (found === null) throw new AppError('TorrentNotFound')
    return found
  }

  #shownTorrent(channel: ChannelRow, text: string): RecordId | null {
    const infoHash = parseInfoHash(text)
    if (infoHash === null) return null
    const sql = `SELECT r.hash FROM torrents t JOIN records r ON r.id = t.id
      WHERE t.infohash = ? AND t.channel = ? AND t.shown = 1`
    const hash = this.#parts.context.sql.value<Uint8Array>(sql, infoHashBytes(infoHash), channel.id)
    return hash === undefined ? null : recordIdFromBytes(hash)
  }

  /** Every counted record of a torrent that is shown: when one goes, no other takes its place. */
  #allOf(channel: ChannelRow, text: string): RecordId[] {
    const infoHash = parseInfoHash(text)
    if (infoHash === null || this.#shownTorrent(channel, text) === null) return []
    const sql = `SELECT r.hash FROM torrents t JOIN records r ON r.id = t.id
      WHERE t.infohash = ? AND t.channel = ? AND r.counted = 1`
    return this.#parts.context.sql.values<Uint8Array>(sql, infoHashBytes(infoHash), channel.id).map(recordIdFromBytes)
  }

  /** AppError PlaylistNotFound. */
  #playlist(channel: ChannelRow, id: number): RecordId {
    const found = this.#shown('playlists', channel, id)
    if (found === null) throw new AppError('PlaylistNotFound')
    return found
  }

  #shown(table: 'playlists' | 'comments', channel: ChannelRow, id: number): RecordId | null {
    const sql = `SELECT r.hash FROM ${table} s JOIN records r ON r.id = s.id WHERE s.id = ? AND s.channel = ? AND s.shown = 1`
    const hash = this.#parts.context.sql.value<Uint8Array>(sql, id, channel.id)
    return hash === undefined ? null : recordIdFromBytes(hash)
  }

  #entries(channel: ChannelRow, playlist: RecordId, text: string): RecordId[] {
    const infoHash = parseInfoHash(text)
    if (infoHash === null) return []
    const sql = `SELECT r.hash FROM entries e JOIN records r ON r.id = e.id
      WHERE e.channel = ? AND e.playlist = ? AND e.infohash = ? AND e.shown = 1`
    const hashes = this.#parts.context.sql.values<Uint8Array>(
      sql,
      channel.id,
      Buffer.from(playlist, 'hex'),
      infoHashBytes(infoHash),
    )
    return hashes.map(recordIdFromBytes)
  }
}
