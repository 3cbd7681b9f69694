// What a `uri` of the interface names: a magnet link, or a torrent file from http(s), a `file:` uri or an absolute path
// (decisions part 2, row "uri schemes"). It only reads; nothing is added.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { AppError, DecodeError, errorText } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { SourceFetch } from '../../ports/source-fetch.ts'
import { type Magnet, parseMagnet } from '../../wire/metainfo/magnet.ts'
import { decodeMetainfoInTurns } from '../../wire/metainfo/metainfo.ts'
import { MAX_METAINFO_BYTES } from '../../wire/metainfo/metainfo-length.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import { parseUpdateLink, type UpdateLink } from '../../wire/update-link.ts'

/** A torrent as a uri gave it: a checked file with its bytes, or a magnet link. */
export type TorrentSource =
  | { readonly kind: 'file'; readonly infoHash: InfoHash; readonly metainfo: Metainfo; readonly bytes: Uint8Array }
  | { readonly kind: 'magnet'; readonly infoHash: InfoHash; readonly magnet: Magnet }

/** Where the bytes come from. */
export interface SourceReaders {
  readonly http: SourceFetch
  /** A regular file of at most `maxBytes`. AppError TorrentUnreadable. */
  readFile(path: string, maxBytes: number): Promise<Uint8Array>
}

/** No uri is longer: magnets with many trackers are a few KiB. */
const MAX_URI_CHARS = 64 * 1024
/** Copying as many bytes takes a part of a turn that counts. */
const LARGE_BYTES = 1024 * 1024

/** Reads what `uri` names. AppErrors TorrentUnreadable, BadMagnet, BadScheme, SourceFailed, AddressRefused, Aborted. */
export async function readSource(uri: string, readers: SourceReaders, signal?: AbortSignal): Promise<TorrentSource> {
  if (uri.length > MAX_URI_CHARS)
    throw new AppError('InvalidParameter', `A uri has at most ${MAX_URI_CHARS} characters.`)
  if (uri.startsWith('/')) return fileSource(await readers.readFile(uri, MAX_METAINFO_BYTES))
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase()
  switch (scheme) {
    case 'magnet':
      return magnetSource(uri)
    case 'http':
    case 'https':
      return fetchedSource(uri, readers.http, signal)
    case 'file':
      return fileSource(await readers.readFile(pathOf(uri), MAX_METAINFO_BYTES))
    default:
      throw new AppError('BadScheme', 'A uri is a magnet link, an http, https or file uri, or an absolute path.')
  }
}

/** Another host is asked for what `uri` names. */
export function isFetched(uri: string): boolean {
  return /^https?:/i.test(uri)
}

/** The update link (BEP 46) that `uri` is, or null. AppError BadMagnet. */
export function updateLinkOf(uri: string): UpdateLink | null {
  try {
    return parseUpdateLink(uri)
  } catch (error) {
    throw badMagnet(error)
  }
}

/** A torrent file that a client sent. AppError TorrentUnreadable. */
export function sentSource(bytes: Uint8Array): Promise<TorrentSource> {
  return fileSource(bytes)
}

/** Indexers answer with a torrent or redirect to a magnet link. */
async function fetchedSource(uri: string, http: SourceFetch, signal?: AbortSignal): Promise<TorrentSource> {
  const fetched = await http.fetch(uri, signal)
  return fetched.kind === 'magnet' ? magnetSource(fetched.uri) : fileSource(fetched.bytes)
}

function magnetSource(uri: string): TorrentSource {
  try {
    const magnet = parseMagnet(uri)
    return { kind: 'magnet', infoHash: magnet.infoHash, magnet }
  } catch (error) {
    throw badMagnet(error)
  }
}

function badMagnet(error: unknown): unknown {
  if (!(error instanceof DecodeError)) return error
  return new AppError('BadMagnet', `The magnet link cannot be read: ${errorText(error)}.`, { cause: error })
}

async function fileSource(bytes: Uint8Array): Promise<TorrentSource> {
  try {
    // What brought so many bytes here has had its turn.
    if (bytes.length > LARGE_BYTES) await nextTurn()
    const metainfo = await decodeMetainfoInTurns(bytes, nextTurn)
    return { kind: 'file', infoHash: metainfo.infoHash, metainfo, bytes }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new AppError('TorrentUnreadable', `The torrent cannot be read: ${errorText(error)}.`, { cause: error })
  }
}

function pathOf(uri: string): string {
  try {
    return fileURLToPath(uri)
  } catch (error) {
    throw new AppError('TorrentUnreadable', `The file uri names no local file: ${errorText(error)}.`, { cause: error })
  }
}
