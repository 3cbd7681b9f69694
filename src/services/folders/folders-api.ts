// Folders that a person can choose from (extra).

import type { Caller } from '../callers-api.ts'

/** GET /folders. */
export interface FolderRecord {
  /** Absolute, without links. */
  path: string
  /** Something is there; false: it is made when a download needs it. */
  exists: boolean
  /** The folder around it; null: it is the last that the caller may name. */
  parent: string | null
  /** Names of the folders in it. */
  folders: string[]
  /** There are more. */
  more: boolean
  /** Bytes; null: nobody can tell. */
  free_bytes: number | null
  /** Where one may begin to look. */
  roots: string[]
}

/** Shows folders to those who may name them. */
export interface FoldersService {
  /**
   * `named` absent: where new downloads go. AppErrors InvalidParameter (not absolute, no folder), PathNotAllowed,
   * VolumeStalled.
   */
  list(named: string | undefined, caller: Caller): Promise<FolderRecord>
}
