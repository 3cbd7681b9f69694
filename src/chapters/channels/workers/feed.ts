// Reads one feed and ends: see src/chapters/channels/io/feed-thread.ts. The work is src/chapters/channels/feeds/wire,
// callable without a thread.

import { parentPort, workerData } from 'node:worker_threads'
import { DecodeError, errorText } from '../../../base/errors.ts'
import { parseFeed } from '../feeds/wire/parse-feed.ts'
import type { FeedDocument, FeedThreadAnswer } from '../feeds/wire/types.ts'

function answer(document: FeedDocument): FeedThreadAnswer {
  try {
    return { feed: parseFeed(document) }
  } catch (error) {
    return { error: error instanceof DecodeError ? errorText(error) : 'its reader failed' }
  }
}

parentPort?.postMessage(answer(workerData as FeedDocument), [])
