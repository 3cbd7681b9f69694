// The stream between a link and a connection: whose memory is changed and when it is given back, what waits for what,
// and what gets out when something goes wrong.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { type InfoHash, parseInfoHash } from '../../../src/base/ids.ts'
import type { TcpStream, TcpStreamHandlers } from '../../../src/ports/tcp.ts'
import { CipherMemory, MAX_LENT, POOLED_BYTES } from '../../../src/torrent/peers/cipher-memory.ts'
import type { LinkKind } from '../../../src/torrent/peers/connection-policy.ts'
import { EncryptedStream } from '../../../src/torrent/peers/encrypted-stream.ts'
import { KeyGate, MAX_POWERS_PER_TURN, MAX_WAITING } from '../../../src/torrent/peers/key-gate.ts'
import type { MseResult, MseSide } from '../../../src/wire/mse/mse-handshake.ts'
import { Rc4 } from '../../../src/wire/mse/rc4.ts'
import { naiveRc4 } from '../../kit/peers/naive-mse.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const infoHash = parseInfoHash('00112233445566778899aabbccddeeff00112233') as InfoHash
const OUT = Buffer.from('the key of what goes out')
const IN = Buffer.from('the key of what comes in')

/** A connection whose kernel takes everything at once while `takes`, and otherwise when take() is called. */
class FakeInner implements TcpStream {
  readonly remote = { ip: '10.0.0.1', port: 1 }
  readonly incoming: boolean
  takes = true
  bufferedBytes = 0
  paused = false
  destroyed = false
  /** What the kernel has taken. */
  readonly taken: Buffer[] = []
  /** Every memory that was written from. */
  readonly memories: Uint8Array[] = []
  readonly #held: { bytes: Uint8Array; sent: (() => void) | undefined }[] = []

  constructor(incoming: boolean) {
    this.incoming = incoming
  }

  write(bytes: Uint8Array, sent?: () => void): boolean {
    this.memories.push(bytes)
    if (this.destroyed || this.takes) {
      if (!this.destroyed) this.taken.push(Buffer.from(bytes))
      if (sent !== undefined) queueMicrotask(sent)
      return true
    }
    this.#held.push({ bytes, sent })
    this.bufferedBytes += bytes.length
    return false
  }

  /** The kernel takes the next `count` writes. */
  take(count = Number.POSITIVE_INFINITY): void {
    for (const write of this.#held.splice(0, count)) {
      this.bufferedBytes -= write.bytes.length
      // What goes out is what lies there now.
      this.taken.push(Buffer.from(write.bytes))
      write.sent?.()
    }
  }

  get bytes(): Buffer {
    return Buffer.concat(this.taken)
  }

  cork(): void {}
  uncork(): void {}

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
  }

  destroy(): void {
    this.destroyed = true
  }

  /** The connection ends. */
  die(handlers: TcpStreamHandlers, error: Error | null = null): void {
    this.destroyed = true
    for (const write of this.#held.splice(0)) write.sent?.()
    this.bufferedBytes = 0
    handlers.close(error)
  }
}

/** What a link would hear. */
class Heard implements TcpStreamHandlers {
  readonly chunks: Buffer[] = []
  drains = 0
  opens = 0
  readonly closes: (Error | null)[] = []
  onOpen: () => void = () => undefined
  onData: () => void = () => undefined

  open(): void {
    this.opens += 1
    this.onOpen()
  }

  data(chunk: Uint8Array): void {
    this.chunks.push(Buffer.from(chunk))
    this.onData()
  }

  drain(): void {
    this.drains += 1
  }

  close(error: Error | null): void {
    this.closes.push(error)
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks)
  }
}

/** A handshake that wants `wanted` powers, then `awaits` bytes, and then is done. */
class FakeSide implements MseSide {
  wanted: number
  result: MseResult | null = null
  computed = 0
  refuses = false
  readonly #awaits: number
  readonly #initial: (() => Uint8Array) | null
  readonly #done: MseResult
  readonly #kept: number[] = []
  #out: Uint8Array | null = null
  #came = 0

  constructor(options: { wanted: number; awaits: number; done: MseResult; initial: (() => Uint8Array) | null }) {
    this.wanted = options.wanted
    this.#awaits = options.awaits
    this.#done = options.done
    this.#initial = options.initial
    this.#check()
  }

