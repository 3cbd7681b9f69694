// One torrent made of content: laid out, hashed by a few runs of pieces at a time, written as a metainfo file and read
// back. It keeps nothing afterwards and touches no file itself. Invariant: equal content and options give an equal info
// hash.

import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, DecodeError, errorText } from '../../base/errors.ts'
import { infoHashV2FromBytes } from '../../base/ids.ts'
import type { Content, ContentHasher } from '../../ports/content-source.ts'
import type { FileFacts } from '../../ports/piece-store.ts'
import { nameProblems } from '../../wire/metainfo/content-names.ts'
import { MAX_FILES } from '../../wire/metainfo/info-files.ts'
import { HASH_BYTES as ROOT_BYTES, layersAbove, rootInSteps, sha256 } from '../../wire/metainfo/merkle.ts'
import { decodeMetainfoInTurns, encodeMetainfo } from '../../wire/metainfo/metainfo.ts'
import { MAX_METAINFO_BYTES } from '../../wire/metainfo/metainfo-length.ts'
import { newInfoBytes, withWebSeeds } from '../../wire/metainfo/new-info.ts'
import { choosePieceLength } from '../../wire/metainfo/piece-length.ts'
import { pieceLayerOf } from '../../wire/metainfo/piece-layers.ts'
import { runStepsInTurns, type Steps } from '../../wire/steps.ts'
import {
  estimateMetainfoBytes,
  layTorrent,
  newPieceRuns,
  type LayoutSource,
  type NewPieceRun,
  type NewTorrentLayout,
} from '../../wire/metainfo/torrent-layout.ts'
import type { Metainfo, V2Content, V2File } from '../../wire/metainfo/torrent-types.ts'
import type { NewTorrentOptions } from './new-torrent-options.ts'

/** Bytes of a SHA-1. */
const SHA1_BYTES = 20

/** Left free of the largest metainfo file that can be read. */
const SPARE_BYTES = 1024 * 1024

/** How one torrent is made. */
export interface MakeWatch {
  /** Ends the work. */
  readonly signal: AbortSignal
  /** Runs of pieces in hashing at a time. */
  readonly depth: number
  /** Refuses content that this node could not seed from where it lies. */
  readonly toSeed: boolean
  /** Bytes hashed so far, of all (padding counts). Called often. */
  progress(doneBytes: number, totalBytes: number): void
}

/** A torrent that was made. */
export interface MadeTorrent {
  /** The metainfo file. */
  readonly bytes: Uint8Array
  /** The same, read back. */
  readonly metainfo: Metainfo
  /** Folder below which the content lies as the torrent says. */
  readonly destination: string
  /** The torrent's files as they were when they were hashed. */
  readonly facts: readonly FileFacts[]
}

interface NewHashes {
  /** Empty without v1. */
  readonly pieceHashes: Uint8Array
  /** Empty without v2. */
  readonly pieceRoots: Uint8Array
}

/**
 * Makes a torrent. AppErrors InvalidParameter (content or options that cannot be a torrent), SourceChanged, Aborted,
 * and what the hasher says.
 */
export async function makeTorrent(
  content: Content,
  options: NewTorrentOptions,
  watch: MakeWatch,
): Promise<MadeTorrent> {
  if (content.totalLength === 0) throw new AppError('InvalidParameter', 'path: there is not one byte in it.')
  const { source, destination } = layoutSource(content, options)
  await checkNames(source, watch.toSeed)
  const layout = layTorrent(source)
  await checkSize(layout)
  const hasher = content.hasher({ ...layout, sha1: options.format !== 'v2' })
  try {
    const hashes = await hashAll(hasher, layout, watch)
    const facts = await hasher.checkUnchanged()
    if (watch.signal.aborted) throw new AppError('Aborted')
    const { bytes, metainfo } = await encode(layout, hashes, options)
    return { bytes, metainfo, destination, facts: factsOf(metainfo, facts) }
  } finally {
    await hasher.close()
  }
}

/** A v2 torrent of one file that lies directly in a folder cannot say so (BEP 52): it is one of the file alone. */
function layoutSource(content: Content, options: NewTorrentOptions): { source: LayoutSource; destination: string } {
  const { format } = options
  const pieceLength = options.pieceLength ?? choosePieceLength(content.totalLength)
  const { name, folder: multiFile, files, parent } = content
  const first = files[0]
  if (format !== 'v2' || !multiFile || files.length !== 1 || first?.path.length !== 2)
    return { source: { format, name, multiFile, pieceLength, files }, destination: parent }
  const path = first.path.slice(1)
  const alone = {
    format,
    name: path[0] ?? name,
    multiFile: false,
    pieceLength,
    files: [{ path, length: first.length }],
  }
  return { source: alone, destination: join(parent, name) }
}

async function checkNames(source: LayoutSource, toSeed: boolean): Promise<void> {
  const { padding, renamed } = await inTurns(nameProblems(source.files.map(file => file.path)))
  if (padding !== null) throw new AppError('InvalidParameter', `path: a file has a name of padding: ${padding}`)
  if (toSeed && renamed !== null)
    throw new AppError('InvalidParameter', `add: this node would look for ${renamed} under another name.`)
}

