// The thread that reads films, one after the other: see src/chapters/media/io/media-thread.ts. The work is in
// src/chapters/media/probe and core, callable without a thread.

import { parentPort, workerData } from 'node:worker_threads'
import { ownTask } from '../io/task-time.ts'
import { workOnFilms } from '../probe/film-work.ts'
import { readFacts } from '../probe/read-facts.ts'
import { readPart } from '../probe/read-part.ts'
import { spotTime } from '../probe/spot-time.ts'
import type { FilmDone, FilmJob, FilmThreadData } from '../probe/thread-messages.ts'

/** How long texts may take behind the index, with their reads; what was found by then is sent, the rest asked later. */
const TEXTS_MS = 1500

const port = parentPort
if (port === null) throw new Error('src/chapters/media/workers/media runs only as a worker thread')

const now = (): number => performance.now()
const { shared } = workerData as FilmThreadData

workOnFilms<FilmJob, FilmDone>(
  port,
  { shared, task: ownTask(), now },
  {
    sizeOf: ({ size }) => size,
    async work({ texts }, source) {
      const since = now()
      const outcome = texts === null ? await readFacts(source) : readPart(source, texts, spotTime(now, TEXTS_MS))
      return { outcome, busyMs: now() - since - source.waitedMs }
    },
  },
)
