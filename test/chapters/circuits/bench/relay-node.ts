// One node of ours that is nothing but a relay, in a process of its own.

import { join } from 'node:path'
import { LineProcess } from '../../../../bench/lib/line-process.ts'

const PROGRAM = join(import.meta.dirname, 'circuit-process.js')
/** Relay and speed test (section 7.1 of the protocol). */
const FLAGS = 9

/** One node of ours that is nothing but a relay, in a process of its own. */
export class RelayNode {
  readonly port: number
  readonly pid: number
  readonly #process: LineProcess

  private constructor(process: LineProcess, port: number) {
    this.#process = process
    this.port = port
    this.pid = process.pid
  }

  static async start(): Promise<RelayNode> {
    const process = new LineProcess(PROGRAM, { flags: FLAGS, known: [] })
    try {
      const { ports } = await process.next()
      return new RelayNode(process, (ports as number[])[0] ?? 0)
    } catch (error) {
      await process.stop()
      throw error
    }
  }

  stop(): Promise<void> {
    return this.#process.stop()
  }
}
