// Bytes of a film by Range requests of its link, in blocks that are kept for a while: what two tracks read at once is
// fetched once, and a request for which nobody waits any more is cut.

import { READ_BYTES } from '../model/film/repack-lag.ts'

/** The link does not answer with bytes: it has expired, or the node is away. */
export class LinkError extends Error {}

/** A block; requests are made of whole ones. */
const BLOCK = READ_BYTES
/** Blocks that are kept: 24 MiB. */
const MAX_KEPT = 96
/** Blocks of one request: what is asked of a film that comes in stays near the place that is played. */
const MAX_ASKED = 16

/** What it needs of the world: the browser's fetch. */
export type Fetch = (url: string, init: { headers: Record<string, string>; signal: AbortSignal }) => Promise<Response>

/** A request under way, for blocks `first` up to `end`. */
interface Fetching {
  readonly first: number
  readonly end: number
  readonly done: Promise<void>
  readonly cut: AbortController
  readers: number
}

/** Reads ranges of one file. */
export class RangeSource {
  readonly size: number
  #url: string
  readonly #fetch: Fetch
  /** By number, the ones used last at the end. */
  readonly #kept = new Map<number, Uint8Array>()
  readonly #coming = new Map<number, Fetching>()

  /** `size`: bytes of the file. */
  constructor(url: string, size: number, fetch: Fetch) {
    this.#url = url
    this.size = size
    this.#fetch = fetch
  }

  /** Another link to the same file, from the next request on. */
  relink(url: string): void {
    this.#url = url
  }

  /** Bytes from `start` up to `end`. Rejects with LinkError, or with the signal's reason. */
  async read(start: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start)
    for (let block = Math.floor(start / BLOCK); block * BLOCK < end; block += 1) {
      const data = this.#taken(block) ?? (await this.#load(block, Math.ceil(end / BLOCK), signal))
      const from = block * BLOCK
      const part = data.subarray(Math.max(0, start - from), Math.min(data.length, end - from))
      bytes.set(part, Math.max(0, from - start))
    }
    return bytes
  }

  #taken(block: number): Uint8Array | undefined {
    const data = this.#kept.get(block)
    if (data === undefined) return undefined
    this.#kept.delete(block)
    this.#kept.set(block, data)
    return data
  }

  /** A block; with it those up to `end` that are not there, as far as one request goes. */
  async #load(block: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted()
    const fetching = this.#coming.get(block) ?? this.#ask(block, end)
    fetching.readers += 1
    let leave = (): void => undefined
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason as Error)
      signal.addEventListener('abort', leave)
    })
    try {
      await Promise.race([fetching.done, left])
    } finally {
      signal.removeEventListener('abort', leave)
      fetching.readers -= 1
      if (fetching.readers === 0) this.#end(fetching)
    }
    const data = this.#taken(block)
    // Others have read so much meanwhile that it is gone again.
    return data ?? this.#load(block, end, signal)
  }

  #ask(first: number, wantedEnd: number): Fetching {
    let end = first + 1
    while (end < wantedEnd && end - first < MAX_ASKED && !this.#kept.has(end) && !this.#coming.has(end)) end += 1
    const cut = new AbortController()
    const fetching = { first, end, done: this.#request(first, end, cut.signal), cut, readers: 0 }
    for (let block = first; block < end; block += 1) this.#coming.set(block, fetching)
    // Nobody may be left to hear of it.
    fetching.done.catch(() => undefined).finally(() => this.#end(fetching))
    return fetching
  }

  /** It is over, or nobody waits for it: who asks next does not get this one. */
  #end(fetching: Fetching): void {
    fetching.cut.abort()
    for (let block = fetching.first; block < fetching.end; block += 1)
      if (this.#coming.get(block) === fetching) this.#coming.delete(block)
  }

  async #request(first: number, end: number, signal: AbortSignal): Promise<void> {
    const start = first * BLOCK
    const length = Math.min(end * BLOCK, this.size) - start
    const headers = { Range: `bytes=${start}-${start + length - 1}` }
    let bytes: Uint8Array
    try {
      const answer = await this.#fetch(this.#url, { headers, signal })
      // The whole film would not be a part of it.
      if (answer.status !== 206 && !(answer.ok && length === this.size)) {
        await answer.body?.cancel()
        throw new LinkError(`The link answers ${answer.status}.`)
      }
      bytes = new Uint8Array(await answer.arrayBuffer())
    } catch (error) {
      if (signal.aborted || error instanceof LinkError) throw error
      throw new LinkError(error instanceof Error ? error.message : String(error))
    }
    if (bytes.length !== length) throw new LinkError('The link answers with less than it was asked for.')
    for (let block = first; block < end; block += 1)
      this.#keep(block, bytes.slice((block - first) * BLOCK, (block - first + 1) * BLOCK))
  }

  #keep(block: number, data: Uint8Array): void {
    this.#kept.set(block, data)
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT) break
      this.#kept.delete(oldest)
    }
  }
}
