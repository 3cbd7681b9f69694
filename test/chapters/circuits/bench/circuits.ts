// Circuits on loopback, one process a node, payloads of 1,000 bytes: MB/s and CPU over 1, 2 and 3 hops, one circuit and
// eight; the same of a pure relay, and what it costs it to pass a cell on; how long a circuit takes to be built. Beside
// py-ipv8 in the same run where a checkout of it is given. Each part prints a line when it is over, has a limit, and
// fails by itself.

import { CircuitNet } from './circuit-net.ts'
import { type Flow, runAlone } from '../../../../bench/lib/flow.ts'
import type { FlowOptions } from '../../../../bench/lib/flow-result.ts'
import { Parts } from '../../../../bench/lib/parts.ts'
import { RelayBetween, type RelayCost } from './relay-run.ts'
import { RelayNode } from './relay-node.ts'
import { median, round } from '../../../../bench/lib/report.ts'
import { PY_IPV8_PORT, PyIpv8Net, pyIpv8Checkout } from '../../../../bench/lib/rivals/py-ipv8.ts'
import { type CaseResult, type ClientResult, type Figures, medians, OURS } from '../../../../bench/lib/samples.ts'

/** As py-ipv8's client has it: datagrams under way on a circuit. */
const WINDOW = 64
const BUILDS = 20
/** The whole is to end within five minutes. */
const MOST_ROUNDS = 3
/** A turn of ours or of the rival's, and how many each has in a direction when there are MOST_ROUNDS rounds. */
const TURN_SECONDS = 1.2
const TURNS = 4
const TURNS_OF_THREE = 7
const RIVAL = 'py-ipv8'
/** Microseconds for a cell of 1,000 bytes of payload, as seconds for a GiB. */
const US_PER_CELL = 2 ** 30 / 1_000 / 1e6
const PART_MS = 75_000
const ALL_MS = 300_000
const HOPS = [1, 2, 3] as const
const MANY = 8

/** What a part does: rounds of so many seconds; `quick`: one circuit, through one relay and over three hops. */
type Lengths = Pick<FlowOptions, 'rounds' | 'seconds'> & { readonly quick: boolean }

const caseOf = (hops: number, way: string, circuits = 1): string =>
  `${hops} hops ${way}${circuits === 1 ? '' : `, ${circuits} circuits`}`

const relayCases = [
  { id: 'pure relay, 1 circuit', circuits: 1, back: false },
  { id: 'pure relay, 1 circuit, backward', circuits: 1, back: true },
  { id: 'pure relay, 8 circuits', circuits: MANY, back: false },
  { id: 'pure relay, 8 circuits, backward', circuits: MANY, back: true },
] as const

/** Results by case and client, in the order they came; each is printed at once. */
class Found {
  readonly #cases = new Map<string, ClientResult[]>()
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  add(id: string, client: string, runs: readonly Figures[]): void {
    if (runs.length === 0) return
    const result = { client, runs }
    this.#cases.set(id, [...(this.#cases.get(id) ?? []), result])
    const figures = Object.entries(medians(result)).map(
      ([name, value]) => `${round(value, value > 1_000 ? 0 : 1)} ${name}`,
    )
    this.#parts.tell(`${id}: ${client}: ${figures.join(', ')}`)
  }

