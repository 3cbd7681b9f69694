// TCP in memory on a virtual clock: hosts with an up and a down rate, latency between them, back pressure, refused and
// lost connections. Chunks are handed over in memory that is spoilt after the call, as the port allows.
// Invariant: bytes of one direction arrive complete and in order, or the stream closes.

import { AppError } from '../../../src/base/errors.ts'
import type { PeerAddress } from '../../../src/base/ids.ts'
import type { Clock, Timer } from '../../../src/ports/clock.ts'
import type { TcpListener, TcpNetwork, TcpStream, TcpStreamHandlers } from '../../../src/ports/tcp.ts'

/** What a host's line is like; rates in bytes/s, 0 = endless. */
export interface HostLine {
  upRate: number
  downRate: number
  /** One way, added to the other side's. */
  latencyMs: number
}

type Accept = (stream: TcpStream) => TcpStreamHandlers | null

/** Bytes at most per delivery, and per turn on a shared line. */
const CHUNK_BYTES = 16 * 1024
/** Bytes under way and unread in one direction of a stream: the socket buffers of both sides. */
const WINDOW_BYTES = 1024 * 1024
/** write() answers false above this. */
const HIGH_WATER_BYTES = 64 * 1024

/** One machine on the network: a TcpNetwork with an address. */
export class MemoryHost implements TcpNetwork {
  readonly ip: string
  readonly line: HostLine
  readonly listeners = new Map<number, Accept>()
  readonly streams = new Set<MemoryStream>()
  /** When the line is free again, per direction. */
  upFreeMs = 0
  downFreeMs = 0
  /** Bytes that left and reached this host. */
  sentBytes = 0
  receivedBytes = 0
  /** Connections tried and accepted. */
  connects = 0
  accepts = 0
  readonly #network: MemoryNetwork
  #nextPort = 40_000

  constructor(network: MemoryNetwork, ip: string, line: HostLine) {
    this.#network = network
    this.ip = ip
    this.line = line
  }

  get utp(): boolean {
    return this.#network.utp
  }

  connect(
    remote: PeerAddress,
    options: { localIp: string | null; timeoutMs: number },
    handlers: TcpStreamHandlers,
  ): TcpStream {
    this.connects++
    const stream = new MemoryStream(this.#network.clock, this, remote, false)
    stream.attach(handlers)
    this.#network.open(stream, { ip: this.ip, port: this.#nextPort++ }, options.timeoutMs)
    return stream
  }

  async listen(at: PeerAddress, accept: Accept): Promise<TcpListener> {
    const port = at.port === 0 ? this.#nextPort++ : at.port
    if (this.listeners.has(port)) throw new AppError('PortTaken', `Cannot listen on ${this.ip} port ${port}.`)
    this.listeners.set(port, accept)
    return {
      address: { ip: this.ip, port },
      close: async () => {
        this.listeners.delete(port)
      },
    }
  }

  /** Loses all connections at once, as when a cable is pulled. */
  cut(): void {
    for (const stream of this.streams) stream.lose(new Error('connection lost'))
  }
}

/** All hosts. */
export class MemoryNetwork {
  readonly clock: Clock
  /** Its streams say that uTP carries them. */
  readonly utp: boolean
  readonly #hosts = new Map<string, MemoryHost>()

  constructor(clock: Clock, utp = false) {
    this.clock = clock
    this.utp = utp
  }

  /** The host `ip`; made on first use with `line` (default: 10 ms one way, endless rates). */
  host(ip: string, line: Partial<HostLine> = {}): MemoryHost {
    let host = this.#hosts.get(ip)
    if (host === undefined) {
      host = new MemoryHost(this, ip, { upRate: 0, downRate: 0, latencyMs: 10, ...line })
      this.#hosts.set(ip, host)
    }
    return host
  }

