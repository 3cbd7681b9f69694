// Texts inside of films of downloads: each part is one look by the thread at what is there. Nobody waits for the swarm:
// texts lie between the pictures that are shown with them, and come in with those. Bounded: looks that are under way or
// stand in line, in all and of one film.

import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Asker, StreamableFile } from '../../../services/downloads/streams-api.ts'
import type { SubtitleOrder, SubtitlePart } from '../core/subtitles/subtitle-part.ts'
import type { TextsOutcome } from '../probe/read-part.ts'
import { FilmBytes, type FilmDisk } from './film-bytes.ts'
import type { MediaTexts } from './media-api.ts'
import type { ReaderLine } from './reader-line.ts'
import { UnreadableFilms } from './unreadable-films.ts'

/** Looks at a time; each takes up to a second and a half, and who reads facts waits for one of them. */
const MAX_LOOKS = 8
/** And of one film: a link must not keep all others waiting. */
const MAX_LOOKS_OF_FILM = 3
/** How long one may wait for its turn. */
const LINE_LIMIT_MS = 20_000

/** What it works with. */
export interface FilmTextsDeps {
  readonly clock: Clock
  readonly disk: FilmDisk
  readonly line: ReaderLine
  /** See DownloadsService.streamable(). */
  readonly streamable: (infohash: string, fileIndex: string, asker: Asker) => StreamableFile | Promise<StreamableFile>
}

/** MediaTexts over the downloads of a node. */
export class FilmTexts implements MediaTexts {
  readonly #deps: FilmTextsDeps
  readonly #looks = new Set<AbortController>()
  /** How many of a film, by its tag. */
  readonly #ofFilm = new Map<string, number>()
  /** By tag and track; by tag alone what cost the thread its life, which the head does that all tracks have. */
  readonly #unreadable: UnreadableFilms
  #stopped = false

  constructor(deps: FilmTextsDeps) {
    this.#deps = deps
    this.#unreadable = new UnreadableFilms(deps.clock)
  }

  /** Looks under way. */
  get looks(): number {
    return this.#looks.size
  }

  async texts(infohash: string, fileIndex: string, order: SubtitleOrder, asker: Asker): Promise<SubtitlePart> {
    const file = await this.#deps.streamable(infohash, fileIndex, asker)
    const name = `${file.tag}/${order.track}`
    const why = this.#unreadable.why(file.tag) ?? this.#unreadable.why(name)
    if (why !== null) throw new AppError('MediaUnreadable', why)
    const outcome = await this.#inPlace(file.tag, asker, signal => this.#look(file, order, signal))
    if (outcome.kind === 'texts') return outcome.part
    if (outcome.kind === 'missing') return { cues: [], covered: [], missing: outcome.range, fetched: 0 }
    if (outcome.kind === 'none') throw new AppError('NotFound', `There are no such subtitles: ${outcome.why}.`)
    if (outcome.kind === 'failed') throw new AppError('DiskError', `The film could not be read: ${outcome.why}.`)
    const text = `The subtitles cannot be read: ${outcome.why}.`
    this.#unreadable.note(outcome.isCostly === true ? file.tag : name, text)
    throw new AppError('MediaUnreadable', text)
  }

  /** Ends what is under way. */
  stop(): void {
    this.#stopped = true
    for (const look of this.#looks) look.abort()
  }

  /** Work that ends with its asker, and with this. */
  async #inPlace<T>(tag: string, asker: Asker, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#stopped) throw new AppError('NotReady', 'The node is stopping.')
    const count = this.#ofFilm.get(tag) ?? 0
    if (count >= MAX_LOOKS_OF_FILM || this.#looks.size >= MAX_LOOKS)
      throw new AppError('TooManyRequests', 'Too many subtitles are being read already; try again.')
    const controller = new AbortController()
    const leave = (): void => controller.abort()
    if (asker.signal.aborted) leave()
    asker.signal.addEventListener('abort', leave, { once: true })
    this.#looks.add(controller)
    this.#ofFilm.set(tag, count + 1)
    try {
      return await work(controller.signal)
    } finally {
      asker.signal.removeEventListener('abort', leave)
      this.#looks.delete(controller)
      const left = (this.#ofFilm.get(tag) ?? 1) - 1
      if (left === 0) this.#ofFilm.delete(tag)
      else this.#ofFilm.set(tag, left)
    }
  }

  async #look(file: StreamableFile, order: SubtitleOrder, signal: AbortSignal): Promise<TextsOutcome> {
    if (signal.aborted) throw new AppError('Aborted')
    const film = new FilmBytes(file, this.#deps.disk)
    // Who stands in line too long leaves it.
    const place = new AbortController()
    const timer = this.#deps.clock.after(LINE_LIMIT_MS, () => place.abort())
    const leave = (): void => {
      place.abort()
      film.close()
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await this.#deps.line.texts(film, order, place.signal, () => timer.cancel())
    } catch (error) {
      if (place.signal.aborted && !signal.aborted)
        throw new AppError('TooManyRequests', 'Too many films are being read; try again.', { cause: error })
      throw error
    } finally {
      timer.cancel()
      signal.removeEventListener('abort', leave)
      film.close()
    }
  }
}
