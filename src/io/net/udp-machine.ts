// The datagram sockets of src/native as this thread has them: what comes is read out of one memory by numbers, what is
// sent is put there and leaves at the end of the turn by one call (decision 0526). Invariants: one UdpMachine a thread
// and file, since the memory is one; nothing that was sent is looked at again, so callers may change it at once.

import { createRequire } from 'node:module'
import type { PeerAddress } from '../../base/ids.ts'
import { formatIp, parseIp } from '../../wire/net/compact-address.ts'

/** Gets one datagram; `bytes` is valid only during the call. */
export type Receive = (bytes: Uint8Array, from: PeerAddress) => void

/** How a socket is bound. */
export interface UdpAt {
  readonly family: 4 | 6
  /** Null: any. */
  readonly ip: string | null
  readonly port: number
  /** A descriptor that is bound already, owned by the socket from now on; null: one is made and bound. */
  readonly fd: number | null
}

/** The memory of a thread, and at which of its bytes begins what: struct udp_memory of src/native/udp-socket.h. */
interface UdpMemory {
  readonly buffer: ArrayBuffer
  readonly counts: number
  readonly received: number
  readonly staged: number
  readonly destinations: number
  readonly bytes: number
  readonly mostSenders: number
  readonly mostStaged: number
  readonly mostDestinations: number
  readonly mostBytes: number
}

/**
 * What the machine code offers: see the comments of src/native/udp.c. Every function throws RangeError, and udpOpen an
 * Error with the system's code.
 */
export interface NativeUdp {
  udpMemory(): UdpMemory
  udpOpen(family: number, ip: Uint8Array, port: number, fd: number, receive: (count: number) => void): number
  udpAddress(socket: number, out: Uint8Array): void
  udpFlush(): void
  udpWaiting(socket: number): number
  udpClose(socket: number): void
}

/** What went through the sockets of this thread so far. */
export interface UdpCounts {
  readonly receiveCalls: number
  readonly received: number
  readonly sendCalls: number
  readonly sent: number
  /** Refused by the system, or more than may wait. */
  readonly lost: number
  /** Messages that those sent went in: several datagrams to one destination may share one. */
  readonly messages: number
}

/** struct udp_address: its bytes, and where its port and family are in units of two bytes. */
const ADDRESS_BYTES = 20
const PORT_UNIT = 8
const FAMILY_UNIT = 9
/** As Linux numbers them. */
const AF = { 4: 2, 6: 10 } as const
/** struct udp_received and udp_staged in numbers of four bytes, and the first of the sender's address. */
const RECEIVED_NUMBERS = 9
const FROM_NUMBER = 4
const STAGED_NUMBERS = 4
/** What the length of UDP can say; more is refused before it is copied. */
const MOST_DATAGRAM = 65_535
/** Counts of struct udp_memory; the first is what is staged. */
const COUNTS = 7

/** The sockets of this thread. */
export class UdpMachine {
  readonly #native: NativeUdp
  readonly #memory: UdpMemory
  readonly #counts: Float64Array
  readonly #received: Int32Array
  readonly #staged: Int32Array
  readonly #units: Uint16Array
  readonly #bytes: Uint8Array
  readonly #senders: (PeerAddress | undefined)[]
  /** By the object, since those who send to somebody again nearly always have kept it. */
  readonly #destinations = new Map<PeerAddress, number>()
  #usedBytes = 0
  #usedEntries = 0
  /** A batch is being read: what is sent meanwhile leaves after it. */
  #reading = false
  #flushSoon = false

  private constructor(native: NativeUdp) {
    const memory = native.udpMemory()
    const { buffer } = memory
    this.#native = native
    this.#memory = memory
    this.#counts = new Float64Array(buffer, memory.counts, COUNTS)
    this.#received = new Int32Array(buffer, memory.received)
    this.#staged = new Int32Array(buffer, memory.staged, memory.mostStaged * STAGED_NUMBERS)
    this.#units = new Uint16Array(buffer)
    this.#bytes = new Uint8Array(buffer)
    this.#senders = new Array<PeerAddress | undefined>(memory.mostSenders).fill(undefined)
  }

  static readonly #made = new WeakMap<NativeUdp, UdpMachine>()

  /** The one of this thread. Throws what the system says when the machine code cannot be loaded or has no sockets. */
  static load(file: string): UdpMachine {
    const native = createRequire(import.meta.url)(file) as Partial<NativeUdp>
    if (native.udpOpen === undefined) throw new Error('it has no sockets for this system')
    return UdpMachine.#of(native as NativeUdp)
  }