  /** For hosts only: carries a connection attempt out. Unknown hosts are silent, unknown ports refuse. */
  open(stream: MemoryStream, local: PeerAddress, timeoutMs: number): void {
    const target = this.#hosts.get(stream.remote.ip)
    if (target === undefined) {
      this.clock.after(timeoutMs, () => stream.lose(new Error('connect timed out')))
      return
    }
    const oneWayMs = stream.host.line.latencyMs + target.line.latencyMs
    this.clock.after(oneWayMs, () => {
      const accept = target.listeners.get(stream.remote.port)
      const other = new MemoryStream(this.clock, target, local, true)
      const handlers = stream.alive ? (accept?.(other) ?? null) : null
      if (handlers === null) {
        const reason = accept === undefined ? new Error('connection refused') : null
        this.clock.after(oneWayMs, () => stream.lose(reason))
        return
      }
      target.accepts++
      other.attach(handlers)
      other.join(stream)
      this.clock.after(oneWayMs, () => stream.opened(other))
    })
  }
}

interface Write {
  bytes: Uint8Array
  sent: (() => void) | undefined
}

/** One end of a connection. */
export class MemoryStream implements TcpStream {
  readonly host: MemoryHost
  readonly remote: PeerAddress
  readonly incoming: boolean
  readonly #clock: Clock
  #handlers: TcpStreamHandlers | null = null
  #other: MemoryStream | null = null
  #out: Write[] = []
  #buffered = 0
  #underWay = 0
  #full = false
  #paused = false
  /** Waits for the line. */
  #turn: Timer | null = null
  #unread: Uint8Array[] = []
  /** When the last chunk arrives at the other side; chunks on the last stretch, in order. */
  #arrivedMs = 0
  readonly #inFlight: Uint8Array[] = []
  #alive = true
  #open = false

  constructor(clock: Clock, host: MemoryHost, remote: PeerAddress, incoming: boolean) {
    this.#clock = clock
    this.host = host
    this.remote = remote
    this.incoming = incoming
    host.streams.add(this)
  }

  get alive(): boolean {
    return this.#alive
  }

  get utp(): boolean {
    return this.host.utp
  }

  get bufferedBytes(): number {
    return this.#buffered
  }

  attach(handlers: TcpStreamHandlers): void {
    this.#handlers = handlers
  }

  /** The accepting side: connected to `other` from the start. */
  join(other: MemoryStream): void {
    this.#other = other
    this.#open = true
    this.#pump()
  }

