// Bodies of answers, compressed in the thread pool of zlib and once for all who ask for the same bytes: they are known
// by a digest, and those used last are kept. Invariant: two bodies with one tag have the same bytes.

import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as zlib from 'node:zlib'
import type { Coding } from './accept-encoding.ts'

/** Compressed bytes that are kept, and bodies, however short they are. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024
const MAX_KEPT_BODIES = 256
/** Bodies above this are compressed one at a time, others MAX_SHORT at a time. */
const SHORT_BYTES = 1024 * 1024
const MAX_SHORT = 2
/** Bodies that wait for that; further ones are sent as they are. */
const MAX_WAITING = 32
/** Bytes digested in one turn, half a millisecond, and handed to zlib at a time. */
const TURN_BYTES = 1024 * 1024
const TAG_BYTES = 16
/** More costs twice the CPU for some percent of the bytes (decision 0520). */
const GZIP_LEVEL = 3

/** Compresses whole bodies, or gives streams for long ones. */
interface Coder {
  whole(bytes: Uint8Array): Promise<Uint8Array>
  stream(): zlib.Gzip
}

const gzip: Coder = {
  whole: bytes =>
    new Promise((resolve, reject) => {
      zlib.gzip(bytes, { level: GZIP_LEVEL }, (error, made) => (error === null ? resolve(made) : reject(error)))
    }),
  stream: () => zlib.createGzip({ level: GZIP_LEVEL }),
}

/** What of zlib is there since Node 22.15. */
interface ZstdParts {
  zstdCompress?: (bytes: Uint8Array, done: (error: Error | null, made: Buffer) => void) => void
  createZstdCompress?: () => zlib.Gzip
}

function zstdCoder({ zstdCompress: compress, createZstdCompress: stream }: ZstdParts): Coder | null {
  if (compress === undefined || stream === undefined) return null
  return {
    stream,
    whole: bytes =>
      new Promise((resolve, reject) => {
        compress(bytes, (error, made) => (error === null ? resolve(made) : reject(error)))
      }),
  }
}

const zstd = zstdCoder(zlib as ZstdParts)
const coders = new Map<Coding, Coder>([...(zstd === null ? [] : [['zstd', zstd] as const]), ['gzip', gzip] as const])

/** Codings that this Node has, the best first. */
export const offeredCodings: readonly Coding[] = [...coders.keys()]

type Parts = readonly Uint8Array[]

/** Compressed bodies of a server. */
export class CodedBodies {
  /** Bodies that were compressed so far. */
  made = 0
  readonly #tags = new WeakMap<Parts, Promise<string>>()
  /** By coding and tag; the one that was used last is the last. Null: it would not become shorter. */
  readonly #coded = new Map<string, Promise<Parts | null>>()
  readonly #kept = new Map<string, number>()
  #keptBytes = 0
  readonly #short = new Lanes(MAX_SHORT)
  readonly #long = new Lanes(1)

  /** The same for the same bytes, whatever their parts. */
  tagOf(parts: Parts): Promise<string> {
    const known = this.#tags.get(parts)
    if (known !== undefined) return known
    const made = digestOf(parts)
    this.#tags.set(parts, made)
    return made
  }

  /** The body compressed, shared: read only. Null: it is to be sent as it is. Rejects with what zlib says. */
  async coded(parts: Parts, tag: string, coding: Coding): Promise<Parts | null> {
    const name = `${coding} ${tag}`
    const known = this.#coded.get(name)
    if (known !== undefined) {
      this.#coded.delete(name)
      this.#coded.set(name, known)
      return known
    }
    const bytes = lengthOf(parts)
    const lanes = bytes > SHORT_BYTES ? this.#long : this.#short
    if (lanes.waiting >= MAX_WAITING) return null
    const made = lanes.run(() => this.#make(parts, bytes, coding))
    this.#coded.set(name, made)
    const keep = (length: number) => this.#keep(name, made, length)
    made.then(
      body => keep(body === null ? 0 : lengthOf(body)),
      () => this.#forget(name, made),
    )
    return made
  }

  async #make(parts: Parts, bytes: number, coding: Coding): Promise<Parts | null> {
    this.made += 1
    const coder = coders.get(coding) ?? gzip
    const made = bytes > SHORT_BYTES ? await streamed(parts, coder.stream()) : [await coder.whole(Buffer.concat(parts))]
    return lengthOf(made) < bytes ? made : null
  }

  #keep(name: string, made: Promise<Parts | null>, bytes: number): void {
    if (this.#coded.get(name) !== made) return
    this.#kept.set(name, bytes)
    this.#keptBytes += bytes
    for (const oldest of this.#coded.keys()) {
      if (this.#keptBytes <= MAX_KEPT_BYTES && this.#kept.size <= MAX_KEPT_BODIES) return
      const length = this.#kept.get(oldest)
      // It is being made.
      if (length === undefined) continue
      this.#coded.delete(oldest)
      this.#kept.delete(oldest)
      this.#keptBytes -= length
    }
  }

  #forget(name: string, made: Promise<Parts | null>): void {
    if (this.#coded.get(name) === made) this.#coded.delete(name)
  }
}

/** Work that is done so many at a time, in the order it came. */
class Lanes {
  readonly #count: number
  readonly #queue: (() => void)[] = []
  #running = 0

  constructor(count: number) {
    this.#count = count
  }

  get waiting(): number {
    return this.#queue.length
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#count) this.#running += 1
    else await new Promise<void>(resolve => this.#queue.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#queue.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}

async function digestOf(parts: Parts): Promise<string> {
  const hash = createHash('sha256')
  let turn = 0
  for (const part of parts)
    for (let at = 0; at < part.length; at += TURN_BYTES) {
      const bytes = part.subarray(at, at + TURN_BYTES)
      if (turn + bytes.length > TURN_BYTES) {
        await nextTurn()
        turn = 0
      }
      hash.update(bytes)
      turn += bytes.length
    }
  return hash.digest().subarray(0, TAG_BYTES).toString('base64url')
}

/** Each write is a job of the thread pool; the next follows when it was taken. */
async function streamed(parts: Parts, coder: zlib.Gzip): Promise<Parts> {
  const made: Uint8Array[] = []
  coder.on('data', (bytes: Uint8Array) => made.push(bytes))
  const ended = new Promise<void>((resolve, reject) => {
    coder.once('end', resolve)
    coder.once('error', reject)
  })
  for (const part of parts) {
    if (coder.write(part)) continue
    await Promise.race([new Promise(resolve => coder.once('drain', resolve)), ended])
  }
  coder.end()
  await ended
  return made
}

function lengthOf(parts: Parts): number {
  return parts.reduce((sum, part) => sum + part.length, 0)
}
