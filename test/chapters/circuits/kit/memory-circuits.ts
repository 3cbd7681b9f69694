// Circuits without an overlay: lanes whose exits have addresses of a made-up internet, where datagrams and HTTP servers
// are, and hidden swarms that link who seeds with who looks. Everything that leaves is written down. On any clock.

import { AppError } from '../../../../src/base/errors.ts'
import type { InfoHash, PeerAddress } from '../../../../src/base/ids.ts'
import type { CircuitFacts } from '../../../../src/ports/overlay-network.ts'
import type {
  CircuitHttpRequest,
  CircuitLane,
  Circuits,
  HiddenPeer,
  HiddenSwarm,
  HopCount,
} from '../../../../src/chapters/circuits/ports/circuits.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import type { UdpNetwork, UdpSocket } from '../../../../src/ports/udp.ts'

type Receive = (bytes: Uint8Array, from: PeerAddress) => void

const HIDDEN_PORT = 1024

function keyOf({ ip, port }: PeerAddress): string {
  return `${ip}:${port}`
}

/** The internet behind the exits. */
export class MemoryCircuits {
  readonly clock: Clock
  readonly lanes: MemoryLane[] = []
  /** Names that exits look up. */
  readonly names = new Map<string, string>()
  /** What servers answer, by `host:port`; a rejection is a server that is not there. */
  readonly servers = new Map<string, (request: CircuitHttpRequest) => Promise<Uint8Array>>()
  /** One way, ms. */
  delayMs = 20
  readonly #endpoints = new Map<string, Receive>()
  #nextIp = 1

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Circuits of one more node, with a ready circuit unless `ready` says otherwise. */
  lane(hops: HopCount, ready = 1): MemoryLane {
    const lane = new MemoryLane(this, hops, `203.0.113.${this.#nextIp++}`)
    lane.setFacts({ ready, candidates: ready > 0 ? 5 : 0, exits: ready > 0 ? 2 : 0 })
    this.lanes.push(lane)
    return lane
  }

  /** Somebody on the internet. Answers what sends as it. */
  endpoint(at: PeerAddress, receive: Receive): (bytes: Uint8Array, to: PeerAddress) => void {
    this.#endpoints.set(keyOf(at), receive)
    return (bytes, to) => this.deliver(bytes, at, to)
  }

  remove(at: PeerAddress): void {
    this.#endpoints.delete(keyOf(at))
  }

  /** Brings a datagram to whoever is there; nobody: it is lost. */
  deliver(bytes: Uint8Array, from: PeerAddress, to: PeerAddress): void {
    const copy = Uint8Array.from(bytes)
    this.clock.after(this.delayMs, () => this.#endpoints.get(keyOf(to))?.(copy, from))
  }

  /** Links who seeds a swarm with everybody who looks for it; both get a circuit's number for the other. */
  link(): void {
    const swarms = this.lanes.flatMap(lane => [...lane.swarms])
    for (const seed of swarms.filter(one => one.seeding)) {
      for (const looking of swarms) {
        const wants = looking.infoHash === seed.infoHash && looking.lane !== seed.lane && !looking.seeding
        if (wants && !looking.sated) this.#linkTwo(seed, looking)
      }
    }
  }

  #linkTwo(seed: MemorySwarm, looking: MemorySwarm): void {
    const pair = `${seed.lane.exitIp} ${looking.lane.exitIp} ${seed.infoHash}`
    if (looking.linked.has(pair)) return
    looking.linked.add(pair)
    const near = { ip: `9.0.${this.lanes.length}.${this.#nextIp++}`, port: HIDDEN_PORT }
    const far = { ip: `9.1.${this.lanes.length}.${this.#nextIp++}`, port: HIDDEN_PORT }
    looking.lane.hidden.set(near.ip, (bytes: Uint8Array) => seed.lane.receiveHidden(bytes, far))
    seed.lane.hidden.set(far.ip, (bytes: Uint8Array) => looking.lane.receiveHidden(bytes, near))
    looking.found({ address: near })
  }
}

/** One hidden swarm of one lane. */
class MemorySwarm implements HiddenSwarm {
  readonly infoHash: InfoHash
  readonly lane: MemoryLane
  readonly found: (peer: HiddenPeer) => void
  readonly linked = new Set<string>()
  seeding = false
  sated = false

  constructor(lane: MemoryLane, infoHash: InfoHash, found: (peer: HiddenPeer) => void) {
    this.lane = lane
    this.infoHash = infoHash
    this.found = found
  }