  push(chunk: Uint8Array): number {
    if (this.refuses) throw new DecodeError('refused')
    const count = Math.min(chunk.length, this.#awaits + 3 - this.#came)
    for (const byte of chunk.subarray(0, count)) {
      this.#came += 1
      if (this.#came > this.#awaits) this.#kept.push(byte)
    }
    this.#check()
    return count
  }

  compute(): void {
    this.computed += this.wanted
    this.wanted = 0
    this.#out = Buffer.concat([Buffer.from('keys'), this.#initial?.() ?? new Uint8Array(0)])
    this.#check()
  }

  takeOutput(): Uint8Array | null {
    const out = this.#out
    this.#out = null
    return out
  }

  rest(): Uint8Array {
    return Uint8Array.from(this.#kept)
  }

  #check(): void {
    if (this.wanted === 0 && this.#came >= this.#awaits) this.result = this.#done
  }
}

interface RigOptions {
  readonly incoming?: boolean
  readonly wanted?: number
  readonly awaits?: number
  readonly plain?: boolean
  /** Bytes after which what comes is no longer under RC4. */
  readonly encryptedBytes?: number
  readonly accepts?: (kind: LinkKind) => boolean
  readonly memory?: CipherMemory
  readonly gate?: KeyGate
}

function rig(options: RigOptions = {}) {
  const { incoming = false, wanted = 0, awaits = 0, plain = false } = options
  const clock = new VirtualClock()
  const inner = new FakeInner(incoming)
  const heard = new Heard()
  const memory = options.memory ?? new CipherMemory()
  const gate = options.gate ?? new KeyGate(clock)
  const defects: unknown[] = []
  const sides: FakeSide[] = []
  const side = (initial: () => Uint8Array): FakeSide => {
    const done: MseResult = {
      infoHash,
      method: plain ? 'plaintext' : 'rc4',
      encrypt: plain ? null : new Rc4(OUT),
      decrypt: new Rc4(IN),
      encryptedBytes: options.encryptedBytes ?? (plain ? 0 : Number.POSITIVE_INFINITY),
    }
    const made = new FakeSide({ wanted, awaits, done, initial: incoming ? null : initial })
    sides.push(made)
    return made
  }
  const setup = {
    gate,
    memory,
    accepts: options.accepts ?? (() => true),
    side,
    defect: (error: unknown) => defects.push(error),
  }
  const stream = new EncryptedStream(setup, heard, () => inner)
  return { clock, inner, heard, memory, gate, stream, sides, defects }
}

const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Bytes that tell where they stand. */
function pattern(length: number): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(length))
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >> 8)) & 255
  return bytes
}

test('what is written is encrypted into other memory: the arena it lies in stays as it is', async () => {
  const { stream, inner, heard, memory } = rig()
  stream.open()
  assert.equal(heard.opens, 1)
  const payload = pattern(150_000)
  const small = pattern(17)
  stream.write(small)
  stream.write(payload)
  stream.write(small)
  assert.ok(Buffer.from(payload).equals(Buffer.from(pattern(150_000))))
  assert.ok(Buffer.from(small).equals(Buffer.from(pattern(17))))
  assert.ok(inner.memories.every(one => one.buffer !== payload.buffer && one.buffer !== small.buffer))
  assert.ok(naiveRc4(OUT)(inner.bytes).equals(Buffer.concat([small, payload, small])))
  await settle()
  assert.equal(memory.lent, 0)
})

test('sent runs once, when the kernel has taken the last byte of the write, never within write()', async () => {
  const { stream, inner } = rig()
  stream.open()
  inner.takes = false
  const sent: string[] = []
  stream.write(pattern(10), () => sent.push('small'))
  stream.write(pattern(POOLED_BYTES * 2), () => sent.push('large'))
  stream.write(pattern(10), () => sent.push('last'))
  await settle()
  assert.deepEqual(sent, [])
  inner.take(2)
  assert.deepEqual(sent, ['small'])
  inner.take(1)
  assert.deepEqual(sent, ['small', 'large'])
  inner.take()
  await settle()
  assert.deepEqual(sent, ['small', 'large', 'last'])
  inner.takes = true
  let now = false
  stream.write(pattern(20_000), () => {
    now = true
  })
  assert.equal(now, false)
  assert.equal(stream.bufferedBytes, 0)
  await settle()
  assert.equal(now, true)
})

test('a peer that does not read holds four buffers; what waits is not copied and comes in order', async () => {
  const { stream, inner, memory, heard } = rig()
  stream.open()
  inner.takes = false
  const payload = pattern(1024 * 1024)
  assert.equal(stream.write(payload), false)
  assert.equal(memory.lent, 4)
  assert.equal(stream.bufferedBytes, payload.length)
  // Not copied yet: what is changed now, although it must not be, goes out changed.
  payload[payload.length - 1] = 0xee
  assert.equal(heard.drains, 0)
  for (let round = 0; round < 100 && inner.bytes.length < payload.length; round++) {
    inner.take()
    assert.ok(memory.lent <= 4)
    await settle()
  }
  assert.ok(naiveRc4(OUT)(inner.bytes).equals(Buffer.from(payload)))
  stream.drain()
  assert.equal(heard.drains, 1)
  assert.equal(memory.lent, 0)
  assert.equal(stream.bufferedBytes, 0)
})

