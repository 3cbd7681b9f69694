// Metainfo files and info dictionaries (BEP 3, 12, 27, 47, 52) read from hostile bytes into a checked Metainfo, and
// written. A hybrid torrent must say the same in v1 and v2. Nothing here touches files or trackers. Memory stays near
// the size of the input: the list of files is decoded entry by entry.

import { createHash } from 'node:crypto'
import { DecodeError } from '../../base/errors.ts'
import {
  type InfoHash,
  infoHashFromBytes,
  type InfoHashV2,
  infoHashV2FromBytes,
  truncatedInfoHash,
} from '../../base/ids.ts'
import { cleanTiers } from '../tracker/announce-tiers.ts'
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
} from '../bencode.ts'
import { checkSameFiles, isSingleFile, laidFiles, type TreeFile, treeFiles } from './file-tree.ts'
import { multiFiles, singleFile } from './info-files.ts'
import { LEAF_BYTES } from './merkle.ts'
import { MAX_METAINFO_BYTES } from './metainfo-length.ts'
import { encodePieceLayers, missingLayers, v2Content } from './piece-layers.ts'
import { cutText, plainLine } from '../plain-text.ts'
import { safeName } from './safe-path.ts'
import { copyInSteps, runSteps, runStepsInTurns, type Steps } from '../steps.ts'
import { torrentNodes } from '../dht/torrent-nodes.ts'
import type { Metainfo, TorrentFile, V2Content } from './torrent-types.ts'
import { webSeedList } from './web-seed-urls.ts'

/** Smallest piece, bytes: below it the hashes weigh as much as the content. */
const MIN_PIECE_LENGTH = 1024

/** Largest piece, bytes: what no client makes, and still small enough to hash in well under a second. */
const MAX_PIECE_LENGTH = 128 * 1024 * 1024

/** Longest name, comment and creator kept, bytes of UTF-8. */
const MAX_TEXT_BYTES = 4096

const HASH_BYTES = 20

/** The version of BEP 52, and the newest that is known. */
const V2 = 2

const NO_HASHES = new Uint8Array(0)

/** Room in a metainfo file beside info dictionary and piece layers, bytes: what is read must fit when it is written. */
const OTHER_BYTES = 1024 * 1024

/** What is known of a torrent beside its info dictionary. */
export interface InfoExtras {
  /** The bencoded `piece layers` (BEP 52), as encodePieceLayers gives them. Absent or null: not known yet. */
  readonly pieceLayers?: Uint8Array | null
  /**
   * What the torrent is known as already: kept when it is one of its info hashes, e.g. a hybrid found by its v2 hash.
   */
  readonly knownAs?: InfoHash
}

/**
 * Reads a metainfo file. Throws DecodeError with a sentence for the user when it is not a usable torrent. One that is
 * v2 only must have its piece layers; of a hybrid they may be absent, as v1 has hashes enough.
 */
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
    'nodes',
    'url-list',
  ])
  const created = getInt(rest, 'creation date')
  const webSeeds = webSeedList(rest.get('url-list'))
  const dhtNodes = torrentNodes(rest.get('nodes'))
  const pieceLayers = slices.get('piece layers') ?? null
  const meta = yield* infoSteps(info, announceTiers(rest), { pieceLayers })
  if (isV2Only(meta) && missingLayers(meta.v2).length > 0) throw new DecodeError('the torrent has no piece layers')
  return {
    ...meta,
    comment: boundedText(rest, 'comment.utf-8') ?? boundedText(rest, 'comment'),
    createdBy: boundedText(rest, 'created by'),
    creationDateSec: created !== null && created >= 0 ? created : null,
    ...(webSeeds.length > 0 ? { webSeeds } : {}),
    ...(dhtNodes.length > 0 ? { dhtNodes } : {}),
  }
}

/** True when peers can have the torrent by its v2 part alone. */
export function isV2Only(meta: Metainfo): meta is Metainfo & { readonly v2: V2Content } {
  if (meta.v2 === null || meta.pieceHashes.length > 0) return false
  // Without a byte there is no piece either way.
  return meta.pieceCount > 0 || meta.infoHash === truncatedInfoHash(meta.v2.infoHash)
}

/**
 * The info hashes by which peers, trackers and the DHT know the torrent (20 bytes each), the one it is known as here
 * first: a hybrid has a swarm for v1 and one for v2 (BEP 52).
 */
export function swarmHashes(meta: Metainfo): InfoHash[] {
  const hashes: InfoHash[] = [meta.infoHash]
  // One that is not known by its v2 hash is known by the other.
  if (meta.v2 !== null && !isV2Only(meta) && meta.infoHash === truncatedInfoHash(meta.v2.infoHash)) {
    hashes.push(v1HashOf(meta.infoBytes))
  }
  if (meta.v2 !== null) hashes.push(truncatedInfoHash(meta.v2.infoHash))
  return [...new Set(hashes)]
}

