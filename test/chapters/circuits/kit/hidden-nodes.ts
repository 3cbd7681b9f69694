// Nodes with hidden services whose circuits are lines in memory: everything of hidden services is real, nothing of
// circuits is. A text put in at one end comes out at the other a millisecond later. Exits and sockets have addresses of
// their own, as in the network.

import { AppError } from '../../../../src/base/errors.ts'
import { addressKey, type PeerAddress } from '../../../../src/base/ids.ts'
import type {
  EndToEnd,
  HiddenBuild,
  HiddenCircuit,
  HiddenHost,
  ServedCircuit,
} from '../../../../src/chapters/circuits/hidden/hidden-seam.ts'
import { HiddenServices } from '../../../../src/chapters/circuits/hidden/hidden-services.ts'
import { makeOverlayCrypto } from '../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { nodePrimitives } from '../../../../src/chapters/overlay/io/overlay-crypto-node.ts'
import {
  type CommunityOptions,
  type Peer,
  type PeerIntroductions,
  Requests,
} from '../../../../src/chapters/overlay/core/index.ts'
import { LAYER_HEAD_BYTES, LAYER_TAG_BYTES } from '../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import type { CircuitPurpose } from '../../../../src/chapters/overlay/ports/overlay-facts.ts'
import { messageIdOf, prefixOf } from '../../../../src/chapters/overlay/wire/packet.ts'
import { publicForm } from '../../../../src/chapters/overlay/wire/public-key.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

type Packet = (packet: Uint8Array, from: PeerAddress) => void

/** What all nodes share: time, addresses, the DHT, and the overlays of introduction points. */
export class HiddenNetwork {
  readonly clock = new VirtualClock()
  readonly random = new SeededRandom(7)
  readonly prefix = prefixOf(this.random.bytes(20))
  readonly nodes: HiddenNode[] = []
  /** Who gets what is sent to an address. */
  readonly sockets = new Map<string, Packet>()
  /** Key in hex -> values. */
  readonly stored = new Map<string, Uint8Array[]>()
  /** Stores and look-ups that the DHT had. */
  readonly dhtCalls: { readonly op: 'find' | 'store'; readonly key: string; readonly atMs: number }[] = []
  readonly exchanges: { readonly id: string; readonly peer: Peer; make: () => Uint8Array; take: PexListener | null }[] =
    []
  #nextPort = 2_000

  /** Adds a node. */
  add(): HiddenNode {
    const node = new HiddenNode(this, this.nodes.length)
    this.nodes.push(node)
    return node
  }

  /** A fresh address. */
  address(ip: string): PeerAddress {
    return { ip, port: this.#nextPort++ }
  }

  /** Sends a datagram; it comes a millisecond later. */
  send(packet: Uint8Array, from: PeerAddress, to: PeerAddress): void {
    const copy = Uint8Array.from(packet)
    this.clock.after(1, () => this.sockets.get(addressKey(to))?.(copy, from))
  }

  /** Peers of the overlays with one id introduce themselves to each other. */
  introduce(): void {
    for (const from of this.exchanges)
      for (const to of this.exchanges) if (from !== to && from.id === to.id) to.take?.(from.peer, from.make())
  }
}

type PexListener = (peer: Peer, extra: Uint8Array) => void

/** One node. */
export class HiddenNode implements HiddenHost {
  readonly address: PeerAddress
  readonly publicKey: Uint8Array
  readonly services: HiddenServices
  /** Own circuits that are alive. */
  readonly circuits = new Set<Line>()
  /** Data that came out of linked circuits. */
  readonly received: { readonly circuit: number; readonly data: string }[] = []
  /** Builds that were asked for. */
  readonly builds: HiddenBuild[] = []
  /** Texts and packets that it sent over own circuits. */
  asked = 0
  /** Nobody can be reached. */
  cutOff = false
  /** Takes texts away before they come out here. */
  swallows: (text: Uint8Array) => boolean = () => false
  readonly #net: HiddenNetwork
  readonly #handlers = new Map<number, Packet>()

