// Makes files shorter, for the next version of a torrent in the same place.

/** Cuts files. */
export interface FileTrimmer {
  /**
   * Cuts every file below `destination` that is longer than said; those that are not there, or are links, are passed
   * over. Rejects with AppErrors DiskError and UnsafePath.
   */
  trim(
    destination: string,
    files: readonly { readonly path: readonly string[]; readonly length: number }[],
  ): Promise<void>
}
