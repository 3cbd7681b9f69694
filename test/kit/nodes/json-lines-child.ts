// A child process that takes commands as JSON lines and answers each with one JSON line, in order.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { prefixed } from './daemon-process.ts'

type Answer = Record<string, unknown>

export class JsonLinesChild {
  readonly #child: ChildProcess
  readonly #name: string
  readonly #waiting: ((answer: Answer) => void)[] = []

  constructor(name: string, program: string, args: readonly string[]) {
    this.#name = name
    const command = prefixed(program, args)
    this.#child = spawn(command.program, command.args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })
    lines.on('line', line => this.#waiting.shift()?.(JSON.parse(line) as Answer))
    this.#child.on('exit', () => {
      for (const answer of this.#waiting.splice(0)) answer({ error: `the ${name} process ended` })
    })
  }

  /** Sends one command; rejects with its error. */
  async call(op: string, fields: object = {}): Promise<Answer> {
    const answered = new Promise<Answer>(resolve => this.#waiting.push(resolve))
    this.#child.stdin?.write(`${JSON.stringify({ op, ...fields })}\n`)
    const answer = await answered
    if (typeof answer['error'] === 'string') throw new Error(`${this.#name} ${op}: ${answer['error']}`)
    return answer
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}
