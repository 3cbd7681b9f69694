// Reads one feed in a thread of its own that ends with it: whatever XML does to time and memory, it does there, up to a
// limit.

import { Worker } from 'node:worker_threads'
import { AppError } from '../../../base/errors.ts'
import type { FeedDocument, FeedThreadAnswer, ParsedFeed } from '../feeds/wire/types.ts'
import { workerUrl } from '../../../io/worker-url.ts'

/** For the whole life of the thread; a feed of 8 MiB takes about a second. */
const LIMIT_MS = 15_000
/** Of the thread's heap; the tree of a feed of 8 MiB has up to 300 MiB, of real ones a tenth. */
const MEMORY_MIB = 192

/** Where the thread's code lies, and what it may take. */
export interface FeedThreadOptions {
  readonly worker?: URL
  readonly limitMs?: number
  readonly memoryMib?: number
}

/** Reads `document`. Rejects with AppError SourceFailed (what is wrong with it, or too much work) or Aborted. */
export function readFeedInThread(
  document: FeedDocument,
  signal: AbortSignal,
  options: FeedThreadOptions = {},
): Promise<ParsedFeed> {
  const { worker: url = workerUrl('feed'), limitMs = LIMIT_MS, memoryMib = MEMORY_MIB } = options
  if (signal.aborted) return Promise.reject(new AppError('Aborted'))
  // A copy of its own, which moves to the thread.
  const bytes = new Uint8Array(document.bytes)
  const worker = new Worker(url, {
    workerData: { ...document, bytes },
    transferList: [bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: memoryMib, maxYoungGenerationSizeMb: 16 },
    stdout: true,
    stderr: true,
  })
  return new Promise<ParsedFeed>((resolve, reject) => {
    const unreadable = (why: string): void => reject(new AppError('SourceFailed', `The feed cannot be read: ${why}.`))
    const timer = setTimeout(() => unreadable('it takes too long'), limitMs)
    const abort = (): void => reject(new AppError('Aborted'))
    signal.addEventListener('abort', abort, { once: true })
    worker.once('message', (answer: FeedThreadAnswer) => {
      if ('feed' in answer) resolve(answer.feed)
      else unreadable(answer.error)
    })
    worker.once('error', error => {
      const code = 'code' in error ? error.code : ''
      unreadable(code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it takes too much memory' : 'its reader failed')
    })
    worker.once('exit', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      unreadable('its reader ended')
    })
  }).finally(() => void worker.terminate())
}
