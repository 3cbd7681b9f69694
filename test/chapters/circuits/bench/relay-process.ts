// A process of the circuit benchmark that is both neighbours of one relay: it builds circuits of two hops that begin
// and end here, then sends cells through the relay and counts those that come out. The relay may be anybody's. Commands
// and answers: JSON lines.

import { createInterface } from 'node:readline'
import type { PeerAddress } from '../../../../src/base/ids.ts'
import type { OwnCircuit } from '../../../../src/chapters/circuits/core/own-circuit.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import { NetTcpNetwork } from '../../../../src/io/net/tcp-net.ts'
import { ChosenNetwork } from '../../../../src/io/net/udp-choice.ts'
import { LAYER_BYTES, LAYER_HEAD_BYTES, type LayerKey } from '../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import type { UdpNetwork } from '../../../../src/ports/udp.ts'
import { CELL_HEADER_BYTES, writeCellHead } from '../../../../src/chapters/circuits/wire/cell.ts'
import { EXIT, makeCircuitNode, type MadeCircuitNode, RELAY } from '../kit/made-circuit-node.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const ip = '127.0.0.1'
const PAYLOAD = 1_000
/** Cells that are measured are longer than everything else that comes. */
const MEASURED_BYTES = CELL_HEADER_BYTES + PAYLOAD
const BUILD_MS = 10_000
/** Before the first count of each direction, for everything to be compiled. */
const WARM_MS = 500
const LOST_AFTER_MS = 250

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

/** Makes the next cell of a circuit in `slot`; answers how long it is. */
interface Cells {
  make(slot: Uint8Array): number
  send(cell: Uint8Array): void
}

/** Cells are made before a burst, for the relay is not to wait for them. */
const BURST = 16_384
const SLOT_BYTES = 1_088

/** Bursts of cells: a window of them is under way, until all came out or nothing more does. */
class Flood {
  readonly #slab = Buffer.allocUnsafeSlow(BURST * SLOT_BYTES)
  readonly #made: { cell: Uint8Array; by: Cells }[] = []
  readonly #ways: readonly Cells[]
  readonly #window: number
  #sent = 0
  #came = 0
  #over: (() => void) | null = null
  /** Of the bursts that are over: cells that came out, and time. */
  cells = 0
  ms = 0

  constructor(ways: readonly Cells[], window: number) {
    this.#ways = ways
    this.#window = window
  }

  async burst(): Promise<void> {
    this.#make()
    this.#sent = 0
    this.#came = 0
    const begin = performance.now()
    let seen = -1
    let seenMs = begin
    const looking = setInterval(() => {
      if (seen === this.#came) return this.#over?.()
      seen = this.#came
      seenMs = performance.now()
    }, LOST_AFTER_MS)
    await new Promise<void>(resolve => {
      this.#over = resolve
      this.#fill()
    })
    clearInterval(looking)
    this.#over = null
    this.cells += this.#came
    this.ms += (this.#came === BURST ? performance.now() : seenMs) - begin
  }

  came(): void {
    this.#came++
    this.#fill()
    if (this.#came === BURST) this.#over?.()
  }

  #make(): void {
    this.#made.length = 0
    for (let n = 0; n < BURST; n++) {
      const slot = this.#slab.subarray(n * SLOT_BYTES, (n + 1) * SLOT_BYTES)
      const by = this.#ways[n % this.#ways.length] as Cells
      this.#made.push({ cell: slot.subarray(0, by.make(slot)), by })
    }
  }

  #fill(): void {
    while (this.#sent < BURST && this.#sent - this.#came < this.#window) {
      const next = this.#made[this.#sent++]
      next?.by.send(next.cell)
    }
  }
}

let flood: Flood | null = null

/** Sockets whose long datagrams are counted and go no further. */
const counting: UdpNetwork = {
  bind: (at, receive) =>
    new ChosenNetwork().bind(at, (bytes, from) => {
      // Those that come late are dropped: the circuits would be given up for cells that cannot be read.
      if (bytes.length >= MEASURED_BYTES) flood?.came()
      else receive(bytes, from)
    }),
}

function makeNode(flags: number, { relay, communityId }: Given): Promise<MadeCircuitNode> {
  const udp = new ChosenNetwork()
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

/** Cells away from the originator: the layer that the relay takes off, around anything. */
function forward(circuit: OwnCircuit): Cells {
  const { overlay } = near.community
  const { seal } = circuit.hops[0] as { seal: LayerKey }
  const to = circuit.firstHop as PeerAddress
  const head = { circuitId: circuit.id, plain: false, early: false }
  const at = CELL_HEADER_BYTES + LAYER_HEAD_BYTES
  return {
    make(slot) {
      writeCellHead(slot, overlay.prefix, head)
      seal.seal(slot, at, at + PAYLOAD)
      return MEASURED_BYTES + LAYER_BYTES
    },
    send: cell => overlay.sendBytes(cell, to),
  }
}

/** Cells back: the relay does not look into them. */
function backward(circuitId: number, to: PeerAddress): Cells {
  const { overlay } = far.community
  return {
    make(slot) {
      writeCellHead(slot, overlay.prefix, { circuitId, plain: false, early: false })
      return MEASURED_BYTES
    },
    send: cell => overlay.sendBytes(cell, to),
  }
}

function waysOf(circuits: readonly OwnCircuit[], back: boolean): Cells[] {
  if (!back) return circuits.map(forward)
  const to = { ip, port: given.relay }
  return far.tunnels.joined
    .facts()
    .slice(-circuits.length)
    .map(({ id }) => backward(id, to))
}

let live: OwnCircuit[] = []
const warm = new Set<boolean>()

async function run({ circuits: wanted, window, seconds, back }: Command): Promise<object> {
  live = live.filter(({ ready }) => ready)
  while (live.length < wanted) live.push(await build())
  const one = new Flood(waysOf(live.slice(0, wanted), back), window)
  flood = one
  const startMs = performance.now()
  while (!warm.has(back) && performance.now() - startMs < WARM_MS) await one.burst()
  warm.add(back)
  process.stdout.write(`${JSON.stringify({ begun: true })}\n`)
  const [before, beforeMs, beganMs] = [one.cells, one.ms, performance.now()]
  while (performance.now() - beganMs < seconds * 1_000) await one.burst()
  flood = null
  return { cells: one.cells - before, ms: one.ms - beforeMs }
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
