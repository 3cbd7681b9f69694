// New files where a client wants them, and the check of paths that clients name.

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
