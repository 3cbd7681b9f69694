// The page's end of the worker: orders go out, answers come back as promises.

// oxlint-disable-next-line import/default -- vite makes it
import workerUrl from './film-worker.ts?worker&url'
import { LOOK_MS, SignsOfLife } from '../model/film/signs-of-life.ts'
import type { KnownFilm, RemuxPlan } from '../model/film/film-way.ts'
import type { Note, Order, Part, TrackKind } from './messages.ts'

/** Trusted Types, where the browser has them (https://w3c.github.io/trusted-types). */
interface ScriptPolicy {
  createScriptURL(url: string): string
}
interface ScriptPolicies {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy
}

/** The link does not answer. */
export class LinkFailure extends Error {}

/** What waits for an answer. */
interface Waiting<T> {
  resolve(value: T): void
  reject(error: Error): void
}

const { trustedTypes } = globalThis as { trustedTypes?: ScriptPolicies }
// The one address that this page ever starts a worker from (the page's policy names this rule).
const policy: ScriptPolicy = trustedTypes?.createPolicy('tributary-worker', { createScriptURL: () => workerUrl }) ?? {
  createScriptURL: () => workerUrl,
}

/** A film in its worker. */
export class WorkerFilm {
  readonly #worker = new Worker(policy.createScriptURL(workerUrl), { type: 'module' })
  readonly #reads = new Map<TrackKind, { readonly run: number } & Waiting<Part | 'end' | 'left'>>()
  readonly #life = new SignsOfLife()
  readonly #looks = setInterval(() => this.#look(), LOOK_MS)
  #asked: Waiting<Note> | null = null
  /** It was ended, and answers nothing any more. */
  #isOver = false

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Note>) => this.#hear(data))
    this.#worker.addEventListener('error', event => {
      event.preventDefault()
      this.#fail(new Error('The worker of the player could not be started.'), null)
    })
  }

  /** What is in the film. Rejects where it cannot be read. */
  async open(url: string, size: number): Promise<KnownFilm> {
    const note = await this.#ask({ order: 'open', url, size })
    if (note.note !== 'opened') throw new Error('The worker of the player answers something else.')
    return note.film
  }

  /** Which tracks are played; types for source buffers. */
  async play(plan: RemuxPlan): Promise<Readonly<Record<TrackKind, string | null>>> {
    const note = await this.#ask({ order: 'play', plan })
    if (note.note !== 'ready') throw new Error('The worker of the player answers something else.')
    return note.types
  }

  /** Another link to the same film. */
  relink(url: string): void {
    this.#send({ order: 'link', url })
  }

  /**
   * The next part of a run; `end` where the track ends, `left` when leave() was called meanwhile. `fromSec` begins the
   * run. Rejects with LinkFailure, or where the film cannot be read.
   */
  read(kind: TrackKind, run: number, fromSec: number | null): Promise<Part | 'end' | 'left'> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) return reject(stuck())
      this.#reads.set(kind, { run, resolve, reject })
      this.#send({ order: 'read', kind, run, fromSec })
    })
  }

  /** Nobody waits for this track any more. */
  leave(kind: TrackKind): void {
    this.#reads.get(kind)?.resolve('left')
    this.#reads.delete(kind)
  }

  /** Ends it; what waits is left. */
  close(): void {
    this.#end()
    for (const kind of [...this.#reads.keys()]) this.leave(kind)
    this.#asked?.reject(new Error('The player was closed.'))
    this.#asked = null
  }

  #send(order: Order): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    this.#worker.postMessage(order)
  }

  #ask(order: Order): Promise<Note> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) return reject(stuck())
      this.#asked?.reject(new Error('Something else was asked.'))
      this.#asked = { resolve, reject }
      this.#send(order)
    })
  }

  #end(): void {
    this.#isOver = true
    clearInterval(this.#looks)
    this.#worker.terminate()
  }

  /** A film may keep the worker busy for ever: whoever waits hears of it, and the processor is free again. */
  #look(): void {
    if (!this.#life.look()) return this.#send({ order: 'look' })
    this.#end()
    this.#fail(stuck(), null)
  }

  #hear(note: Note): void {
    this.#life.heard()
    switch (note.note) {
      case 'here':
        return
      case 'opened':
      case 'ready':
        this.#asked?.resolve(note)
        this.#asked = null
        return
      case 'part':
        return this.#answer(note.kind, note.run, note.part)
      case 'end':
        return this.#answer(note.kind, note.run, 'end')
      case 'failed':
        return this.#fail(note.why === 'link' ? new LinkFailure(note.text) : new Error(note.text), note.kind)
    }
  }

  #answer(kind: TrackKind, run: number, value: Part | 'end'): void {
    const waiting = this.#reads.get(kind)
    if (waiting?.run !== run) return
    this.#reads.delete(kind)
    waiting.resolve(value)
  }

  #fail(error: Error, kind: TrackKind | null): void {
    if (kind === null) {
      this.#asked?.reject(error)
      this.#asked = null
    }
    for (const [each, waiting] of [...this.#reads]) {
      if (kind !== null && each !== kind) continue
      this.#reads.delete(each)
      waiting.reject(error)
    }
  }
}

function stuck(): Error {
  return new Error('The worker of the player does not get over this film.')
}
