// Reads what lies in memory, on the calling thread, and nothing else: preadv2 with RWF_NOWAIT answers EAGAIN where any
// other read would wait for the disk. The call is reached through koffi, an optional package: without it, and on other
// systems than Linux, such reads answer 0 and the caller goes the usual way. Files in memory need no such call.
// Invariant: a disk that stalls never stops the caller.

import { readSync } from 'node:fs'
import type { OpenedFile } from './safe-files.ts'

/** A foreign function found by koffi. */
type Preadv2 = (fd: number, vector: BigUint64Array, count: number, position: number, flags: number) => number | bigint

/** The parts of koffi in use. */
interface Koffi {
  load(path: null): { func(prototype: string): Preadv2 }
  address(view: Uint8Array): bigint
}

/** Linux: do not wait for data that is not at hand (preadv2(2)). */
const RWF_NOWAIT = 8
const PROTOTYPE = 'int64_t preadv2(int fd, void *vector, int count, int64_t position, int flags)'

/** Reads that never wait. */
export class CachedReads {
  readonly #load: () => Promise<unknown>
  #koffi: Koffi | null = null
  #preadv2: Preadv2 | null = null
  #asked = false
  // One iovec: the address of the last target, and the length asked for. The target is kept, so its address stays true.
  readonly #vector = new BigUint64Array(2)
  #target: Uint8Array | null = null

  /** `load` imports koffi; another one for tests. */
  constructor(load: () => Promise<unknown> = loadKoffi) {
    this.#load = load
  }

  /** True once reads can succeed; the first read asks for the library. */
  get ready(): boolean {
    return this.#preadv2 !== null
  }

  /**
   * Reads up to `length` bytes at `position` of the file into the start of `into`; how many were at hand, 0 = none, or
   * no such read is possible. `into` must not lie in memory that can move: at least 64 bytes, not pooled.
   */
  read(file: Pick<OpenedFile, 'fd' | 'atOnce'>, position: number, length: number, into: Uint8Array): number {
    switch (file.atOnce) {
      case 'all':
        return plainRead(file.fd, position, length, into)
      case 'cached':
        return this.#readCached(file.fd, position, length, into)
      case 'none':
        return 0
    }
  }

  #readCached(fd: number, position: number, length: number, into: Uint8Array): number {
    const preadv2 = this.#preadv2
    if (preadv2 === null) {
      this.#ask()
      return 0
    }
    if (into !== this.#target) this.#aim(into)
    this.#vector[1] = BigInt(Math.min(length, into.length))
    const count = Number(preadv2(fd, this.#vector, 1, position, RWF_NOWAIT))
    // EAGAIN, a file system without such reads, or a failure that the usual read will find and tell.
    return Math.max(0, count)
  }

  #aim(into: Uint8Array): void {
    this.#vector[0] = this.#koffi?.address(into) ?? 0n
    this.#target = into
  }

  #ask(): void {
    if (this.#asked) return
    this.#asked = true
    this.#load().then(
      koffi => this.#connect(koffi as Koffi),
      () => undefined,
    )
  }

  // A C library without preadv2 throws here: reads stay as they are.
  #connect(koffi: Koffi): void {
    try {
      const preadv2 = koffi.load(null).func(PROTOTYPE)
      this.#koffi = koffi
      this.#preadv2 = preadv2
    } catch {
      this.#preadv2 = null
    }
  }
}

// A failure is found again, and told, by the usual read.
function plainRead(fd: number, position: number, length: number, into: Uint8Array): number {
  try {
    return readSync(fd, into, 0, Math.min(length, into.length), position)
  } catch {
    return 0
  }
}

async function loadKoffi(): Promise<unknown> {
  if (process.platform !== 'linux') throw new Error('page cache reads need Linux')
  const module = (await import('koffi')) as { default: unknown }
  return module.default
}
