// A process of the circuit benchmark that is both neighbours of one relay: it builds circuits of two hops that begin and end here,
// then sends cells through the relay and counts those that come out. The relay may be anybody's. Commands and answers: JSON lines.

import { createInterface } from 'node:readline'
import type { PeerAddress } from '../../src/base/ids.ts'
import type { OwnCircuit } from '../../src/circuits/own-circuit.ts'
import { SlotRing } from '../../src/circuits/slot-ring.ts'
import { SystemClock } from '../../src/io/clock.ts'
import { SystemRandom } from '../../src/io/random.ts'
import { NetTcpNetwork } from '../../src/io/tcp-net.ts'
import { DgramNetwork } from '../../src/io/udp-dgram.ts'
import { LAYER_BYTES, LAYER_HEAD_BYTES, type LayerKey } from '../../src/ports/overlay-crypto.ts'
import type { UdpNetwork } from '../../src/ports/udp.ts'
import { CELL_HEADER_BYTES, writeCellHead } from '../../src/wire/overlay/cell.ts'
import { EXIT, makeCircuitNode, type MadeCircuitNode, RELAY } from '../../test/kit/made-circuit-node.ts'
import { waitFor } from '../../test/kit/wait-for.ts'

const ip = '127.0.0.1'
const PAYLOAD = 1_000
/** Cells that are measured are longer than everything else that comes. */
const MEASURED_BYTES = CELL_HEADER_BYTES + PAYLOAD
const BUILD_MS = 10_000
/** Before the first count. */
const WARM_MS = 300
const LOST_AFTER_MS = 200

interface Given {
  /** Port of the relay. */
  readonly relay: number
  readonly communityId?: string
}

interface Command {
  readonly circuits: number
  /** Cells under way, of all circuits together. */
  readonly window: number
  readonly seconds: number
  /** Towards the originator: the relay puts a layer on; else it takes one off. */
  readonly back: boolean
}

/** Sends a cell with the next number; the way it takes. */
type Cells = () => void

/** Counts what comes out of the relay and puts as much in. */
class Flood {
  readonly #ways: readonly Cells[]
  readonly #window: number
  #next = 0
  #under = 0
  #heardMs = performance.now()
  counted = 0
  running = true

  constructor(ways: readonly Cells[], window: number) {
    this.#ways = ways
    this.#window = window
  }

  came(): void {
    this.counted++
    this.#under--
    this.#heardMs = performance.now()
    this.fill()
  }

  fill(): void {
    while (this.running && this.#under < this.#window) {
      this.#under++
      this.#next = (this.#next + 1) % this.#ways.length
      this.#ways[this.#next]?.()
    }
  }

