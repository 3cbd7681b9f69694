// The v2 part of a torrent (BEP 52): which pieces a file has, what their hashes are, and the `piece layers` of a
// metainfo file, which hold those of files with several pieces. Invariant: a hash in V2Content.pieceRoots was proved by
// its file's root.

import { DecodeError } from '../../base/errors.ts'
import type { InfoHashV2 } from '../../base/ids.ts'
import { decodeBencode, visitDictInSteps } from '../bencode.ts'
import type { TreeFile } from './file-tree.ts'
import { HASH_BYTES, hashAt, isZeroHash, LEAF_BYTES, layersAbove, leafCount, rootInSteps, sameHash } from './merkle.ts'
import { copyInSteps, runSteps, type Steps } from '../steps.ts'
import type { Metainfo, TorrentFile, V2Content, V2File } from './torrent-types.ts'

/** Most pieces of a v2 torrent: a metainfo file of 16 MiB holds no more of their hashes. */
export const MAX_V2_PIECES = (16 * 1024 * 1024) / HASH_BYTES

/** Hashes looked at in one step, and files. */
const HASHES_A_STEP = 4096
const FILES_A_STEP = 4096

/**
 * The tree over the bytes of one piece: what the piece is verified against. Key order is that of the worker contract.
 */
export interface PieceTree {
  readonly root: Uint8Array
  /** Bytes of the piece that are the file's; what follows is padding, which the tree does not cover. */
  readonly length: number
  /** Layers of the root above the leaves. */
  readonly height: number
}

/** Layer whose hashes each cover one whole piece. */
export function pieceLayerOf(pieceLength: number): number {
  return layersAbove(pieceLength / LEAF_BYTES)
}

/** Layers of a file's root above its leaves. */
export function treeHeight(length: number): number {
  return layersAbove(leafCount(length))
}

/** What is needed to make the v2 part. */
export interface V2Source {
  readonly infoHash: InfoHashV2
  readonly tree: readonly TreeFile[]
  /** The torrent's files, padding among them; the others are those of the tree in its order. */
  readonly files: readonly TorrentFile[]
  readonly pieceLength: number
  readonly pieceCount: number
  /** The raw `piece layers`, null when there are none. */
  readonly layers: Uint8Array | null
}

/**
 * Makes the v2 part of a torrent, in steps. Throws DecodeError: too many pieces, or layers that their roots do not
 * prove.
 */
export function* v2Content(source: V2Source): Steps<V2Content> {
  const { infoHash, pieceCount, pieceLength, layers } = source
  if (pieceCount > MAX_V2_PIECES) throw new DecodeError(`a v2 torrent has at most ${MAX_V2_PIECES} pieces`)
  const files = yield* v2Files(source)
  const pieceRoots = new Uint8Array(pieceCount * HASH_BYTES)
  for (const [index, file] of files.entries()) {
    if (index % FILES_A_STEP === FILES_A_STEP - 1) yield
    if (file.pieceCount === 1) pieceRoots.set(file.root, file.firstPiece * HASH_BYTES)
  }
  const byRoot = yield* filesByRoot(files)
  if (layers !== null) {
    for (const [key, layer] of yield* knownLayers(layers, byRoot)) {
      const same = byRoot.get(key) ?? []
      yield* checkLayer(layer, same[0] as V2File, pieceLayerOf(pieceLength))
      for (const file of same) yield* copyInSteps(layer, pieceRoots, file.firstPiece * HASH_BYTES)
    }
  }
  return { infoHash, files, pieceRoots }
}

function* v2Files({ tree, files, pieceLength }: V2Source): Steps<V2File[]> {
  let described = 0
  const found: V2File[] = []
  for (const { index, length, offset, padding } of files) {
    if (index % FILES_A_STEP === FILES_A_STEP - 1) yield
    if (padding) continue
    const root = tree[described++]?.root ?? null
    if (root === null) continue
    found.push({ index, root, length, firstPiece: offset / pieceLength, pieceCount: Math.ceil(length / pieceLength) })
  }
  return found
}

/** Files of several pieces by the latin1 text of their root: equal files share a layer. */
function* filesByRoot(files: readonly V2File[]): Steps<Map<string, V2File[]>> {
  const byRoot = new Map<string, V2File[]>()
  for (const [index, file] of files.entries()) {
    if (index % FILES_A_STEP === FILES_A_STEP - 1) yield
    if (file.pieceCount === 1) continue
    const key = rootKey(file.root)
    const same = byRoot.get(key)
    if (same === undefined) byRoot.set(key, [file])
    else if (same[0]?.pieceCount === file.pieceCount) same.push(file)
    else throw new DecodeError('files of different length have the same pieces root')
  }
  return byRoot
}

function rootKey(root: Uint8Array): string {
  return Buffer.from(root.buffer, root.byteOffset, root.length).toString('latin1')
}

