// A bad line between two UDP programs: carries datagrams between two addresses and loses, delays, reorders, doubles and
// slows them down by seed. Each side sees the relay's address on its side as the other program. For tests with programs
// of others:
//   node udp-relay.js --left 127.0.0.1:7001 --left-peer 127.0.0.1:6881 --right 127.0.0.2:7002 --right-peer 127.0.0.2:6882 \
//     --delay 50 --loss 0.02 [--reorder 0.01 --reorder-by 5] [--duplicate 0] [--rate 0] [--queue 1000000] [--mtu 65535] [--seed 1]
// Delays in ms one way, shares from 0 to 1, rate in bytes/s and 0 = endless. Prints a line of JSON when it is ready,
//     and its counts when it gets SIGTERM or SIGINT. A peer given as "any" is the first sender.

import { createSocket, type Socket } from 'node:dgram'
import { isIP } from 'node:net'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { SeededRandom } from '../sim/seeded-random.ts'

/** Kernel buffers of both sockets; what the system allows of it. */
const SOCKET_BUFFER_BYTES = 4 * 1024 * 1024
/** Datagrams that may be under way in one direction. */
const MAX_UNDER_WAY = 100_000

/** What the line does, in each direction. */
export interface RelayLine {
  readonly delayMs: number
  readonly loss: number
  readonly reorder: number
  readonly reorderMs: number
  readonly duplicate: number
  readonly bytesPerSecond: number
  readonly queueBytes: number
  readonly mtuBytes: number
  readonly seed: number
}

/** One side: where the relay listens (port 0: any), and the program there; null = whoever sends first. */
export interface RelaySide {
  readonly listen: PeerAddress
  readonly peer: PeerAddress | null
}

/** What one direction has done. */
export interface RelayCounts {
  carried: number
  bytes: number
  lost: number
  overflowed: number
  /** Datagrams of others than the program on that side. */
  strangers: number
}

/** A running relay. */
export interface UdpRelay {
  readonly left: PeerAddress
  readonly right: PeerAddress
  readonly counts: { readonly fromLeft: RelayCounts; readonly fromRight: RelayCounts }
  close(): Promise<void>
}

const PLAIN: RelayLine = {
  delayMs: 0,
  loss: 0,
  reorder: 0,
  reorderMs: 5,
  duplicate: 0,
  bytesPerSecond: 0,
  queueBytes: 1_000_000,
  mtuBytes: 65_535,
  seed: 1,
}

interface UnderWay {
  readonly dueMs: number
  readonly bytes: Uint8Array
}

/** Carries datagrams one way. */
class Direction {
  readonly counts: RelayCounts = { carried: 0, bytes: 0, lost: 0, overflowed: 0, strangers: 0 }
  readonly #line: RelayLine
  readonly #random: SeededRandom
  readonly #deliver: (bytes: Uint8Array) => void
  /** By time. */
  #underWay: UnderWay[] = []
  #freeMs = 0
  #timer: NodeJS.Timeout | null = null

  constructor(line: RelayLine, seed: number, deliver: (bytes: Uint8Array) => void) {
    this.#line = line
    this.#random = new SeededRandom(seed)
    this.#deliver = deliver
  }

