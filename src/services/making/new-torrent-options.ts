// Checks what a client says about a torrent to make. Unlike what strangers wrote, which is cleaned silently, every
// value that cannot be used is refused here: the maker of a torrent wants to know.

import { AppError } from '../../base/errors.ts'
import { cleanTracker, MAX_TRACKERS } from '../../wire/tracker/announce-tiers.ts'
import { isNewPieceLength } from '../../wire/metainfo/piece-length.ts'
import type { TorrentFormat } from '../../wire/metainfo/torrent-layout.ts'
import type { CreateTorrent } from '../downloads/torrents-api.ts'

/** Longest comment, creator and source, bytes of UTF-8: what this node reads back. */
const MAX_TEXT_BYTES = 4096

/** Most web seeds of a torrent. */
const MAX_WEB_SEEDS = 100

/** Latest creation date: the last second of the year 9999. */
const MAX_DATE_SEC = 253_402_300_799

/** Options of one torrent. */
export interface NewTorrentOptions {
  readonly format: TorrentFormat
  /** Null: chosen by size. */
  readonly pieceLength: number | null
  readonly announceTiers: readonly (readonly string[])[]
  /** BEP 19. */
  readonly webSeeds: readonly string[]
  /** BEP 27. */
  readonly private: boolean
  readonly source: string | null
  readonly comment: string | null
  readonly createdBy: string | null
  readonly creationDateSec: number | null
}

/** What is written where the client says nothing. */
export interface NewTorrentDefaults {
  readonly createdBy: string
  readonly nowSec: number
}

/** The options of a request. An empty text and a creation date of 0 mean none. AppError InvalidParameter. */
export function newTorrentOptions(request: CreateTorrent, defaults: NewTorrentDefaults): NewTorrentOptions {
  const date = request.creation_date ?? defaults.nowSec
  if (!Number.isInteger(date) || date < 0 || date > MAX_DATE_SEC) throw invalid('creation_date', 'it is no Unix time')
  return {
    format: request.format ?? 'hybrid',
    pieceLength: checkedPieceLength(request.piece_length),
    announceTiers: checkedTiers(request.trackers ?? []),
    webSeeds: checkedWebSeeds(request.web_seeds ?? []),
    private: request.private === true,
    source: checkedText('source', request.source),
    comment: checkedText('comment', request.comment),
    createdBy: checkedText('created_by', request.created_by ?? defaults.createdBy),
    creationDateSec: date === 0 ? null : date,
  }
}

function invalid(name: string, why: string): AppError {
  return new AppError('InvalidParameter', `${name}: ${why}.`)
}

function checkedPieceLength(length: number | undefined): number | null {
  if (length === undefined || length === 0) return null
  if (!isNewPieceLength(length)) throw invalid('piece_length', 'it must be a power of two from 16384 to 134217728')
  return length
}

function checkedText(name: string, text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw invalid(name, `it has more than ${MAX_TEXT_BYTES} bytes`)
  return text
}

/** Trackers as they were named, each once, without empty tiers. */
function checkedTiers(tiers: readonly (readonly string[])[]): string[][] {
  const seen = new Set<string>()
  const checked: string[][] = []
  for (const tier of tiers) {
    const urls: string[] = []
    for (const text of tier) {
      const url = cleanTracker(text)
      if (url === null) throw invalid('trackers', `${shown(text)} is no http, https or udp url`)
      if (seen.has(url)) continue
      if (seen.size >= MAX_TRACKERS) throw invalid('trackers', `there are more than ${MAX_TRACKERS}`)
      seen.add(url)
      urls.push(url)
    }
    if (urls.length > 0) checked.push(urls)
  }
  return checked
}

function checkedWebSeeds(texts: readonly string[]): string[] {
  const urls = new Set<string>()
  for (const text of texts) {
    const url = cleanTracker(text)
    if (url === null || !/^https?:/i.test(url)) throw invalid('web_seeds', `${shown(text)} is no http or https url`)
    urls.add(url)
  }
  if (urls.size > MAX_WEB_SEEDS) throw invalid('web_seeds', `there are more than ${MAX_WEB_SEEDS}`)
  return [...urls]
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
