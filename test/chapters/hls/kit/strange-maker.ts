// Stands in for a thread that makes segments and does what a film of a stranger might make it do. What it does is the
// length of the film.

import { parentPort, workerData } from 'node:worker_threads'
import type { SegmentOutcome, SegmentTask } from '../../../../src/chapters/hls/convert/thread-messages.ts'
import { ownTask } from '../../../../src/chapters/media/io/task-time.ts'
import {
  type FilmThreadData,
  type FromFilmThread,
  type Numbered,
  WORD,
} from '../../../../src/chapters/media/probe/thread-messages.ts'

/** Lengths of films, and what they do; others are unreadable, and why is the number of the job. */
export const STRANGE = {
  loops: 1,
  takesMemory: 2,
  throws: 3,
  ends: 4,
  reads: 5,
  loads: 6,
  starves: 7,
  hangs: 10,
  spoils: 11,
} as const

function takeMemory(): void {
  const taken: object[] = []
  for (;;) taken.push({ taken, more: new Array(1000).fill(taken.length) })
}

/** The last job for which nobody waits any more. */
function givenUp(): number {
  return Atomics.load(new Int32Array((workerData as FilmThreadData).shared, 0, WORD.givenUp + 1), WORD.givenUp)
}

parentPort?.on('message', ({ number, content: job }: Numbered<SegmentTask>) => {
  const say = (content: FromFilmThread<SegmentOutcome>): void => parentPort?.postMessage({ number, content }, [])
  const size = job?.size ?? STRANGE.loads
  // Before it has begun it loads until nobody waits for it.
  if (size === STRANGE.loads) {
    while (givenUp() < number);
    return say({ kind: 'over', said: { kind: 'given-up' } })
  }
  // It never begins, and hears nothing.
  if (size === STRANGE.hangs) for (;;) Math.sqrt(size)
  const isWatched = size === STRANGE.starves || size === STRANGE.loops
  say({ kind: 'begun', task: isWatched ? ownTask() : null })
  if (size === STRANGE.takesMemory) takeMemory()
  if (size === STRANGE.throws) throw new Error('a film did this')
  if (size === STRANGE.ends) process.exit(3)
  // Who is asked for bytes knows that it has begun.
  if (size < 8) say({ kind: 'wanted', start: 0, length: 1 })
  if (size === STRANGE.loops) for (;;) Math.sqrt(size)
  const isSpoilt = size === STRANGE.spoils
  if (size >= 8) say({ kind: 'over', said: { kind: 'unreadable', why: `job ${number}`, isSpoilt } })
})
