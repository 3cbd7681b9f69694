// A network of circuits on loopback, one process a node, and what a transfer through it costs. The host beyond the exit
// is a process of its own too and is not counted.

import { join } from 'node:path'
import { type Answer, LineProcess } from '../../../../bench/lib/line-process.ts'

const PROGRAM = join(import.meta.dirname, 'circuit-process.js')
/** Flags of section 7.1 of the protocol: relay and speed test; with exits of all kinds. */
const RELAY = 9
const EXIT = 9 | 2 | 4 | 32_768
const HOSTS = 8
const MEET_MS = 20_000
const PACE_MS = 100

/** What a transfer gave and cost. */
export interface CircuitRun {
  readonly mbPerSec: number
  /** Of all nodes, the originator included, for each GiB of payload. */
  readonly cpuSecPerGib: number
  /** Microseconds of all relays for each packet that they got; null: none was used. */
  readonly relayUsPerCell: number | null
  readonly lost: number
}

/** Three relays, an exit, an originator, and eight ports of a host. */
export class CircuitNet {
  readonly #nodes: LineProcess[] = []
  #host: LineProcess | null = null
  #targets: number[] = []

  /** `circuits`: how many the originator keeps for each number of hops. */
  static async start(circuits: number): Promise<CircuitNet> {
    const net = new CircuitNet()
    try {
      await net.#start(circuits)
      return net
    } catch (error) {
      await net.stop()
      throw error
    }
  }

  async #start(circuits: number): Promise<void> {
    this.#host = new LineProcess(PROGRAM, { hosts: HOSTS })
    this.#targets = (await this.#host.next())['ports'] as number[]
    const known: number[] = []
    for (const flags of [RELAY, RELAY, RELAY, EXIT, RELAY]) {
      const node = new LineProcess(PROGRAM, { flags, known, circuits })
      this.#nodes.push(node)
      known.push(...((await node.next())['ports'] as number[]))
    }
    for (const node of this.#nodes) await this.#knowsAll(node)
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
    // Relays that carried the data; the others have nothing to do but to know each other.
    const relays = [0, 1, 2].filter(at => (cells[at] ?? 0) > Math.max(...cells) / 8)
    const sum = (of: number[]): number => relays.reduce((total, at) => total + (of[at] ?? 0), 0)
    const bytes = Number(done['bytes'])
    const cpuUs = spent.reduce((sum, us) => sum + us, Number(done['cpuUs']))
    return {
      mbPerSec: bytes / Number(done['ms']) / 1_000,
      cpuSecPerGib: cpuUs / 1e6 / (bytes / 2 ** 30),
      relayUsPerCell: run.hops === 1 ? null : sum(spent) / sum(cells),
      lost: Number(done['lost']),
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map(each => each.stop()))
    await this.#host?.stop()
  }

  get #originator(): LineProcess {
    return this.#nodes.at(-1) as LineProcess
  }

  async #knowsAll(node: LineProcess): Promise<void> {
    const end = performance.now() + MEET_MS
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
