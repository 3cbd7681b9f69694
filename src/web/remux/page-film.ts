// A film that the page plays itself: its worker repacks the tracks, the browser's media source takes them in. Loaded
// when it is needed (decision 0545).

import { type Abilities, type KnownFilm, planOf, type RemuxPlan } from '../model/film/film-way.ts'
import { behindHole } from '../model/film/buffer-window.ts'
import type { TrackKind } from './messages.ts'
import { spansOf, TrackBuffer } from './track-buffer.ts'
import { LinkFailure, WorkerFilm } from './worker-film.ts'

/** What the page hears of it. */
export interface PageFilmEvents {
  /** It can be played, from this address (of this page alone); which sound it begins with. */
  ready(src: string, film: KnownFilm, soundId: number | null): void
  /** It cannot be repacked. */
  gaveUp(): void
  /** The link does not answer: it goes on when there is another. */
  stopped(): void
  /** Something has come in. */
  came(): void
}

/** What is played. */
export interface PageFilmOptions {
  readonly element: HTMLVideoElement
  readonly url: string
  /** Bytes. */
  readonly size: number
  /** Where the file itself does not say it; null: not known. */
  readonly durationSec: number | null
  /** Null: none was chosen. */
  readonly soundId: number | null
  readonly can: Abilities
}

/** Plays one film in a media element. */
export class PageFilm {
  readonly #options: PageFilmOptions
  readonly #events: PageFilmEvents
  readonly #worker = new WorkerFilm()
  readonly #media = new MediaSource()
  readonly #src = URL.createObjectURL(this.#media)
  #url: string
  #film: KnownFilm | null = null
  #plan: RemuxPlan | null = null
  /** The sound that was chosen last; null: none was. */
  #wanted: number | null
  #changing = false
  #tracks: TrackBuffer[] = []
  #closed = false
  /** The link did not answer: nothing is asked of it until there is another. */
  #stopped = false

  constructor(options: PageFilmOptions, events: PageFilmEvents) {
    this.#options = options
    this.#events = events
    this.#url = options.url
    this.#wanted = options.soundId
    const { element } = options
    element.addEventListener('seeking', this.#sought)
    element.addEventListener('timeupdate', this.#pump)
    void this.#begin().catch((error: unknown) => this.#failed(error))
  }

  /** Another link to the same film. */
  relink(url: string): void {
    this.#url = url
    this.#worker.relink(url)
    const stopped = this.#stopped
    this.#stopped = false
    if (stopped && this.#film === null) void this.#begin().catch((error: unknown) => this.#failed(error))
    else this.#pump()
    // Where the link had stopped while a sound was chosen.
    if (stopped && this.#wanted !== null) void this.chooseSound(this.#wanted)
  }

  /** Plays another track of sound from here on; of several that are chosen quickly the last. */
  async chooseSound(id: number): Promise<void> {
    this.#wanted = id
    if (this.#changing) return
    this.#changing = true
    try {
      let changed = true
      while (changed) changed = await this.#changeSound()
    } catch (error) {
      this.#failed(error)
    }
    this.#changing = false
  }

  /** Ends it; the element is to get another source. */
  close(): void {
    this.#closed = true
    const { element } = this.#options
    element.removeEventListener('seeking', this.#sought)
    element.removeEventListener('timeupdate', this.#pump)
    for (const track of this.#tracks) track.close()
    this.#worker.close()
    URL.revokeObjectURL(this.#src)
  }

  readonly #pump = (): void => {
    if (this.#stopped) return
    for (const track of this.#tracks) track.pump()
  }

  readonly #sought = (): void => {
    if (this.#stopped) return
    for (const track of this.#tracks) track.seek()
  }

  async #begin(): Promise<void> {
    const { size, can } = this.#options
    const film = await this.#worker.open(this.#url, size)
    const plan = planOf(film, can, this.#wanted)
    if (plan === null) throw new Error('Nothing of this film can be repacked.')
    const types = await this.#worker.play(plan)
    if (this.#closed) return
    this.#film = film
    this.#plan = plan
    const opened = new Promise(resolve => this.#media.addEventListener('sourceopen', resolve, { once: true }))
    this.#events.ready(this.#src, film, planOf(film, can, this.#wanted)?.sound?.id ?? null)
    await opened
    if (this.#closed) return
    const duration = film.durationSec ?? this.#options.durationSec
    if (duration !== null) this.#media.duration = duration
    this.#tracks = kinds.flatMap(kind => {
      const type = types[kind]
      return type === null ? [] : [this.#track(kind, type)]
    })
    this.#pump()
    // Another one may have been chosen while the film was being opened.
    if (this.#wanted !== null) void this.chooseSound(this.#wanted)
  }

  /** False: what is wanted is played, or nothing can be done about it. */
  async #changeSound(): Promise<boolean> {
    const sound = this.#tracks.find(({ kind }) => kind === 'sound')
    const plan = this.#film === null ? null : planOf(this.#film, this.#options.can, this.#wanted)
    if (this.#closed || sound === undefined || plan === null) return false
    if (plan.sound?.id !== this.#wanted || this.#plan?.sound?.id === this.#wanted) return false
    const { sound: type } = await this.#worker.play(plan)
    this.#plan = plan
    if (type !== null && !this.#closed) sound.change(type)
    return true
  }

  #track(kind: TrackKind, type: string): TrackBuffer {
    return new TrackBuffer(kind, this.#media.addSourceBuffer(type), {
      worker: this.#worker,
      place: () => this.#options.element.currentTime,
      nowMs: () => performance.now(),
      came: () => this.#came(),
      rested: () => this.#rested(),
      failed: error => this.#failed(error),
    })
  }

  #came(): void {
    this.#events.came()
    const { element } = this.#options
    if (element.seeking || element.readyState > HTMLMediaElement.HAVE_CURRENT_DATA) return
    const behind = behindHole(spansOf(element.buffered), element.currentTime)
    if (behind !== null) element.currentTime = behind
  }

  #rested(): void {
    if (this.#media.readyState === 'open' && this.#tracks.every(({ whole }) => whole)) this.#media.endOfStream()
  }

  #failed(error: unknown): void {
    if (this.#closed) return
    if (!(error instanceof LinkFailure)) return this.#events.gaveUp()
    if (this.#stopped) return
    this.#stopped = true
    this.#events.stopped()
  }
}

const kinds: readonly TrackKind[] = ['video', 'sound']
