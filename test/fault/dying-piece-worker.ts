// The piece worker of the product, whose thread dies with every third batch: in turns before it has taken it, and when
// its results are written but nobody knows.

import type { BatchMessage } from '../../src/pools/contract/batch.ts'
import { runBatch as run } from '../../workers/piece.ts'

let batches = 0

export function runBatch(message: BatchMessage): BatchMessage {
  batches++
  if (batches % 3 !== 0) return run(message)
  if (typeof message === 'number' && message % 2 === 0) run(message)
  process.exit(7)
}