test('many peers that do not read share the pool, and one more still gets its blocks out', async () => {
  const memory = new CipherMemory()
  const stuck = Array.from({ length: MAX_LENT / 4 + 8 }, () => rig({ memory }))
  for (const { stream, inner } of stuck) {
    stream.open()
    inner.takes = false
    stream.write(pattern(POOLED_BYTES * 8))
    assert.ok(inner.memories.length > 0)
    assert.ok(memory.lent <= MAX_LENT)
  }
  assert.equal(memory.lent, MAX_LENT)
  const { stream, inner } = rig({ memory })
  stream.open()
  const payload = pattern(200_000)
  stream.write(payload)
  assert.ok(naiveRc4(OUT)(inner.bytes).equals(Buffer.from(payload)))
  for (const one of stuck) one.inner.die(one.stream)
  await settle()
  assert.equal(memory.lent, 0)
})

test('the end of a connection settles every write once, and lets nothing readable out', async () => {
  for (const shaking of [true, false]) {
    const { stream, inner, heard, memory } = rig({ awaits: shaking ? 5 : 0 })
    stream.open()
    inner.takes = false
    let sent = 0
    const secret = Buffer.from('SECRET'.repeat(60_000))
    for (let n = 0; n < 5; n++) stream.write(secret, () => sent++)
    stream.destroy()
    assert.equal(inner.destroyed, true)
    stream.write(secret, () => sent++)
    inner.die(stream)
    stream.write(secret, () => sent++)
    await settle()
    assert.equal(sent, 7)
    assert.deepEqual(heard.closes, [null])
    assert.equal(memory.lent, 0)
    assert.equal(stream.bufferedBytes, 0)
    assert.ok(inner.memories.every(one => !Buffer.from(one).includes('SECRET')))
  }
})

test('what the link writes at its opening goes out within the handshake, the rest after it', async () => {
  const { stream, inner, heard } = rig({ wanted: 1, awaits: 4 })
  let sent = 0
  heard.onOpen = () => {
    stream.write(Buffer.from('hand'), () => sent++)
    stream.write(Buffer.from('shake'), () => sent++)
    stream.write(Buffer.alloc(100, 0x41))
  }
  stream.open()
  assert.equal(inner.bytes.toString(), 'keyshandshake')
  await settle()
  assert.equal(sent, 2)
  stream.write(Buffer.from('later'))
  assert.equal(inner.bytes.toString(), 'keyshandshake')
  stream.data(Buffer.from('four'))
  const after = naiveRc4(OUT)(inner.bytes.subarray(13))
  assert.equal(after.toString(), `${'A'.repeat(100)}later`)
  assert.equal(stream.encryption, 'rc4')
  assert.equal(stream.infoHash, infoHash)
})

test('what comes is decrypted into other memory, in one piece with what came behind the handshake', () => {
  const { stream, heard } = rig({ awaits: 4 })
  stream.open()
  const cipher = naiveRc4(IN)
  const chunk = Buffer.concat([Buffer.from('four'), cipher(Buffer.from('hello, this is more than three bytes'))])
  const kept = Buffer.from(chunk)
  stream.data(chunk)
  assert.equal(heard.chunks.length, 1)
  const second = cipher(Buffer.from(' and on'))
  stream.data(second)
  assert.equal(heard.bytes.toString(), 'hello, this is more than three bytes and on')
  assert.ok(kept.equals(chunk))
  assert.notEqual(second.toString(), ' and on')
})

test('under the plaintext method only the first payload is decrypted, and writes go through as they are', () => {
  const { stream, inner, heard } = rig({ incoming: true, awaits: 4, plain: true, encryptedBytes: 10 })
  const cipher = naiveRc4(IN)
  stream.data(Buffer.concat([Buffer.from('four'), cipher(Buffer.from('01234'))]))
  stream.data(Buffer.concat([cipher(Buffer.from('56789')), Buffer.from('plain')]))
  stream.data(Buffer.from('er'))
  assert.equal(heard.bytes.toString(), '0123456789plainer')
  const mine = Buffer.from('mine')
  stream.write(mine)
  assert.equal(inner.memories.at(-1), mine)
})

