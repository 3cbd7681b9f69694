// Content of new torrents in files: listed by src/io/files/source-folder.ts, hashed by the piece workers. Invariants:
// descriptors are lent from the common cache as long as a job runs; nothing that differs from the list is hashed
// without an error.

import type { NewPieceRun } from '../wire/metainfo/torrent-layout.ts'
import { createHash } from 'node:crypto'
import { pieceBytes } from '../base/lengths.ts'
import { AppError } from '../base/errors.ts'
import { diskErrorFrom } from '../io/files/disk-errors.ts'
import type { FileIdentity, OpenedFile } from '../io/files/safe-files.ts'
import type { FileSource } from '../io/files/open-files.ts'
import { SourceFolder } from '../io/files/source-folder.ts'
import type {
  Content,
  ContentFile,
  ContentHasher,
  ContentLayout,
  ContentSources,
  PieceDigests,
} from '../ports/content-source.ts'
import type { OwnFiles } from '../ports/own-files.ts'
import type { FileFacts } from '../ports/piece-store.ts'
import type { Span } from './contract/jobs.ts'
import { HASH_CHUNK_BYTES, MAX_JOB_FILES } from './contract/limits.ts'
import type { StoreParts } from './file-piece-store.ts'
import { JobFailed } from './pool.ts'
import { SpanFiles } from './span-files.ts'
import { type FileSpan, spanLength, SpanMap } from './spans.ts'

/** What is shared with the stores. */
export type ContentParts = Pick<StoreParts, 'jobs' | 'files' | 'lanes'>

/** ContentSources over files. */
export class FileContents implements ContentSources {
  readonly #parts: ContentParts
  readonly #own: OwnFiles | null

  /** `own`: what no torrent is made of. */
  constructor(parts: ContentParts, own: OwnFiles | null) {
    this.#parts = parts
    this.#own = own
  }

