// Fetching a torrent from an http(s) address that a client named (decisions part 2, row uri schemes).

/** What was at the source: the bytes of a torrent, or a magnet link that it redirected to. */
export type FetchedSource =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'magnet'; readonly uri: string }

/** Fetches torrents from addresses that clients named. */
export interface SourceFetch {
  /** Rejects with AppError SourceFailed, AddressRefused, BadScheme, or Aborted when `signal` fires. */
  fetch(uri: string, signal?: AbortSignal): Promise<FetchedSource>
  close(): Promise<void>
}