  /** What was lost does not come any more. */
  look(): void {
    if (performance.now() - this.#heardMs < LOST_AFTER_MS) return
    this.#under = 0
    this.#heardMs = performance.now()
    this.fill()
  }
}

let flood: Flood | null = null

/** Sockets whose long datagrams are counted and go no further. */
const counting: UdpNetwork = {
  bind: (at, receive) =>
    new DgramNetwork().bind(at, (bytes, from) => {
      if (flood !== null && bytes.length >= MEASURED_BYTES) flood.came()
      else receive(bytes, from)
    }),
}

function makeNode(flags: number, { relay, communityId }: Given): Promise<MadeCircuitNode> {
  const udp = new DgramNetwork()
  return makeCircuitNode(
    { ip, port: 0, known: [{ ip, port: relay }], flags, ...(communityId === undefined ? {} : { communityId }) },
    {
      udp: counting,
      exitUdp: udp,
      tcp: new NetTcpNetwork(null),
      clock: new SystemClock(),
      random: new SystemRandom(),
      resolver: { resolve: host => Promise.resolve([{ ip: host, family: 4, class: 'private' }]) },
    },
  )
}

const given = JSON.parse(process.argv[2] ?? '{}') as Given
const near = await makeNode(RELAY, given)
const far = await makeNode(EXIT, given)
const ring = new SlotRing(() => near.overlays.unsentBytes + far.overlays.unsentBytes)

function build(): Promise<OwnCircuit> {
  const { own } = near.tunnels
  const address = { ip, port: far.overlays.lanAddress?.port ?? 0 }
  const required = { publicKey: far.keys.publicKey, address }
  return new Promise((resolve, reject) => {
    const circuit = own.build({ purpose: 'data', hops: 2, required, lastKind: 'exit' })
    const late = setTimeout(() => over(new Error('no circuit through the relay')), BUILD_MS)
    const over = (end: Error | OwnCircuit): void => {
      clearTimeout(late)
      unwatch()
      if (end instanceof Error) reject(end)
      else resolve(end)
    }
    const unwatch = own.watch({
      ready: it => (it === circuit ? over(it) : undefined),
      removed: (it, reason) => (it === circuit ? over(new Error(reason)) : undefined),
    })
  })
}

/** One cell away from the originator: the layer that the relay takes off, around anything. */
function forward(circuit: OwnCircuit): Cells {
  const { prefix } = near.community.overlay
  const { seal } = circuit.hops[0] as { seal: LayerKey }
  const to = circuit.firstHop as PeerAddress
  const head = { circuitId: circuit.id, plain: false, early: false }
  const at = CELL_HEADER_BYTES + LAYER_HEAD_BYTES
  return () => {
    const slot = ring.take(MEASURED_BYTES + LAYER_BYTES)
    writeCellHead(slot, prefix, head)
    seal.seal(slot, at, at + PAYLOAD)
    near.community.overlay.sendBytes(slot.subarray(0, MEASURED_BYTES + LAYER_BYTES), to)
  }
}

/** One cell back: the relay does not look into it. */
function backward(circuitId: number, to: PeerAddress): Cells {
  const { prefix } = far.community.overlay
  const cell = Buffer.alloc(MEASURED_BYTES)
  writeCellHead(cell, prefix, { circuitId, plain: false, early: false })
  return () => far.community.overlay.sendBytes(cell, to)
}

function waysOf(circuits: readonly OwnCircuit[], back: boolean): Cells[] {
  if (!back) return circuits.map(forward)
  const to = { ip, port: given.relay }
  return far.tunnels.joined.facts().map(({ id }) => backward(id, to))
}

const circuits: OwnCircuit[] = []

async function run({ circuits: wanted, window, seconds, back }: Command): Promise<object> {
  while (circuits.length < wanted) circuits.push(await build())
  const one = new Flood(waysOf(circuits.slice(0, wanted), back).slice(0, wanted), window)
  flood = one
  one.fill()
  const looking = setInterval(() => one.look(), LOST_AFTER_MS)
  await new Promise(resolve => setTimeout(resolve, WARM_MS))
  process.stdout.write(`${JSON.stringify({ begun: true })}\n`)
  const [before, beganMs] = [one.counted, performance.now()]
  const spent = process.cpuUsage()
  await new Promise(resolve => setTimeout(resolve, seconds * 1_000))
  const [cells, ms] = [one.counted - before, performance.now() - beganMs]
  const { user, system } = process.cpuUsage(spent)
  one.running = false
  clearInterval(looking)
  process.stdout.write(`${JSON.stringify({ cells, ms, cpuUs: user + system })}\n`)
  // Cells still under way are not for the overlay.
  await new Promise(resolve => setTimeout(resolve, LOST_AFTER_MS))
  flood = null
  return { over: true }
}

await waitFor(
  'the relay',
  () => near.tunnels.candidates.counts.relays > 0 && far.tunnels.candidates.counts.relays > 0,
  BUILD_MS,
)
process.stdout.write(`${JSON.stringify({ ready: true })}\n`)
createInterface({ input: process.stdin })
  .on('line', line => {
    run(JSON.parse(line) as Command).then(
      answer => process.stdout.write(`${JSON.stringify(answer)}\n`),
      (error: unknown) => process.stdout.write(`${JSON.stringify({ failed: String(error) })}\n`),
    )
  })
  .on('close', () => process.exit(0))
