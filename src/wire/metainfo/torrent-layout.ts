// How the files of a new torrent lie: v1 puts them one behind the other, v2 and hybrid begin each at a piece with
// padding between (BEP 47, 52). Also which pieces are hashed together, and with what trees. Pure; knows names and
// lengths only.

import type { PieceRun } from '../../base/piece-run.ts'
import { pieceLayerOf, treeHeight } from './piece-layers.ts'
import type { Steps } from '../steps.ts'
import type { TorrentFile } from './torrent-types.ts'

/** What kind of torrent is made. */
export type TorrentFormat = 'v1' | 'v2' | 'hybrid'

/** The files of a new torrent in their places. */
export interface NewTorrentLayout {
  readonly format: TorrentFormat
  /** Name of the file or folder. */
  readonly name: string
  /** False: a single-file torrent. */
  readonly multiFile: boolean
  readonly pieceLength: number
  readonly pieceCount: number
  /** Bytes of all files, padding too. */
  readonly totalLength: number
  /** Paths begin with the torrent's name, as those of TorrentFile do. */
  readonly files: readonly TorrentFile[]
}

/** What a layout is made from. */
export interface LayoutSource {
  readonly format: TorrentFormat
  readonly name: string
  readonly multiFile: boolean
  readonly pieceLength: number
  /** Sorted; paths begin with the name. */
  readonly files: readonly { readonly path: readonly string[]; readonly length: number }[]
}

/**
 * Lays the files. Of several files that begin at pieces the last one gets padding too, and a file alone none: as
 * libtorrent does, so that the same content gives the same info hash.
 */
export function layTorrent(source: LayoutSource): NewTorrentLayout {
  const { format, name, multiFile, pieceLength } = source
  const padded = format !== 'v1' && source.files.length > 1
  const files: TorrentFile[] = []
  let offset = 0
  const place = (path: readonly string[], length: number, padding: boolean): void => {
    files.push({ index: files.length, path, length, offset, padding })
    offset += length
  }
  for (const { path, length } of source.files) {
    place(path, length, false)
    const rest = padded ? length % pieceLength : 0
    if (rest > 0) place([name, '.pad', String(pieceLength - rest)], pieceLength - rest, true)
  }
  return {
    format,
    name,
    multiFile,
    pieceLength,
    pieceCount: Math.ceil(offset / pieceLength),
    totalLength: offset,
    files,
  }
}

/** Neighbouring pieces that are hashed in one go. */
export interface NewPieceRun extends PieceRun {
  /** Two numbers a piece (bytes below its tree, layers of its root above the leaves); [] in a v1 torrent. */
  readonly trees: readonly number[]
}

/**
 * Bytes of a run, unless one piece has more: some milliseconds of work for a thread, 16 pieces of 1 MiB side by side.
 */
const RUN_BYTES = 16 * 1024 * 1024

/** Most pieces of a run. */
const MAX_RUN_PIECES = 256

/** The runs of all pieces in order; each is made when it is taken. */
export function* newPieceRuns(layout: NewTorrentLayout): Generator<NewPieceRun, void> {
  const { format, pieceLength, pieceCount } = layout
  const most = Math.min(MAX_RUN_PIECES, Math.max(1, Math.floor(RUN_BYTES / pieceLength)))
  const trees = format === 'v1' ? null : pieceTrees(layout)
  for (let first = 0; first < pieceCount; first += most) {
    const count = Math.min(most, pieceCount - first)
    const flat: number[] = []
    for (let piece = 0; trees !== null && piece < count; piece++) {
      const next = trees.next()
      if (next.done === true) throw new RangeError(`piece ${first + piece} belongs to no file`)
      flat.push(next.value.length, next.value.height)
    }
    yield { first, count, trees: flat }
  }
}

/** The tree of each piece in order: every piece begins with bytes of one file, and has of others none. */
function* pieceTrees({ files, pieceLength }: NewTorrentLayout): Generator<{ length: number; height: number }, void> {
  for (const file of files) {
    if (file.padding) continue
    for (let at = 0; at < file.length; at += pieceLength) {
      const length = Math.min(pieceLength, file.length - at)
      // A file within one piece has a tree of its own height; pieces of a longer one are subtrees of equal height.
      yield { length, height: file.length <= pieceLength ? treeHeight(length) : pieceLayerOf(pieceLength) }
    }
  }
}

/** Files looked at in one step. */
const FILES_A_STEP = 1024

/** Bytes of bencode around a file, its length and attributes; a pieces root; the key of a piece layer. */
const FILE_BYTES = 64
const ROOT_BYTES = 64
const LAYER_BYTES = 48

/** About how many bytes the metainfo file will have, rather more than less; in steps. */
export function* estimateMetainfoBytes(layout: NewTorrentLayout): Steps<number> {
  const { format, pieceCount, pieceLength, files } = layout
  // A name is written once in v1 and once in v2.
  const names = format === 'hybrid' ? 2 : 1
  let bytes = format === 'v2' ? 0 : pieceCount * 20
  for (const [index, file] of files.entries()) {
    if (index % FILES_A_STEP === FILES_A_STEP - 1) yield
    if (file.padding && format === 'v2') continue
    bytes += FILE_BYTES + names * file.path.slice(1).reduce((sum, part) => sum + Buffer.byteLength(part) + 8, 0)
    if (format === 'v1' || file.padding || file.length === 0) continue
    bytes += ROOT_BYTES
    if (file.length > pieceLength) bytes += LAYER_BYTES + Math.ceil(file.length / pieceLength) * 32
  }
  return bytes
}
