// V8's inspector on every JavaScript thread of this process, from inside: the main thread, and through it the workers,
// also those that start later. It opens no port. Invariant: every request settles, also when its thread ends or close()
// comes first.

import { type InspectorNotification, type NodeWorker, Session } from 'node:inspector'
import { AppError } from '../../base/errors.ts'

/** What one side of the inspector says to the other. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** One JavaScript thread. */
export interface InspectedThread {
  /** `main`, or what a worker does. */
  readonly name: string
  /** Number that Node gave the worker; 0 for the main thread. */
  readonly number: number
  /**
   * One command of V8's inspector protocol. A thread in native code answers when it leaves that. Rejects when it ends.
   */
  request(method: string, params?: object): Promise<unknown>
  /** Calls `heard` with each event named `method`. */
  on(method: string, heard: (params: unknown) => void): void
}

class InspectedWorker implements InspectedThread {
  readonly name: string
  readonly number: number
  readonly #send: (message: string) => void
  readonly #waiting = new Map<number, Waiting>()
  readonly #heard = new Map<string, (params: unknown) => void>()
  #lastId = 0

  constructor(info: NodeWorker.WorkerInfo, send: (message: string) => void) {
    this.number = Number(/\d+/.exec(info.title)?.[0] ?? 0)
    this.name = `worker ${this.number} (${purposeOf(info)})`
    this.#send = send
  }

  request(method: string, params: object = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      this.#waiting.set(id, { resolve, reject })
      this.#send(JSON.stringify({ id, method, params }))
    })
  }

  on(method: string, heard: (params: unknown) => void): void {
    this.#heard.set(method, heard)
  }

  receive(text: string): void {
    const message = JSON.parse(text) as Message
    if (message.method !== undefined) this.#heard.get(message.method)?.(message.params)
    const waiting = message.id === undefined ? undefined : this.#waiting.get(message.id)
    if (waiting === undefined || message.id === undefined) return
    this.#waiting.delete(message.id)
    if (message.error === undefined) waiting.resolve(message.result)
    else waiting.reject(new Error(message.error.message))
  }

  end(): void {
    for (const { reject } of this.#waiting.values()) reject(new AppError('Aborted', 'The thread has ended.'))
    this.#waiting.clear()
  }
}

/** Workers are named after their file; piscina's file is its own. */
function purposeOf({ title, url }: NodeWorker.WorkerInfo): string {
  if (url.includes('/piscina/')) return 'pieces'
  const named = /\] (.+)$/.exec(title)?.[1]
  return named ?? (/([^/]+)\.[cm]?js$/.exec(url)?.[1] || 'script')
}

/** All threads of this process, until close(). */
export class ThreadInspector {
  readonly main: InspectedThread
  readonly #session = new Session()
  readonly #workers = new Map<string, InspectedWorker>()
  readonly #onWorker: (worker: InspectedThread) => void

  /** `onWorker` is called once for each worker: those that run in this turn or the next, others when they start. */
  constructor(onWorker: (worker: InspectedThread) => void) {
    this.#onWorker = onWorker
    this.#session.connect()
    this.main = mainThread(this.#session)
    this.#session.on('NodeWorker.attachedToWorker', ({ params }) => this.#attached(params))
    this.#session.on('NodeWorker.detachedFromWorker', ({ params }) => this.#detached(params.sessionId))
    this.#session.on('NodeWorker.receivedMessageFromWorker', ({ params }) =>
      this.#workers.get(params.sessionId)?.receive(params.message),
    )
    this.#session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  }

  /** Lets go of all threads: what was enabled in them is off again. */
  close(): void {
    this.#session.disconnect()
    for (const worker of this.#workers.values()) worker.end()
    this.#workers.clear()
  }

  #attached({ sessionId, workerInfo }: NodeWorker.AttachedToWorkerEventDataType): void {
    const worker = new InspectedWorker(workerInfo, message =>
      this.#session.post('NodeWorker.sendMessageToWorker', { sessionId, message }, error => {
        if (error !== null) this.#detached(sessionId)
      }),
    )
    this.#workers.set(sessionId, worker)
    this.#onWorker(worker)
  }

  #detached(sessionId: string): void {
    this.#workers.get(sessionId)?.end()
    this.#workers.delete(sessionId)
  }
}

function mainThread(session: Session): InspectedThread {
  return {
    name: 'main',
    number: 0,
    request: (method, params = {}) =>
      new Promise((resolve, reject) => {
        session.post(method, params, (error, result) => {
          if (error === null) resolve(result)
          else reject(new Error(`${method}: ${error.message}`))
        })
      }),
    on: (method, heard) => {
      session.on(method, (event: InspectorNotification<unknown>) => heard(event.params))
    },
  }
}
