// Which folders those of downloads are, by whatever paths: looked up once for all who ask, and again after a while, for
// folders become links and are mounted elsewhere.

import type { Clock } from '../../../ports/clock.ts'
import { foldName } from '../../../wire/metainfo/unique-paths.ts'

/** Where a folder lies, without links and by whatever mount (bind mounts), and which one it is. */
export interface FolderName {
  readonly path: string
  readonly id: string
}

/** What it needs of the node. */
export interface FolderNamesDeps {
  readonly clock: Pick<Clock, 'now'>
  /** Null: there is no such folder. Rejects, or does not settle, where that cannot be told now. */
  identifyFolder(folder: string): Promise<FolderName | null>
}

/** A folder is looked up again after this time. */
const STALE_MS = 60_000
/** Folders that are looked up at a time: each waits for a disk. */
const AT_ONCE = 16

interface Known {
  readonly atMs: number
  /** What the last look said; undefined: it has not answered, or could not tell. */
  name: FolderName | null | undefined
  readonly look: Promise<void>
}

/** The folders of all downloads. */
export class FolderNames {
  readonly #deps: FolderNamesDeps
  readonly #known = new Map<string, Known>()

  constructor(deps: FolderNamesDeps) {
    this.#deps = deps
  }

  /** From memory, its path folded: case is ignored. Null: it is not there; undefined: that is not known. */
  nameOf(folder: string): FolderName | null | undefined {
    return this.#known.get(folder)?.name
  }

  /** Looks up those of which nothing fresh is known. Rejects where that cannot be told of one of them. */
  async find(folders: ReadonlySet<string>): Promise<void> {
    const list = [...folders]
    for (let at = 0; at < list.length; at += AT_ONCE)
      await Promise.all(list.slice(at, at + AT_ONCE).map(folder => this.#find(folder)))
  }

  /** Forgets all others. */
  keep(folders: ReadonlySet<string>): void {
    for (const folder of this.#known.keys()) if (!folders.has(folder)) this.#known.delete(folder)
  }

  #find(folder: string): Promise<void> {
    const { clock, identifyFolder } = this.#deps
    const known = this.#known.get(folder)
    if (known !== undefined && clock.now() - known.atMs < STALE_MS) return known.look
    const look = identifyFolder(folder).then(
      name => {
        fresh.name = name === null ? null : { path: foldName(name.path).replace(/\/+$/, ''), id: name.id }
      },
      (error: unknown) => {
        fresh.name = undefined
        throw error
      },
    )
    // Until it answers the last answer counts.
    const fresh: Known = { atMs: clock.now(), name: known?.name, look }
    this.#known.set(folder, fresh)
    return look
  }
}
