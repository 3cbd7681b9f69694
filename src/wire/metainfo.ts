// Metainfo files and info dictionaries (BEP 3, 12, 27, 47) read from hostile bytes into a checked Metainfo, and written.
// A hybrid torrent (BEP 52) is read as v1; one that is v2 only is refused. Nothing here touches files or trackers.
// Memory stays near the size of the input: the list of files is decoded entry by entry.

import sha1 from 'simple-sha1'
import { DecodeError } from '../base/errors.ts'
import { type InfoHash, parseInfoHash } from '../base/ids.ts'
import { cleanTiers } from './announce-tiers.ts'
import {
  asBuffer,
  type BencodeDict,
  type BencodeValue,
  decodeEntries,
  dictSlicesInSteps,
  encodeBencode,
  getBytes,
  getInt,
  getText,
  utf8Text,
} from './bencode.ts'
import { multiFiles, singleFile } from './info-files.ts'
import { cutText, plainLine } from './plain-text.ts'
import { safeName } from './safe-path.ts'
import { runSteps, runStepsInTurns, type Steps } from './steps.ts'
import type { Metainfo } from './torrent-types.ts'

/** Largest metainfo file and largest info dictionary, bytes (decisions part 1, row uri schemes). */
export const MAX_METAINFO_BYTES = 16 * 1024 * 1024

/** Smallest piece, bytes: below it the hashes weigh as much as the content. */
const MIN_PIECE_LENGTH = 1024

/** Largest piece, bytes: what no client makes, and still small enough to hash in well under a second. */
const MAX_PIECE_LENGTH = 128 * 1024 * 1024

/** Longest name, comment and creator kept, bytes of UTF-8. */
const MAX_TEXT_BYTES = 4096

const HASH_BYTES = 20

/** Reads a metainfo file. Throws DecodeError with a sentence for the user when it is not a usable v1 torrent. */
export function decodeMetainfo(bytes: Uint8Array): Metainfo {
  return runSteps(metainfoSteps(bytes))
}

/** As decodeMetainfo, with `turn` awaited every few milliseconds of work: torrents may have very many files. */
export function decodeMetainfoInTurns(bytes: Uint8Array, turn: () => Promise<unknown>): Promise<Metainfo> {
  return runStepsInTurns(metainfoSteps(bytes), turn)
}

function* metainfoSteps(bytes: Uint8Array): Steps<Metainfo> {
  checkSize(bytes)
  // Files in the field end in line breaks now and then; the info dictionary itself must be exact.
  const slices = yield* dictSlicesInSteps(bytes, { allowTrailing: true })
  const info = slices.get('info')
  if (info === undefined) throw new DecodeError('the torrent has no info dictionary')
  const rest = decodeEntries(slices, [
    'announce',
    'announce-list',
    'comment',
    'comment.utf-8',
    'created by',
    'creation date',
  ])
  const created = getInt(rest, 'creation date')
  return {
    ...(yield* infoSteps(info, announceTiers(rest))),
    comment: boundedText(rest, 'comment.utf-8') ?? boundedText(rest, 'comment'),
    createdBy: boundedText(rest, 'created by'),
    creationDateSec: created !== null && created >= 0 ? created : null,
  }
}

/** Reads an info dictionary (copied), e.g. one that peers sent (BEP 9). Throws DecodeError as decodeMetainfo does. */
export function decodeInfo(infoBytes: Uint8Array, announce: readonly (readonly string[])[]): Metainfo {
  return runSteps(infoSteps(infoBytes, announce))
}

/** As decodeInfo, with `turn` awaited every few milliseconds of work. */
export function decodeInfoInTurns(
  infoBytes: Uint8Array,
  announce: readonly (readonly string[])[],
  turn: () => Promise<unknown>,
): Promise<Metainfo> {
  return runStepsInTurns(infoSteps(infoBytes, announce), turn)
}

function* infoSteps(infoBytes: Uint8Array, announce: readonly (readonly string[])[]): Steps<Metainfo> {
  checkSize(infoBytes)
  const bytes = new Uint8Array(infoBytes)
  // As a Buffer, so that each of perhaps 200,000 names is not wrapped anew.
  const slices = yield* dictSlicesInSteps(asBuffer(bytes))
  const keys = ['name', 'name.utf-8', 'piece length', 'pieces', 'private', 'length', 'meta version']
  const info = decodeEntries(slices, keys)
  const pieceHashes = readPieceHashes(info)
  const pieceLength = readPieceLength(info)
  const infoHash = hashInfo(bytes)
  const rawName = readRawName(info)
  const root = (rawName && safeName(rawName)) ?? infoHash
  const list = slices.get('files')
  const files = list ? yield* multiFiles(root, list) : singleFile(root, readLength(info))
  const last = files.at(-1)
  const totalLength = last ? last.offset + last.length : 0
  const pieceCount = Math.ceil(totalLength / pieceLength)
  if (pieceHashes.length !== pieceCount * HASH_BYTES) throw new DecodeError('the piece hashes do not fit the length')
  return {
    infoHash,
    infoBytes: bytes,
    name: displayName(rawName) ?? root,
    multiFile: list !== undefined,
    pieceLength,
    pieceCount,
    pieceHashes,
    totalLength,
    files,
    private: getInt(info, 'private') === 1,
    announceTiers: cleanTiers(announce),
    comment: null,
    createdBy: null,
    creationDateSec: null,
  }
}

