// A process of the circuit benchmark: a node with overlays and circuits alone, or the host beyond the exits. Takes
// commands as JSON lines and answers each with one line; `port` comes first. Datagrams begin with d and end with e, as
// exits let pass.

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { PeerAddress } from '../../../../src/base/ids.ts'
import type { OwnCircuit } from '../../../../src/chapters/circuits/core/own-circuit.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import { NetTcpNetwork } from '../../../../src/io/net/tcp-net.ts'
import { ChosenNetwork } from '../../../../src/io/net/udp-choice.ts'
import type { HopCount } from '../../../../src/chapters/circuits/ports/circuits.ts'
import type { UdpSocket } from '../../../../src/ports/udp.ts'
import { SealPool } from '../../../../src/chapters/overlay/sealing/seal-pool.ts'
import { makeCircuitNode, type MadeCircuitNode, testCrypto } from '../kit/made-circuit-node.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const ip = '127.0.0.1'
const SIZE = 1_000
/** The host acknowledges each 16th datagram, and is asked for 16 at a time. */
const STEP = 16
const LOST_AFTER_MS = 500
/** Shorter than any time limit of an answer, so that the error says what is missing. */
const READY_MS = 10_000

type Command = Record<string, unknown> & { readonly op: string }

interface Answers {
  handle(command: Command): Promise<object> | object
}

/** What every process answers. */
function cost(): object {
  const { user, system } = process.cpuUsage()
  return { cpuUs: user + system, rss: process.memoryUsage.rss() }
}

/** The host: counts what comes (S), sends what is asked for (G). */
async function host(sockets: number): Promise<Answers & { readonly ports: number[] }> {
  const ports: number[] = []
  for (let made = 0; made < sockets; made++) {
    const socket = createSocket({
      type: 'udp4',
      recvBufferSize: 4 << 20,
      sendBufferSize: 4 << 20,
      lookup: (name, _o, done) => done(null, name, 4),
    })
    let count = 0
    let sent = 0
    const data = datagram('D', 0)
    const ack = Buffer.from('dA........e')
    socket.on('message', (bytes, from) => {
      const op = bytes[1]
      if (op === 0x53) {
        if (++count % STEP !== 0) return
        ack.writeUInt32BE(count, 2)
        socket.send(Buffer.from(ack), from.port, from.address)
      } else if (op === 0x47) {
        for (let n = 0; n < STEP; n++) {
          data.writeUInt32BE(++sent, 2)
          socket.send(Buffer.from(data), from.port, from.address)
        }
      } else if (op === 0x52) {
        count = 0
        sent = 0
        socket.send(Buffer.from('dr........e'), from.port, from.address)
      }
    })
    const listening = once(socket, 'listening')
    socket.bind(0, ip)
    await listening
    ports.push(socket.address().port)
  }
  return { ports, handle: cost }
}

function datagram(op: string, number: number, size = SIZE): Buffer {
  const bytes = Buffer.alloc(size)
  bytes.write(`d${op}`)
  bytes.writeUInt32BE(number, 2)
  bytes.write('e', size - 1)
  return bytes
}

/** One direction of one circuit, kept at a window of datagrams under way. */
class FlowOfOne {
  readonly #socket: UdpSocket
  readonly #to: PeerAddress
  readonly #window: number
  readonly #bytes: Buffer
  readonly #down: boolean
  #under = 0
  #counted = 0
  #heardMs = performance.now()
  done = 0
  lost = 0
  running = false

  constructor(socket: UdpSocket, to: PeerAddress, window: number, down: boolean) {
    this.#socket = socket
    this.#to = to
    this.#window = window
    this.#down = down
    this.#bytes = datagram(down ? 'G' : 'S', 0, down ? 40 : SIZE)
  }

  heard(bytes: Uint8Array): void {
    const number = Buffer.from(bytes.buffer, bytes.byteOffset).readUInt32BE(2)
    this.#heardMs = performance.now()
    const more = bytes[1] === 0x41 ? number - this.#counted : bytes[1] === 0x44 ? 1 : 0
    if (bytes[1] === 0x41) this.#counted = number
    this.done += more
    this.#under -= more
    this.fill()
  }

