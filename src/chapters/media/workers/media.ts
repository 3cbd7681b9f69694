// The thread that reads films, one after the other: see src/chapters/media/io/media-thread.ts. The work is in
// src/chapters/media/probe and core, callable without a thread.

import { parentPort, workerData } from 'node:worker_threads'
import { ownTask } from '../io/task-time.ts'
import { readFacts } from '../probe/read-facts.ts'
import { SharedSource } from '../probe/shared-source.ts'
import type { FilmJob, FromMediaThread, MediaThreadData } from '../probe/thread-messages.ts'

const port = parentPort
if (port === null) throw new Error('src/chapters/media/workers/media runs only as a worker thread')

const send = (message: FromMediaThread): void => port.postMessage(message, [])
const now = (): number => performance.now()
const { shared } = workerData as MediaThreadData
const task = ownTask()

async function answer({ size }: FilmJob): Promise<void> {
  send({ kind: 'begun', task })
  const since = now()
  const source = new SharedSource(size, shared, send, now)
  const outcome = await readFacts(source)
  send({ kind: 'done', outcome, busyMs: now() - since - source.waitedMs })
}

port.on('message', (job: FilmJob) => void answer(job))