  constructor(net: HiddenNetwork, at: number) {
    this.#net = net
    this.address = net.address(`10.0.0.${at + 1}`)
    this.publicKey = publicForm(net.random.bytes(32), net.random.bytes(32))
    const { clock, random, prefix } = net
    net.sockets.set(addressKey(this.address), (packet, from) => this.#handlers.get(messageIdOf(packet))?.(packet, from))
    const overlay = {
      prefix,
      requests: new Requests({ clock, random }),
      identity: { publicKey: this.publicKey } as never,
      onRaw: (id: number, run: Packet) => void this.#handlers.set(id, run),
      sendBytes: (packet: Uint8Array, to: PeerAddress) => net.send(packet, this.address, to),
    }
    const crypto = makeOverlayCrypto(random, nodePrimitives)
    const shared = { overlay, crypto, clock, random, log: silentLog, ownAddress: () => this.address }
    const communities = { open: (options: CommunityOptions) => this.#exchange(options) }
    this.services = new HiddenServices({ ...shared, host: this, dht: this.#dht(), communities })
  }

  /** Builds a line to the last hop at once, by chance where it is not named. */
  async build(wanted: HiddenBuild, signal: AbortSignal): Promise<HiddenCircuit> {
    this.builds.push(wanted)
    await new Promise<void>(resolve => void this.#net.clock.after(1, resolve))
    const { last, except = [] } = wanted
    const barred = ({ publicKey }: HiddenNode): boolean => except.some(key => Buffer.compare(key, publicKey) === 0)
    const others = this.#net.nodes.filter(node => node !== this && !node.cutOff && !barred(node))
    const end =
      typeof last === 'string'
        ? others[this.#net.random.below(others.length)]
        : others.find(({ publicKey }) => Buffer.compare(publicKey, last.publicKey) === 0)
    if (signal.aborted || this.cutOff || end === undefined) throw new AppError('SourceFailed', 'no such hop')
    const line = new Line(this.#net, this, end, wanted.purpose)
    this.circuits.add(line)
    return line
  }

  /** Both lines become one. */
  link(from: ServedCircuit, to: ServedCircuit, answer: Uint8Array): boolean {
    const [a, b] = [(from as ServedLine).line, (to as ServedLine).line]
    if (!a.alive || !b.alive || a.served.exiting || b.served.exiting) return false
    from.send(answer)
    a.other = b
    b.other = a
    for (const { served } of [a, b]) this.services.servedRemoved(served)
    return true
  }

  /** Own circuits of a purpose. */
  all(purpose: CircuitPurpose): Line[] {
    return [...this.circuits].filter(line => line.purpose === purpose)
  }

  /** The oldest own circuit of a purpose. */
  first(purpose: CircuitPurpose): Line {
    const [found] = this.all(purpose)
    if (found === undefined) throw new Error(`no circuit ${purpose}`)
    return found
  }

  /** The one own circuit of a purpose. */
  only(purpose: CircuitPurpose): Line {
    const found = this.all(purpose)
    if (found.length !== 1) throw new Error(`${found.length} circuits ${purpose}`)
    return found[0] as Line
  }

  #dht(): ConstructorParameters<typeof HiddenServices>[0]['dht'] {
    const { stored, dhtCalls, clock } = this.#net
    const call = (op: 'find' | 'store', key: Uint8Array): string => {
      const name = Buffer.from(key).toString('hex')
      dhtCalls.push({ op, key: name, atMs: clock.now() })
      return name
    }
    return {
      find: key => Promise.resolve((stored.get(call('find', key)) ?? []).map(data => ({ data, publicKey: null }))),
      store(key, data) {
        const name = call('store', key)
        stored.set(name, [...(stored.get(name) ?? []), data])
        return Promise.resolve(1)
      },
      connect: () => Promise.resolve(null),
    }
  }

  #exchange({ communityId }: CommunityOptions): { introductions: PeerIntroductions; close(): void } {
    const { exchanges } = this.#net
    const peer = { publicKey: this.publicKey, address: this.address } as Peer
    const entry: HiddenNetwork['exchanges'][number] = {
      id: Buffer.from(communityId).toString('hex'),
      peer,
      make: () => new Uint8Array(0),
      take: null,
    }
    exchanges.push(entry)
    const introductions: PeerIntroductions = {
      setExtra(make) {
        entry.make = make
      },
      onExtra(run) {
        entry.take = run
        return () => undefined
      },
      ask: () => undefined,
      askPeer: () => undefined,
      lan: this.address,
      wan: this.address,
    }
    return { introductions, close: () => void exchanges.splice(exchanges.indexOf(entry), 1) }
  }
}

let nextId = 0x0102_0304

/** A circuit of `owner` whose last hop is `end`. */
export class Line implements HiddenCircuit {
  readonly id = nextId++
  readonly purpose: CircuitPurpose
  readonly lastHop: Uint8Array
  readonly served: ServedLine
  readonly owner: HiddenNode
  readonly end: HiddenNode
  alive = true
  why = ''
  /** The other half, once it is linked. */
  other: Line | null = null
  endToEnd: EndToEnd | null = null
  readonly net: HiddenNetwork
  readonly #exit: PeerAddress

  constructor(net: HiddenNetwork, owner: HiddenNode, end: HiddenNode, purpose: CircuitPurpose) {
    this.net = net
    this.owner = owner
    this.end = end
    this.purpose = purpose
    this.lastHop = end.publicKey
    this.#exit = net.address(end.address.ip)
    this.served = new ServedLine(this)
    net.sockets.set(addressKey(this.#exit), (packet, from) => this.served.sendData(from, packet))
  }

  send(text: Uint8Array): void {
    const copy = Uint8Array.from(text)
    this.owner.asked++
    this.net.clock.after(1, () => {
      if (this.alive && this.other === null && !this.end.swallows(copy)) this.end.services.servedText(this.served, copy)
    })
  }

  sendData(destination: PeerAddress, packet: Uint8Array): void {
    if (!this.alive) return
    this.served.exiting = true
    this.owner.asked++
    this.net.send(packet, this.#exit, destination)
  }

  /** Data for the other end of a linked circuit, sealed at this end and opened at the other. */
  sendLinked(data: string): void {
    const far = this.other
    if (far?.endToEnd === null || far?.endToEnd === undefined || this.endToEnd === null) return
    const bytes = Buffer.concat([Buffer.alloc(LAYER_HEAD_BYTES), Buffer.from(data), Buffer.alloc(LAYER_TAG_BYTES)])
    const end = bytes.length - LAYER_TAG_BYTES
    this.endToEnd.seal.seal(bytes, LAYER_HEAD_BYTES, end)
    if (!far.endToEnd.open.open(bytes, 0, bytes.length)) throw new Error('the ends have other keys')
    const text = bytes.subarray(LAYER_HEAD_BYTES, end).toString()
    this.net.clock.after(1, () => far.owner.received.push({ circuit: far.id, data: text }))
  }

  setEndToEnd(end: EndToEnd): void {
    this.endToEnd = end
  }

  get rttMs(): number {
    return 2
  }

  fail(reason: string): void {
    this.remove(reason)
  }

  remove(reason: string): void {
    if (!this.alive) return
    this.alive = false
    this.why = reason
    this.net.sockets.delete(addressKey(this.#exit))
    this.owner.circuits.delete(this)
    this.owner.services.ownRemoved(this)
    this.end.services.servedRemoved(this.served)
    this.other?.remove('the other end is gone')
  }
}

/** The same circuit as its last hop sees it. */
export class ServedLine implements ServedCircuit {
  readonly line: Line
  exiting = false
  role = ''

  constructor(line: Line) {
    this.line = line
  }

  get id(): number {
    return this.line.id
  }

  get alive(): boolean {
    return this.line.alive
  }

  send(text: Uint8Array): void {
    const copy = Uint8Array.from(text)
    const { line } = this
    line.net.clock.after(1, () => {
      if (line.alive) line.owner.services.ownText(line, copy)
    })
  }

  sendData(origin: PeerAddress, packet: Uint8Array): void {
    const copy = Uint8Array.from(packet)
    const { line } = this
    line.net.clock.after(1, () => {
      if (line.alive) line.owner.services.ownPacket(line, origin, copy)
    })
  }

  serveAs(role: 'introduction' | 'rendezvous'): void {
    this.role = role
  }
}
