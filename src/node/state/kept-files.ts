// What of a node lies in its state directory, by how it is copied.

/** Names in the state directory; what is not there is passed over. */
export interface KeptFiles {
  /** Databases, copied by SQLite itself. */
  readonly stores: readonly string[]
  /** Small files that are replaced whole. */
  readonly files: readonly string[]
  /** Folders of such files. */
  readonly folders: readonly string[]
}

/** A chapter that keeps nothing. */
export const nothingKept: KeptFiles = { stores: [], files: [], folders: [] }

/** All of several. */
export function keptByAll(all: readonly KeptFiles[]): KeptFiles {
  return {
    stores: all.flatMap(({ stores }) => stores),
    files: all.flatMap(({ files }) => files),
    folders: all.flatMap(({ folders }) => folders),
  }
}
