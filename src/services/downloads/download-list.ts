// The list of all downloads as JSON, for many clients: 64 records make a chunk of bytes, in which only records that
// changed are made again. Chunks are shared by all answers; an answer is shared until it is MAX_AGE_MS old. Invariant:
// an answer holds every change made by a request that was answered before, and every other change older than MAX_AGE_MS
// plus the time of one rebuild.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'
import type { RateLimits } from './download-record.ts'

/** An answer is shared this long; changes may be 200 ms late (decision 0206). */
const MAX_AGE_MS = 100
/** Records whose bytes are made together. */
const CHUNK_RECORDS = 64
/** The loop is given a turn after so many records made, or so many looked at. */
const TURN_MADE = 256
const TURN_LOOKED = 2048

const HEAD = Buffer.from('{"downloads":[')
const END = Buffer.from(']}')

/** What the list needs of a download. */
export interface ListedDownload {
  /** Whether recordJson() would answer something else than last time, under the same limits. */
  changed(): boolean
  /** Its record as JSON. */
  recordJson(limits: RateLimits): string
}

/** Records that follow each other in the list. Shared: read only. */
export interface DownloadChunk {
  readonly downloads: readonly ListedDownload[]
  /** The records, each with the comma after it. */
  readonly bytes: Buffer
  /** Where each record ends, its comma included. */
  readonly ends: Uint32Array
}

interface Answer {
  readonly parts: readonly Uint8Array[]
  readonly begunMs: number
  readonly version: number
}

/**
 * The list of all downloads as JSON, for many clients: 64 records make a chunk of bytes, in which only records that
 * changed are made again.
 */
export class DownloadList {
  readonly #clock: Clock
  readonly #downloads: () => Iterable<ListedDownload>
  readonly #limits: () => RateLimits
  #version = 0
  #chunks: readonly DownloadChunk[] = []
  /** The limits that #chunks were made under. */
  #chunkLimits = ''
  #parts: readonly Uint8Array[] = partsOf([])
  #answer: Answer | null = null
  #building: Promise<Answer> | null = null

  constructor(clock: Clock, downloads: () => Iterable<ListedDownload>, limits: () => RateLimits) {
    this.#clock = clock
    this.#downloads = downloads
    this.#limits = limits
  }

  /** Grows with every change that a request makes. */
  get version(): number {
    return this.#version
  }

  /** The records of now, as json() has them: chunks in which nothing changed are the same objects as before. */
  async chunks(): Promise<readonly DownloadChunk[]> {
    await this.json()
    return this.#chunks
  }

  /** A request changed something: answers made before are not given any more. */
  changed(): void {
    this.#version += 1
  }

  /** `{"downloads": [...]}` of now, in parts that follow each other; they are shared and must not be written to. */
  async json(): Promise<readonly Uint8Array[]> {
    const version = this.#version
    const oldestMs = this.#clock.now() - MAX_AGE_MS
    const kept = this.#answer
    if (kept !== null && kept.version >= version && kept.begunMs >= oldestMs) return kept.parts
    for (;;) {
      this.#building ??= this.#build().finally(() => {
        this.#building = null
      })
      const made = await this.#building
      if (made.version >= version && made.begunMs >= oldestMs) return made.parts
    }
  }

  async #build(): Promise<Answer> {
    const begunMs = this.#clock.now()
    const version = this.#version
    const before = this.#chunks
    const chunks = await this.#makeChunks(this.#limits(), [...this.#downloads()])
    // What was made of the same bytes (their digest, a compressed copy) is found by the list of parts.
    if (!sameParts(before, chunks)) this.#parts = partsOf(chunks)
    const answer = { parts: this.#parts, begunMs, version }
    // A short list is not worth keeping: it is made for every client, and never late.
    this.#answer = chunks.length > 1 ? answer : null
    return answer
  }

  async #makeChunks(limits: RateLimits, downloads: readonly ListedDownload[]): Promise<readonly DownloadChunk[]> {
    const limitsText = `${limits.maxDownloadRate} ${limits.maxUploadRate}`
    const before = limitsText === this.#chunkLimits ? this.#chunks : []
    const chunks: DownloadChunk[] = []
    const places = new Places(before)
    let [made, looked] = [0, 0]
    for (let at = 0; at < downloads.length; at += CHUNK_RECORDS) {
      if (made >= TURN_MADE || looked >= TURN_LOOKED) {
        await nextTurn()
        made = looked = 0
      }
      const members = downloads.slice(at, at + CHUNK_RECORDS)
      const index = chunks.length
      const fresh = members.map((one, i) => (places.find(one, index, i) === null || one.changed() ? one : null))
      const count = fresh.filter(download => download !== null).length
      made += count
      looked += members.length
      const old = before[index]
      const same = count === 0 && old !== undefined && sameMembers(old.downloads, members)
      chunks.push(same ? old : chunkOf(members, index, fresh, limits, places))
    }
    this.#chunks = chunks
    this.#chunkLimits = limitsText
    return chunks
  }
}

/** Where in chunks that were made before a record's bytes are. */
class Places {
  readonly #chunks: readonly DownloadChunk[]
  #all: Map<ListedDownload, readonly [DownloadChunk, number]> | null = null

  constructor(chunks: readonly DownloadChunk[]) {
    this.#chunks = chunks
  }

  /** The bytes that were made for `download`, null when none were; `chunk`, `i`: where it was unless the list moved. */
  find(download: ListedDownload, chunk: number, i: number): Uint8Array | null {
    const near = this.#chunks[chunk]
    if (near?.downloads[i] === download) return recordOf(near, i)
    const [far, at] = this.#map().get(download) ?? [null, 0]
    return far === null ? null : recordOf(far, at)
  }

  #map(): Map<ListedDownload, readonly [DownloadChunk, number]> {
    if (this.#all === null) {
      this.#all = new Map()
      for (const chunk of this.#chunks) for (const [i, one] of chunk.downloads.entries()) this.#all.set(one, [chunk, i])
    }
    return this.#all
  }
}

function recordOf(chunk: DownloadChunk, i: number): Uint8Array {
  return chunk.bytes.subarray(chunk.ends[i - 1] ?? 0, chunk.ends[i])
}

/**
 * The chunk with number `index`; `fresh` holds those of `members` whose record must be made again, null for the others.
 */
function chunkOf(
  members: readonly ListedDownload[],
  index: number,
  fresh: readonly (ListedDownload | null)[],
  limits: RateLimits,
  places: Places,
): DownloadChunk {
  const records = members.map((member, i) => {
    const kept = fresh[i] === null ? places.find(member, index, i) : null
    return kept ?? Buffer.from(`${member.recordJson(limits)},`)
  })
  const ends = new Uint32Array(records.length)
  let end = 0
  for (const [i, record] of records.entries()) ends[i] = end += record.length
  return { downloads: members, bytes: Buffer.concat(records, end), ends }
}

function sameMembers(a: readonly ListedDownload[], b: readonly ListedDownload[]): boolean {
  return a.length === b.length && a.every((member, i) => member === b[i])
}

function sameParts(a: readonly DownloadChunk[], b: readonly DownloadChunk[]): boolean {
  return a.length === b.length && a.every((chunk, i) => chunk === b[i])
}

/** Head, chunks without the last comma, end. */
function partsOf(chunks: readonly DownloadChunk[]): readonly Uint8Array[] {
  const bodies = chunks.map(({ bytes }, i) => (i === chunks.length - 1 ? bytes.subarray(0, -1) : bytes))
  return [HEAD, ...bodies, END]
}
