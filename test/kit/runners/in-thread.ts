// Runs a function of a module in a thread of its own. The test runner follows every promise that is made beside it,
// which of a simulation that makes millions takes half of the time; in another thread it follows none.

import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** What the thread is to do. */
interface Call {
  /** The built module. */
  readonly module: string
  readonly name: string
  readonly args: readonly unknown[]
}

/**
 * What `name`, exported by the built module at `module`, answers to `args`. Arguments and answers are copied as
 * messages of threads are; rejects with what it throws.
 */
export function inThread<Answer>(module: URL, name: string, args: readonly unknown[]): Promise<Answer> {
  const call: Call = { module: module.href, name, args }
  const thread = new Worker(new URL(import.meta.url), { workerData: call })
  return new Promise((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', code => reject(new Error(`the thread of ${name} ended with ${code} and no answer`)))
  })
}

const starter = isMainThread ? null : parentPort
if (starter !== null) {
  const { module, name, args } = workerData as Call
  const exported = (await import(module)) as Record<string, (...given: readonly unknown[]) => Promise<unknown>>
  const run = exported[name]
  if (run === undefined) throw new Error(`${module} exports no ${name}`)
  const answer = await run(...args)
  starter.postMessage(answer, [])
}
