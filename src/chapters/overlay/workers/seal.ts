// The seal worker: signatures, handshakes and layers of the overlays. Its workerData are the two arenas' buffers
// (slots, batches) and the ring of its pool's batches.

import { workerData } from 'node:worker_threads'
import type { JobHandlers, SealJobName } from '../../../pools/contract/jobs.ts'
import { BATCH_BYTES, SEAL_SLOT_BYTES } from '../sealing/seal-slot.ts'
import { answerCreate, finishCreate, signMessage, verifySignature, workLayers } from '../sealing/seal.ts'
import { makeRunner } from '../../../pools/jobs/run-batch.ts'

const { slots, batches, ring } = workerData as Readonly<Record<'slots' | 'batches' | 'ring', SharedArrayBuffer>>
const slotAt = (at: number): Uint8Array => new Uint8Array(slots, at, SEAL_SLOT_BYTES)

/** Runs one packed batch; see src/pools/jobs/run-batch.ts. */
export const runBatch = makeRunner(
  {
    'seal.verify': ({ at }) => verifySignature(slotAt(at)),
    'seal.sign': ({ at }) => signMessage(slotAt(at)),
    'seal.answer': ({ at }) => answerCreate(slotAt(at)),
    'seal.finish': ({ at }) => finishCreate(slotAt(at)),
    'seal.layers': request => workLayers(new Uint8Array(batches, request.at, BATCH_BYTES), request),
  } satisfies JobHandlers<SealJobName>,
  { ring },
)