  /** The connecting side: the answer of `other` is here. */
  opened(other: MemoryStream): void {
    this.#other = other
    this.#open = true
    if (!this.#alive) return other.lose(null)
    this.#handlers?.open?.()
    this.#pump()
    this.#readOn()
  }

  write(bytes: Uint8Array, sent?: () => void): boolean {
    if (!this.#alive) {
      if (sent !== undefined) this.#clock.after(0, sent)
      return true
    }
    this.#out.push({ bytes: Uint8Array.from(bytes), sent })
    this.#buffered += bytes.length
    this.#pump()
    if (this.#buffered > HIGH_WATER_BYTES) this.#full = true
    return !this.#full
  }

  cork(): void {}

  uncork(): void {}

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#clock.after(0, () => this.#readOn())
  }

  destroy(): void {
    if (!this.#alive) return
    const other = this.#other
    this.#end(null)
    if (other === null) return
    const now = this.#clock.now()
    this.#clock.after(Math.max(this.#oneWayMs(other), this.#arrivedMs - now) + 1, () => other.lose(null))
  }

  /** The connection is gone for this side. */
  lose(error: Error | null): void {
    if (this.#alive) this.#end(error)
  }

  /** A chunk has reached this side; it waits behind others while the reader pauses. */
  arrive(chunk: Uint8Array): void {
    if (this.#paused || !this.#open || this.#unread.length > 0) this.#unread.push(chunk)
    else this.#deliver(chunk)
  }

  #deliver(chunk: Uint8Array): void {
    if (!this.#alive) return
    this.host.receivedBytes += chunk.length
    this.#handlers?.data(chunk)
    this.#other?.taken(chunk.length)
    // The port says the memory is lent for the call only: whoever keeps it finds rubbish.
    chunk.fill(0xee)
  }

  #readOn(): void {
    while (!this.#paused && this.#alive && this.#unread.length > 0) this.#deliver(this.#unread.shift() as Uint8Array)
  }

  /** The other side has read `bytes` of what was sent. */
  taken(bytes: number): void {
    this.#underWay -= bytes
    this.#pump()
  }

  /** One chunk a turn on a line with a rate, so that the streams of a host share it and nothing is booked far ahead. */
  #pump(): void {
    while (this.#mayPump()) {
      const write = this.#out[0] as Write
      const chunk = write.bytes.slice(0, this.#chunkBytes())
      write.bytes = write.bytes.subarray(chunk.length)
      this.#buffered -= chunk.length
      const last = write.bytes.length === 0
      if (last) this.#out.shift()
      this.#send(chunk, last ? write.sent : undefined)
      if (this.host.line.upRate === 0) continue
      this.#turn = this.#clock.after(Math.floor(this.host.upFreeMs - this.#clock.now()), () => {
        this.#turn = null
        this.#pump()
      })
    }
    if (!this.#full || this.#buffered > 0) return
    this.#full = false
    this.#clock.after(0, () => {
      if (this.#alive) this.#handlers?.drain()
    })
  }

  #mayPump(): boolean {
    return this.#alive && this.#open && this.#turn === null && this.#out.length > 0 && this.#underWay < WINDOW_BYTES
  }

  #send(chunk: Uint8Array, sent: (() => void) | undefined): void {
    const other = this.#other
    if (other === null) return
    this.#underWay += chunk.length
    this.host.sentBytes += chunk.length
    const now = this.#clock.now()
    const from = this.host
    const to = other.host
    const cost = (bytes: number, rate: number): number => (rate === 0 ? 0 : (bytes * 1000) / rate)
    from.upFreeMs = Math.max(from.upFreeMs, now) + cost(chunk.length, from.line.upRate)
    const departedMs = from.upFreeMs
    if (sent !== undefined) this.#clock.after(departedMs - now, sent)
    // The receiving line is taken when the chunk gets there, so that a slow sender does not hold up a quick one.
    this.#clock.after(departedMs + this.#oneWayMs(other) - now, () => {
      const reachedMs = this.#clock.now()
      if (to.line.downRate !== 0) {
        to.downFreeMs = Math.max(to.downFreeMs, reachedMs) + cost(chunk.length, to.line.downRate)
        this.#arrivedMs = Math.max(this.#arrivedMs, to.downFreeMs)
      } else this.#arrivedMs = Math.max(this.#arrivedMs, reachedMs)
      this.#inFlight.push(chunk)
      this.#clock.after(this.#arrivedMs - reachedMs, () => other.arrive(this.#inFlight.shift() as Uint8Array))
    })
  }

  /** On slow lines bytes dribble: a twentieth of a second at a time. */
  #chunkBytes(): number {
    const rate = this.host.line.upRate
    return rate === 0 ? CHUNK_BYTES : Math.max(1024, Math.min(CHUNK_BYTES, Math.floor(rate / 20)))
  }

  #oneWayMs(other: MemoryStream): number {
    return this.host.line.latencyMs + other.host.line.latencyMs
  }

  #end(error: Error | null): void {
    this.#alive = false
    this.#turn?.cancel()
    this.host.streams.delete(this)
    const writes = this.#out.splice(0)
    this.#buffered = 0
    this.#unread = []
    this.#clock.after(0, () => {
      for (const write of writes) write.sent?.()
      const handlers = this.#handlers
      this.#handlers = null
      handlers?.close(error)
    })
  }
}
