// Full text over the names and descriptions of torrents and channels. Of many matches the newest are ranked, a bounded
// number: by how much of the name the words are, by seeders, by whose channel it is in.

import type { FoundRecords } from '../ports/channel-catalogue.ts'
import type { SearchResults } from '../ports/channel-library.ts'
import { headFromBytes } from '../wire/head-codec.ts'
import { decodeRecord } from '../wire/record-codec.ts'
import type { ChannelRow } from './channel-rows.ts'
import { listedChannel, listedTorrent, type TorrentListRow } from './listing.ts'
import type { Parts } from './parts.ts'
import { rankOf } from './ranking.ts'

/** Matches of a search that are ranked. */
const MAX_CANDIDATES = 200

/** Words of a query; further ones are passed over. */
const MAX_WORDS = 8
const MAX_QUERY_CHARACTERS = 256
/** With so many matches of whole words none is looked for whose last word goes on. */
const ENOUGH = 10
/** Matches that are read for completions. */
const COMPLETED_FROM = 200

type Found<Row> = Row & { readonly score: number }
type TorrentRow = TorrentListRow & { readonly channel: number; readonly cid: string; readonly standing: number }

/** The words of a text as the index has them, near enough to be compared with. */
export function wordsOf(text: string): string[] {
  return foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []
}

function foldText(text: string): string {
  // Most names need nothing taken off.
  if (/^[\x20-\x7e]*$/.test(text)) return text.slice(0, MAX_QUERY_CHARACTERS * 8).toLowerCase()
  return text
    .slice(0, MAX_QUERY_CHARACTERS * 8)
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
}

/** The index's expression; null: there is no word in it. `open`: the last word may go on. */
function matchOf(text: string, open: boolean): string | null {
  const words = wordsOf(text.slice(0, MAX_QUERY_CHARACTERS)).slice(0, MAX_WORDS)
  if (words.length === 0) return null
  return `${words.map(word => `"${word}"`).join(' AND ')}${open ? '*' : ''}`
}

