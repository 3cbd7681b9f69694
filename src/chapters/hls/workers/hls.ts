// A thread that makes segments of films, one after the other: see src/chapters/hls/io/segment-thread.ts. The work is in
// src/chapters/hls/convert and core, callable without a thread.

import { parentPort, workerData } from 'node:worker_threads'
import { ownTask } from '../../media/io/task-time.ts'
import { SharedSource } from '../../media/probe/shared-source.ts'
import { type MediaThreadData, SHARED_HEAD_BYTES } from '../../media/probe/thread-messages.ts'
import { GivenUp } from '../convert/given-up.ts'
import { SegmentMaking } from '../convert/make-segment.ts'
import { type FromSegmentThread, GIVEN_UP_WORD, type SegmentJob } from '../convert/thread-messages.ts'

const port = parentPort
if (port === null) throw new Error('src/chapters/hls/workers/hls runs only as a worker thread')

const { shared } = workerData as MediaThreadData
const words = new Int32Array(shared, 0, SHARED_HEAD_BYTES / 4)
const task = ownTask()
const making = new SegmentMaking()
const send = (message: FromSegmentThread): void => port.postMessage(message, [])

function check(): void {
  if (Atomics.load(words, GIVEN_UP_WORD) !== 0) throw new GivenUp()
}

async function answer(job: SegmentJob): Promise<void> {
  send({ kind: 'begun', task })
  const source = new SharedSource(job.size, shared, send, () => performance.now())
  const outcome = await making.make(job, source, check)
  const made: FromSegmentThread = { kind: 'done', outcome }
  port?.postMessage(made, outcome.kind === 'made' ? [outcome.bytes.buffer] : [])
}

port.on('message', (job: SegmentJob) => void answer(job))
