// One track of a film in the browser's buffer: keeps what is around the place that is played, and no more.

import { playsOn, type Run, runWithout, type Span, stepOf, surplusOf } from '../model/film/buffer-window.ts'
import { HeldAhead } from '../model/film/held-ahead.ts'
import type { Part, TrackKind } from './messages.ts'

/** Seconds that are held before and behind the place. Browsers hold less bytes of sound than of pictures. */
const WINDOWS: Readonly<Record<TrackKind, { readonly aheadSec: number; readonly backSec: number }>> = {
  video: { aheadSec: 30, backSec: 20 },
  sound: { aheadSec: 20, backSec: 10 },
}

/** What is held, as browsers say it. */
interface Ranges {
  readonly length: number
  start(at: number): number
  end(at: number): number
}

/** What of a browser's SourceBuffer is used. */
export interface PartBuffer {
  readonly buffered: Ranges
  appendBuffer(bytes: Uint8Array<ArrayBuffer>): void
  remove(startSec: number, endSec: number): void
  changeType(type: string): void
  addEventListener(name: 'updateend', listener: () => void): void
  removeEventListener(name: 'updateend', listener: () => void): void
}

/** Where parts come from: see WorkerFilm. */
export interface PartSource {
  read(kind: TrackKind, run: number, fromSec: number | null): Promise<Part | 'end' | 'left'>
  leave(kind: TrackKind): void
}

/** What the track asks of the film. */
export interface TrackFilm {
  readonly worker: PartSource
  /** The place that is played or sought, seconds. */
  place(): number
  /** ms of a clock that does not go back. */
  nowMs(): number
  /** A part came in. */
  came(): void
  /** Nothing more is done for now. */
  rested(): void
  failed(error: unknown): void
}

/** Feeds one source buffer. */
export class TrackBuffer {
  readonly kind: TrackKind
  readonly #buffer: PartBuffer
  readonly #film: TrackFilm
  readonly #ahead: HeldAhead
  #run: Run | null = null
  #number = 0
  #ended = false
  #held: Part | null = null
  #busy = false
  #closed = false
  /** Of another track of the film, which is played from now on. */
  #nextType: string | null = null

  constructor(kind: TrackKind, buffer: PartBuffer, film: TrackFilm) {
    this.kind = kind
    this.#buffer = buffer
    this.#film = film
    this.#ahead = new HeldAhead(WINDOWS[kind].aheadSec)
  }

  /** Everything up to the end of the track is there. */
  get whole(): boolean {
    return this.#ended && !this.#busy
  }

  /** Reads what is needed; returns at once. Called whenever the place may have changed. */
  pump(): void {
    if (this.#busy || this.#closed) return
    this.#busy = true
    void this.#fill()
      .catch((error: unknown) => {
        // What is asked next begins a new run.
        this.#run = null
        if (!this.#closed) this.#film.failed(error)
      })
      .finally(() => {
        this.#busy = false
        if (!this.#closed) this.#film.rested()
      })
  }

  /** The place was changed: what is under way for another is left. */
  seek(): void {
    if (stepOf(this.#spans(), this.#film.place(), this.#run, this.#ahead.sec).does === 'begin')
      this.#film.worker.leave(this.kind)
    this.pump()
  }

  /** Another track of the film is played from now on: what is held is let go. `type`: of the new one. */
  change(type: string): void {
    this.#run = null
    this.#held = null
    this.#nextType = type
    this.#film.worker.leave(this.kind)
    this.pump()
  }

  /** Nothing more happens. */
  close(): void {
    this.#closed = true
  }

  async #fill(): Promise<void> {
    while (!this.#closed) {
      await this.#trim()
      if (this.#held !== null) {
        if (!(await this.#append(this.#held))) return
        continue
      }
      const step = stepOf(this.#spans(), this.#film.place(), this.#run, this.#ahead.sec)
      if (step.does === 'wait' || (step.does === 'more' && this.#ended)) return
      await this.#read(step.does === 'begin' ? step.fromSec : null)
    }
  }

  async #read(fromSec: number | null): Promise<void> {
    if (fromSec !== null) {
      this.#number += 1
      this.#ended = false
      this.#run = { startSec: fromSec, endSec: fromSec }
    }
    const run = this.#run
    const part = await this.#film.worker.read(this.kind, this.#number, fromSec)
    // Another track may have been chosen meanwhile.
    if (part === 'left' || run !== this.#run) return
    if (part === 'end') this.#ended = true
    else this.#held = part
  }

  /** False: the buffer is full, and the part is kept until there is room. */
  async #append(part: Part): Promise<boolean> {
    const run = this.#run
    try {
      await this.#update(() => this.#buffer.appendBuffer(part.bytes))
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'QuotaExceededError') throw error
      return this.#makeRoom()
    }
    this.#ahead.took(this.#film.nowMs())
    if (this.#held === part) this.#held = null
    if (run !== null && run === this.#run)
      this.#run = { startSec: run.startSec, endSec: Math.max(run.endSec, part.endSec) }
    this.#film.came()
    return true
  }

  /** The buffer is full. True: something was let go, and the part is tried again. Rejects where nothing helps. */
  async #makeRoom(): Promise<boolean> {
    const spans = this.#spans()
    if (playsOn(spans, this.#film.place())) {
      this.#ahead.refused(this.#film.nowMs())
      return false
    }
    // Nothing is played, so no time goes by in which there would come to be room.
    if (spans.length === 0) throw new Error('A part of the film is larger than what this browser holds.')
    await this.#letGo({ startSec: 0, endSec: Number.POSITIVE_INFINITY })
    return true
  }

  async #trim(): Promise<void> {
    const type = this.#nextType
    this.#nextType = null
    if (type !== null) this.#buffer.changeType(type)
    const surplus =
      type === null
        ? surplusOf(this.#spans(), this.#film.place(), WINDOWS[this.kind].backSec, this.#ahead.sec)
        : [{ startSec: 0, endSec: Number.POSITIVE_INFINITY }]
    for (const span of surplus) await this.#letGo(span)
  }

  async #letGo(span: Span): Promise<void> {
    if (this.#run !== null) this.#run = runWithout(this.#run, span)
    await this.#update(() => this.#buffer.remove(span.startSec, span.endSec))
  }

  /** Changes the buffer, and waits until that is done. */
  #update(change: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.#buffer.removeEventListener('updateend', done)
        resolve()
      }
      this.#buffer.addEventListener('updateend', done)
      try {
        if (this.#closed) throw new Error('The player was closed.')
        change()
      } catch (error) {
        this.#buffer.removeEventListener('updateend', done)
        reject(error instanceof Error ? error : new Error(String(error)))
      }
    })
  }

  #spans(): Span[] {
    return spansOf(this.#buffer.buffered)
  }
}

/** What is held, as spans. */
export function spansOf(ranges: Ranges): Span[] {
  return Array.from({ length: ranges.length }, (_, at) => ({ startSec: ranges.start(at), endSec: ranges.end(at) }))
}
