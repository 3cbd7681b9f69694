// How long a torrent file may be. Apart from its reader, which a start need not load (decision 0521).

/** Largest metainfo file and largest info dictionary, bytes (decisions part 1, row uri schemes). */
export const MAX_METAINFO_BYTES = 16 * 1024 * 1024
