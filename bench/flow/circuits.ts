// Circuits on loopback, one process a node, payloads of 1,000 bytes: MB/s and CPU over 1, 2 and 3 hops, one circuit and eight, what a
// relayed cell costs, how long a circuit takes to be built; beside py-ipv8 in the same run where a checkout of it is given.

import { CircuitNet } from '../lib/circuit-net.ts'
import { type Flow, type FlowOptions, runAlone } from '../lib/flow.ts'
import { median } from '../lib/report.ts'
import { measurePyIpv8, type PyIpv8Figures, pyIpv8Checkout } from '../lib/rivals/py-ipv8.ts'
import { type CaseResult, type ClientResult, type Figures, OURS } from '../lib/samples.ts'

/** As py-ipv8's client has it: datagrams under way on a circuit. */
const WINDOW = 64
const BUILDS = 20
const RIVAL = 'py-ipv8'
/** Milliseconds of CPU for a MB, as seconds for a GiB. */
const MS_PER_MB = 2 ** 30 / 1e6 / 1_000

interface Case {
  readonly id: string
  readonly hops: number
  readonly circuits: number
  readonly down: boolean
}

const cases: readonly Case[] = [1, 2, 3].flatMap(hops => [
  { id: `${hops} hops up`, hops, circuits: 1, down: false },
  { id: `${hops} hops down`, hops, circuits: 1, down: true },
])
const eight: Case = { id: '3 hops up, 8 circuits', hops: 3, circuits: 8, down: false }

/** Ours of one case; the relay's figure is put aside. */
async function measure(one: Case, options: FlowOptions, relayed: Figures[]): Promise<CaseResult> {
  const net = await CircuitNet.start(one.circuits)
  const runs: Figures[] = []
  try {
    const built = one.down || one.circuits > 1 ? null : median(await net.builds(one.hops, BUILDS))
    for (let round = 0; round < options.rounds; round++) {
      const run = await net.transfer({ ...one, seconds: options.seconds, window: WINDOW })
      const cost = { 'MB/s': run.mbPerSec, 'CPU-s/GiB': run.cpuSecPerGib }
      runs.push(built === null ? cost : { ...cost, 'build ms': built })
      if (run.relayUsPerCell !== null && one.hops === 3) relayed.push({ 'CPU us/cell': run.relayUsPerCell })
    }
  } finally {
    await net.stop()
  }
  return { id: one.id, primary: 'MB/s', results: [{ client: OURS, runs }] }
}

function rivalOf({ down }: Case, row: PyIpv8Figures): ClientResult {
  const cpu = down ? row.downNodesMsPerMb + row.downClientMsPerMb : row.upNodesMsPerMb + row.upClientMsPerMb
  const figures = { 'MB/s': down ? row.downMbPerSec : row.upMbPerSec, 'CPU-s/GiB': cpu * MS_PER_MB }
  return { client: RIVAL, runs: [down ? figures : { ...figures, 'build ms': row.buildMs }] }
}

export const circuits: Flow = {
  name: 'circuits',
  async run(options) {
    const relayed: Figures[] = []
    const found: CaseResult[] = []
    for (const one of [...cases, eight]) found.push(await measure(one, options, relayed))
    const checkout = pyIpv8Checkout()
    const rows = checkout === null ? [] : await measurePyIpv8(checkout, options.seconds, options.rounds)
    const withRivals = found.map((result, at) => {
      const one = cases[at]
      const row = rows.find(({ hops }) => hops === one?.hops)
      return one === undefined || row === undefined
        ? result
        : { ...result, results: [...result.results, rivalOf(one, row)] }
    })
    const far = rows.find(({ hops }) => hops === 3)
    const relay: CaseResult = {
      id: 'relayed cells',
      primary: 'CPU us/cell',
      results: [
        { client: OURS, runs: relayed },
        // 1,000 cells a MB at each of three hops.
        ...(far === undefined ? [] : [{ client: RIVAL, runs: [{ 'CPU us/cell': far.upNodesMsPerMb / 3 }] }]),
      ],
    }
    const notes = checkout === null ? ['py-ipv8 is missing: IPV8_CHECKOUT names no checkout of it'] : []
    return { title: 'circuits on loopback, payloads of 1,000 bytes', cases: [...withRivals, relay], notes }
  },
}

await runAlone(circuits, import.meta.url)
