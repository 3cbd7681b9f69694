// What one peer has asked for, in its order. Taking from its front moves nothing: a peer queues two thousand requests,
// fifteen go out at a time, and moving what is behind them cost a twentieth of an upload's CPU (decision 0536).

/** A block that the peer asked us for. */
export interface UploadRequest {
  readonly piece: number
  readonly begin: number
  readonly length: number
}

/** What is gone from the front is cut off when it is this long. */
const MOST_GONE = 1024

/** A queue of requests; its owner bounds it. */
export class RequestQueue {
  #requests: UploadRequest[] = []
  /** Of them those at the front that are gone. */
  #gone = 0

  get length(): number {
    return this.#requests.length - this.#gone
  }

  /** The one with `index` others before it, which must be there. */
  at(index: number): UploadRequest {
    return this.#requests[this.#gone + index] as UploadRequest
  }

  push(request: UploadRequest): void {
    this.#requests.push(request)
  }

  /** Takes the first `count` out. */
  drop(count: number): void {
    this.#gone += count
    if (this.#gone < MOST_GONE && this.#gone < this.#requests.length) return
    this.#requests = this.#requests.slice(this.#gone)
    this.#gone = 0
  }

  /** Takes the first that is the same out; false when there is none. */
  remove({ piece, begin, length }: UploadRequest): boolean {
    const same = (one: UploadRequest, at: number): boolean =>
      at >= this.#gone && one.piece === piece && one.begin === begin && one.length === length
    const at = this.#requests.findIndex(same)
    if (at >= 0) this.#requests.splice(at, 1)
    return at >= 0
  }

  /** Takes out what `keep` does not want, and answers it. */
  keepOnly(keep: (request: UploadRequest) => boolean): UploadRequest[] {
    const all = this.#requests.slice(this.#gone)
    const [kept, out]: [UploadRequest[], UploadRequest[]] = [[], []]
    for (const request of all) (keep(request) ? kept : out).push(request)
    this.#requests = kept
    this.#gone = 0
    return out
  }
}
