// The node's own files (its keys, stores, wallets, logs): no download, no move and no new torrent may reach them.

import type { VolumeTurns } from './volumes.ts'

/** Which folder it is, by whatever path. */
export interface FolderIdentity {
  readonly dev: bigint
  readonly ino: bigint
}

/** Where they lie. Paths are absolute and without links. */
export interface OwnFiles {
  /** Whether that is one of them, or the folder of all of them. */
  holds(real: string): boolean
  /**
   * AppError PathNotAllowed where holds() is true, by whatever name the folder is reached. Answers which folder is
   * there now, null: none. `turns`: whose turns the looks take; one who has a turn already takes none in it (absent:
   * those of all).
   */
  check(real: string, turns?: VolumeTurns): Promise<FolderIdentity | null>
  /** AppError PathNotAllowed when one of these files, each with its path below `real`, is one of them. */
  checkNames(real: string, files: Iterable<{ readonly path: readonly string[] }>): void
  /** Whether the folder of all of them lies below that one. */
  isBelow(real: string): boolean
  /** Whether that is the folder of all of them. */
  isRoot(identity: FolderIdentity): boolean
}

/** A destination folder that is looked at: nothing is made yet. */
export interface FolderLook {
  /**
   * Makes the folder ready; its real path. AppErrors InvalidParameter, PathNotAllowed, DiskFull, VolumeStalled: also
   * what the look ended with.
   */
  prepare(use?: FolderUse): Promise<string>
}

/** What a destination folder is for. */
export interface FolderUse {
  /** Files that will lie in it. */
  readonly files?: Iterable<{ readonly path: readonly string[] }> | undefined
  /** The path was judged without links: it may not lead elsewhere by now. */
  readonly linkless?: boolean | undefined
}