  async list(path: string, signal: AbortSignal): Promise<Content> {
    const { lanes } = this.#parts
    const source = await lanes.inTime(path, SourceFolder.list(path, lanes, signal, this.#own))
    return new FileContent(source, this.#parts)
  }
}

class FileContent implements Content {
  readonly name: string
  readonly parent: string
  readonly folder: boolean
  readonly files: readonly ContentFile[]
  readonly totalLength: number
  readonly skipped: number
  readonly #source: SourceFolder
  readonly #parts: ContentParts

  constructor(source: SourceFolder, parts: ContentParts) {
    this.name = source.name
    this.parent = source.parent
    this.folder = source.folder
    this.files = source.files
    this.totalLength = source.files.reduce((sum, file) => sum + file.length, 0)
    this.skipped = source.skipped
    this.#source = source
    this.#parts = parts
  }

  hasher(layout: ContentLayout): ContentHasher {
    return new FileHasher(this.#source, layout, this.#parts)
  }
}

/** The listed files by their numbers in the layout, which counts padding too. */
class LaidFiles implements FileSource {
  readonly #source: SourceFolder
  /** Number in the list by number in the layout; -1 = padding. */
  readonly #listed: Int32Array

  constructor(source: SourceFolder, layout: ContentLayout) {
    this.#source = source
    this.#listed = new Int32Array(layout.files.length)
    let next = 0
    for (const { index, padding, length } of layout.files) {
      this.#listed[index] = padding ? -1 : next
      if (padding) continue
      if (source.files[next]?.length !== length) throw new RangeError(`file ${index} is not the one that was listed`)
      next += 1
    }
    if (next !== source.files.length) throw new RangeError(`${next} files of ${source.files.length} have a place`)
  }

  /** Number in the list, -1 for padding. */
  listed(index: number): number {
    return this.#listed[index] ?? -1
  }

  open(index: number): Promise<OpenedFile> {
    return this.#source.open(this.listed(index))
  }

  identify(index: number): Promise<FileIdentity> {
    return this.#source.identify(this.listed(index))
  }

  get place(): string {
    return this.#source.place
  }

  pathOf(index: number): string {
    return this.#source.pathOf(this.listed(index))
  }
}

class FileHasher implements ContentHasher {
  readonly #source: SourceFolder
  readonly #layout: ContentLayout
  readonly #parts: ContentParts
  readonly #laid: LaidFiles
  readonly #map: SpanMap
  readonly #spanFiles: SpanFiles
  readonly #pieceCount: number

  constructor(source: SourceFolder, layout: ContentLayout, parts: ContentParts) {
    this.#source = source
    this.#layout = layout
    this.#parts = parts
    this.#laid = new LaidFiles(source, layout)
    this.#map = new SpanMap(layout.files)
    this.#spanFiles = new SpanFiles(this.#laid, parts.files, parts.lanes)
    this.#pieceCount = Math.ceil(layout.totalLength / layout.pieceLength)
  }

  digest(run: NewPieceRun): Promise<PieceDigests> {
    return this.#parts.lanes.inTime(this.#source.place, this.#digest(run))
  }

  async #digest(run: NewPieceRun): Promise<PieceDigests> {
    const { offset, length } = this.#rangeOf(run)
    if (this.#map.fileCount(offset, length) > MAX_JOB_FILES)
      return run.count > 1 ? this.#digestHalves(run) : this.#digestLong(run, length)
    const spans = this.#map.spans(offset, length)
    return this.#spanFiles.withFiles(spans, 'read', open => this.#run(run, open, spans))
  }

  async checkUnchanged(): Promise<FileFacts[]> {
    const facts = await this.#parts.lanes.inTime(this.#source.place, this.#source.checkUnchanged())
    const none = { exists: false, sizeBytes: 0, mtimeMs: 0 }
    return this.#layout.files.map(({ index }) => ({ index, ...(facts[this.#laid.listed(index)] ?? none) }))
  }

  /** Descriptors of a volume that has stalled are closed when it answers; close() does not wait for that. */
  async close(): Promise<void> {
    const { files, lanes } = this.#parts
    const { place } = this.#source
    const stalled = (): boolean => lanes.stalledAt(place) !== null
    const dropped = files.drop(this.#laid)
    if (stalled()) return void dropped.catch(() => undefined)
    await lanes.inTime(place, dropped).catch((error: unknown) => {
      if (!stalled()) throw error
    })
  }

  #rangeOf({ first, count }: NewPieceRun): { offset: number; length: number } {
    if (first < 0 || count < 1 || first + count > this.#pieceCount) throw new RangeError(`there is no piece ${first}`)
    const { pieceLength, totalLength } = this.#layout
    const last = pieceBytes({ pieceLength, totalLength, pieceCount: this.#pieceCount }, first + count - 1)
    return { offset: first * pieceLength, length: (count - 1) * pieceLength + last }
  }

  async #run({ trees }: NewPieceRun, open: readonly Span[], spans: readonly FileSpan[]): Promise<PieceDigests> {
    const { pieceLength, sha1 } = this.#layout
    try {
      return await this.#parts.jobs.run(this.#source.place, 'pieces.digest', { spans: open, pieceLength, sha1, trees })
    } catch (error) {
      if (!(error instanceof JobFailed) || error.data.code === 'BUG_IN_JOB') throw error
      const file = spans[open.findIndex(span => span.fd === error.data.fd)]?.file ?? -1
      const path = this.#laid.pathOf(file)
      if (error.data.code === 'SHORT') throw shorter(path)
      throw diskErrorFrom(error.data.code, path, error.data.text, error)
    }
  }

  async #digestHalves({ first, count, trees }: NewPieceRun): Promise<PieceDigests> {
    const half = count >> 1
    const left = await this.#digest({ first, count: half, trees: trees.slice(0, 2 * half) })
    const right = await this.#digest({ first: first + half, count: count - half, trees: trees.slice(2 * half) })
    return {
      hashes: Buffer.concat([left.hashes, right.hashes]),
      roots: Buffer.concat([left.roots, right.roots]),
    }
  }

  /**
   * Hashes a piece over very many files here, some files at a time: no job may hold that many descriptors. v1 alone has
   * such.
   */
  async #digestLong({ first, trees }: NewPieceRun, length: number): Promise<PieceDigests> {
    if (trees.length > 0 || !this.#layout.sha1)
      throw new RangeError(`piece ${first} is of several files and has a tree`)
    const hash = createHash('sha1')
    const chunk = new Uint8Array(HASH_CHUNK_BYTES)
    const start = first * this.#layout.pieceLength
    for (let at = 0; at < length; ) {
      const spans = this.#map.spans(start + at, Math.min(chunk.length, length - at), MAX_JOB_FILES)
      const part = chunk.subarray(0, spanLength(spans))
      const missing = await this.#spanFiles.read(spans, part)
      if (missing !== null) throw shorter(this.#laid.pathOf(missing))
      hash.update(part)
      at += part.length
    }
    return { hashes: hash.digest(), roots: new Uint8Array(0) }
  }
}

function shorter(path: string): AppError {
  return new AppError('SourceChanged', `The file changed while the torrent was made, it is shorter: ${path}`)
}