/**
 * Reads an info dictionary (copied), e.g. one that peers sent (BEP 9). Throws DecodeError as decodeMetainfo does. Piece
 * layers may be missing, see missingLayers.
 */
export function decodeInfo(
  infoBytes: Uint8Array,
  announce: readonly (readonly string[])[],
  extras: InfoExtras = {},
): Metainfo {
  return runSteps(infoSteps(infoBytes, announce, extras))
}

/** As decodeInfo, with `turn` awaited every few milliseconds of work. */
export function decodeInfoInTurns(
  infoBytes: Uint8Array,
  announce: readonly (readonly string[])[],
  turn: () => Promise<unknown>,
  extras: InfoExtras = {},
): Promise<Metainfo> {
  return runStepsInTurns(infoSteps(infoBytes, announce, extras), turn)
}

function* infoSteps(
  infoBytes: Uint8Array,
  announce: readonly (readonly string[])[],
  extras: InfoExtras,
): Steps<Metainfo> {
  checkSize(infoBytes)
  const bytes = new Uint8Array(infoBytes.length)
  yield* copyInSteps(infoBytes, bytes, 0)
  // As a Buffer, so that each of perhaps 200,000 names is not wrapped again.
  const slices = yield* dictSlicesInSteps(asBuffer(bytes))
  const keys = ['name', 'name.utf-8', 'piece length', 'pieces', 'private', 'length', 'meta version']
  const info = decodeEntries(slices, keys)
  // First of all: what else is wrong with a newer torrent is no news (BEP 52).
  const version = readVersion(info)
  const pieceHashes = readPieceHashes(info, version)
  const pieceLength = readPieceLength(info, version)
  const hashes = yield* infoHashes(bytes, version, pieceHashes !== null)
  const rawName = readRawName(info)
  const safeRoot = rawName && safeName(rawName)
  const root = safeRoot ?? hashes.infoHash
  const list = slices.get('files')
  const tree = version === V2 ? yield* readTree(slices.get('file tree')) : null
  const multiFile = pieceHashes === null ? tree !== null && !isSingleFile(tree) : list !== undefined
  const laid = tree && (yield* laidFiles(multiFile ? root : null, tree, pieceLength))
  const v1 = pieceHashes && (list ? yield* multiFiles(root, list) : singleFile(root, readLength(info)))
  if (v1 && laid) yield* checkSameFiles(v1, laid)
  const files = v1 ?? laid ?? []
  const { totalLength, pieceCount } = measure(files, pieceLength)
  if (pieceHashes && pieceHashes.length !== pieceCount * HASH_BYTES) {
    throw new DecodeError('the piece hashes do not fit the length')
  }
  const layers = extras.pieceLayers ?? null
  const v2 =
    tree === null || hashes.v2 === null
      ? null
      : yield* v2Content({ infoHash: hashes.v2, tree, files, pieceLength, pieceCount, layers })
  checkWritable(bytes, v2)
  return {
    infoHash: hashes.all.find(hash => hash === extras.knownAs) ?? hashes.infoHash,
    infoBytes: bytes,
    // One called `..` is shown as what it is on the disk.
    name: (safeRoot === null ? null : displayName(rawName)) ?? root,
    multiFile,
    pieceLength,
    pieceCount,
    pieceHashes: pieceHashes ?? NO_HASHES,
    v2,
    totalLength,
    files,
    private: getInt(info, 'private') === 1,
    announceTiers: cleanTiers(announce),
    comment: null,
    createdBy: null,
    creationDateSec: null,
  }
}

function measure(files: readonly TorrentFile[], pieceLength: number): { totalLength: number; pieceCount: number } {
  const last = files.at(-1)
  const totalLength = last ? last.offset + last.length : 0
  return { totalLength, pieceCount: Math.ceil(totalLength / pieceLength) }
}

interface InfoHashes {
  /** What the torrent is known as when nothing else is said: v1 where there is v1. */
  readonly infoHash: InfoHash
  readonly v2: InfoHashV2 | null
  /** Both hashes of 20 bytes that it has. */
  readonly all: readonly InfoHash[]
}

function* infoHashes(bytes: Uint8Array, version: number, hasV1: boolean): Steps<InfoHashes> {
  const v2 = version === V2 ? infoHashV2FromBytes(yield* digestInSteps('sha256', bytes)) : null
  const all: InfoHash[] = []
  if (hasV1) {
    const v1 = infoHashFromBytes(yield* digestInSteps('sha1', bytes))
    v1Hashes.set(bytes, v1)
    all.push(v1)
  }
  if (v2 !== null) all.push(truncatedInfoHash(v2))
  return { infoHash: all[0] as InfoHash, v2, all }
}

/** Bytes hashed in one step: a millisecond or two. */
const HASHED_A_STEP = 1024 * 1024

