// A thread that makes segments of films, one after the other: see src/chapters/hls/io/segment-thread.ts. The work is in
// src/chapters/hls/convert and core, callable without a thread.

import { parentPort, workerData } from 'node:worker_threads'
import { ownTask } from '../../media/io/task-time.ts'
import { workOnFilms } from '../../media/probe/film-work.ts'
import type { FilmThreadData } from '../../media/probe/thread-messages.ts'
import { GivenUp } from '../convert/given-up.ts'
import { SegmentMaking } from '../convert/make-segment.ts'
import type { SegmentJob, SegmentOutcome, SegmentTask } from '../convert/thread-messages.ts'

const port = parentPort
if (port === null) throw new Error('src/chapters/hls/workers/hls runs only as a worker thread')

const { shared } = workerData as FilmThreadData
// A decoder that refuses a frame leaves one behind, beside the failure itself.
process.on('unhandledRejection', () => undefined)

const making = new SegmentMaking()

/** What another program has a part in needs no conversion of this thread. */
function convertsSound({ order, cut, converted }: SegmentJob): boolean {
  return order.soundMargin > 0 && cut === undefined && converted === undefined
}

workOnFilms<SegmentTask, SegmentOutcome>(
  port,
  { shared, task: ownTask(), now: () => performance.now() },
  {
    async prepare(job, isGivenUp) {
      if (!isGivenUp() && (job === null || convertsSound(job))) await making.warm()
    },
    sizeOf: job => job?.size ?? 0,
    async work(job, source, isGivenUp) {
      if (job === null) return { kind: 'given-up' }
      return making.make(job, source, () => {
        if (isGivenUp()) throw new GivenUp()
      })
    },
    handedOver: outcome => (outcome.kind === 'made' ? [outcome.bytes.buffer] : []),
  },
)
