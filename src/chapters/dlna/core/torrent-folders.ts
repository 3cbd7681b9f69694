// The folders inside a download: its files have paths. A folder is named by its depth and the first file in it, since
// no two of one depth share a file. Worked out once a download. Pure.

import type { MediaDownload } from './media-objects.ts'
import type { MediaFile } from './media-files.ts'
import { endingOf } from './media-types.ts'

/** A folder; that of the whole download has depth 0. */
export interface TorrentFolder {
  readonly title: string
  readonly depth: number
  /** Lowest number of a file in it, or below. */
  readonly first: number
  /** Null: it is that of the whole download. */
  readonly above: TorrentFolder | null
  /** In the order in which their files are named. */
  readonly folders: readonly TorrentFolder[]
  readonly files: readonly MediaFile[]
}

/** Files of one path lie so deep at most; deeper ones are shown at this depth. */
const MAX_DEPTH = 16

/** All folders of a download. */
export class TorrentFolders {
  readonly top: Folder
  readonly #byPlace = new Map<string, Folder>()
  readonly #byFile = new Map<number, { readonly folder: Folder; readonly file: MediaFile }>()

  constructor({ name, files }: MediaDownload) {
    this.top = new Folder(name, null)
    for (const file of files) this.#enter(file)
    this.#place(this.top)
  }

  /** The folder of a depth with this first file; null: there is none. */
  folder(depth: number, first: number): TorrentFolder | null {
    return this.#byPlace.get(`${depth}.${first}`) ?? null
  }

  /** A file by its number, and where it lies; null: it is not shown. */
  file(index: number): { readonly folder: TorrentFolder; readonly file: MediaFile } | null {
    return this.#byFile.get(index) ?? null
  }

  #enter(file: MediaFile): void {
    let folder = this.top
    for (const part of file.name.split('/').slice(0, -1).slice(0, MAX_DEPTH)) folder = folder.below(part)
    folder.files.push(file)
    this.#byFile.set(file.index, { folder, file })
    for (let at: Folder | null = folder; at !== null; at = at.above) at.first = Math.min(at.first, file.index)
  }

  #place(folder: Folder): void {
    this.#byPlace.set(`${folder.depth}.${folder.first}`, folder)
    for (const inner of folder.folders) this.#place(inner)
  }
}

class Folder implements TorrentFolder {
  readonly title: string
  readonly depth: number
  readonly above: Folder | null
  readonly folders: Folder[] = []
  readonly files: MediaFile[] = []
  first = Number.POSITIVE_INFINITY
  readonly #byTitle = new Map<string, Folder>()

  constructor(title: string, above: Folder | null) {
    this.title = title
    this.above = above
    this.depth = above === null ? 0 : above.depth + 1
  }

  below(title: string): Folder {
    let folder = this.#byTitle.get(title)
    if (folder === undefined) {
      folder = new Folder(title, this)
      this.#byTitle.set(title, folder)
      this.folders.push(folder)
    }
    return folder
  }
}

/** What a file is called: the last part of its path, without the ending. */
export function titleOf(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1)
  const ending = endingOf(last)
  return ending === '' || last.length === ending.length + 1 ? last : last.slice(0, -ending.length - 1)
}
