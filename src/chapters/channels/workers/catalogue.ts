// The catalogue's thread: opens the file, then answers batches in the order they come. All the work is in
// src/chapters/channels/catalogue, callable without a thread.

import { parentPort, workerData } from 'node:worker_threads'
import { CatalogueDatabase, failure } from '../catalogue/catalogue-database.ts'
import type { CatalogueFacts, CatalogueOptions } from '../catalogue/jobs.ts'
import { type PackedMessage, packMessage, transferred, unpackMessage } from '../../../records/packer.ts'
import type { FromDatabase, ToDatabase } from '../../../records/thread-messages.ts'

const port = parentPort
if (port === null) throw new Error('src/chapters/channels/workers/catalogue runs only as a worker thread')

const send = (message: FromDatabase<CatalogueFacts>): void => {
  const packed = packMessage(message)
  port.postMessage(packed, transferred(packed))
}

const open = (): CatalogueDatabase | null => {
  try {
    return new CatalogueDatabase(workerData as CatalogueOptions)
  } catch (error) {
    const { code, text } = failure(error)
    send({ kind: 'failed', code, text })
    return null
  }
}

const database = open()
if (database === null) port.close()
else {
  port.on('message', (packed: PackedMessage) => {
    const message = unpackMessage(packed) as ToDatabase
    if (message.kind === 'batch') {
      send({ kind: 'answers', ...database.run(message.jobs) })
      return
    }
    // Told to the records alone.
    if (message.kind === 'rest') return
    database.close()
    send({ kind: 'closed' })
    port.close()
  })
  send({ kind: 'open', facts: database.facts })
}
