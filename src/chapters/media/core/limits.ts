// What reading a film may take: bytes that are fetched, and lengths of what is read whole. A byte is a piece that may
// have to be downloaded first.

/** Fetched of any film, beside an index whose length is known by then. */
export const HEAD_BUDGET_BYTES = 128 * 1024
/** More for Matroska: its head may be long, and its index lie behind attachments that are passed over. */
export const MATROSKA_BUDGET_BYTES = 512 * 1024
/** More for sound files and transport streams, whose ends are looked at. */
export const STREAM_BUDGET_BYTES = 128 * 1024
/**
 * More for the end of a transport stream, whatever its head took: at 30 Mbit/s a picture is longer than all of that.
 */
export const STREAM_END_BYTES = 256 * 1024

/** The longest index of MP4 that is read; films of two hours have 1 to 9 MiB. */
export const MAX_MOOV_BYTES = 32 * 1024 * 1024
/** The same of Matroska, and of mfra in MP4; films of two hours have 32 to 900 KiB. */
export const MAX_CUES_BYTES = 4 * 1024 * 1024
/** Other parts that are read whole: tracks, chapters, tables of fragments. */
export const MAX_PART_BYTES = 1024 * 1024
/**
 * Heads of elements and boxes that are looked at one after the other before the reader gives up. Each costs a block, so
 * that of what has no more than HEAD_BUDGET_BYTES fifteen far from each other are the end.
 */
export const MAX_STEPS = 64