/** The hash of up to 16 MiB, in steps. */
export function* digestInSteps(algorithm: 'sha1' | 'sha256', bytes: Uint8Array): Steps<Uint8Array> {
  const hash = createHash(algorithm)
  for (let at = 0; at < bytes.length; at += HASHED_A_STEP) {
    if (at > 0) yield
    hash.update(bytes.subarray(at, at + HASHED_A_STEP))
  }
  return hash.digest()
}

/** v1 hashes by the array they are the hash of: a hybrid of 16 MiB is not hashed again for each question. */
const v1Hashes = new WeakMap<Uint8Array, InfoHash>()

/** The SHA-1 of an info dictionary: the torrent's v1 info hash (BEP 3). */
function v1HashOf(infoBytes: Uint8Array): InfoHash {
  return v1Hashes.get(infoBytes) ?? infoHashFromBytes(runSteps(digestInSteps('sha1', infoBytes)))
}

function readVersion(info: BencodeDict): number {
  const version = info.get('meta version')
  if (version !== undefined && (typeof version !== 'number' || version > V2)) {
    throw new DecodeError('the torrent is of a newer kind than this node knows')
  }
  return version === V2 ? V2 : 1
}

function* readTree(bytes: Uint8Array | undefined): Steps<TreeFile[]> {
  if (bytes === undefined) throw new DecodeError('the torrent has no file tree')
  return yield* treeFiles(bytes)
}

/** A metainfo file with all piece layers must not be larger than one that can be read. */
function checkWritable(infoBytes: Uint8Array, v2: V2Content | null): void {
  if (v2 === null) return
  let bytes = infoBytes.length
  // Before each layer come a root, its length and that of the layer.
  for (const { pieceCount } of v2.files) if (pieceCount > 1) bytes += (pieceCount + 1) * 32 + 16
  if (bytes > MAX_METAINFO_BYTES - OTHER_BYTES) throw new DecodeError('the torrent has too many pieces')
}

/** What goes into a metainfo file around the info dictionary. */
export interface MetainfoParts {
  /** Taken over byte for byte. */
  readonly infoBytes: Uint8Array
  readonly announceTiers: readonly (readonly string[])[]
  readonly comment?: string | null
  readonly createdBy?: string | null
  readonly creationDateSec?: number | null
  /** Its piece layers are written as far as they are known. */
  readonly v2?: V2Content | null
  /** Web seeds (BEP 19). */
  readonly webSeeds?: readonly string[]
}

/** The bytes of a metainfo file (BEP 3, 12, 19, 52). */
export function encodeMetainfo(parts: MetainfoParts): Uint8Array {
  const tiers = parts.announceTiers.filter(tier => tier.length > 0)
  const head = encodeBencode({
    announce: tiers[0]?.[0],
    'announce-list': tiers.flat().length > 1 ? tiers : undefined,
    comment: parts.comment ?? undefined,
    'created by': parts.createdBy ?? undefined,
    'creation date': parts.creationDateSec ?? undefined,
  })
  // `info` sorts behind all of them, `piece layers` and `url-list` behind it.
  const layers = parts.v2 ? [Buffer.from('12:piece layers'), encodePieceLayers(parts.v2)] : []
  const tail = encodeBencode({ 'url-list': parts.webSeeds?.length ? parts.webSeeds : undefined })
  return Buffer.concat([head.subarray(0, -1), Buffer.from('4:info'), parts.infoBytes, ...layers, tail.subarray(1)])
}

function checkSize(bytes: Uint8Array): void {
  if (bytes.length > MAX_METAINFO_BYTES) throw new DecodeError(`the torrent is larger than ${MAX_METAINFO_BYTES} bytes`)
}

/** BEP 12: the list takes precedence over the single url, unless nothing in it can be used. */
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

/** Null when the torrent is v2 only. */
function readPieceHashes(info: BencodeDict, version: number): Uint8Array | null {
  const hashes = getBytes(info, 'pieces')
  if (hashes === null) {
    if (version === V2 && !info.has('pieces')) return null
    throw new DecodeError('the torrent has no piece hashes')
  }
  if (hashes.length % HASH_BYTES !== 0) throw new DecodeError('the piece hashes are cut off')
  return hashes
}

function readPieceLength(info: BencodeDict, version: number): number {
  const length = getInt(info, 'piece length')
  if (length === null || length < MIN_PIECE_LENGTH || length > MAX_PIECE_LENGTH) {
    throw new DecodeError(`the piece length must be between ${MIN_PIECE_LENGTH} and ${MAX_PIECE_LENGTH} bytes`)
  }
  if (version === V2 && (length < LEAF_BYTES || (length & (length - 1)) !== 0)) {
    throw new DecodeError('the piece length of a v2 torrent must be a power of two and at least 16384 bytes')
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