test('a handler that gets bytes while it handles bytes finds its own unchanged', () => {
  const memory = new CipherMemory()
  const one = rig({ memory })
  const other = rig({ memory })
  one.stream.open()
  other.stream.open()
  const second = naiveRc4(IN)(Buffer.from('second'))
  let lent: Uint8Array = new Uint8Array(0)
  one.heard.data = chunk => {
    lent = chunk
    other.stream.data(second)
    assert.equal(Buffer.from(lent).toString(), 'first')
  }
  one.stream.data(naiveRc4(IN)(Buffer.from('first')))
  assert.equal(other.heard.bytes.toString(), 'second')
})

test('an incoming plain connection is passed on byte for byte, and refused where that is set', () => {
  const shake = Buffer.from('\x13BitTorrent protocol and what follows', 'latin1')
  const { stream, inner, heard, sides } = rig({ incoming: true })
  for (const byte of shake) stream.data(Uint8Array.of(byte))
  assert.ok(heard.bytes.equals(shake))
  stream.write(Buffer.from('answer'))
  assert.equal(inner.bytes.toString(), 'answer')
  assert.equal(stream.encryption, null)
  assert.equal(sides.length, 0)
  const strict = rig({ incoming: true, accepts: kind => kind === 'encrypted' })
  strict.stream.data(shake)
  assert.equal(strict.inner.destroyed, true)
  assert.equal(strict.heard.chunks.length, 0)
  strict.inner.die(strict.stream)
  assert.match(strict.heard.closes[0]?.message ?? '', /plain/)
  const lax = rig({ incoming: true, accepts: kind => kind === 'plain' })
  lax.stream.data(Buffer.from('\x13BitTorrent protocoL', 'latin1'))
  assert.equal(lax.inner.destroyed, true)
})

test('while it is in line for its keys a connection reads nothing; a link that pauses stays paused', async () => {
  const { stream, inner, gate, clock, sides } = rig({ incoming: true, wanted: 2, awaits: 1 })
  gate.ask({ powers: MAX_POWERS_PER_TURN, run: () => undefined })
  stream.data(Uint8Array.of(1))
  assert.equal(inner.paused, true)
  assert.equal(sides[0]?.computed, 0)
  stream.resume()
  assert.equal(inner.paused, true)
  await clock.advance(10)
  assert.equal(sides[0]?.computed, 2)
  assert.equal(inner.paused, false)
  const other = rig({ incoming: true, wanted: 2, awaits: 1 })
  other.gate.ask({ powers: MAX_POWERS_PER_TURN, run: () => undefined })
  other.stream.data(Uint8Array.of(1))
  other.stream.pause()
  await other.clock.advance(10)
  assert.equal(other.sides[0]?.computed, 2)
  assert.equal(other.inner.paused, true)
  other.stream.resume()
  assert.equal(other.inner.paused, false)
})

test('a connection that ends in the line makes no keys; a line that is full refuses', async () => {
  const clock = new VirtualClock()
  const gate = new KeyGate(clock)
  gate.ask({ powers: MAX_POWERS_PER_TURN, run: () => undefined })
  const rigs = Array.from({ length: MAX_WAITING + 1 }, () => rig({ incoming: true, wanted: 2, awaits: 1, gate }))
  for (const { stream } of rigs) stream.data(Uint8Array.of(1))
  const last = rigs.at(-1)
  assert.ok(last !== undefined)
  assert.equal(last.inner.destroyed, true)
  assert.equal(rigs[0]?.inner.destroyed, false)
  for (const { stream, inner } of rigs) inner.die(stream)
  assert.equal(gate.waiting, 0)
  await clock.advance(1000)
  assert.ok(rigs.every(one => one.sides[0]?.computed === 0))
})

test('what a handshake refuses ends the connection with its reason; a defect of ours is reported', () => {
  const { stream, inner, heard, sides, defects } = rig({ incoming: true, awaits: 10 })
  stream.data(Uint8Array.of(1))
  const side = sides[0]
  assert.ok(side !== undefined)
  side.refuses = true
  stream.data(Uint8Array.of(2))
  assert.equal(inner.destroyed, true)
  // Nothing more is read.
  stream.data(Uint8Array.of(3))
  inner.die(stream, new Error('something else'))
  assert.equal(heard.closes[0]?.message, 'refused')
  assert.deepEqual(defects, [])
  const broken = rig({ incoming: true, awaits: 10 })
  broken.stream.data(Uint8Array.of(1))
  const other = broken.sides[0]
  assert.ok(other !== undefined)
  other.push = () => {
    throw new RangeError('a bug')
  }
  broken.stream.data(Uint8Array.of(2))
  assert.equal(broken.inner.destroyed, true)
  assert.equal(broken.defects.length, 1)
})