/** Full text over the names and descriptions of torrents and channels. */
export class Search {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Rows, best first; a last word that ends with `*`, or finds too little as it is, may go on. */
  find(text: string, limit: number, hideXxx: boolean): SearchResults {
    const nowS = this.#parts.context.nowS()
    const torrents = this.#torrents(text, limit, hideXxx).map(({ score, ...row }) => ({
      ...listedTorrent(row),
      dispersy_cid: row.cid,
      relevance_score: round(score),
      trackers: this.#trackers(row.id),
    }))
    const keys = this.#parts.keys
    const channels = this.#channels(text, limit, hideXxx).map(({ score, ...row }) => ({
      ...listedChannel(row, keys.ofChannel(row.cid) !== null, row.mode === 'open'),
      relevance_score: round(score + Math.max(0, rankOf(row, nowS)) / 100),
    }))
    return { channels, torrents }
  }

  #trackers(id: number): readonly string[] {
    const bytes = this.#parts.context.sql.value<Uint8Array>('SELECT bytes FROM records WHERE id = ?', id)
    const content = bytes === undefined ? null : decodeRecord(bytes).content
    return content?.kind === 'torrent' ? content.trackers : []
  }

  /** For a peer: the records themselves. */
  forPeer(text: string, limit: number): FoundRecords {
    const { context, channels, rows } = this.#parts
    const torrents = this.#torrents(text, limit, false)
    const found = this.#channels(text, limit, false)
    const cids = new Set([...found.map(({ cid }) => cid as string), ...torrents.map(({ cid }) => cid)])
    const heads: FoundRecords['heads'][number][] = []
    const records: Uint8Array[] = []
    for (const cid of [...cids].slice(0, limit)) {
      const row = channels.find(cid)
      if (row === undefined) continue
      if (row.head !== null) heads.push(headFromBytes(row.head))
      const info = rows.ofKind(row.id, 'channel').findLast(stored => stored.counted === 1)
      if (info !== undefined) records.push(info.record.bytes)
    }
    for (const { id } of torrents) {
      const bytes = context.sql.value<Uint8Array>('SELECT bytes FROM records WHERE id = ?', id)
      if (bytes !== undefined && records.length < limit) records.push(bytes)
    }
    return { heads: heads.slice(0, limit), records: records.slice(0, limit) }
  }

  /** Words and whole names that go on from `text`. */
  completions(text: string, limit: number, hideXxx: boolean): string[] {
    const begun = wordsOf(text.slice(0, MAX_QUERY_CHARACTERS))
    const last = begun.at(-1)
    const match = matchOf(text, true)
    if (last === undefined || match === null || last.length < 2) return []
    const names = [
      ...this.#names('found_channels', 'channels', match, hideXxx),
      ...this.#names('found_torrents', 'torrents', match, hideXxx),
    ]
    const before = begun.slice(0, -1).join(' ')
    const counts = new Map<string, number>()
    for (const name of names) {
      for (const word of new Set(wordsOf(name))) {
        if (!word.startsWith(last) || (word === last && begun.length === 1)) continue
        const whole = before === '' ? word : `${before} ${word}`
        counts.set(whole, (counts.get(whole) ?? 0) + 1)
      }
    }
    const best = [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1))
    return best.slice(0, limit).map(([word]) => word)
  }

  #names(index: string, table: string, match: string, hideXxx: boolean): string[] {
    const text = `SELECT t.name FROM (SELECT rowid AS id FROM ${index} WHERE ${index} MATCH ? ORDER BY rowid DESC LIMIT ?) f
      JOIN ${table} t ON t.id = f.id WHERE t.adult <= ?`
    return this.#parts.context.sql.values<string>(text, match, COMPLETED_FROM, hideXxx ? 0 : 1)
  }

  #torrents(text: string, limit: number, hideXxx: boolean): Found<TorrentRow>[] {
    const sql = `SELECT t.id, t.infohash, t.name, t.size, t.category, t.seeders, t.leechers, t.checked, t.channel, c.cid, c.standing
      FROM (SELECT rowid AS id FROM found_torrents WHERE found_torrents MATCH ? ORDER BY rowid DESC LIMIT ?) f
      JOIN torrents t ON t.id = f.id JOIN channels c ON c.id = t.channel WHERE t.adult <= ?`
    const rows = this.#matches<TorrentRow>(sql, text, limit, hideXxx)
    const words = wordsOf(text)
    const scored = rows.map(row => ({
      ...row,
      score: fit(words, row.name) + Math.log2(1 + row.seeders) / 10 + row.standing / 20,
    }))
    const seen = new Set<string>()
    return scored
      .sort((one, other) => other.score - one.score || other.id - one.id)
      .filter(row => {
        const hash = Buffer.from(row.infohash).toString('latin1')
        return !seen.has(hash) && seen.add(hash)
      })
      .slice(0, limit)
  }

  #channels(text: string, limit: number, hideXxx: boolean): Found<ChannelRow>[] {
    const sql = `SELECT c.* FROM (SELECT rowid AS id FROM found_channels WHERE found_channels MATCH ? ORDER BY rowid DESC LIMIT ?) f
      JOIN channels c ON c.id = f.id WHERE c.adult <= ?`
    const words = wordsOf(text)
    return this.#matches<ChannelRow>(sql, text, limit, hideXxx)
      .map(row => ({ ...row, score: fit(words, row.name) + row.standing / 20 }))
      .sort((one, other) => other.score - one.score || one.id - other.id)
      .slice(0, limit)
  }

  #matches<Row extends { readonly id: number }>(sql: string, text: string, limit: number, hideXxx: boolean): Row[] {
    const adult = hideXxx ? 0 : 1
    const open = text.trimEnd().endsWith('*')
    const exact = matchOf(text, open)
    if (exact === null) return []
    const rows = this.#asked<Row>(sql, exact, adult)
    const last = wordsOf(text).at(-1) ?? ''
    if (open || rows.length >= Math.min(limit, ENOUGH) || last.length < 2) return rows
    const known = new Set(rows.map(({ id }) => id))
    const more = this.#asked<Row>(sql, matchOf(text, true) ?? exact, adult)
    return [...rows, ...more.filter(({ id }) => !known.has(id))]
  }

  #asked<Row>(sql: string, match: string, adult: number): Row[] {
    try {
      return this.#parts.context.sql.all<Row>(sql, match, MAX_CANDIDATES, adult)
    } catch (error) {
      // A word of a script that the index knows as several: it has none of it.
      if (error instanceof Error && error.message.startsWith('fts5:')) return []
      throw error
    }
  }
}

/** How much of a name the words are: 0 to 1, more where it begins with them. */
export function fit(words: readonly string[], name: string): number {
  const inName = wordsOf(name)
  const hits = words.filter(word => inName.includes(word)).length
  const begun = words.length > 0 && inName[0] === words[0] ? 0.1 : 0
  return (hits / Math.max(1, words.length)) * 0.6 + (hits / Math.max(1, inName.length)) * 0.3 + begun
}

function round(score: number): number {
  return Math.round(score * 1000) / 1000
}
