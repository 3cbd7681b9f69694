// Torrents into channels (specification 4.4): an uploaded torrent in base64, one that an http(s) address names, and
// magnets, whose metadata is fetched first. What is wrong with a torrent is ChannelTorrentError, which the
// specification answers 500.

import { AppError, DecodeError, type ErrorCode, errorText } from '../../../base/errors.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChannelLibrary } from '../ports/channel-library.ts'
import { parseMagnet } from '../../../wire/metainfo/magnet.ts'
import { decodeMetainfoInTurns } from '../../../wire/metainfo/metainfo.ts'
import type { Metainfo } from '../../../wire/metainfo/torrent-types.ts'
import { torrentContent } from './channel-torrent-content.ts'

/** The specification's time for a torrent that an address names. */
export const CHANNEL_METADATA_MS = 30_000

/** What is asked of the library. */
export type TorrentShelf = Pick<ChannelLibrary, 'addTorrent' | 'channel' | 'torrent'>

/** Torrents behind uris: TorrentInfo. */
export interface UriMetainfo {
  /** Fetched as the settings of new downloads say (hops). AppErrors of GET /torrentinfo. */
  metainfo(uri: string, limitMs: number, signal: AbortSignal): Promise<Metainfo>
}

/** What it needs of the node. */
export interface ChannelTorrentsDeps {
  readonly library: TorrentShelf
  readonly sources: UriMetainfo
}

/** Failures of a source that are no fault of this node: the specification answers them 500. */
const SOURCE_CODES: ReadonlySet<ErrorCode> = new Set([
  'TorrentUnreadable',
  'BadMagnet',
  'SourceFailed',
  'AddressRefused',
  'MetadataTimeout',
])

/**
 * Torrents into channels (specification 4.4): an uploaded torrent in base64, one that an http(s) address names, and
 * magnets, whose metadata is fetched first. AppErrors of all: ChannelNotFound, NotChannelOwner, and those of the
 * catalogue.
 */
export class ChannelTorrents {
  readonly #deps: ChannelTorrentsDeps

  constructor(deps: ChannelTorrentsDeps) {
    this.#deps = deps
  }

  /**
   * Adds an uploaded torrent. AppErrors ChannelTorrentError (it cannot be read, is private), DuplicateTorrentFileError.
   */
  async addUpload(cid: string, base64: string, description: string): Promise<void> {
    await this.#checkWritable(cid)
    const metainfo = await readTorrent(bytesOfBase64(base64))
    await this.#add(cid, metainfo, description)
  }

  /**
   * Adds what an http(s) address or magnet link names. AppErrors BadScheme, ChannelTorrentError (also a magnet that the
   * channel has already), DuplicateTorrentFileError, Aborted, NotReady, TooManyRequests, CircuitsUnavailable.
   */
  async addUri(cid: string, uri: string, description: string, signal: AbortSignal): Promise<void> {
    const added = await this.addNew(cid, uri, description, signal)
    if (added) return
    if (isMagnet(uri)) throw new AppError('ChannelTorrentError', 'This torrent is already in the channel.')
    throw new AppError('DuplicateTorrentFileError')
  }

  /** As addUri(), but false for a torrent that the channel has already. */
  async addNew(cid: string, uri: string, description: string, signal: AbortSignal): Promise<boolean> {
    await this.#checkWritable(cid)
    if (isMagnet(uri)) {
      if (await this.#has(cid, uri)) return false
    } else if (!/^https?:\/\//i.test(uri)) throw new AppError('BadScheme', 'A torrent comes by http, https or magnet.')
    const metainfo = await this.#fetch(uri, signal)
    try {
      await this.#add(cid, metainfo, description)
      return true
    } catch (error) {
      if (isDuplicate(error)) return false
      throw error
    }
  }

  /** Before anything is fetched. */
  async #checkWritable(cid: string): Promise<void> {
    const channel = await this.#deps.library.channel(cid)
    if (!channel.can_edit) throw new AppError('NotChannelOwner')
  }

  /** A magnet that is in the channel is not looked for. */
  async #has(cid: string, uri: string): Promise<boolean> {
    let infoHash: string
    try {
      infoHash = parseMagnet(uri).infoHash
    } catch (error) {
      throw torrentError(error)
    }
    const known = await this.#deps.library.torrent(infoHash)
    return known?.channels.includes(cid) ?? false
  }

  async #fetch(uri: string, signal: AbortSignal): Promise<Metainfo> {
    try {
      return await this.#deps.sources.metainfo(uri, CHANNEL_METADATA_MS, signal)
    } catch (error) {
      throw torrentError(error)
    }
  }

  async #add(cid: string, metainfo: Metainfo, description: string): Promise<void> {
    // Its trackers carry keys of their user, and peers that are not told by them are not to have it (BEP 27).
    if (metainfo.private) throw new AppError('ChannelTorrentError', 'A private torrent cannot be put into a channel.')
    await this.#deps.library.addTorrent(cid, torrentContent(metainfo, description))
  }
}

function isMagnet(uri: string): boolean {
  return /^magnet:/i.test(uri)
}

function isDuplicate(error: unknown): boolean {
  return error instanceof AppError && error.code === 'DuplicateTorrentFileError'
}

/** What clients see of a torrent that cannot be had or read; other errors stay as they are. */
function torrentError(error: unknown): unknown {
  const wrong = error instanceof DecodeError || (error instanceof AppError && SOURCE_CODES.has(error.code))
  return wrong ? new AppError('ChannelTorrentError', errorText(error), { cause: error }) : error
}

async function readTorrent(bytes: Uint8Array): Promise<Metainfo> {
  try {
    return await decodeMetainfoInTurns(bytes, nextTurn)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new AppError('ChannelTorrentError', `The torrent cannot be read: ${errorText(error)}.`, { cause: error })
  }
}

/**
 * Forms turn `+` into blanks where a client did not escape it; lines may be folded; the alphabet of links is taken too.
 */
function bytesOfBase64(text: string): Uint8Array {
  const plain = text
    .trim()
    .replace(/[\r\n\t]/g, '')
    .replaceAll(' ', '+')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  if (plain === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(plain) || plain.replace(/=+$/, '').length % 4 === 1)
    throw new AppError('ChannelTorrentError', 'The torrent is not base64.')
  return Buffer.from(plain, 'base64')
}
