// Reads what lies in memory, on the calling thread, and nothing else: preadv2 with RWF_NOWAIT answers EAGAIN where any
// other read would wait for the disk. The call is reached through koffi, an optional package: without it, and on other
// systems than Linux, such reads answer 0 and the caller goes the usual way. Files in memory need no such call.
// Invariant: a disk that stalls never stops the caller.

import { readSync, readvSync } from 'node:fs'
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
/** Parts of one read; more are left unread. */
const MAX_PARTS = 64
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
  #asks = 0
  readonly #vectors = new BigUint64Array(2 * MAX_PARTS)
  /** Addresses of shared buffers, which never move. */
  readonly #bases = new WeakMap<ArrayBufferLike, bigint>()

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
    const asked = Math.min(length, into.length)
    // Most reads are of one length, and a big integer is an object.
    if (asked !== this.#asks) this.#vector[1] = BigInt((this.#asks = asked))
    const count = Number(preadv2(fd, this.#vector, 1, position, RWF_NOWAIT))
    // EAGAIN, a file system without such reads, or a failure that the usual read will find and tell.
    return Math.max(0, count)
  }

  /** Like read(), into `parts` one after the other: views of one SharedArrayBuffer. */
  readParts(file: Pick<OpenedFile, 'fd' | 'atOnce'>, position: number, parts: readonly Uint8Array[]): number {
    switch (file.atOnce) {
      case 'all':
        return plainReadParts(file.fd, position, parts)
      case 'cached':
        return this.#readPartsCached(file.fd, position, parts)
      case 'none':
        return 0
    }
  }

  #readPartsCached(fd: number, position: number, parts: readonly Uint8Array[]): number {
    const preadv2 = this.#preadv2
    const buffer = parts[0]?.buffer
    if (preadv2 === null || buffer === undefined) {
      this.#ask()
      return 0
    }
    const base = this.#baseOf(buffer)
    const count = Math.min(parts.length, MAX_PARTS)
    for (let i = 0; i < count; i++) {
      const part = parts[i] as Uint8Array
      if (part.buffer !== buffer) throw new RangeError('parts of different buffers')
      this.#vectors[2 * i] = base + BigInt(part.byteOffset)
      this.#vectors[2 * i + 1] = BigInt(part.length)
    }
    return Math.max(0, Number(preadv2(fd, this.#vectors, count, position, RWF_NOWAIT)))
  }

  #baseOf(buffer: ArrayBufferLike): bigint {
    // Only shared memory stays where it is for as long as it lives.
    if (!(buffer instanceof SharedArrayBuffer)) throw new RangeError('parts must lie in shared memory')
    const known = this.#bases.get(buffer)
    if (known !== undefined) return known
    const base = this.#koffi?.address(new Uint8Array(buffer)) ?? 0n
    this.#bases.set(buffer, base)
    return base
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

function plainReadParts(fd: number, position: number, parts: readonly Uint8Array[]): number {
  try {
    return readvSync(fd, parts, position)
  } catch {
    return 0
  }
}

async function loadKoffi(): Promise<unknown> {
  if (process.platform !== 'linux') throw new Error('page cache reads need Linux')
  const module = (await import('koffi')) as { default: unknown }
  return module.default
}