  /** Takes a datagram over; the bytes are the relay's from now on. */
  carry(bytes: Uint8Array): void {
    const { loss, duplicate, mtuBytes } = this.#line
    if (bytes.length > mtuBytes || this.#chance(loss)) {
      this.counts.lost += 1
      return
    }
    this.#queue(bytes)
    if (this.#chance(duplicate)) this.#queue(bytes)
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#underWay = []
  }

  #queue(bytes: Uint8Array): void {
    const { bytesPerSecond, queueBytes, delayMs, reorder, reorderMs } = this.#line
    const nowMs = performance.now()
    let leavesMs = nowMs
    if (bytesPerSecond > 0) {
      const waiting = (Math.max(0, this.#freeMs - nowMs) * bytesPerSecond) / 1000
      if (waiting + bytes.length > queueBytes) return this.#overflow()
      this.#freeMs = Math.max(this.#freeMs, nowMs) + (bytes.length * 1000) / bytesPerSecond
      leavesMs = this.#freeMs
    }
    if (this.#underWay.length >= MAX_UNDER_WAY) return this.#overflow()
    const heldMs = this.#chance(reorder) ? reorderMs : 0
    this.#insert({ dueMs: leavesMs + delayMs + heldMs, bytes })
    this.#run()
  }

  #overflow(): void {
    this.counts.overflowed += 1
  }

  /** Nearly all datagrams are due last. */
  #insert(entry: UnderWay): void {
    let at = this.#underWay.length
    while (at > 0 && (this.#underWay[at - 1] as UnderWay).dueMs > entry.dueMs) at -= 1
    if (at === this.#underWay.length) this.#underWay.push(entry)
    else this.#underWay.splice(at, 0, entry)
  }

  /** Delivers what is due, and looks again at the next millisecond while something is under way. */
  #run(): void {
    const nowMs = performance.now()
    let count = 0
    for (const entry of this.#underWay) {
      if (entry.dueMs > nowMs) break
      count += 1
      this.counts.carried += 1
      this.counts.bytes += entry.bytes.length
      this.#deliver(entry.bytes)
    }
    if (count > 0) this.#underWay.splice(0, count)
    const next = this.#underWay[0]
    if (next === undefined || this.#timer !== null) return
    this.#timer = setTimeout(
      () => {
        this.#timer = null
        this.#run()
      },
      Math.max(0, next.dueMs - performance.now()),
    )
  }

  #chance(share: number): boolean {
    return share > 0 && this.#random.below(1_000_000) < share * 1_000_000
  }
}

/** Starts a relay between two sides. */
export async function startUdpRelay(
  left: RelaySide,
  right: RelaySide,
  changes: Partial<RelayLine> = {},
): Promise<UdpRelay> {
  const line = { ...PLAIN, ...changes }
  const peers = { left: left.peer, right: right.peer }
  const sockets = { left: await bound(left.listen), right: await bound(right.listen) }
  const send = (side: 'left' | 'right') => (bytes: Uint8Array) => {
    const peer = peers[side]
    if (peer !== null) sockets[side].send(bytes, peer.port, peer.ip)
  }
  const toRight = new Direction(line, line.seed, send('right'))
  const toLeft = new Direction(line, line.seed + 1, send('left'))
  const take = (side: 'left' | 'right', into: Direction): void => {
    sockets[side].on('message', (bytes, from) => {
      peers[side] ??= { ip: from.address, port: from.port }
      const peer = peers[side]
      if (peer?.ip === from.address && peer.port === from.port) into.carry(bytes)
      else into.counts.strangers += 1
    })
  }
  take('left', toRight)
  take('right', toLeft)
  const close = async (): Promise<void> => {
    toRight.close()
    toLeft.close()
    await Promise.all(Object.values(sockets).map(socket => new Promise<void>(done => socket.close(() => done()))))
  }
  const counts = { fromLeft: toRight.counts, fromRight: toLeft.counts }
  return { left: addressOf(sockets.left), right: addressOf(sockets.right), counts, close }
}

function addressOf(socket: Socket): PeerAddress {
  const { address, port } = socket.address()
  return { ip: address, port }
}

function bound(at: PeerAddress): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const family = isIP(at.ip) === 6 ? 6 : 4
    const socket = createSocket({
      type: family === 6 ? 'udp6' : 'udp4',
      recvBufferSize: SOCKET_BUFFER_BYTES,
      sendBufferSize: SOCKET_BUFFER_BYTES,
      // Only literal addresses are sent to.
      lookup: (host, _options, callback) => callback(null, host, family),
    })
    socket.once('error', reject)
    socket.bind(at.port, at.ip, () => {
      socket.removeListener('error', reject)
      socket.on('error', () => undefined)
      resolve(socket)
    })
  })
}

/** An address as `1.2.3.4:5` or `[::1]:5`. Throws RangeError. */
export function parseAddress(text: string): PeerAddress {
  const [, six, four, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text) ?? []
  const ip = six ?? four
  if (ip === undefined || isIP(ip) === 0 || Number(port) > 65_535) throw new RangeError(`not an address: ${text}`)
  return { ip, port: Number(port) }
}

function side(listen: string, peer: string): RelaySide {
  return { listen: parseAddress(listen), peer: peer === 'any' ? null : parseAddress(peer) }
}

async function main(): Promise<void> {
  const text = (value: string) => ({ type: 'string' as const, default: value })
  const { values } = parseArgs({
    options: {
      left: text('127.0.0.1:0'),
      'left-peer': text('any'),
      right: text('127.0.0.1:0'),
      'right-peer': text('any'),
      delay: text('0'),
      loss: text('0'),
      reorder: text('0'),
      'reorder-by': text('5'),
      duplicate: text('0'),
      rate: text('0'),
      queue: text('1000000'),
      mtu: text('65535'),
      seed: text('1'),
    },
  })
  const relay = await startUdpRelay(side(values.left, values['left-peer']), side(values.right, values['right-peer']), {
    delayMs: Number(values.delay),
    loss: Number(values.loss),
    reorder: Number(values.reorder),
    reorderMs: Number(values['reorder-by']),
    duplicate: Number(values.duplicate),
    bytesPerSecond: Number(values.rate),
    queueBytes: Number(values.queue),
    mtuBytes: Number(values.mtu),
    seed: Number(values.seed),
  })
  const stop = (): void => {
    console.log(JSON.stringify(relay.counts))
    void relay.close()
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  console.log(JSON.stringify({ left: relay.left, right: relay.right }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
