// One who watches a film of a running node while it comes in: asks each half second from when on it plays, reads
// meanwhile as browsers do, begins when the node says "now", and reads on by the film's own clock. Notes when each
// piece came, so that the best start can be worked out afterwards.

import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import type { Media } from '../../../../src/chapters/media/client/routes.ts'
import { downloadRecord } from '../../../kit/nodes/downloads-client.ts'
import type { NodeProcess } from '../../../kit/nodes/node-process.ts'

/** How often it looks whether it may start, ms. */
const ASK_MS = 500
/** How often it plays on, and looks what came, ms. */
const STEP_MS = 50
/** Reads so far ahead of the film's clock, s. */
const AHEAD_SEC = 3
/** Pictures that are decoded ahead bridge so much, ms; what is longer is seen. */
const UNSEEN_MS = 200

/** What is watched. */
export interface WatchedFilm {
  readonly node: NodeProcess
  readonly infoHash: string
  readonly pieceLength: number
  /** Seconds that are watched. */
  readonly seconds: number
  /** Longest wait for the start, s. */
  readonly maxWaitSec: number
  /** Called once with each second that is played. */
  readonly onSecond?: (second: number) => void
}

/** How it went. All ms count from the wish to watch. */
export interface WatchedRun {
  readonly startMs: number
  /** The earliest start with which nothing of what was played would have been late. */
  readonly bestMs: number
  /** When the first piece of the film was there. */
  readonly firstMs: number
  readonly stalls: number
  /** Share of the film that was there at the start. */
  readonly thereAtStart: number
}

/** Watches it. Rejects when the start does not come, or a piece was played that never came. */
export async function watchFilm(film: WatchedFilm): Promise<WatchedRun> {
  const viewer = new FilmViewer(film)
  try {
    return await viewer.watch()
  } finally {
    viewer.close()
  }
}

class FilmViewer {
  readonly #film: WatchedFilm
  readonly #wishedMs = performance.now()
  /** When each piece was seen to be there, by the same clock. */
  readonly #came = new Map<number, number>()
  readonly #looks: NodeJS.Timeout
  #response: IncomingMessage | null = null
  #isLooking = false
  #received = 0

  constructor(film: WatchedFilm) {
    this.#film = film
    this.#looks = setInterval(() => void this.#look().catch(() => undefined), STEP_MS)
  }

  async watch(): Promise<WatchedRun> {
    const { node, infoHash, seconds } = this.#film
    const { files } = await node.get<{ files: { size: number; stream_url: string }[] }>(`/downloads/${infoHash}/files`)
    const { size = 0, stream_url: address = '' } = files[0] ?? {}
    await this.#open(`${node.baseUrl}${address}`)
    const duration = await this.#mayStart()
    const startMs = this.#sinceWish()
    const thereAtStart = (await downloadRecord(node, infoHash)).progress
    const bytesPerSec = size / duration
    const stalls = await this.#play(bytesPerSec)
    const bestMs = this.#best(bytesPerSec, Math.min(size, bytesPerSec * seconds))
    return { startMs, bestMs, firstMs: (this.#came.get(0) ?? 0) - this.#wishedMs, stalls, thereAtStart }
  }

  close(): void {
    clearInterval(this.#looks)
    this.#response?.destroy()
  }

  #sinceWish(): number {
    return performance.now() - this.#wishedMs
  }

  /** Resolves with the film's length, s, when the node says that it plays. */
  async #mayStart(): Promise<number> {
    const { node, infoHash, maxWaitSec } = this.#film
    for (;;) {
      const { media } = await node.get<{ media: Media }>(`/downloads/${infoHash}/media/0?keyframes=false&wait=1`)
      const duration = media.facts?.duration ?? 0
      if (duration > 0 && media.forecast?.start_in === 0) return duration
      assert.ok(this.#sinceWish() < maxWaitSec * 1000, `still waiting: ${JSON.stringify(media.forecast)}`)
      await new Promise(resolve => setTimeout(resolve, ASK_MS))
    }
  }

  /** Reads by the film's clock, which stands where a byte is late. Resolves with how often it stood. */
  async #play(bytesPerSec: number): Promise<number> {
    const { seconds, onSecond } = this.#film
    let [playedMs, lateMs, stalls, told, lastMs] = [0, 0, 0, 0, performance.now()]
    while (playedMs < seconds * 1000) {
      this.#hold((playedMs / 1000 + AHEAD_SEC) * bytesPerSec)
      await new Promise(resolve => setTimeout(resolve, STEP_MS))
      const now = performance.now()
      const next = playedMs + now - lastMs
      if (this.#received >= (next / 1000) * bytesPerSec) {
        playedMs = next
        lateMs = 0
      } else {
        if (lateMs <= UNSEEN_MS && lateMs + now - lastMs > UNSEEN_MS) stalls += 1
        lateMs += now - lastMs
      }
      lastMs = now
      while (told < Math.floor(playedMs / 1000)) onSecond?.((told += 1))
    }
    return stalls
  }

  async #open(url: string): Promise<void> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers: { Range: 'bytes=0-' }, agent: false }, resolve).on('error', reject)
    })
    assert.equal(response.statusCode, 206)
    response.on('error', () => undefined)
    response.on('data', (chunk: Buffer) => void (this.#received += chunk.length))
    this.#response = response
  }

  /** Goes on to read up to a byte, and no further. */
  #hold(byte: number): void {
    if (this.#received >= byte) this.#response?.pause()
    else this.#response?.resume()
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const { node, infoHash } = this.#film
      const now = performance.now()
      const { pieces = '' } = await downloadRecord(node, infoHash, '?get_pieces=1')
      for (const [at, byte] of Buffer.from(pieces, 'base64').entries())
        for (let bit = 0; bit < 8; bit += 1)
          if ((byte & (0x80 >> bit)) !== 0 && !this.#came.has(at * 8 + bit)) this.#came.set(at * 8 + bit, now)
    } finally {
      this.#isLooking = false
    }
  }

  #best(bytesPerSec: number, end: number): number {
    const { pieceLength } = this.#film
    let best = 0
    for (let piece = 0; piece * pieceLength < end; piece += 1) {
      const cameMs = this.#came.get(piece)
      assert.ok(cameMs !== undefined, `piece ${piece} was played and never came`)
      best = Math.max(best, cameMs - this.#wishedMs - (piece * pieceLength * 1000) / bytesPerSec)
    }
    return best
  }
}
