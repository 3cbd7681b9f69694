// The thread's side of work on films: jobs are done one after the other, and bytes come by the memory that the thread
// shares with the node; see src/chapters/media/io/film-thread.ts.

import { SharedSource } from './shared-source.ts'
import { type FromFilmThread, type Numbered, SHARED_HEAD_BYTES, WORD } from './thread-messages.ts'

/** Where jobs come from, and what is said goes to: the port of a thread. */
export interface FilmPort<Job, Said> {
  on(event: 'message', heard: (job: Numbered<Job>) => void): unknown
  postMessage(message: Numbered<FromFilmThread<Said>>, handedOver: ArrayBuffer[]): void
}

/** What a thread does. */
export interface FilmWork<Job, Said> {
  /** Loads what a job needs before its time runs; `isGivenUp`: nobody waits for it any more. */
  prepare?(job: Job, isGivenUp: () => boolean): Promise<void>
  /** Length of the film, bytes. */
  sizeOf(job: Job): number
  /** Does it; what is to be said then. Rejects only for bugs. */
  work(job: Job, source: SharedSource, isGivenUp: () => boolean): Promise<Said>
  /** Memory that is handed over with it, not copied. */
  handedOver?(said: Said): ArrayBuffer[]
}

/** What the thread has. */
export interface FilmThreadPlace {
  readonly shared: SharedArrayBuffer
  /** The thread, for taskCpuMs(); null = not known. */
  readonly task: string | null
  /** Ms of a clock that goes on. */
  now(): number
}

/** A bug ends the thread, also one that makes little of promises that nobody handles. */
function thrown(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}

/** Does jobs as they come, for as long as the thread lives. */
export function workOnFilms<Job, Said>(
  port: FilmPort<Job, Said>,
  { shared, task, now }: FilmThreadPlace,
  work: FilmWork<Job, Said>,
): void {
  const words = new Int32Array(shared, 0, SHARED_HEAD_BYTES / 4)

  async function answer({ number, content: job }: Numbered<Job>): Promise<void> {
    const say = (content: FromFilmThread<Said>, handedOver: ArrayBuffer[] = []): void =>
      port.postMessage({ number, content }, handedOver)
    const isGivenUp = (): boolean => Atomics.load(words, WORD.givenUp) >= number
    await work.prepare?.(job, isGivenUp)
    say({ kind: 'begun', task })
    const source = new SharedSource(work.sizeOf(job), shared, say, now)
    const said = await work.work(job, source, isGivenUp)
    say({ kind: 'over', said }, work.handedOver?.(said))
  }

  let last = Promise.resolve()
  port.on('message', job => {
    // One whose client has gone may not be over when the next one comes.
    last = last.then(() => answer(job)).catch(thrown)
  })
}
