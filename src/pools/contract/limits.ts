// Bounds of the worker contract. Both ends read them; each has its reason.

/** Jobs in one message: beyond 64 the saving per job is gone and the reply of the first waits for the last. */
export const MAX_BATCH_JOBS = 64
/**
 * Bytes of work in one message (about 1.5 ms of hashing); one bigger job travels alone, and commits that have waited
 * for each other go together (PoolOptions.gatheredBytes).
 */
export const MAX_BATCH_BYTES = 2 * 1024 * 1024
/** A message is not cut smaller than this for the sake of using every thread. */
export const MIN_BATCH_BYTES = 256 * 1024
/** Files one job may touch: bounds the descriptors in use; jobs over more files are cut by the main thread. */
export const MAX_JOB_FILES = 64
/** Bytes read at a time when a piece is hashed from disk (measured: 256 KiB is as fast as 1 MiB). */
export const HASH_CHUNK_BYTES = 256 * 1024
/** Buffers given to one writev; the kernel refuses more than 1024. */
export const MAX_WRITE_BUFFERS = 512