/** The layers that some file needs, by root. Others are passed over. */
function* knownLayers(raw: Uint8Array, byRoot: ReadonlyMap<string, V2File[]>): Steps<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  yield* visitDictInSteps(raw, (key, slice) => {
    if (!byRoot.has(key)) return
    const layer = decodeBencode(slice)
    if (!(layer instanceof Uint8Array) || found.has(key)) throw new DecodeError('the piece layers cannot be read')
    found.set(key, layer)
  })
  return found
}

function* checkLayer(layer: Uint8Array, file: V2File, pieceLayer: number): Steps<void> {
  if (layer.length !== file.pieceCount * HASH_BYTES)
    throw new DecodeError('a piece layer does not fit the length of its file')
  for (let piece = 0; piece < file.pieceCount; piece++) {
    // It would mean a hash that is not known. No content has it.
    if (isZeroAt(layer, piece)) throw new DecodeError('a piece layer has a hash of zeroes')
    if (piece % HASHES_A_STEP === HASHES_A_STEP - 1) yield
  }
  const root = yield* rootInSteps(layer, pieceLayer, layersAbove(file.pieceCount))
  if (!sameHash(root, file.root)) throw new DecodeError('a piece layer does not have the root of its file')
}

/** The hashes of a file's pieces, as a view; zeroes when they are not known. */
export function layerOf(v2: V2Content, file: V2File): Uint8Array {
  const start = file.firstPiece * HASH_BYTES
  return v2.pieceRoots.subarray(start, start + file.pieceCount * HASH_BYTES)
}

/** The files whose piece layer is not known. */
export function missingLayers(v2: V2Content): V2File[] {
  return v2.files.filter(file => isZeroAt(v2.pieceRoots, file.firstPiece))
}

/** The file that `piece` belongs to; null for a piece of nothing but padding. */
export function fileOfPiece(v2: V2Content, piece: number): V2File | null {
  let low = 0
  let high = v2.files.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((v2.files[middle] as V2File).firstPiece <= piece) low = middle
    else high = middle - 1
  }
  const file = v2.files[low]
  return file !== undefined && piece >= file.firstPiece && piece < file.firstPiece + file.pieceCount ? file : null
}

/** As isZeroHash of one of many, without a view of it. */
function isZeroAt(hashes: Uint8Array, index: number): boolean {
  // Nearly every hash says no with its first byte.
  return hashes[index * HASH_BYTES] === 0 && isZeroHash(hashAt(hashes, index))
}

/** What `piece` is verified against by v2; null where its hash is not known. */
export function pieceTree(v2: V2Content, pieceLength: number, piece: number): PieceTree | null {
  const file = fileOfPiece(v2, piece)
  if (file === null) return null
  const root = hashAt(v2.pieceRoots, piece)
  if (isZeroHash(root)) return null
  const length = Math.min(pieceLength, file.length - (piece - file.firstPiece) * pieceLength)
  // A file within one piece has a tree of its own height; pieces of a longer one are subtrees of equal height (BEP 52).
  const height = file.pieceCount === 1 ? treeHeight(length) : pieceLayerOf(pieceLength)
  return { root, length, height }
}

/** The `piece layers` of a metainfo file: one string a file of several pieces whose layer is known. */
export function encodePieceLayers(v2: V2Content): Uint8Array {
  return runSteps(encodeLayersInSteps(v2))
}

/** As encodePieceLayers, in steps: there may be 16 MiB of them. */
export function* encodeLayersInSteps(v2: V2Content): Steps<Uint8Array> {
  const layers = new Map<string, V2File>()
  for (const [index, file] of v2.files.entries()) {
    if (index % FILES_A_STEP === FILES_A_STEP - 1) yield
    if (file.pieceCount > 1 && !isZeroAt(v2.pieceRoots, file.firstPiece)) layers.set(rootKey(file.root), file)
  }
  // A dictionary's keys have an order, and so the dictionary is made of its parts: `d`, each key and string, `e`.
  const parts: Uint8Array[] = [Buffer.from('d')]
  // The order of latin1 strings is the order of their bytes.
  for (const [, file] of [...layers].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const layer = layerOf(v2, file)
    parts.push(Buffer.from(`${HASH_BYTES}:`), file.root, Buffer.from(`${layer.length}:`), layer)
    if (parts.length % FILES_A_STEP === 1) yield
  }
  parts.push(Buffer.from('e'))
  const encoded = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    yield* copyInSteps(part, encoded, at)
    at += part.length
  }
  return encoded
}

/** The same torrent with the hashes of its pieces, which were proved by the roots of their files. */
export function withPieceRoots(metainfo: Metainfo, pieceRoots: Uint8Array): Metainfo {
  return metainfo.v2 === null ? metainfo : { ...metainfo, v2: { ...metainfo.v2, pieceRoots } }
}
