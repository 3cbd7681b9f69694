// Content of new torrents in memory, hashed the plain way: every byte in one array, every tree whole.

import type { NewPieceRun } from '../../../src/wire/metainfo/torrent-layout.ts'
import { createHash } from 'node:crypto'
import { AppError } from '../../../src/base/errors.ts'
import type {
  Content,
  ContentHasher,
  ContentLayout,
  ContentSources,
  PieceDigests,
} from '../../../src/ports/content-source.ts'
import type { FileFacts } from '../../../src/ports/piece-store.ts'
import { treeOver } from '../content/merkle-tree.ts'

/** A file: its path below the folder with `/`, '' = the content is this file alone. */
export interface MemoryFile {
  readonly path: string
  readonly content: Uint8Array
}

const LEAF = 16 * 1024

/** The root `height` layers above the leaves of `bytes`. */
function rootOver(bytes: Uint8Array, height: number): Buffer {
  const leaves: Buffer[] = []
  for (let at = 0; at < bytes.length; at += LEAF) {
    leaves.push(
      createHash('sha256')
        .update(bytes.subarray(at, at + LEAF))
        .digest(),
    )
  }
  while (leaves.length < 2 ** height) leaves.push(Buffer.alloc(32))
  return (treeOver(leaves).at(-1) as Buffer[])[0] as Buffer
}

/** Content; `files` sorted. */
export class MemoryContent implements Content {
  readonly name: string
  readonly parent = '/memory'
  readonly folder: boolean
  readonly files: Content['files']
  readonly totalLength: number
  readonly skipped = 0
  readonly #contents: readonly Uint8Array[]
  /** Hashers that are not closed. */
  open = 0
  /** Runs before each run of pieces; the test may wait or throw here. */
  beforeRun: (run: NewPieceRun) => Promise<void> | void = () => undefined
  /** Something changed since it was listed. */
  changed = false

  constructor(name: string, files: readonly MemoryFile[]) {
    this.name = name
    this.folder = files[0]?.path !== ''
    this.files = files.map(({ path, content }) => ({
      path: path === '' ? [name] : [name, ...path.split('/')],
      length: content.length,
    }))
    this.totalLength = files.reduce((sum, file) => sum + file.content.length, 0)
    this.#contents = files.map(file => file.content)
  }

  hasher(layout: ContentLayout): ContentHasher {
    this.open += 1
    const contents = this.#contents.values()
    const all = Buffer.concat(
      layout.files.map(file => (file.padding ? new Uint8Array(file.length) : (contents.next().value as Uint8Array))),
    )
    return {
      digest: async run => {
        await this.beforeRun(run)
        return digest(all, layout, run)
      },
      checkUnchanged: async () => {
        if (this.changed) throw new AppError('SourceChanged')
        return layout.files.map(factsOf)
      },
      close: async () => {
        this.open -= 1
      },
    }
  }
}

function digest(
  all: Uint8Array,
  { pieceLength, sha1 }: ContentLayout,
  { first, count, trees }: NewPieceRun,
): PieceDigests {
  const hashes: Uint8Array[] = []
  const roots: Uint8Array[] = []
  for (let piece = 0; piece < count; piece++) {
    const start = (first + piece) * pieceLength
    const bytes = all.subarray(start, start + pieceLength)
    if (sha1) hashes.push(createHash('sha1').update(bytes).digest())
    const length = trees[2 * piece]
    if (length !== undefined) roots.push(rootOver(bytes.subarray(0, length), trees[2 * piece + 1] ?? 0))
  }
  return { hashes: Buffer.concat(hashes), roots: Buffer.concat(roots) }
}

function factsOf({ index, length, padding }: ContentLayout['files'][number]): FileFacts {
  return { index, exists: !padding, sizeBytes: padding ? 0 : length, mtimeMs: padding ? 0 : 1000 }
}

/** One content at every path. */
export class MemoryContents implements ContentSources {
  readonly listed: string[] = []
  readonly #content: Content

  constructor(content: Content) {
    this.#content = content
  }

  async list(path: string, signal: AbortSignal): Promise<Content> {
    if (signal.aborted) throw new AppError('Aborted')
    this.listed.push(path)
    return this.#content
  }
}
