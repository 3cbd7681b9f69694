// Stands in for the database thread: does to each batch what its first key says.

import { parentPort } from 'node:worker_threads'
import type { OpenFacts } from '../../../src/records/jobs.ts'
import { type PackedMessage, packMessage, unpackMessage } from '../../../src/records/packer.ts'
import type { FromDatabase, ToDatabase } from '../../../src/records/thread-messages.ts'

const send = (message: FromDatabase<OpenFacts>): void => parentPort?.postMessage(packMessage(message), [])

parentPort?.on('message', (packed: PackedMessage) => {
  const message = unpackMessage(packed) as ToDatabase
  if (message.kind === 'close') {
    send({ kind: 'closed' })
    parentPort?.close()
    return
  }
  if (message.kind === 'rest') return
  switch (message.jobs[0]?.args[0]) {
    case 'die':
      throw new Error('told to die')
    case 'hang':
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    case 'size':
      // As a key of `node.get`, or an info hash of `progress.verified`: how many jobs came in the batch.
      send({ kind: 'answers', answers: message.jobs.map(() => ({ ok: true, reply: message.jobs.length })) })
      return
    case 'damaged':
      send({ kind: 'answers', answers: message.jobs.map(() => ({ ok: false, code: 'StateUnreadable', text: 'bad' })) })
      return
    default:
      send({ kind: 'answers', answers: message.jobs.map(() => ({ ok: true, reply: null })) })
  }
})
send({ kind: 'open', facts: { created: false, cleanStop: true, otherBoot: false, schemaBefore: 1 } })
