// A folder that people drop torrent files into, as the watch folder service sees it. Nothing in it is trusted: links,
// devices and pipes are never opened.

/** A file of the folder. */
export interface DroppedFile {
  /** Absolute. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Of its last change, whole milliseconds since 1970. */
  readonly mtimeMs: number
}

/** What one look found. */
export interface FolderLook {
  /** Files that are wanted by their names, hidden ones left out. */
  readonly files: readonly DroppedFile[]
  /** False: a part could not be read, or there was too much; what is not in `files` may still be there. */
  readonly whole: boolean
}

/** A file that was read, with what it was at that moment. */
export interface ReadFile {
  readonly bytes: Uint8Array
  readonly file: DroppedFile
}

/** One folder with all below it. */
export interface WatchedFolder {
  /**
   * The files there; null when the folder is missing or cannot be read. `thorough`: every file is looked at; else only
   * those in folders that changed since the last look, and those of `restless`.
   */
  look(thorough: boolean, restless: ReadonlySet<string>): Promise<FolderLook | null>
  /** Calls `heard` when the system tells of a change; many systems, network mounts above all, tell nothing. */
  listen(heard: () => void): void
  /** Null when it is larger than `maxBytes`. Rejects with what the system says, and when it is no regular file. */
  read(path: string, maxBytes: number): Promise<ReadFile | null>
  /** Gives the file the name `<name>.corrupt`, or one like it that is free; the new path. */
  setAside(path: string): Promise<string>
  /** Moves the file into `folder` (made when missing), under a name that is free there; the new path. */
  moveInto(path: string, folder: string): Promise<string>
  remove(path: string): Promise<void>
  /** Stops listening. */
  close(): void
}
