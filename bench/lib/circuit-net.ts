// A network of circuits on loopback, one process a node, and what a transfer through it costs. The host beyond the exit is a process
// of its own too and is not counted.

import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { startOwned, type OwnedProcess } from './owned-processes.ts'

type Answer = Record<string, unknown>

const PROGRAM = join(import.meta.dirname, 'circuit-process.js')
/** Flags of section 7.1 of the protocol: relay and speed test; with exits of all kinds. */
const RELAY = 9
const EXIT = 9 | 2 | 4 | 32_768
const HOSTS = 8
const LIMIT_MS = 60_000
const PACE_MS = 100

/** One process; answers come in the order of the questions. */
class CircuitProcess {
  readonly #process: OwnedProcess
  readonly #waiting: ((answer: Answer) => void)[] = []
  readonly #come: Answer[] = []

  constructor(options: object) {
    this.#process = startOwned(process.execPath, [PROGRAM, JSON.stringify(options)], { talk: true })
    const lines = createInterface({ input: this.#process.child.stdout as NodeJS.ReadableStream })
    lines.on('line', line => {
      const answer = JSON.parse(line) as Answer
      const next = this.#waiting.shift()
      if (next === undefined) this.#come.push(answer)
      else next(answer)
    })
  }

  next(): Promise<Answer> {
    const come = this.#come.shift()
    if (come !== undefined) return Promise.resolve(come)
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no answer: ${this.#process.output()}`)), LIMIT_MS)
      this.#waiting.push(answer => {
        clearTimeout(late)
        resolve(answer)
      })
    })
  }

  ask(op: string, fields: object = {}): Promise<Answer> {
    this.tell(op, fields)
    return this.next()
  }

  tell(op: string, fields: object = {}): void {
    this.#process.child.stdin?.write(`${JSON.stringify({ op, ...fields })}\n`)
  }

  stop(): Promise<void> {
    return this.#process.stop(2_000)
  }
}

/** What a transfer gave and cost. */
export interface CircuitRun {
  readonly mbPerSec: number
  /** Of all nodes, the originator included, for each GiB of payload. */
  readonly cpuSecPerGib: number
  /** Microseconds of the busiest relay for each packet that it got; null: no relay was used. */
  readonly relayUsPerCell: number | null
  readonly lost: number
}

/** Three relays, an exit, an originator, and eight ports of a host. */
export class CircuitNet {
  readonly #nodes: CircuitProcess[] = []
  #host: CircuitProcess | null = null
  #targets: number[] = []

  /** `circuits`: how many the originator keeps for each number of hops. */
  static async start(circuits: number): Promise<CircuitNet> {
    const net = new CircuitNet()
    net.#host = new CircuitProcess({ hosts: HOSTS })
    net.#targets = (await net.#host.next())['ports'] as number[]
    const known: number[] = []
    for (const flags of [RELAY, RELAY, RELAY, EXIT, RELAY]) {
      const node = new CircuitProcess({ flags, known, circuits })
      net.#nodes.push(node)
      known.push(...((await node.next())['ports'] as number[]))
    }
    for (const node of net.#nodes) await net.#knowsAll(node)
    return net
  }

  /** Milliseconds to build a circuit, each of `count`. */
  async builds(hops: number, count: number): Promise<number[]> {
    return (await this.#originator.ask('builds', { hops, count }))['times'] as number[]
  }

  /** Sends (or fetches) for some seconds, a window of datagrams under way on each circuit. */
  async transfer(run: {
    readonly hops: number
    readonly circuits: number
    readonly seconds: number
    readonly window: number
    readonly down: boolean
  }): Promise<CircuitRun> {
    const targets = this.#targets.slice(0, run.circuits)
    this.#originator.tell('flow', { ...run, targets })
    await this.#originator.next()
    const others = this.#nodes.slice(0, -1)
    const before = await Promise.all(others.map(node => node.ask('cost')))
    const done = await this.#originator.next()
    const after = await Promise.all(others.map(node => node.ask('cost')))
    const spent = others.map((_, at) => delta(before[at], after[at], 'cpuUs'))
    const cells = others.map((_, at) => delta(before[at], after[at], 'packetsReceived'))
    const relays = [0, 1, 2].filter(at => (cells[at] ?? 0) > 1_000)
    const perCell = relays.map(at => (spent[at] ?? 0) / (cells[at] ?? 1))
    const bytes = Number(done['bytes'])
    const cpuUs = spent.reduce((sum, us) => sum + us, Number(done['cpuUs']))
    return {
      mbPerSec: bytes / Number(done['ms']) / 1_000,
      cpuSecPerGib: cpuUs / 1e6 / (bytes / 2 ** 30),
      relayUsPerCell: perCell.length === 0 ? null : Math.max(...perCell),
      lost: Number(done['lost']),
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map(each => each.stop()))
    await this.#host?.stop()
  }

  get #originator(): CircuitProcess {
    return this.#nodes.at(-1) as CircuitProcess
  }

  async #knowsAll(node: CircuitProcess): Promise<void> {
    const end = performance.now() + LIMIT_MS
    for (;;) {
      const { relays, exits } = await node.ask('cost')
      if (Number(relays) >= this.#nodes.length - 1 && Number(exits) + (node === this.#nodes[3] ? 1 : 0) >= 1) return
      if (performance.now() > end) throw new Error('the nodes do not find each other')
      await new Promise(resolve => setTimeout(resolve, PACE_MS))
    }
  }
}

function delta(before: Answer | undefined, after: Answer | undefined, key: string): number {
  return Number(after?.[key] ?? 0) - Number(before?.[key] ?? 0)
}
