// The files of one torrent as the descriptor cache opens them: each look at one is judged by how it was left.

import type { FileSource, SeenFile, SourceFile } from './open-files.ts'
import type { FileNotes } from './file-notes.ts'
import type { TorrentFolder } from './torrent-folder.ts'

/** FileSource over a torrent's folder and its notes. */
export class NotedFiles implements FileSource {
  readonly #folder: TorrentFolder
  readonly #notes: FileNotes

  constructor(folder: TorrentFolder, notes: FileNotes) {
    this.#folder = folder
    this.#notes = notes
  }

  async open(index: number, write: boolean): Promise<SourceFile> {
    const judge = this.#notes.judge(index)
    const { fd, atOnce, ...look } = await this.#folder.open(index, write)
    return { fd, atOnce, dev: look.dev, ino: look.ino, changed: judge(look) }
  }

  async identify(index: number): Promise<SeenFile> {
    const judge = this.#notes.judge(index)
    const { dev, ino, ...rest } = await this.#folder.identify(index)
    return { dev, ino, changed: judge({ dev, ino, ...rest }) }
  }

  get place(): string {
    return this.#folder.place
  }

  pathOf(index: number): string {
    return this.#folder.pathOf(index)
  }
}
