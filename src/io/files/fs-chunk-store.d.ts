// The part of fs-chunk-store 5 that metadata-chunk-files.ts uses; the package brings no types.

declare module 'fs-chunk-store' {
  /** Chunks of equal length in one file, the last one shorter when `length` is given. */
  export default class FSChunkStore {
    constructor(chunkLength: number, options: { readonly path: string; readonly length: number })
    put(index: number, bytes: Uint8Array, done: (error: Error | null) => void): void
    get(index: number, done: (error: Error | null, bytes?: Uint8Array) => void): void
    /** Closes the file. Fails when it is closed already. */
    close(done: (error: Error | null) => void): void
  }
}
