// SHA-1 and SHA-256 of many messages at a time, by the machine code of src/native: which of its paths this processor
// can run, and the calls. It is optional: where it cannot be loaded, or nothing in it is quicker than node:crypto, all
// goes by node:crypto (decision 0517). Invariant: nothing here lets an argument through that the machine code does not
// look at itself.

import { createRequire } from 'node:module'

/** The paths in the order of their numbers, as src/native/sha.h has them. The last two are for tests. */
export const hashPathNames = ['portable', 'sha-ni', 'avx2', 'avx512', 'avx2-alone', 'avx512-alone'] as const

/** A path. */
export type HashPathName = (typeof hashPathNames)[number]

/** Which hash. */
export type HashAlgorithm = 'sha1' | 'sha256'

/** Bytes of a message that is being hashed (struct sha_context). */
export const CONTEXT_BYTES = 104

/** Bytes of a digest. */
export const digestBytes = { sha1: 20, sha256: 32 } as const

const numbers = { sha1: 0, sha256: 1 } as const

/** Messages from which on vectors pay where there is nothing else, as the paths without SHA instructions have it. */
const WORTH_ALONE = 3

/** What the machine code offers: see the comments of src/native/module.c. Every function throws RangeError. */
export interface NativeModule {
  paths(): readonly (string | null)[]
  update(path: number, algorithm: number, contexts: Uint8Array, data: Uint8Array, parts: Float64Array): void
  finish(path: number, algorithm: number, contexts: Uint8Array, count: number, out: Uint8Array): void
  pairs(path: number, nodes: Uint8Array, out: Uint8Array): void
  willNeed(fd: number, position: number, length: number): void
}

/** Hashes by one path of the machine code. */
export class NativeHash {
  readonly path: HashPathName
  /** Whether one message alone is quicker than with node:crypto. */
  readonly single: boolean
  readonly #native: NativeModule
  readonly #number: number

  /** Throws RangeError when this processor cannot run the path. */
  constructor(native: NativeModule, path: HashPathName) {
    const names = native.paths()
    this.path = path
    this.#native = native
    this.#number = hashPathNames.indexOf(path)
    if (names[this.#number] == null) throw new RangeError(`this processor cannot run the path ${path}`)
    this.single = names[hashPathNames.indexOf('sha-ni')] !== null && !path.endsWith('-alone') && path !== 'portable'
  }

  /**
   * Whether so many messages side by side are quicker than by node:crypto: without the SHA instructions, fewer than
   * fill a good part of a vector are not (src/native/cpu.c).
   */
  pays(messages: number): boolean {
    return this.single || messages >= WORTH_ALONE
  }

  /**
   * Takes the next bytes of messages: `parts` are three numbers each, the message (its place in `contexts`), the offset
   * in `data` (-1: zeroes) and the length in bytes; those of one message lie side by side, in order. A context of
   * zeroes is a message of which nothing has come. Throws RangeError for what lies outside.
   */
  update(algorithm: HashAlgorithm, contexts: Uint8Array, data: Uint8Array, parts: Float64Array): void {
    this.#native.update(this.#number, numbers[algorithm], contexts, data, parts)
  }

  /**
   * Ends the first `count` messages and writes their digests, side by side, to the start of `out`. Throws RangeError.
   */
  finish(algorithm: HashAlgorithm, contexts: Uint8Array, count: number, out: Uint8Array): void {
    this.#native.finish(this.#number, numbers[algorithm], contexts, count, out)
  }

  /**
   * The layer above `nodes` of a hash tree (BEP 52), an even number of them, to the start of `out`. Throws RangeError.
   */
  pairs(nodes: Uint8Array, out: Uint8Array): void {
    this.#native.pairs(this.#number, nodes, out)
  }

  /** The system may begin to read that part of a file. Throws RangeError for what is no part of any. */
  willNeed(fd: number, position: number, length: number): void {
    this.#native.willNeed(fd, position, length)
  }
}

/** Which machine code, and which path of it. */
export interface HashPath {
  /** The file. */
  readonly file: string
  readonly path: HashPathName
}

/** Loads the machine code. Throws what the system says. */
export function loadNative(file: string): NativeModule {
  return createRequire(import.meta.url)(file) as NativeModule
}

/** What hashes by a path, in the thread that calls this; null: node:crypto does, also where it cannot be loaded. */
export function openHash(chosen: HashPath | null): NativeHash | null {
  try {
    return chosen === null ? null : new NativeHash(loadNative(chosen.file), chosen.path)
  } catch {
    // Found and told when it was chosen; whatever has changed since, pieces are hashed.
    return null
  }
}
