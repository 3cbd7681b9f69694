// Loaded into a node with `--import`: counts what its main thread asks of the system's files and of its threads, so
// that a test can say how much work a torrent is without a clock. Written as JSON to the file OPERATION_COUNTS on
// SIGUSR2.

import { promises } from 'node:fs'
import { renameSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread, MessagePort, Worker } from 'node:worker_threads'

/** Calls by name: those of node:fs/promises, and `message` for each message to a thread. */
export type OperationCounts = Readonly<Record<string, number>>

type Calls = Record<string, unknown>

const path = process.env['OPERATION_COUNTS']
const counts: Record<string, number> = {}

function countCalls(of: Calls, name: string, as: string): void {
  const original = of[name]
  if (typeof original !== 'function') return
  of[name] = function counted(this: unknown, ...args: unknown[]): unknown {
    counts[as] = (counts[as] ?? 0) + 1
    return Reflect.apply(original, this, args)
  }
}

if (isMainThread && path !== undefined) {
  const files = promises as unknown as Calls
  for (const name of Object.keys(files)) countCalls(files, name, name)
  for (const kind of [Worker.prototype, MessagePort.prototype])
    countCalls(kind as unknown as Calls, 'postMessage', 'message')
  syncBuiltinESMExports()
  process.on('SIGUSR2', () => {
    writeFileSync(`${path}.new`, JSON.stringify(counts))
    renameSync(`${path}.new`, path)
  })
}