  /** What was lost does not come any more: begins again. */
  look(): void {
    if (!this.running || performance.now() - this.#heardMs < LOST_AFTER_MS) return
    this.lost += this.#under
    this.#under = 0
    this.#heardMs = performance.now()
    this.fill()
  }

  fill(): void {
    const step = this.#down ? STEP : 1
    while (this.running && this.#under + step <= this.#window) {
      this.#under += step
      this.#socket.send(this.#bytes, this.#to)
    }
  }
}

async function originator(node: MadeCircuitNode, command: Command): Promise<object> {
  const { hops, targets, seconds, window, down } = command as unknown as {
    hops: HopCount
    targets: number[]
    seconds: number
    window: number
    down: boolean
  }
  const lane = node.circuits.lane(hops)
  lane.setDemand(targets.length)
  await waitFor(
    'circuits',
    () => lane.facts().ready >= targets.length,
    READY_MS,
    () => ({
      ...lane.facts(),
      own: [...node.tunnels.own.all()].map(({ state, hops, reason }) => [state, hops.length, reason]),
    }),
  )
  const flows = new Map<number, FlowOfOne>()
  const socket = await lane.udp.bind({ family: 4, ip: null, port: 0 }, (bytes, from) =>
    flows.get(from.port)?.heard(bytes),
  )
  for (const port of targets) flows.set(port, new FlowOfOne(socket, { ip, port }, window, down))
  for (const port of flows.keys()) socket.send(datagram('R', 0, 20), { ip, port })
  await new Promise(resolve => setTimeout(resolve, 200))
  const looking = setInterval(() => {
    for (const flow of flows.values()) flow.look()
  }, 50)
  for (const flow of flows.values()) {
    flow.running = true
    flow.fill()
  }
  await new Promise(resolve => setTimeout(resolve, 500))
  process.stdout.write(`${JSON.stringify({ begun: true })}\n`)
  const before = [...flows.values()].reduce((sum, flow) => sum + flow.done, 0)
  const begin = performance.now()
  const spent = process.cpuUsage()
  await new Promise(resolve => setTimeout(resolve, seconds * 1000))
  const { user, system } = process.cpuUsage(spent)
  const done = [...flows.values()].reduce((sum, flow) => sum + flow.done, 0) - before
  const ms = performance.now() - begin
  const lost = [...flows.values()].reduce((sum, flow) => sum + flow.lost, 0)
  for (const flow of flows.values()) flow.running = false
  clearInterval(looking)
  await socket.close()
  lane.setDemand(0)
  const paths = [...node.tunnels.own.all()].filter(({ ready }) => ready)
  return { bytes: done * SIZE, ms, lost, cpuUs: user + system, circuits: paths.length }
}

/** Milliseconds each of `count` circuits took to be ready, one after the other. */
async function builds(node: MadeCircuitNode, hops: number, count: number): Promise<object> {
  const { own } = node.tunnels
  const times: number[] = []
  for (let made = 0; made < count; made++) {
    const begin = performance.now()
    await new Promise<void>(resolve => {
      const circuit = own.build({ purpose: 'data', hops, required: null, lastKind: 'exit' })
      const over = (one: OwnCircuit, ready: boolean): void => {
        if (one !== circuit) return
        if (ready) times.push(performance.now() - begin)
        end()
        resolve()
      }
      const end = own.watch({ ready: one => over(one, true), removed: one => over(one, false) })
    })
    for (const circuit of own.all()) own.remove(circuit, 'measured')
  }
  return { times }
}

async function node(options: { readonly flags: number; readonly known: number[]; readonly circuits: number }) {
  const udp = new ChosenNetwork()
  const random = new SystemRandom()
  const limits = { min: options.circuits, max: options.circuits }
  const known = options.known.map(port => ({ ip, port }))
  const made = await makeCircuitNode(
    { ip, port: 0, known, flags: options.flags, limits },
    {
      udp,
      exitUdp: udp,
      tcp: new NetTcpNetwork(null),
      clock: new SystemClock(),
      random,
      ...(process.env['LAYERS_HERE'] === undefined
        ? { pool: new SealPool({}, { crypto: testCrypto, random, log: silentLog }) }
        : {}),
      resolver: { resolve: host => Promise.resolve([{ ip: host, family: 4, class: 'private' }]) },
    },
  )
  const handle = async (command: Command): Promise<object> => {
    if (command.op === 'flow') return originator(made, command)
    if (command.op === 'builds') return builds(made, Number(command['hops']), Number(command['count']))
    const { packetsReceived, packetsSent } = made.overlays.counts
    const { relays, exits } = made.tunnels.candidates.counts
    return {
      ...cost(),
      packetsReceived,
      packetsSent,
      relays,
      exits,
      port: made.overlays.lanAddress?.port,
      drops: made.tunnels.drops,
    }
  }
  return { ports: [made.overlays.lanAddress?.port ?? 0], handle }
}

const given = JSON.parse(process.argv[2] ?? '{}') as {
  hosts?: number
  flags?: number
  known?: number[]
  circuits?: number
}
const serving =
  given.hosts === undefined
    ? await node({ flags: given.flags ?? 0, known: given.known ?? [], circuits: given.circuits ?? 1 })
    : await host(given.hosts)
process.stdout.write(`${JSON.stringify({ ports: serving.ports })}\n`)
createInterface({ input: process.stdin })
  .on('line', line => {
    Promise.resolve(serving.handle(JSON.parse(line) as Command)).then(
      answer => process.stdout.write(`${JSON.stringify(answer)}\n`),
      (error: unknown) => process.stdout.write(`${JSON.stringify({ failed: String(error) })}\n`),
    )
  })
  .on('close', () => process.exit(0))