/** The SHA-1 of an info dictionary: the torrent's info hash (BEP 3). */
function hashInfo(infoBytes: Uint8Array): InfoHash {
  const infoHash = parseInfoHash(sha1.sync(infoBytes))
  if (infoHash === null) throw new Error('simple-sha1 gave no SHA-1')
  return infoHash
}

/** What goes into a metainfo file around the info dictionary. */
export interface MetainfoParts {
  /** Taken over byte for byte. */
  readonly infoBytes: Uint8Array
  readonly announceTiers: readonly (readonly string[])[]
  readonly comment?: string | null
  readonly createdBy?: string | null
  readonly creationDateSec?: number | null
}

/** The bytes of a metainfo file (BEP 3, 12). */
export function encodeMetainfo(parts: MetainfoParts): Uint8Array {
  const tiers = parts.announceTiers.filter(tier => tier.length > 0)
  const head = encodeBencode({
    announce: tiers[0]?.[0],
    'announce-list': tiers.flat().length > 1 ? tiers : undefined,
    comment: parts.comment ?? undefined,
    'created by': parts.createdBy ?? undefined,
    'creation date': parts.creationDateSec ?? undefined,
  })
  // `info` sorts behind all of them, so it goes in front of the closing byte.
  return Buffer.concat([head.subarray(0, -1), Buffer.from('4:info'), parts.infoBytes, Buffer.from('e')])
}

function checkSize(bytes: Uint8Array): void {
  if (bytes.length > MAX_METAINFO_BYTES) throw new DecodeError(`the torrent is larger than ${MAX_METAINFO_BYTES} bytes`)
}

/** BEP 12: the list stands above the single url, unless nothing in it can be used. */
function announceTiers(dict: BencodeDict): string[][] {
  const list = dict.get('announce-list')
  const tiers = cleanTiers(Array.isArray(list) ? list.map(tierTexts) : [])
  return tiers.length > 0 ? tiers : cleanTiers([tierTexts(dict.get('announce') ?? [])])
}

/** The texts of one tier; some torrents have a bare url where a tier should be. */
function tierTexts(tier: BencodeValue): string[] {
  const items = Array.isArray(tier) ? tier : [tier]
  return items.map(item => (item instanceof Uint8Array ? utf8Text(item) : null)).filter(text => text !== null)
}

function readPieceHashes(info: BencodeDict): Uint8Array {
  const hashes = getBytes(info, 'pieces')
  if (hashes === null) {
    const v2 = getInt(info, 'meta version') === 2
    throw new DecodeError(
      v2 ? 'the torrent is v2 only (BEP 52), which is not supported' : 'the torrent has no piece hashes',
    )
  }
  if (hashes.length % HASH_BYTES !== 0) throw new DecodeError('the piece hashes are cut off')
  return hashes
}

function readPieceLength(info: BencodeDict): number {
  const length = getInt(info, 'piece length')
  if (length === null || length < MIN_PIECE_LENGTH || length > MAX_PIECE_LENGTH) {
    throw new DecodeError(`the piece length must be between ${MIN_PIECE_LENGTH} and ${MAX_PIECE_LENGTH} bytes`)
  }
  return length
}

function readLength(info: BencodeDict): number {
  const length = getInt(info, 'length')
  if (length === null) throw new DecodeError('the torrent has neither files nor a length')
  return length
}

function readRawName(info: BencodeDict): Uint8Array | null {
  return getText(info, 'name.utf-8') ? getBytes(info, 'name.utf-8') : getBytes(info, 'name')
}

/** The name as shown: any characters but controls, bounded. */
function displayName(raw: Uint8Array | null): string | null {
  return raw === null ? null : plainLine(asBuffer(raw).toString('utf8'), MAX_TEXT_BYTES)
}

function boundedText(dict: BencodeDict, key: string): string | null {
  const text = getText(dict, key)
  return text === null ? null : cutText(text, MAX_TEXT_BYTES)
}
