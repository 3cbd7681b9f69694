// The database thread: opens the file, then answers batches in the order they come. All the work is in src/records,
// callable without a thread.

import { parentPort, workerData } from 'node:worker_threads'
import type { DatabaseOptions, OpenFacts } from '../src/records/jobs.ts'
import { type PackedMessage, packMessage, transferred, unpackMessage } from '../src/records/packer.ts'
import { failure, RecordsDatabase } from '../src/records/records-database.ts'
import type { FromDatabase, ToDatabase } from '../src/records/thread-messages.ts'
import { restThread } from '../src/records/thread-rest.ts'

const port = parentPort
if (port === null) throw new Error('workers/records runs only as a worker thread')

const send = (message: FromDatabase<OpenFacts>): void => {
  const packed = packMessage(message)
  port.postMessage(packed, transferred(packed))
}

const open = async (): Promise<RecordsDatabase | null> => {
  try {
    return await RecordsDatabase.open(workerData as DatabaseOptions, note => send({ kind: 'upgrade', note }))
  } catch (error) {
    const { code, text } = failure(error)
    send({ kind: 'failed', code, text })
    return null
  }
}

const database = await open()
if (database === null) port.close()
else {
  port.on('message', (packed: PackedMessage) => {
    const message = unpackMessage(packed) as ToDatabase
    if (message.kind === 'batch') {
      send({ kind: 'answers', answers: database.run(message.jobs) })
      return
    }
    if (message.kind === 'rest') return restThread(message.machineCode)
    database.close()
    send({ kind: 'closed' })
    port.close()
  })
  send({ kind: 'open', facts: database.facts })
}
