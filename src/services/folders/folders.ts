// Folders that a person can choose from: what a caller may name and nothing else. Invariant: every path that is shown
// as a place to go to was judged without links, as the destination of a download is.

import type { ClientPaths, FolderLooks } from '../../ports/new-files.ts'
import type { Caller } from '../callers-api.ts'
import type { FolderRecord, FoldersService } from './folders-api.ts'

/** What the service needs of the node. */
export interface FoldersDeps {
  readonly paths: ClientPaths
  readonly looks: FolderLooks
  /** Where new downloads go, absolute. */
  usual(): string
  /** Folders that every caller may name, absolute. */
  allowed(): readonly string[]
}

/** See FoldersService. */
export class Folders implements FoldersService {
  readonly #deps: FoldersDeps

  constructor(deps: FoldersDeps) {
    this.#deps = deps
  }

  async list(named: string | undefined, caller: Caller): Promise<FolderRecord> {
    const { paths, looks, usual, allowed } = this.#deps
    const path = await paths.resolveNew(named ?? usual(), caller)
    const { exists, folders, more, freeBytes } = await looks.look(path)
    return {
      path,
      exists,
      parent: await this.#parentOf(path, caller),
      folders: [...folders],
      more,
      free_bytes: freeBytes,
      roots: [...new Set([...allowed(), ...(caller.anyPath ? ['/'] : [])])],
    }
  }

  /** Null where the caller may not name it, or there is none. */
  async #parentOf(path: string, caller: Caller): Promise<string | null> {
    // A path without links: what stands before its last part is the folder around it.
    const above = path.slice(0, path.lastIndexOf('/')) || '/'
    return above === path ? null : this.#deps.paths.resolveNew(above, caller).catch(() => null)
  }
}