/** What could not be read back is refused before hours of hashing. */
async function checkSize(layout: NewTorrentLayout): Promise<void> {
  // A hybrid lists its padding too.
  if (layout.format === 'hybrid' && layout.files.length > MAX_FILES)
    throw new AppError('InvalidParameter', `path: with padding the torrent would have more than ${MAX_FILES} files.`)
  const bytes = await inTurns(estimateMetainfoBytes(layout))
  if (bytes <= MAX_METAINFO_BYTES - SPARE_BYTES) return
  throw new AppError(
    'InvalidParameter',
    `The torrent would have more than ${MAX_METAINFO_BYTES} bytes: it needs longer pieces or fewer files.`,
  )
}

/** Hashes all pieces. All lanes have ended when this settles, also when one failed. */
async function hashAll(hasher: ContentHasher, layout: NewTorrentLayout, watch: MakeWatch): Promise<NewHashes> {
  const { format, pieceCount, pieceLength, totalLength } = layout
  const pieceHashes = new Uint8Array(format === 'v2' ? 0 : pieceCount * SHA1_BYTES)
  const pieceRoots = new Uint8Array(format === 'v1' ? 0 : pieceCount * ROOT_BYTES)
  const runs = newPieceRuns(layout)
  let done = 0
  const hash = async (run: NewPieceRun): Promise<void> => {
    const { hashes, roots } = await hasher.digest(run)
    put(pieceHashes, hashes, run, SHA1_BYTES)
    put(pieceRoots, roots, run, ROOT_BYTES)
    done += Math.min(run.count * pieceLength, totalLength - run.first * pieceLength)
    watch.progress(done, totalLength)
  }
  // A lane that throws closes the generator: the others find no further run.
  const lane = async (): Promise<void> => {
    for (const run of runs) {
      if (watch.signal.aborted) throw new AppError('Aborted')
      await hash(run)
    }
  }
  const results = await Promise.allSettled(Array.from({ length: Math.max(1, watch.depth) }, lane))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return { pieceHashes, pieceRoots }
}

/** Puts the hashes of a run, `each` bytes a piece, where they belong; nothing where none are wanted. */
function put(all: Uint8Array, part: Uint8Array, { first, count }: NewPieceRun, each: number): void {
  if (all.length === 0) return
  if (part.length !== count * each) throw new Error(`${part.length} bytes of hashes for ${count} pieces`)
  all.set(part, first * each)
}

async function encode(
  layout: NewTorrentLayout,
  { pieceHashes, pieceRoots }: NewHashes,
  options: NewTorrentOptions,
): Promise<{ bytes: Uint8Array; metainfo: Metainfo }> {
  const files = layout.format === 'v1' ? [] : await inTurns(v2Files(layout, pieceRoots))
  const roots = new Map(files.map(file => [file.index, file.root]))
  const { private: isPrivate, source } = options
  const infoBytes = await inTurns(newInfoBytes({ layout, pieceHashes, roots, private: isPrivate, source }))
  const v2: V2Content | null =
    layout.format === 'v1' ? null : { infoHash: infoHashV2FromBytes(sha256(infoBytes)), files, pieceRoots }
  const { announceTiers, comment, createdBy, creationDateSec, webSeeds } = options
  const plain = encodeMetainfo({ infoBytes, announceTiers, comment, createdBy, creationDateSec, v2 })
  const bytes = withWebSeeds(plain, webSeeds)
  return { bytes, metainfo: await readBack(bytes, layout) }
}

/** The files that have trees, with their roots; in steps. */
function* v2Files(layout: NewTorrentLayout, pieceRoots: Uint8Array): Steps<V2File[]> {
  const { pieceLength } = layout
  const files: V2File[] = []
  for (const { index, length, offset, padding } of layout.files) {
    if (padding || length === 0) continue
    const firstPiece = offset / pieceLength
    const pieceCount = Math.ceil(length / pieceLength)
    const layer = pieceRoots.subarray(firstPiece * ROOT_BYTES, (firstPiece + pieceCount) * ROOT_BYTES)
    // The hash of a file's only piece is its root: the tree is no higher than it needs to be.
    const root =
      pieceCount === 1 ? layer : yield* rootInSteps(layer, pieceLayerOf(pieceLength), layersAbove(pieceCount))
    files.push({ index, root, length, firstPiece, pieceCount })
  }
  return files
}

async function readBack(bytes: Uint8Array, layout: NewTorrentLayout): Promise<Metainfo> {
  let metainfo: Metainfo
  try {
    metainfo = await decodeMetainfoInTurns(bytes, nextTurn)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new AppError('InvalidParameter', `The torrent cannot be made: ${errorText(error)}.`, { cause: error })
  }
  const real = (files: Metainfo['files']) => files.filter(file => !file.padding).map(file => file.length)
  const [made, read] = [real(layout.files), real(metainfo.files)]
  if (made.length !== read.length || made.some((length, i) => length !== read[i]))
    throw new Error('the torrent that was made reads as one of other files')
  return metainfo
}

/** Facts by the numbers of the torrent that was read: in one of v2 alone there may be padding behind a single file. */
function factsOf(metainfo: Metainfo, facts: readonly FileFacts[]): FileFacts[] {
  return metainfo.files.map(({ index }) => facts[index] ?? { index, exists: false, sizeBytes: 0, mtimeMs: 0 })
}

function inTurns<T>(steps: Steps<T>): Promise<T> {
  return runStepsInTurns(steps, nextTurn)
}