  setSeeding(seeding: boolean): void {
    this.seeding = seeding
  }

  setSated(sated: boolean): void {
    this.sated = sated
  }

  leave(): void {
    this.lane.swarms.delete(this)
  }
}

/** CircuitLane in memory. */
export class MemoryLane implements CircuitLane {
  readonly hops: HopCount
  readonly exitIp: string
  readonly udp: UdpNetwork = { bind: (at, receive) => this.#bind(at, receive) }
  readonly swarms = new Set<MemorySwarm>()
  /** By the address that stands for the circuit. */
  readonly hidden = new Map<string, (bytes: Uint8Array) => void>()
  /** Everything that was sent, `to` an address or a name. */
  readonly sent: { readonly bytes: number; readonly to: string }[] = []
  readonly exchanged: string[] = []
  /** What setDemand() said last. */
  demand = 0
  largest = 0
  readonly #world: MemoryCircuits
  readonly #sockets = new Map<number, Receive>()
  readonly #lost = new Set<(key: string) => void>()
  readonly #watchers = new Set<() => void>()
  #facts: CircuitFacts = { candidates: 0, exits: 0, ready: 0, building: 0, lastFailure: null }
  #nextPort = 40_000

  constructor(world: MemoryCircuits, hops: HopCount, exitIp: string) {
    this.#world = world
    this.hops = hops
    this.exitIp = exitIp
  }

  facts(): CircuitFacts {
    return this.#facts
  }

  setFacts(facts: Partial<CircuitFacts>): void {
    this.#facts = { ...this.#facts, ...facts }
    for (const watcher of this.#watchers) watcher()
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => void this.#watchers.delete(changed)
  }

  setDemand(downloads: number): void {
    this.demand = downloads
  }

  exchange(request: CircuitHttpRequest): Promise<Uint8Array> {
    this.exchanged.push(`${request.host}:${request.port}`)
    const server = this.#world.servers.get(`${request.host}:${request.port}`)
    if (this.#facts.ready === 0) return Promise.reject(new AppError('SourceFailed', 'no circuit'))
    return server?.(request) ?? Promise.reject(new AppError('SourceFailed', 'nobody answers there'))
  }

  join(infoHash: InfoHash, found: (peer: HiddenPeer) => void): HiddenSwarm {
    const swarm = new MemorySwarm(this, infoHash, found)
    this.swarms.add(swarm)
    return swarm
  }

  /** The circuit by which somebody was reached is gone: `key` as addressKey() says it. */
  lose(key: string): void {
    this.hidden.delete(key.split(':')[0] ?? key)
    for (const lost of this.#lost) lost(key)
  }

  /** A datagram of a linked circuit: the first socket has it. */
  receiveHidden(bytes: Uint8Array, from: PeerAddress): void {
    const copy = Uint8Array.from(bytes)
    const [receive] = this.#sockets.values()
    this.#world.clock.after(this.#world.delayMs, () => receive?.(copy, from))
  }

  async #bind({ family }: { readonly family: 4 | 6 }, receive: Receive): Promise<UdpSocket> {
    if (family === 6) throw new AppError('SourceFailed', 'no IPv6')
    const at = { ip: this.exitIp, port: this.#nextPort++ }
    this.#sockets.set(at.port, receive)
    const send = this.#world.endpoint(at, receive)
    return {
      address: { ip: '0.0.0.0', port: 0 },
      send: (bytes, to) => this.#send(bytes, to, send),
      sendToName: (bytes, { host, port }) => {
        this.sent.push({ bytes: bytes.length, to: host })
        const ip = this.#world.names.get(host)
        if (ip !== undefined && this.#facts.ready > 0) send(bytes, { ip, port })
      },
      watchLost: lost => void this.#lost.add(lost),
      close: async () => {
        this.#sockets.delete(at.port)
        this.#world.remove(at)
      },
    }
  }

  #send(bytes: Uint8Array, to: PeerAddress, send: (bytes: Uint8Array, to: PeerAddress) => void): void {
    this.sent.push({ bytes: bytes.length, to: keyOf(to) })
    this.largest = Math.max(this.largest, bytes.length)
    if (to.port === HIDDEN_PORT) return this.hidden.get(to.ip)?.(bytes)
    if (this.#facts.ready > 0) send(bytes, to)
  }
}

/** Circuits whose lanes are of one world. */
export function circuitsOf(world: MemoryCircuits): Circuits {
  return { lane: async hops => world.lane(hops) }
}
