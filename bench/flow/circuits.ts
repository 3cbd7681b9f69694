// Circuits on loopback, one process a node, payloads of 1,000 bytes: MB/s and CPU over 1, 2 and 3 hops, one circuit and eight; the same
// of a pure relay, and what it costs it to pass a cell on; how long a circuit takes to be built. Beside py-ipv8 in the same run where a
// checkout of it is given. Each part prints a line when it is over, has a limit, and fails by itself.

import { CircuitNet } from '../lib/circuit-net.ts'
import { type Flow, type FlowOptions, runAlone } from '../lib/flow.ts'
import { Parts } from '../lib/parts.ts'
import { RelayBetween, type RelayCost } from '../lib/relay-run.ts'
import { RelayNode } from '../lib/relay-node.ts'
import { median, round } from '../lib/report.ts'
import { PY_IPV8_PORT, PyIpv8Net, type PyIpv8Figures, pyIpv8Checkout } from '../lib/rivals/py-ipv8.ts'
import { type CaseResult, type ClientResult, type Figures, medians, OURS } from '../lib/samples.ts'

/** As py-ipv8's client has it: datagrams under way on a circuit. */
const WINDOW = 64
const BUILDS = 20
/** The whole is to end within five minutes. */
const MOST_ROUNDS = 3
const RIVAL = 'py-ipv8'
/** Microseconds for a cell of 1,000 bytes of payload, as seconds for a GiB. */
const US_PER_CELL = 2 ** 30 / 1_000 / 1e6
const PART_MS = 60_000
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

/** Runs `once` so many times; what was measured before one fails is kept by `found` all the same. */
async function repeated(rounds: number, once: () => Promise<Figures>): Promise<Figures[]> {
  const runs: Figures[] = []
  for (let at = 0; at < rounds; at++) runs.push(await once())
  return runs
}

/** Ours over 1, 2 and 3 hops: built, up, down; then with eight circuits up. */
async function ours(net: CircuitNet, hops: number, circuits: number, found: Found, how: Lengths): Promise<void> {
  const built = circuits === 1 ? { 'build ms': median(await net.builds(hops, BUILDS)) } : {}
  for (const down of [false, true]) {
    const runs = await repeated(how.rounds, async () => {
      const run = await net.transfer({ hops, circuits, down, seconds: how.seconds, window: WINDOW })
      const relay = run.relayUsPerCell === null ? {} : { 'CPU us/cell': run.relayUsPerCell }
      return { 'MB/s': run.mbPerSec, 'CPU-s/GiB': run.cpuSecPerGib, ...relay, ...(down ? {} : built) }
    })
    found.add(caseOf(hops, down ? 'down' : 'up', circuits), OURS, runs)
  }
}

function rivals(hops: number, row: PyIpv8Figures, found: Found): void {
  const up = row.upNodesMsPerMb + row.upClientMsPerMb
  const down = row.downNodesMsPerMb + row.downClientMsPerMb
  // 1,000 cells a MB: milliseconds for a MB are microseconds for a cell, of all nodes.
  const relay = (us: number): Figures => (hops === 1 ? {} : { 'CPU us/cell': us / hops })
  const upRun = { 'MB/s': row.upMbPerSec, 'CPU-s/GiB': up * US_PER_CELL, 'build ms': row.buildMs }
  found.add(caseOf(hops, 'up'), RIVAL, [{ ...upRun, ...relay(row.upNodesMsPerMb) }])
  const downRun = { 'MB/s': row.downMbPerSec, 'CPU-s/GiB': down * US_PER_CELL }
  found.add(caseOf(hops, 'down'), RIVAL, [{ ...downRun, ...relay(row.downNodesMsPerMb) }])
}

function relayFigures({ cellsPerSec, mbPerSec, usPerCell }: RelayCost): Figures {
  return {
    'MB/s': mbPerSec,
    'cells/s': cellsPerSec,
    'CPU us/cell': usPerCell,
    'CPU-s/GiB': usPerCell * US_PER_CELL,
  }
}

async function relays(between: RelayBetween, client: string, found: Found, how: Lengths): Promise<void> {
  for (const { id, circuits, back } of relayCases) {
    if (how.quick && circuits > 1) continue
    const run = { circuits, back, seconds: how.seconds }
    found.add(id, client, await repeated(how.rounds, async () => relayFigures(await between.run(run))))
  }
}

/** Chains, relay, chains of the rival, its relay: what is compared lies close together. */
async function measureAll(parts: Parts, found: Found, how: Lengths): Promise<void> {
  const checkout = pyIpv8Checkout()
  await parts.run('a relay of ours', PART_MS, async keep => {
    const relay = await keep(RelayNode.start())
    await relays(await keep(RelayBetween.start(relay.port, relay.pid)), OURS, found, how)
  })
  if (checkout !== null)
    await parts.run('a relay of py-ipv8', PART_MS, async keep => {
      const net = await keep(PyIpv8Net.start(checkout, 1, false))
      const between = await keep(RelayBetween.start(PY_IPV8_PORT, net.pids[0] ?? 0))
      await relays(between, RIVAL, found, { ...how, rounds: 1 })
    })
  for (const hops of how.quick ? ([3] as const) : HOPS) {
    await parts.run(`${hops} hops, ours`, PART_MS, async keep =>
      ours(await keep(CircuitNet.start(1)), hops, 1, found, how),
    )
    if (checkout === null) continue
    await parts.run(`${hops} hops, py-ipv8`, PART_MS, async keep => {
      const net = await keep(PyIpv8Net.start(checkout, 3, true))
      rivals(hops, await net.measure(hops, how.seconds, how.rounds), found)
    })
  }
  for (const hops of how.quick ? [] : HOPS)
    await parts.run(`${hops} hops, ${MANY} circuits`, PART_MS, async keep =>
      ours(await keep(CircuitNet.start(MANY)), hops, MANY, found, { ...how, rounds: Math.min(2, how.rounds) }),
    )
}

export const circuits: Flow = {
  name: 'circuits',
  async run(options) {
    const parts = new Parts()
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
