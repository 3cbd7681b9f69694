// Finds which pieces of a torrent are on the disk: neighbouring pieces are hashed in one job, fewer of them where the
// files are many or one is missing. Invariant: nothing is made for each file before it is known that they are few.

import { AppError } from '../base/errors.ts'
import type { PieceVerdict, StoreLayout } from '../ports/piece-store.ts'
import type { ReplyOf, RequestOf, Span } from './contract/jobs.ts'
import { HASH_CHUNK_BYTES, MAX_JOB_FILES } from './contract/limits.ts'
import { PieceHash } from './jobs/piece-hash.ts'
import { hashesOf, rangeOf, treeOf } from './piece-places.ts'
import type { SpanFiles } from './span-files.ts'
import { type FileSpan, spanLength, type SpanMap } from './spans.ts'

/** The torrent, its files, and who hashes. */
export interface CheckParts {
  readonly layout: StoreLayout
  readonly map: SpanMap
  readonly files: SpanFiles
  /** Hashes in a worker; `spans` are those of the request, in order. */
  hash(request: RequestOf<'pieces.hash'>, spans: readonly FileSpan[]): Promise<ReplyOf<'pieces.hash'>>
}

/** A check of pieces that lie in files. */
export class PieceCheck {
  readonly #parts: CheckParts

  constructor(parts: CheckParts) {
    this.#parts = parts
  }

  /**
   * A verdict for each of `pieces`, which follow each other. Rejects with what reading them meets, but for missing
   * files.
   */
  async verdicts(pieces: readonly number[]): Promise<readonly PieceVerdict[]> {
    const { layout, map } = this.#parts
    const first = pieces[0] as number
    const ranges = pieces.map(piece => rangeOf(layout, piece))
    const [offset, length] = [ranges[0]?.offset ?? 0, spanLength(ranges)]
    if (map.fileCount(offset, length) > MAX_JOB_FILES)
      return pieces.length > 1 ? this.#halves(pieces) : [await this.#throughManyFiles(first)]
    const spans = map.spans(offset, length)
    try {
      return await this.#inOneJob(pieces, spans)
    } catch (error) {
      isMissing(error)
      const isWhole = pieces.length === 1 || spans.every(({ file }) => file === spans[0]?.file)
      return isWhole ? pieces.map(() => 'missing') : this.#halves(pieces)
    }
  }

  async #inOneJob(pieces: readonly number[], spans: readonly FileSpan[]): Promise<readonly PieceVerdict[]> {
    const { layout, files, hash } = this.#parts
    const hashes = hashesOf(layout, pieces[0] as number, pieces.length)
    const trees = layout.v2 === null ? [] : pieces.map(piece => treeOf(layout, piece))
    const { pieceLength } = layout
    const use = (open: readonly Span[]) => hash({ hashes, trees, pieceLength, spans: open }, spans)
    return (await files.withFiles(spans, 'check', use)).verdicts
  }

  async #halves(pieces: readonly number[]): Promise<readonly PieceVerdict[]> {
    const half = pieces.length >> 1
    const first = await this.verdicts(pieces.slice(0, half))
    return [...first, ...(await this.verdicts(pieces.slice(half)))]
  }

  /** Hashes a piece here, some files at a time: no job may hold that many descriptors. */
  async #throughManyFiles(piece: number): Promise<PieceVerdict> {
    const { layout, map, files } = this.#parts
    const hash = new PieceHash(hashesOf(layout, piece, 1), treeOf(layout, piece))
    const chunk = new Uint8Array(HASH_CHUNK_BYTES)
    const { offset, length } = rangeOf(layout, piece)
    for (let at = 0; at < length; ) {
      const spans = map.spans(offset + at, Math.min(chunk.length, length - at), MAX_JOB_FILES)
      const part = chunk.subarray(0, spanLength(spans))
      const isShort = await files.read(spans, part, 'check').then(file => file !== null, isMissing)
      if (isShort) return 'missing'
      hash.take(part)
      at += part.length
    }
    return hash.right() ? 'ok' : 'bad-hash'
  }
}

/** True for the error of a file that is not there; throws every other. */
function isMissing(error: unknown): true {
  if (error instanceof AppError && error.code === 'FileMissing') return true
  throw error
}