  results(): CaseResult[] {
    return [...this.#cases].map(([id, results]) => ({ id, primary: 'MB/s', results }))
  }
}

interface Case {
  readonly hops: number
  readonly circuits: number
  readonly down: boolean
}

/** One run of ours, in one direction. */
async function once(net: CircuitNet, one: Case, seconds: number): Promise<Figures> {
  const run = await net.transfer({ ...one, seconds, window: WINDOW })
  const relay = run.relayUsPerCell === null ? {} : { 'CPU us/cell': run.relayUsPerCell }
  return { 'MB/s': run.mbPerSec, 'CPU-s/GiB': run.cpuSecPerGib, ...relay }
}

/** The rival's client, in one direction. */
async function theirOnce(rival: PyIpv8Net, { hops, down }: Case, seconds: number): Promise<Figures> {
  const row = await rival.measure(hops, down ? 'down' : 'up', seconds)
  // 1,000 cells a MB: milliseconds for a MB are microseconds for a cell, of all nodes.
  const relay = hops === 1 ? {} : { 'CPU us/cell': row.nodesMsPerMb / hops }
  const cost = (row.nodesMsPerMb + row.clientMsPerMb) * US_PER_CELL
  return { 'MB/s': row.mbPerSec, 'CPU-s/GiB': cost, ...(down ? {} : { 'build ms': row.buildMs }), ...relay }
}

/**
 * One direction of one circuit. We and the rival take short turns and all processes stay, so that what the machine does
 * meets both: each turn of ours is held against the rival's before and after it.
 */
async function taken(net: CircuitNet, rival: PyIpv8Net | null, one: Case, turns: number, seconds: number) {
  const ours: Figures[] = []
  const theirs: Figures[] = []
  for (let turn = 0; turn < turns; turn++) {
    ours.push(await once(net, one, seconds))
    if (rival !== null) theirs.push(await theirOnce(rival, one, seconds))
  }
  return {
    ours: ours.map((run, at) => ({ ...run, ...ratioOf(run, theirs.slice(Math.max(0, at - 1), at + 1)) })),
    theirs,
  }
}

/** Our MB/s of a turn by the mean of its neighbours'. */
function ratioOf(run: Figures, beside: readonly Figures[]): Figures {
  const mean = beside.reduce((sum, each) => sum + (each['MB/s'] ?? 0), 0) / beside.length
  return mean > 0 ? { 'ratio of turns': (run['MB/s'] ?? 0) / mean } : {}
}

/** One circuit over so many hops, built, up and down. */
async function oneCircuit(net: CircuitNet, rival: PyIpv8Net | null, hops: number, found: Found, how: Lengths) {
  const built = { 'build ms': median(await net.builds(hops, BUILDS)) }
  const seconds = Math.min(TURN_SECONDS, how.seconds)
  const turns = Math.round((how.rounds * (hops === 3 ? TURNS_OF_THREE : TURNS)) / MOST_ROUNDS)
  for (const down of [false, true]) {
    const { ours, theirs } = await taken(net, rival, { hops, circuits: 1, down }, Math.max(1, turns), seconds)
    const way = caseOf(hops, down ? 'down' : 'up')
    found.add(way, OURS, down ? ours : ours.map(run => ({ ...run, ...built })))
    found.add(way, RIVAL, theirs)
  }
}

/** Ours with many circuits. */
async function manyCircuits(net: CircuitNet, hops: number, found: Found, how: Lengths): Promise<void> {
  for (const down of [false, true]) {
    const runs: Figures[] = []
    for (let round = 0; round < Math.min(2, how.rounds); round++)
      runs.push(await once(net, { hops, circuits: MANY, down }, Math.min(2, how.seconds)))
    found.add(caseOf(hops, down ? 'down' : 'up', MANY), OURS, runs)
  }
}

function relayFigures({ cellsPerSec, mbPerSec, usPerCell }: RelayCost): Figures {
  return {
    'MB/s': mbPerSec,
    'cells/s': cellsPerSec,
    'CPU us/cell': usPerCell,
    'CPU-s/GiB': usPerCell * US_PER_CELL,
  }
}

/** Both relays, taking turns. */
async function relays(ours: RelayBetween, rival: RelayBetween | null, found: Found, how: Lengths): Promise<void> {
  const clients = [{ client: OURS, between: ours }, ...(rival === null ? [] : [{ client: RIVAL, between: rival }])]
  for (const { id, circuits, back } of relayCases) {
    if (how.quick && circuits > 1) continue
    const runs = clients.map((): Figures[] => [])
    for (let round = 0; round < how.rounds; round++)
      for (const [at, { between }] of clients.entries())
        runs[at]?.push(relayFigures(await between.run({ circuits, back, seconds: Math.min(1, how.seconds) })))
    for (const [at, { client }] of clients.entries()) found.add(id, client, runs[at] ?? [])
  }
}

/** The rival's network, where there is a checkout; null: none, or it does not run, which is named. */
async function rivalNet(parts: Parts, start: Promise<PyIpv8Net> | null): Promise<PyIpv8Net | null> {
  try {
    return start === null ? null : await start
  } catch (error) {
    parts.fail(RIVAL, error)
    return null
  }
}

async function measureAll(parts: Parts, found: Found, how: Lengths): Promise<void> {
  const checkout = pyIpv8Checkout()
  await parts.run('a pure relay', PART_MS, async keep => {
    const relay = await keep(RelayNode.start())
    const ours = await keep(RelayBetween.start(relay.port, relay.pid))
    const net = await rivalNet(parts, checkout === null ? null : keep(PyIpv8Net.start(checkout, 1, false)))
    const theirs = net === null ? null : await keep(RelayBetween.start(PY_IPV8_PORT, net.pids[0] ?? 0))
    await relays(ours, theirs, found, how)
  })
  for (const hops of how.quick ? ([3] as const) : HOPS)
    await parts.run(`${hops} hops`, PART_MS, async keep => {
      const net = await keep(CircuitNet.start(1))
      const rival = await rivalNet(parts, checkout === null ? null : keep(PyIpv8Net.start(checkout, 3, true)))
      await oneCircuit(net, rival, hops, found, how)
    })
  for (const hops of how.quick ? [] : HOPS)
    await parts.run(`${hops} hops, ${MANY} circuits`, PART_MS, async keep =>
      manyCircuits(await keep(CircuitNet.start(MANY)), hops, found, how),
    )
}

export const circuits: Flow = {
  name: 'circuits',
  async run(options) {
    const parts = new Parts(line => console.log(line), ALL_MS)
    const found = new Found(parts)
    const rounds = options.level === 'all' ? options.rounds : Math.min(options.rounds, MOST_ROUNDS)
    await measureAll(parts, found, { rounds, seconds: options.seconds, quick: options.level === 'quick' })
    const missing = pyIpv8Checkout() === null ? ['py-ipv8 is missing: IPV8_CHECKOUT names no checkout of it'] : []
    return {
      title: 'circuits on loopback, payloads of 1,000 bytes',
      cases: found.results(),
      notes: [...missing, ...parts.failures],
    }
  },
}

await runAlone(circuits, import.meta.url)
