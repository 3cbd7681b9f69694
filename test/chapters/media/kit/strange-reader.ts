// Stands in for the thread that reads films and does what a film of a stranger might make it do: never ends, takes all
// memory, throws, ends, writes much. What it does is the length of the film.

import { parentPort } from 'node:worker_threads'
import { ownTask } from '../../../../src/chapters/media/io/task-time.ts'
import type {
  FilmDone,
  FilmJob,
  FromFilmThread,
  Numbered,
} from '../../../../src/chapters/media/probe/thread-messages.ts'

/** Lengths of films, and what they do. */
export const STRANGE = { loops: 1, takesMemory: 2, throws: 3, ends: 4, reads: 5, writes: 6, starves: 7 } as const

function takeMemory(): void {
  const taken: object[] = []
  for (;;) taken.push({ taken, more: new Array(1000).fill(taken.length) })
}

parentPort?.on('message', ({ number, content: { size } }: Numbered<FilmJob>) => {
  const say = (content: FromFilmThread<FilmDone>): void => parentPort?.postMessage({ number, content }, [])
  // One that starves gets no processor: it has begun, and does nothing with what it is given.
  say({ kind: 'begun', task: size === STRANGE.starves ? ownTask() : null })
  if (size === STRANGE.loops) for (;;) Math.sqrt(size)
  if (size === STRANGE.takesMemory) takeMemory()
  if (size === STRANGE.throws) throw new Error('a film did this')
  if (size === STRANGE.ends) process.exit(3)
  if (size === STRANGE.reads || size === STRANGE.starves) return say({ kind: 'wanted', start: 0, length: 4 })
  if (size === STRANGE.writes) process.stdout.write('x'.repeat(100_000))
  say({ kind: 'over', said: { outcome: { kind: 'unreadable', why: 'it is strange' }, busyMs: 1 } })
})
