// A process of a benchmark that takes commands as JSON lines and answers each with one line.

import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { type OwnedProcess, startOwned } from './owned-processes.ts'

/** One line. */
export type Answer = Record<string, unknown>

const LIMIT_MS = 20_000
const STOP_MS = 1_000

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** Answers come in the order of the questions. */
export class LineProcess {
  readonly #process: OwnedProcess
  readonly #name: string
  readonly #waiting: Waiting[] = []
  readonly #come: Answer[] = []
  #ended = false
  #told = 'start'

  /**
   * Starts one of our own programs with `options` as its argument; `started`: another one runs already, and this is its
   * name.
   */
  constructor(program: string, options: object, started?: OwnedProcess) {
    this.#name = basename(program, '.js')
    this.#process = started ?? startOwned(process.execPath, [program, JSON.stringify(options)], { talk: true })
    const lines = createInterface({ input: this.#process.child.stdout as NodeJS.ReadableStream })
    lines.on('line', line => {
      const answer = JSON.parse(line) as Answer
      const next = this.#waiting.shift()
      if (next === undefined) this.#come.push(answer)
      else next.resolve(answer)
    })
    lines.on('close', () => {
      this.#ended = true
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(this.#text('ended')))
    })
  }

  get pid(): number {
    return this.#process.pid
  }

  /** The next line. Rejects when it ends before, says that it failed, or says nothing for 20 s. */
  async next(): Promise<Answer> {
    const answer = this.#come.shift() ?? (await this.#answer())
    if (typeof answer['failed'] === 'string') throw new Error(answer['failed'])
    return answer
  }

  ask(op: string, fields: object = {}): Promise<Answer> {
    this.tell(op, fields)
    return this.next()
  }

  tell(op: string, fields: object = {}): void {
    this.#told = op
    this.#process.child.stdin?.write(`${JSON.stringify({ op, ...fields })}\n`)
  }

  stop(): Promise<void> {
    return this.#process.stop(STOP_MS)
  }

  /** What happened, to which process, after which command, and the end of what it said. */
  #text(what: string): string {
    const { child, pid } = this.#process
    const code = child.signalCode ?? child.exitCode
    const how = code === null ? '' : ` (${code})`
    return `${this.#name} ${pid} ${what} after ${this.#told}${how}: ${this.#process.output().slice(-400) || 'no output'}`
  }

  #answer(): Promise<Answer> {
    if (this.#ended) return Promise.reject(new Error(this.#text('ended')))
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(this.#text('says nothing'))), LIMIT_MS)
      this.#waiting.push({
        resolve(answer) {
          clearTimeout(late)
          resolve(answer)
        },
        reject(error) {
          clearTimeout(late)
          reject(error)
        },
      })
    })
  }
}
