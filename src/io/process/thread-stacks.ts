// Which threads the process has and what they do at this moment. Threads that run JavaScript show their stack: the main
// thread from here, workers stopped for an instant by the inspector. All others are listed by the operating system.

import { readdir, readFile } from 'node:fs/promises'
import { type InspectedThread, ThreadInspector } from './thread-inspector.ts'

/** One thread; see ThreadRecord of services/debug-api.ts. */
export interface ThreadStack {
  thread_id: number
  thread_name: string
  frames: string[]
}

/** A worker in native code (a long write, a hash) answers when it is back; it is not waited for longer. */
const ANSWER_LIMIT_MS = 1500
const MAX_FRAMES = 100
/** A worker that runs JavaScript stops well within this; one that waits for work never does. */
const PAUSE_LIMIT_MS = 100
/** Which thread a worker is. */
const WHO = "process.getBuiltinModule('fs').readlinkSync('/proc/thread-self')"
const NO_ANSWER = '(in native code)'
const IDLE = '(waits for work)'

interface CallFrame {
  readonly functionName: string
  readonly location: { readonly scriptId: string; readonly lineNumber: number }
}

interface ParsedScript {
  readonly scriptId: string
  readonly url: string
}

/** Workers that were asked and have not answered yet: they are not asked again. */
const unanswered = new Set<number>()
/** Ids of workers' threads once they are known: one in native code cannot be asked. */
const knownIds = new Map<number, number>()

/**
 * Every thread of this process, the main thread first, then workers. `stack` is that of the main thread (stackHere).
 * Settles within two seconds.
 */
export async function threadStacks(stack: string): Promise<ThreadStack[]> {
  const main = { thread_id: process.pid, thread_name: 'main', frames: stack.split('\n').map(frameOfStack) }
  const workers = await workerStacks()
  const scripted = new Set([main, ...workers].map(thread => thread.thread_id))
  const others = (await systemThreads()).filter(thread => !scripted.has(thread.thread_id))
  return [main, ...workers, ...others]
}

/** `at name (file:line:column)` or `at file:line:column`. */
function frameOfStack(line: string): string {
  const [, name = '(anonymous)', place = line.trim()] = /^ *at (?:async )?(?:(.+) \()?([^()]+?)\)?$/.exec(line) ?? []
  return `${withoutScheme(place.replace(/:\d+$/, ''))} ${name}`
}

async function workerStacks(): Promise<ThreadStack[]> {
  const stacks: Promise<ThreadStack>[] = []
  const questions: Promise<unknown>[] = []
  const numbers = new Set<number>()
  const inspector = new ThreadInspector(worker => {
    numbers.add(worker.number)
    const question = unanswered.has(worker.number) ? null : new Question(worker)
    if (question !== null) questions.push(question.answered)
    stacks.push(stackOf(worker, question))
  })
  // Workers are found by the next turn at the latest; each is waited for by itself.
  await new Promise(resolve => setImmediate(resolve))
  // A worker that is stopped when it comes back must be let go on: the inspector stays until then.
  void Promise.all(questions).then(() => inspector.close())
  for (const number of knownIds.keys()) if (!numbers.has(number)) knownIds.delete(number)
  return Promise.all(stacks)
}

async function stackOf(worker: InspectedThread, question: Question | null): Promise<ThreadStack> {
  if (question !== null) await within(ANSWER_LIMIT_MS, question.answered)
  const id = knownIds.get(worker.number) ?? 0
  return { thread_id: id, thread_name: worker.name, frames: question?.frames ?? [NO_ANSWER] }
}

/** Stops a worker at its next statement, if it is at any, and lets it go on. */
class Question {
  /** Settles when the worker has answered and goes on, or has ended. */
  readonly answered: Promise<void>
  /** Null until it is known. */
  frames: string[] | null = null
  readonly #worker: InspectedThread
  readonly #scripts = new Map<string, string>()
  #paused: () => void = () => undefined

  constructor(worker: InspectedThread) {
    this.#worker = worker
    worker.on('Debugger.scriptParsed', params => {
      const { scriptId, url } = params as ParsedScript
      this.#scripts.set(scriptId, url)
    })
    worker.on('Debugger.paused', params => this.#stopped((params as { callFrames: CallFrame[] }).callFrames))
    this.answered = this.#ask()
  }

  #stopped(callFrames: readonly CallFrame[]): void {
    this.frames ??= framesOf(callFrames, this.#scripts)
    this.#worker.request('Debugger.resume').catch(() => undefined)
    this.#paused()
  }

  async #ask(): Promise<void> {
    const worker = this.#worker
    unanswered.add(worker.number)
    try {
      const paused = new Promise<void>(resolve => {
        this.#paused = resolve
      })
      await Promise.all([worker.request('Debugger.enable'), worker.request('Debugger.pause')])
      await within(PAUSE_LIMIT_MS, paused)
      // Takes the stop back: the next job must not run into it.
      await worker.request('Debugger.disable')
      this.frames ??= [IDLE]
      // Not before: a stop within the question would never end.
      noteId(worker.number, await worker.request('Runtime.evaluate', { expression: WHO, returnByValue: true }))
    } catch {
      knownIds.delete(worker.number)
    } finally {
      unanswered.delete(worker.number)
    }
  }
}

function framesOf(callFrames: readonly CallFrame[], scripts: ReadonlyMap<string, string>): string[] {
  return callFrames.slice(0, MAX_FRAMES).map(({ functionName, location: { scriptId, lineNumber } }) => {
    const file = withoutScheme(scripts.get(scriptId) ?? '')
    return `${file}:${lineNumber + 1} ${functionName || '(anonymous)'}`
  })
}

function withoutScheme(place: string): string {
  return place.replace(/^file:\/\//, '')
}

/** From the link `<pid>/task/<tid>`. */
function noteId(worker: number, answer: unknown): void {
  const { result } = (answer ?? {}) as { result?: { value?: string } }
  const id = /\/(\d+)$/.exec(result?.value ?? '')?.[1]
  if (id !== undefined) knownIds.set(worker, Number(id))
}

async function systemThreads(): Promise<ThreadStack[]> {
  const ids = await readdir('/proc/self/task')
  return Promise.all(
    ids.map(async id => {
      const name = await readFile(`/proc/self/task/${id}/comm`, 'utf8').catch(() => '')
      return { thread_id: Number(id), thread_name: name.trim(), frames: [] }
    }),
  )
}

/** Undefined when it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, ms, undefined)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
