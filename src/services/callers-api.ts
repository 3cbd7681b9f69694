// The part of api.ts that is about who asks: what callers may name, and keys beside the first one.

import type { KeyScope } from '../ports/key-list.ts'

/** Who makes a request, as far as the services must know. */
export interface Caller {
  /**
   * The first key, or one of scope owner: may name any path of this machine, others only those in
   * general.allowed_paths, and change any setting.
   */
  readonly anyPath: boolean
  /** May name files of this machine as sources of torrents: scope admin. */
  readonly localFiles: boolean
  /** Scope spend: may hand it to another key. */
  readonly spends: boolean
}

/** A key beside the first one, as it is shown. */
export interface KeyRecord {
  name: string
  scopes: KeyScope[]
  /** It opens nothing but downloads of this label; null: it is not bound. */
  label: string | null
  /** Seconds since 1970. */
  created: number
}

/** A key that was just made. */
export interface NewKeyRecord {
  name: string
  scopes: KeyScope[]
  label: string | null
  /** Shown this once. */
  key: string
}

/**
 * Keys beside the first one (extra). Changes are durable when settled. AppErrors StateUnreadable, DiskFull, DiskError.
 */
export interface KeysService {
  list(): { keys: KeyRecord[] }
  /**
   * `label`: what it is bound to; absent or null: nothing. AppErrors InvalidParameter, StateConflict (the name is
   * taken, or there are too many).
   */
  add(name: string, scopes: readonly string[], label?: string | null): Promise<NewKeyRecord>
  /** AppErrors KeyNotFound, StateConflict (another request is changing them). */
  remove(name: string): Promise<{ name: string; removed: true }>
}

/** Paths of a request. */
export interface NamedPaths {
  readonly uri?: string | undefined
  readonly destination?: string | undefined
  /** `destination` was judged, and leads nowhere else through links. */
  readonly linkless?: boolean | undefined
}

/** What clients name of this machine (decisions part 1, row "paths given by clients"). */
export interface CallerPathsService {
  /**
   * The request with its paths resolved, `linkless` where the destination has no links any more. AppErrors ScopeMissing
   * (a local file as source, without scope admin), PathNotAllowed, InvalidParameter.
   */
  admit<T extends NamedPaths>(request: T, caller: Caller): T | Promise<T>
}
