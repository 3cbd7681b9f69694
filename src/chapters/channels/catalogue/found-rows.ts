// What the network brought for a search, as rows: records are checked, matched and filtered; nothing is kept.

import { DecodeError } from '../../../base/errors.ts'
import { infoHashBytes } from '../../../base/ids.ts'
import type { ListedChannel, ListedTorrent, SearchResults } from '../ports/channel-library.ts'
import { hiddenByFamilyFilter } from '../wire/category.ts'
import { decodeRecord } from '../wire/record-codec.ts'
import { verifyRecord } from '../wire/record-signature.ts'
import { isOwner } from '../wire/rights.ts'
import { type ChannelRecord, MAX_FUTURE_S, type RecordContent } from '../wire/types.ts'
import { listedChannel, listedTorrent, TORRENT_COLUMNS, type TorrentListRow } from './listing.ts'
import type { Parts } from './parts.ts'
import { fit, wordsOf } from './search.ts'

/** Records of one answer that are looked at. */
const MOST = 500

/** What the network brought for a search, as rows: records are checked, matched and filtered; nothing is kept. */
export class FoundRows {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  take(text: string, encodings: readonly Uint8Array[], hideXxx: boolean): SearchResults {
    const words = wordsOf(text)
    const channels: SearchResults['channels'][number][] = []
    const torrents: SearchResults['torrents'][number][] = []
    for (const record of encodings.slice(0, MOST).flatMap(bytes => this.#checked(bytes) ?? [])) {
      const { content, channel } = record
      if (content.kind !== 'torrent' && content.kind !== 'channel') continue
      const category = content.kind === 'torrent' ? content.category : ''
      if (hideXxx && hiddenByFamilyFilter(content.name, category)) continue
      if (!matches(words, `${content.name} ${content.description}`)) continue
      const relevance_score = Math.round(fit(words, content.name) * 1000) / 1000
      const row = content.kind === 'torrent' ? this.#torrent(record) : this.#channel(record)
      if (row === null) continue
      if ('infohash' in row)
        torrents.push({ ...row, dispersy_cid: channel, relevance_score, trackers: trackersOf(content) })
      else channels.push({ ...row, relevance_score })
    }
    return { channels, torrents }
  }

  #checked(bytes: Uint8Array): ChannelRecord | null {
    const { context } = this.#parts
    try {
      const record = decodeRecord(bytes)
      if (record.timeS <= context.nowS() + MAX_FUTURE_S && verifyRecord(record, context.verify)) return record
      context.refuse('forged')
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      context.refuse('unreadable')
    }
    return null
  }

  #torrent({ content, id }: ChannelRecord): ListedTorrent | null {
    if (content.kind !== 'torrent') return null
    const { sql } = this.#parts.context
    const text = `SELECT ${TORRENT_COLUMNS} FROM torrents t WHERE t.infohash = ? AND t.shown = 1`
    const known = sql.get<TorrentListRow>(text, infoHashBytes(content.infoHash))
    const infohash = infoHashBytes(content.infoHash)
    const { name, size, category } = content
    const unknown = { seeders: 0, leechers: 0, checked: 0 }
    const row = listedTorrent({ ...unknown, ...known, id: known?.id ?? standIn(id), infohash, name, size, category })
    return row
  }

  #channel({ content, channel, author, timeS, id }: ChannelRecord): ListedChannel | null {
    if (content.kind !== 'channel' || !isOwner(author, channel)) return null
    const known = this.#parts.channels.find(channel)
    if (known !== undefined)
      return listedChannel(known, this.#parts.keys.ofChannel(channel) !== null, known.mode === 'open')
    const { name, description, mode } = content
    return {
      id: standIn(id),
      dispersy_cid: channel,
      name,
      description,
      subscribed: false,
      votes: 0,
      torrents: 0,
      spam: 0,
      modified: timeS,
      can_edit: mode === 'open',
      mode,
      own: false,
    }
  }
}

function trackersOf(content: RecordContent): readonly string[] {
  return content.kind === 'torrent' ? content.trackers : []
}

/** A number for a row that is nowhere here: of the record's id, below 2^48 and above all row numbers. */
function standIn(id: string): number {
  return 2 ** 47 + Number.parseInt(id.slice(0, 11), 16)
}

/** Every word begins one of the text's. */
function matches(words: readonly string[], text: string): boolean {
  const inText = wordsOf(text)
  return words.length > 0 && words.every(word => inText.some(one => one.startsWith(word)))
}