  static #of(native: NativeUdp): UdpMachine {
    const made = UdpMachine.#made.get(native) ?? new UdpMachine(native)
    UdpMachine.#made.set(native, made)
    return made
  }

  get counts(): UdpCounts {
    const [, receiveCalls = 0, received = 0, sendCalls = 0, sent = 0, lost = 0, messages = 0] = this.#counts
    return { receiveCalls, received, sendCalls, sent, lost, messages }
  }

  /**
   * The number of a bound socket. `receive` hears what comes while `isOpen` says so. Throws RangeError, and an Error
   * with the system's code; then the descriptor is still the caller's.
   */
  open({ family, ip, port, fd }: UdpAt, receive: Receive, isOpen: () => boolean): number {
    const bytes = ip === null ? new Uint8Array(0) : parseIp(ip)
    if (bytes === null) throw new RangeError(`${ip} is no address`)
    return this.#native.udpOpen(family, bytes, port, fd ?? -1, count => this.#read(count, receive, isOpen))
  }

  /** Where a socket is bound. */
  address(socket: number): PeerAddress {
    const out = new Uint8Array(ADDRESS_BYTES)
    this.#native.udpAddress(socket, out)
    const [port = 0, family] = new Uint16Array(out.buffer, 2 * PORT_UNIT, 2)
    return { ip: formatIp(out.subarray(0, family === AF[4] ? 4 : 16)), port }
  }

  /** Sends one datagram at the end of the turn. An address of another family is dropped, and what is too long. */
  send(socket: number, family: 4 | 6, bytes: Uint8Array, to: PeerAddress): void {
    const { mostStaged, mostBytes } = this.#memory
    const { length } = bytes
    if (length > MOST_DATAGRAM) return
    if (this.#usedEntries === mostStaged || this.#usedBytes + length > mostBytes) this.flush()
    const destination = this.#destinations.get(to) ?? this.#newDestination(to, family)
    if (destination < 0) return
    this.#bytes.set(bytes, this.#memory.bytes + this.#usedBytes)
    const at = this.#usedEntries * STAGED_NUMBERS
    this.#staged[at] = socket
    this.#staged[at + 1] = destination
    this.#staged[at + 2] = this.#usedBytes
    this.#staged[at + 3] = length
    this.#usedBytes += length
    this.#usedEntries += 1
    this.#counts[0] = this.#usedEntries
    if (this.#reading || this.#flushSoon) return
    this.#flushSoon = true
    queueMicrotask(() => {
      this.#flushSoon = false
      this.flush()
    })
  }

  /** Sends what is staged now. */
  flush(): void {
    if (this.#usedEntries === 0) return
    this.#usedEntries = 0
    this.#usedBytes = 0
    this.#native.udpFlush()
  }

  /** Bytes of a socket that wait for room in the kernel. */
  waitingBytes(socket: number): number {
    return this.#native.udpWaiting(socket)
  }

  /** Sends what is staged and closes a socket; what the kernel has no room for is lost. */
  close(socket: number): void {
    this.flush()
    this.#native.udpClose(socket)
  }

  #read(count: number, receive: Receive, isOpen: () => boolean): void {
    const received = this.#received
    const { buffer } = this.#memory
    let read = 0
    this.#reading = true
    try {
      for (let at = 0; read < count && isOpen(); at += RECEIVED_NUMBERS) {
        read += 1
        const place = received[at + 2] as number
        if (received[at + 3] !== 0) this.#senders[place] = this.#senderAt(at)
        const bytes = new Uint8Array(buffer, received[at], received[at + 1])
        heardBy(receive, bytes, this.#senders[place] as PeerAddress)
      }
    } finally {
      this.#reading = false
      if (read < count) this.#learnRest(read, count)
      this.flush()
    }
  }

  /** Those who are new come as new only once. */
  #learnRest(from: number, count: number): void {
    for (let at = from * RECEIVED_NUMBERS; at < count * RECEIVED_NUMBERS; at += RECEIVED_NUMBERS)
      if (this.#received[at + 3] !== 0) this.#senders[this.#received[at + 2] as number] = this.#senderAt(at)
  }

  #senderAt(at: number): PeerAddress {
    const begin = this.#memory.received + 4 * (at + FROM_NUMBER)
    const unit = begin / 2 + PORT_UNIT
    const ipBytes = this.#units[unit + 1] === AF[4] ? 4 : 16
    return { ip: formatIp(this.#bytes.subarray(begin, begin + ipBytes)), port: this.#units[unit] as number }
  }

  /** Below 0: it cannot be sent to. */
  #newDestination(to: PeerAddress, family: 4 | 6): number {
    const ip = parseIp(to.ip)
    if (ip === null || ip.length !== (family === 4 ? 4 : 16) || !(to.port > 0 && to.port < 65_536)) return -1
    if (this.#destinations.size === this.#memory.mostDestinations) {
      this.flush()
      this.#destinations.clear()
    }
    const number = this.#destinations.size
    const begin = this.#memory.destinations + number * ADDRESS_BYTES
    this.#bytes.set(ip, begin)
    this.#units[begin / 2 + PORT_UNIT] = to.port
    this.#units[begin / 2 + FAMILY_UNIT] = AF[family]
    this.#destinations.set(to, number)
    return number
  }
}

/** What a receiver throws is uncaught, as in an event of its own: the other datagrams are read all the same. */
function heardBy(receive: Receive, bytes: Uint8Array, from: PeerAddress): void {
  try {
    receive(bytes, from)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
