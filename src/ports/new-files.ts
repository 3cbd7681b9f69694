// New files where a client wants them, the check of paths that clients name, and what is in folders.

/** Makes files. */
export interface NewFiles {
  /** AppErrors InvalidParameter (no folder to write to), StateConflict (something is there already). Makes nothing. */
  check(path: string): Promise<void>
  /** Makes the file with these bytes; never over another. Rejects as check does, and with DiskFull and DiskError. */
  write(path: string, bytes: Uint8Array): Promise<void>
}

/** Who names a path. */
export interface PathCaller {
  /** True: any path is allowed. */
  readonly anyPath: boolean
}

/** Paths named by clients (decisions part 1, row "paths given by clients"). */
export interface ClientPaths {
  /** The path without links. AppErrors InvalidParameter (not absolute, nothing there), PathNotAllowed. */
  resolve(path: string, caller: PathCaller): Promise<string>
  /** The same of what may still have to be made. */
  resolveNew(path: string, caller: PathCaller): Promise<string>
}

/** A look into a folder. */
export interface FolderContents {
  /** Something is there; false: it would have to be made. */
  readonly exists: boolean
  /** Names of the folders in it, no links and none that begin with a dot, in order. */
  readonly folders: readonly string[]
  /** There are more than were looked at. */
  readonly more: boolean
  /** Bytes that can still be written there; null: nobody can tell. */
  readonly freeBytes: number | null
}

/** Looks into folders. */
export interface FolderLooks {
  /**
   * `real`: absolute, without links. AppErrors InvalidParameter (no folder, or one that cannot be read), PathNotAllowed
   * (it leads elsewhere by now), VolumeStalled.
   */
  look(real: string): Promise<FolderContents>
}
