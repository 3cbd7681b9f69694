// The list of all downloads as one JSON text, for many askers: records that did not change keep their text, 64 of them
// make a chunk of bytes, and the chunks one answer, which is shared until it is MAX_AGE_MS old.
// Invariant: an answer holds every change made by a request that was answered before, and every other change older than
// MAX_AGE_MS plus the time of one rebuild.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../ports/clock.ts'
import type { RateLimits } from './download-record.ts'

/** An answer is shared this long; changes may be 200 ms late (decision 0206). */
const MAX_AGE_MS = 100
/** Records whose bytes are made anew together. */
const CHUNK_RECORDS = 64
/** Chunks looked at in one turn of the event loop: some milliseconds when every record changed. */
const TURN_CHUNKS = 6

/** What the list needs of a download. */
export interface ListedDownload {
  /** Its record as JSON; the same text again while nothing in it changed. */
  recordJson(limits: RateLimits): string
}

interface Chunk {
  readonly texts: readonly string[]
  readonly bytes: Buffer
}

interface Answer {
  readonly bytes: Uint8Array
  readonly begunMs: number
  readonly version: number
}

/** See the top of the file. */
export class DownloadList {
  readonly #clock: Clock
  readonly #downloads: () => Iterable<ListedDownload>
  readonly #limits: () => RateLimits
  #version = 0
  #chunks: Chunk[] = []
  #answer: Answer | null = null
  #building: Promise<Answer> | null = null

  constructor(clock: Clock, downloads: () => Iterable<ListedDownload>, limits: () => RateLimits) {
    this.#clock = clock
    this.#downloads = downloads
    this.#limits = limits
  }

  /** A request changed something: answers made before are not given any more. */
  changed(): void {
    this.#version += 1
  }

  /** `{"downloads": [...]}` of now; the bytes are shared and must not be written to. */
  async json(): Promise<Uint8Array> {
    const version = this.#version
    const oldestMs = this.#clock.now() - MAX_AGE_MS
    const kept = this.#answer
    if (kept !== null && kept.version >= version && kept.begunMs >= oldestMs) return kept.bytes
    for (;;) {
      this.#building ??= this.#build().finally(() => {
        this.#building = null
      })
      const made = await this.#building
      if (made.version >= version && made.begunMs >= oldestMs) return made.bytes
    }
  }

  async #build(): Promise<Answer> {
    const begunMs = this.#clock.now()
    const version = this.#version
    const limits = this.#limits()
    const downloads = [...this.#downloads()]
    const chunks: Chunk[] = []
    for (let at = 0; at < downloads.length; at += CHUNK_RECORDS) {
      if (chunks.length > 0 && chunks.length % TURN_CHUNKS === 0) await nextTurn()
      const texts = downloads.slice(at, at + CHUNK_RECORDS).map(download => download.recordJson(limits))
      chunks.push(chunkOf(texts, this.#chunks[chunks.length]))
    }
    this.#chunks = chunks
    const answer = { bytes: joined(chunks), begunMs, version }
    // A short list is not worth keeping: it is made anew for every asker, and never late.
    this.#answer = chunks.length > 1 ? answer : null
    return answer
  }
}

function chunkOf(texts: readonly string[], before: Chunk | undefined): Chunk {
  if (
    before !== undefined &&
    before.texts.length === texts.length &&
    texts.every((text, i) => text === before.texts[i])
  )
    return before
  return { texts, bytes: Buffer.from(texts.join(',')) }
}

function joined(chunks: readonly Chunk[]): Uint8Array {
  const parts: Buffer[] = [Buffer.from('{"downloads":[')]
  for (const [i, { bytes }] of chunks.entries()) {
    if (i > 0) parts.push(COMMA)
    parts.push(bytes)
  }
  parts.push(Buffer.from(']}'))
  return Buffer.concat(parts)
}

const COMMA = Buffer.from(',')
