// Test worker that is stuck as in a call on a disk that does not answer: pieces.hash waits until its gate, of those in
// workerData, is open; `pieceLength` says which. Everything else is answered at once.

import { workerData } from 'piscina'
import { makeRunner, type RunnerParts } from '../../../src/pools/jobs/run-batch.ts'

const { gates: words, ring } = workerData as RunnerParts & { readonly gates: SharedArrayBuffer }
const gates = new Int32Array(words)

export const runBatch = makeRunner(
  {
    'pieces.hash': ({ pieceLength }) => {
      while (Atomics.load(gates, pieceLength) === 0) Atomics.wait(gates, pieceLength, 0)
      return { verdicts: ['ok'] }
    },
    'piece.leaves': () => ({ leaves: new Uint8Array(32) }),
  },
  { ring },
)
