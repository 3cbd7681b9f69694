// Hosts with uTP on a made-up network of datagrams, on a virtual clock: delay, a line into each host with a rate and a
// queue, loss, reordering and duplicates by seed. What a host sends is read only `lateMs` after send(), as a socket may
// do that could not send at once; what it gets is spoilt after receive(). So memory used again too soon, or kept too
// long, shows as damage.

import assert from 'node:assert/strict'
import type { PeerAddress } from '../../../src/base/ids.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Random } from '../../../src/ports/random.ts'
import type { TcpStream, TcpStreamHandlers } from '../../../src/ports/tcp.ts'
import { UtpNetwork, type UtpNetworkOptions } from '../../../src/utp/mux.ts'
import { SeededRandom } from './seeded-random.ts'

/** Port of every host. */
const PORT = 6881
const TIMEOUT_MS = 30_000
/** Headers of IP and UDP, which take room on a line. */
const OVERHEAD_BYTES = 28

/** What the way into a host is like. */
export interface LinkLine {
  /** One way. */
  delayMs: number
  /** Bytes a second, 0 = endless, and the bytes that may wait for it. */
  bytesPerSecond: number
  queueBytes: number
  /** Shares from 0 to 1: lost, held back by `reorderMs`, delivered twice. */
  loss: number
  reorder: number
  reorderMs: number
  duplicate: number
  /** After this long the sender's memory is read. */
  lateMs: number
  /** Largest datagram that gets through. */
  mtuBytes: number
}

const PLAIN: LinkLine = {
  delayMs: 25,
  bytesPerSecond: 0,
  queueBytes: 256 * 1024,
  loss: 0,
  reorder: 0,
  reorderMs: 5,
  duplicate: 0,
  lateMs: 0,
  mtuBytes: 1472,
}

/** A datagram on its way, for spies. */
export type Datagram = { readonly bytes: Uint8Array; readonly from: PeerAddress; readonly to: PeerAddress }

/** One machine. */
export class LinkHost {
  readonly address: PeerAddress
  readonly utp: UtpNetwork
  readonly line: LinkLine
  /** When the line is free again. */
  freeMs = 0
  /** Datagrams and bytes that left; those that were lost on the way here, and those the queue had no room for. */
  sent = 0
  sentBytes = 0
  lost = 0
  overflowed = 0

  constructor(link: UtpLink, ip: string, line: LinkLine, options: UtpNetworkOptions, random: Random) {
    this.address = { ip, port: PORT }
    this.line = line
    const socket = { send: (bytes: Uint8Array, to: PeerAddress) => link.send(this, bytes, to) }
    const sockets = ip.includes(':') ? { 4: null, 6: socket } : { 4: socket, 6: null }
    this.utp = new UtpNetwork(options, { clock: link.clock, random, sockets })
  }
}

/** The network. */
export class UtpLink {
  readonly clock: Clock
  /** Sees every datagram that was sent; true = it is lost. */
  spy: ((datagram: Datagram) => boolean) | null = null
  readonly #random: SeededRandom
  readonly #hosts = new Map<string, LinkHost>()
  readonly #line: LinkLine

  constructor(clock: Clock, seed: number, line: Partial<LinkLine> = {}) {
    this.clock = clock
    this.#random = new SeededRandom(seed)
    this.#line = { ...PLAIN, ...line }
  }

