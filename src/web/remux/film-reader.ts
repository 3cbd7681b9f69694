// What the worker does with orders of the page: opens a film, and reads its two tracks, a run of each at a time.

import type { RemuxPlan } from '../model/film/film-way.ts'
import { FilmInput, filmOf } from './film-input.ts'
import type { Note, Order, Part, TrackKind } from './messages.ts'
import { type Fetch, LinkError, RangeSource } from './range-source.ts'
import { convertedSound, copiedSound, loadDecoder, videoRun } from './track-runs.ts'

/** Sends a note; `transfer`: what goes with it without a copy. */
type Tell = (note: Note, transfer?: ArrayBuffer[]) => void

interface ReadRun {
  readonly number: number
  readonly cut: AbortController
  readonly parts: AsyncGenerator<Part, void>
}

/** Reads one film. */
export class FilmReader {
  readonly #fetch: Fetch
  readonly #tell: Tell
  readonly #runs = new Map<TrackKind, ReadRun>()
  #source: RangeSource | null = null
  #plan: RemuxPlan = { video: null, sound: null }

  constructor(fetch: Fetch, tell: Tell) {
    this.#fetch = fetch
    this.#tell = tell
  }

  /** Does what is ordered; resolves when it is done. */
  async take(order: Order): Promise<void> {
    try {
      switch (order.order) {
        case 'open':
          return await this.#open(order.url, order.size)
        case 'play':
          return await this.#play(order.plan)
        case 'link':
          return this.#source?.relink(order.url)
        case 'read':
          return await this.#read(order)
        case 'look':
          return this.#tell({ note: 'here' })
      }
    } catch (error) {
      this.#failed(error, order.order === 'read' ? order.kind : null)
    }
  }

  async #open(url: string, size: number): Promise<void> {
    this.#source = new RangeSource(url, size, this.#fetch)
    await this.#withFilm(async film => {
      this.#tell({ note: 'opened', film: await filmOf(film) })
    })
  }

  async #play(plan: RemuxPlan): Promise<void> {
    this.#plan = plan
    await this.#withFilm(async film => {
      const picture = plan.video === null ? null : await film.videoTrack(plan.video)
      const sound = plan.sound === null ? null : await film.audioTrack(plan.sound.id)
      // It comes while the page makes its buffers; where it does not, the run says so.
      if (plan.sound?.converted === true) loadDecoder((await sound?.getCodec()) ?? null).catch(() => undefined)
      const soundCodec = plan.sound?.converted === true ? 'flac' : await sound?.getCodecParameterString()
      const video = await picture?.getCodecParameterString()
      const types = { video: typeOf('video', video), sound: typeOf('audio', soundCodec) }
      this.#tell({ note: 'ready', types })
    })
  }

  async #withFilm(run: (film: FilmInput) => Promise<void>): Promise<void> {
    const cut = new AbortController()
    const film = new FilmInput(this.#opened(), cut.signal)
    try {
      await run(film)
    } finally {
      cut.abort()
      film.close()
    }
  }

  async #read({ kind, run: number, fromSec }: Extract<Order, { order: 'read' }>): Promise<void> {
    if (fromSec !== null) this.#begin(kind, number, fromSec)
    const run = this.#runs.get(kind)
    if (run?.number !== number) return
    try {
      const next = await run.parts.next()
      if (run.cut.signal.aborted) return
      if (next.done === true) this.#tell({ note: 'end', kind, run: number })
      else this.#tell({ note: 'part', kind, run: number, part: next.value }, [next.value.bytes.buffer])
    } catch (error) {
      if (!run.cut.signal.aborted) throw error
    }
  }

  #begin(kind: TrackKind, number: number, fromSec: number): void {
    const before = this.#runs.get(kind)
    const cut = new AbortController()
    this.#runs.set(kind, { number, cut, parts: this.#parts(kind, fromSec, cut.signal) })
    before?.cut.abort()
    // What it waited for was cut, and that is all there is to say of it.
    before?.parts.return().catch(() => undefined)
  }

  async *#parts(kind: TrackKind, fromSec: number, signal: AbortSignal): AsyncGenerator<Part, void> {
    const film = new FilmInput(this.#opened(), signal)
    const { video, sound } = this.#plan
    try {
      if (kind === 'video' && video !== null) yield* videoRun(film, video, fromSec)
      if (kind === 'sound' && sound !== null)
        yield* sound.converted ? convertedSound(film, sound.id, fromSec) : copiedSound(film, sound.id, fromSec)
    } finally {
      film.close()
    }
  }

  #opened(): RangeSource {
    if (this.#source === null) throw new Error('No film is open.')
    return this.#source
  }

  #failed(error: unknown, kind: TrackKind | null): void {
    const text = error instanceof Error ? error.message : String(error)
    this.#tell({ note: 'failed', why: error instanceof LinkError ? 'link' : 'film', kind, text })
  }
}

function typeOf(top: 'video' | 'audio', codec: string | null | undefined): string | null {
  return codec === null || codec === undefined ? null : `${top}/mp4; codecs="${codec}"`
}
