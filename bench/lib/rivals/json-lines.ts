// A driver in a process of its own that takes commands as JSON lines and answers each with one JSON line, in order.

import { createInterface } from 'node:readline'
import { type OwnedProcess, startOwned } from '../owned-processes.ts'

type Answer = Record<string, unknown>

export class JsonLinesProcess {
  readonly #process: OwnedProcess
  readonly #waiting: ((answer: Answer) => void)[] = []

  constructor(program: string, args: readonly string[]) {
    this.#process = startOwned(program, args, { talk: true })
    const lines = createInterface({ input: this.#process.child.stdout as NodeJS.ReadableStream })
    lines.on('line', line => this.#waiting.shift()?.(JSON.parse(line) as Answer))
    this.#process.child.on('close', () => {
      for (const answer of this.#waiting.splice(0)) answer({ error: `the driver ended: ${this.#process.output()}` })
    })
  }

  get pid(): number {
    return this.#process.pid
  }

  /** Throws when the driver has ended. */
  assertRunning(): void {
    this.#process.assertRunning()
  }

  /** Sends one command; rejects with its error, and after `limitMs`. */
  async call(op: string, fields: object = {}, limitMs = 600_000): Promise<Answer> {
    this.#process.assertRunning()
    const answered = new Promise<Answer>(resolve => {
      const late = setTimeout(() => resolve({ error: `no answer in ${limitMs} ms` }), limitMs)
      this.#waiting.push(answer => {
        clearTimeout(late)
        resolve(answer)
      })
    })
    this.#process.child.stdin?.write(`${JSON.stringify({ op, ...fields })}\n`)
    const answer = await answered
    if (typeof answer['error'] === 'string' && answer['error'] !== '') throw new Error(`${op}: ${answer['error']}`)
    return answer
  }

  stop(): Promise<void> {
    return this.#process.stop(2000)
  }
}