  /** The host with an address; made on first use. `line`: the way into it. */
  host(ip: string, line: Partial<LinkLine> = {}, options: UtpNetworkOptions = {}, random?: Random): LinkHost {
    const known = this.#hosts.get(ip)
    if (known !== undefined) return known
    const chance = random ?? new SeededRandom(this.#random.below(1_000_000) + 1)
    const host = new LinkHost(this, ip, { ...this.#line, ...line }, options, chance)
    this.#hosts.set(ip, host)
    return host
  }

  send(from: LinkHost, bytes: Uint8Array, to: PeerAddress): void {
    from.sent += 1
    from.sentBytes += bytes.length
    const target = this.#hosts.get(to.ip)
    if (target === undefined || to.port !== PORT) return
    if (target.line.lateMs === 0) this.#carry(from, Uint8Array.from(bytes), target)
    else this.clock.after(target.line.lateMs, () => this.#carry(from, Uint8Array.from(bytes), target))
  }

  /** Delivers bytes to a host as if they came from `from`. */
  inject(bytes: Uint8Array, from: PeerAddress, to: LinkHost): boolean {
    return to.utp.receive(Uint8Array.from(bytes), from)
  }

  /** Ends all hosts. */
  close(): void {
    for (const host of this.#hosts.values()) host.utp.close()
  }

  #carry(from: LinkHost, bytes: Uint8Array, to: LinkHost): void {
    const { line } = to
    if (this.spy?.({ bytes, from: from.address, to: to.address }) || this.#chance(line.loss)) {
      to.lost += 1
      return
    }
    if (bytes.length > line.mtuBytes) return
    const copies = this.#chance(line.duplicate) ? 2 : 1
    for (let copy = 0; copy < copies; copy++) this.#queue(from, Uint8Array.from(bytes), to)
  }

  #queue(from: LinkHost, bytes: Uint8Array, to: LinkHost): void {
    const { line } = to
    const nowMs = this.clock.now()
    let leavesMs = nowMs
    if (line.bytesPerSecond > 0) {
      const waiting = (Math.max(0, to.freeMs - nowMs) * line.bytesPerSecond) / 1000
      if (waiting + bytes.length > line.queueBytes) {
        to.overflowed += 1
        return
      }
      to.freeMs = Math.max(to.freeMs, nowMs) + ((bytes.length + OVERHEAD_BYTES) * 1000) / line.bytesPerSecond
      leavesMs = to.freeMs
    }
    const heldMs = this.#chance(line.reorder) ? line.reorderMs : 0
    this.clock.after(leavesMs + line.delayMs + heldMs - nowMs, () => {
      to.utp.receive(bytes, { ip: from.address.ip, port: from.address.port })
      bytes.fill(0xee)
    })
  }

  #chance(share: number): boolean {
    return share > 0 && this.#random.below(1_000_000) < share * 1_000_000
  }
}

/** One end of a stream: counts and compares what comes, and remembers what happened. */
export class StreamEnd implements TcpStreamHandlers {
  stream: TcpStream | null = null
  opened = 0
  received = 0
  drains = 0
  closes = 0
  error: Error | null = null
  /** What came, while `expected` is null. */
  readonly chunks: Buffer[] = []
  /** What is to come. */
  expected: Uint8Array | null = null
  onData: ((chunk: Uint8Array) => void) | null = null

  open(): void {
    this.opened += 1
  }

  data(chunk: Uint8Array): void {
    assert.equal(this.closes, 0, 'data after close')
    if (this.expected === null) this.chunks.push(Buffer.from(chunk))
    else {
      const part = this.expected.subarray(this.received, this.received + chunk.length)
      assert.ok(Buffer.compare(part, chunk) === 0, `other bytes within ${chunk.length} from ${this.received} on`)
    }
    this.received += chunk.length
    this.onData?.(chunk)
  }

  drain(): void {
    assert.equal(this.closes, 0, 'drain after close')
    this.drains += 1
    this.onDrain?.()
  }

  close(error: Error | null): void {
    this.closes += 1
    this.error = error
  }

  onDrain: (() => void) | null = null

  get text(): string {
    return Buffer.concat(this.chunks).toString('latin1')
  }
}

/** A stream from one host to another. `there` gets its stream once `here` has sent something. */
export interface StreamPair {
  readonly here: StreamEnd
  readonly there: StreamEnd
}

/** Lets `to` listen and connects `from` to it. */
export async function connectHosts(from: LinkHost, to: LinkHost, timeoutMs = TIMEOUT_MS): Promise<StreamPair> {
  const pair = { here: new StreamEnd(), there: new StreamEnd() }
  const listener = await to.utp.listen(to.address, stream => {
    if (pair.there.stream !== null) return null
    pair.there.stream = stream
    void listener.close()
    return pair.there
  })
  pair.here.stream = from.utp.connect(to.address, { localIp: null, timeoutMs }, pair.here)
  return pair
}

/** Bytes by a seed. */
export function someBytes(count: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(count)
  let state = seed >>> 0 || 1
  for (let at = 0; at < count; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

/** Writes `content` in parts, waiting for drain, each part in memory that is spoilt once it is "sent". */
export function sendContent(end: StreamEnd, content: Uint8Array, partBytes = 64 * 1024): void {
  const { stream } = end
  assert.ok(stream !== null)
  let at = 0
  const more = (): void => {
    while (at < content.length) {
      const part = Uint8Array.from(content.subarray(at, at + partBytes))
      at += part.length
      if (!stream.write(part, () => part.fill(0xdd))) return
    }
  }
  end.onDrain = more
  more()
}
