// Stands in for a thread that makes segments and does what a film of a stranger might make it do. What it does is the
// length of the film.

import { parentPort } from 'node:worker_threads'
import type { FromSegmentThread, SegmentJob } from '../../../../src/chapters/hls/convert/thread-messages.ts'

/** Lengths of films, and what they do. */
export const STRANGE = { loops: 1, takesMemory: 2, throws: 3, ends: 4, reads: 5 } as const

const send = (message: FromSegmentThread): void => parentPort?.postMessage(message, [])

function takeMemory(): void {
  const taken: object[] = []
  for (;;) taken.push({ taken, more: new Array(1000).fill(taken.length) })
}

parentPort?.on('message', ({ size }: SegmentJob) => {
  send({ kind: 'begun', task: null })
  if (size === STRANGE.loops) for (;;) Math.sqrt(size)
  if (size === STRANGE.takesMemory) takeMemory()
  if (size === STRANGE.throws) throw new Error('a film did this')
  if (size === STRANGE.ends) process.exit(3)
  if (size === STRANGE.reads) return send({ kind: 'wanted', start: 0, length: 4 })
  send({ kind: 'done', outcome: { kind: 'unreadable', why: 'it is strange' } })
})
