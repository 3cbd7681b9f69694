// Encrypted connections over the memory network, with real links on both ends: which kind comes about between any two
// settings, what passes through it, what somebody in the middle gets, and what a storm of handshakes costs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type InfoHash, infoHashBytes, parseInfoHash } from '../../src/base/ids.ts'
import type { TcpStream, TcpStreamHandlers } from '../../src/ports/tcp.ts'
import {
  ENCRYPTION_MODES,
  type EncryptionMethods,
  type EncryptionMode,
  type EncryptionSettings,
  newLinkMemory,
  nextKind,
  noteFailure,
  noteSuccess,
} from '../../src/torrent/peers/connection-policy.ts'
import { EncryptedStream } from '../../src/torrent/peers/encrypted-stream.ts'
import { MAX_POWERS_PER_TURN } from '../../src/torrent/peers/key-gate.ts'
import { type LinkDeps, type LinkOwner, type LinkReceiver, PeerLink } from '../../src/torrent/peers/peer-link.ts'
import { StreamEncryption } from '../../src/torrent/peers/stream-encryption.ts'
import { TurnEnd } from '../../src/base/turn-end.ts'
import { type KeyAgreement, mseKeys } from '../../src/wire/mse/mse-keys.ts'
import type { BlockSink } from '../../src/wire/peer/decoder.ts'
import { encodeHandshake, type Handshake } from '../../src/wire/peer/handshake.ts'
import { encodeHave, encodePieceHead, type PeerMessage } from '../../src/wire/peer/messages.ts'
import { MemoryNetwork } from '../kit/sim/memory-network.ts'
import { SeededRandom } from '../kit/sim/seeded-random.ts'
import { VirtualClock } from '../kit/sim/virtual-clock.ts'

const infoHash = parseInfoHash('00112233445566778899aabbccddeeff00112233') as InfoHash
const PORT = 6881
const CONNECT = { localIp: null, timeoutMs: 10_000 }

const raise = (error: unknown): void => {
  throw error
}

/** One end: owns its links, greets, and keeps what it hears. */
class End implements LinkOwner, LinkReceiver, BlockSink {
  readonly maxMessageBytes = 64 * 1024
  readonly reasons: string[] = []
  readonly messages: string[] = []
  /** Blocks that came whole. */
  readonly taken: Buffer[] = []
  readonly blocks = this
  opens = 0
  link: PeerLink | null = null
  readonly #peerId: Uint8Array
  #target = new Uint8Array(0)

  constructor(name: string) {
    this.#peerId = Buffer.from(name.padEnd(20, '-'))
  }

  opened(link: PeerLink): void {
    this.opens += 1
    link.send(this.#handshake())
  }

  handshake(link: PeerLink, handshake: Handshake): LinkReceiver | null {
    if (handshake.infoHash !== infoHash) return null
    this.link = link
    if (link.incoming) link.send(this.#handshake())
    return this
  }

  failed(_link: PeerLink, reason: string): void {
    this.reasons.push(reason)
  }

  closed(reason: string): void {
    this.reasons.push(reason)
  }

  chunkEnd(): void {}
  drained(): void {}

  message(message: PeerMessage): void {
    this.messages.push(message.type)
  }

  blockStart(_piece: number, _begin: number, length: number): Uint8Array {
    this.#target = new Uint8Array(length)
    return this.#target
  }

  blockEnd(): void {
    this.taken.push(Buffer.from(this.#target))
  }

  #handshake(): Uint8Array {
    return encodeHandshake({
      infoHash,
      peerId: this.#peerId,
      extensions: { fast: true, extended: true, dht: false },
    })
  }
}

/** Hands everything on in chunks of one byte. */
function byteByByte(handlers: TcpStreamHandlers): TcpStreamHandlers {
  return {
    open: () => handlers.open?.(),
    data: chunk => {
      for (const byte of chunk) handlers.data(Uint8Array.of(byte))
    },
    drain: () => handlers.drain(),
    close: error => handlers.close(error),
  }
}

/** Two hosts with their settings. */
class World {
  readonly clock = new VirtualClock()
  readonly network = new MemoryNetwork(this.clock)
  readonly a = this.network.host('10.0.0.1')
  readonly b = this.network.host('10.0.0.2')
  readonly linkDeps: LinkDeps = { turnEnd: new TurnEnd(raise), now: () => this.clock.now(), defect: raise }
  /** What came in at b; one end for all. */
  readonly incoming = new End('b')
  readonly memory = newLinkMemory()
  tries = 0
  readonly #random = new SeededRandom(11)
  readonly #slow: boolean

  constructor(slow = false) {
    this.#slow = slow
  }

  encryption(settings: EncryptionSettings, keys: KeyAgreement = mseKeys): StreamEncryption {
    const encryption = new StreamEncryption(settings, { clock: this.clock, random: this.#random, defect: raise, keys })
    encryption.torrents.add(infoHash)
    return encryption
  }

  async listen(encryption: StreamEncryption): Promise<void> {
    await this.b.listen({ ip: this.b.ip, port: PORT }, stream => {
      const link = new PeerLink(this.incoming, this.linkDeps)
      const accepted = encryption.accept(stream, link)
      link.attach(accepted.stream)
      return this.#slow ? byteByByte(accepted.handlers) : accepted.handlers
    })
  }

  /** Tries as the policy says; null when nothing came of it. */
  async connect(encryption: StreamEncryption): Promise<{ end: End; stream: TcpStream } | null> {
    const { mode } = encryption.settings
    for (;;) {
      this.tries += 1
      const kind = nextKind(mode, this.memory)
      const end = new End('a')
      const link = new PeerLink(end, this.linkDeps)
      const stream = encryption.connect(kind, infoHash, link, handlers =>
        this.a.connect({ ip: this.b.ip, port: PORT }, CONNECT, this.#slow ? byteByByte(handlers) : handlers),
      )
      link.attach(stream)
      await this.clock.until('a handshake or an end', () => end.link !== null || end.reasons.length > 0, 20_000)
      if (end.link !== null) {
        noteSuccess(this.memory, kind)
        return { end, stream }
      }
      if (!noteFailure(mode, this.memory, kind, end.opens > 0)) return null
    }
  }

  /** Blocks and messages go both ways and arrive as they were. */
  async exchange(end: End): Promise<void> {
    const block = new Uint8Array(new SharedArrayBuffer(16_384)).fill(0x5a)
    block[16_383] = 1
    const other = this.incoming.link
    assert.ok(end.link !== null && other !== null)
    end.link.send(encodeHave(7))
    end.link.sendNow(Buffer.concat([encodePieceHead(0, 0, block.length), block]), () => undefined)
    let sent = 0
    other.sendBlock(encodePieceHead(1, 0, block.length), block, () => sent++)
    other.send(encodeHave(8))
    const done = (): boolean => end.messages.length + this.incoming.messages.length === 2 && sent === 1
    await this.clock.until('both blocks', () => done() && end.taken.length + this.incoming.taken.length === 2)
    for (const got of [...end.taken, ...this.incoming.taken]) assert.ok(got.equals(Buffer.from(block)))
    end.link.end('enough')
    await this.clock.until('the end', () => this.incoming.reasons.length > 0)
  }

  async close(): Promise<void> {
    await this.clock.advance(60_000)
    assert.equal(this.clock.pending, 0)
  }
}

/** What comes about between two settings, and after how many tries. */
async function meet(out: EncryptionSettings, incoming: EncryptionSettings, slow = false): Promise<string> {
  const world = new World(slow)
  await world.listen(world.encryption(incoming))
  const made = await world.connect(world.encryption(out))
  let kind = 'nothing'
  if (made !== null) {
    kind = (made.stream instanceof EncryptedStream ? made.stream.encryption : null) ?? 'plain'
    world.incoming.reasons.length = 0
    await world.exchange(made.end)
  }
  await world.close()
  return `${kind} ${world.tries}`
}

/** Rows: how one connects; columns: how the other is set, in the order of ENCRYPTION_MODES. */
const EXPECTED: Record<EncryptionMode, readonly string[]> = {
  //         prefer      require     allow          off
  prefer: ['rc4 1', 'rc4 1', 'plaintext 1', 'plain 2'],
  require: ['rc4 1', 'rc4 1', 'plaintext 1', 'nothing 1'],
  allow: ['plain 1', 'rc4 2', 'plain 1', 'plain 1'],
  off: ['plain 1', 'nothing 1', 'plain 1', 'plain 1'],
}

for (const slow of [false, true]) {
  test(`any two settings meet as they should${slow ? ', byte by byte' : ''}`, async () => {
    for (const out of ENCRYPTION_MODES) {
      const row: string[] = []
      for (const mode of ENCRYPTION_MODES) {
        row.push(await meet({ mode: out, methods: 'both' }, { mode, methods: 'both' }, slow))
      }
      assert.deepEqual(row, EXPECTED[out], out)
    }
  })
}

test('methods: what both allow, else no encrypted connection', async () => {
  const cases: readonly (readonly [EncryptionMode, EncryptionMethods, EncryptionMethods, string])[] = [
    ['prefer', 'rc4', 'rc4', 'rc4 1'],
    ['prefer', 'rc4', 'both', 'rc4 1'],
    ['prefer', 'both', 'rc4', 'rc4 1'],
    ['prefer', 'plaintext', 'both', 'plaintext 1'],
    ['prefer', 'both', 'plaintext', 'plaintext 1'],
    ['prefer', 'plaintext', 'plaintext', 'plaintext 1'],
    ['prefer', 'rc4', 'plaintext', 'plain 2'],
    ['require', 'rc4', 'plaintext', 'nothing 1'],
    ['require', 'plaintext', 'rc4', 'nothing 1'],
  ]
  for (const [mode, out, incoming, expected] of cases) {
    const met = await meet({ mode, methods: out }, { mode, methods: incoming })
    assert.equal(met, expected, `${mode} ${out} ${incoming}`)
  }
})

test('an encrypted handshake for a torrent that is not here ends, and one that was taken away too', async () => {
  const world = new World()
  const there = world.encryption({ mode: 'require', methods: 'both' })
  await world.listen(there)
  there.torrents.delete(infoHash)
  assert.equal(await world.connect(world.encryption({ mode: 'require', methods: 'both' })), null)
  assert.match(world.incoming.reasons.join(), /no torrent of ours/)
  await world.close()
})

/** What somebody in the middle does to break an encrypted handshake. */
const MEDDLERS: Record<string, (stream: TcpStream, chunk: Uint8Array) => void> = {
  'closes at once': stream => stream.destroy(),
  'answers rubbish': stream => stream.write(Buffer.alloc(20_000, 0xa5)),
  'answers zeros': stream => stream.write(new Uint8Array(700)),
  'sends back what it gets': (stream, chunk) => stream.write(Uint8Array.from(chunk)),
  'answers as a plain peer': stream =>
    stream.write(
      encodeHandshake({
        infoHash,
        peerId: new Uint8Array(20),
        extensions: { fast: false, extended: false, dht: false },
      }),
    ),
  'says nothing': () => undefined,
}

test('who breaks encrypted handshakes gets nothing readable from a node that requires them', async () => {
  for (const [name, meddle] of Object.entries(MEDDLERS)) {
    const world = new World()
    const got: Buffer[] = []
    await world.b.listen({ ip: world.b.ip, port: PORT }, stream => ({
      data: chunk => {
        got.push(Buffer.from(chunk))
        meddle(stream, chunk)
      },
      drain: () => undefined,
      close: () => undefined,
    }))
    const encryption = world.encryption({ mode: 'require', methods: 'both' })
    for (let round = 0; round < 3; round++) {
      const end = new End('a')
      const link = new PeerLink(end, world.linkDeps)
      const kind = nextKind('require', world.memory)
      assert.equal(kind, 'encrypted', name)
      link.attach(
        encryption.connect(kind, infoHash, link, handlers =>
          world.a.connect({ ip: world.b.ip, port: PORT }, CONNECT, handlers),
        ),
      )
      await world.clock.advance(5000)
      // The owner's time-out.
      link.end('handshake timed out')
      await world.clock.advance(1000)
      assert.equal(end.link, null, name)
      assert.equal(end.reasons.length, 1, name)
      assert.equal(noteFailure('require', world.memory, kind, end.opens > 0), false, name)
    }
    const all = Buffer.concat(got)
    assert.ok(all.length >= 3 * 96, name)
    assert.ok(!all.includes('BitTorrent') && all.indexOf(infoHashBytes(infoHash)) < 0, name)
    await world.close()
  }
})

test('a storm of handshakes makes so many keys a turn, and an honest peer gets through it', async () => {
  const world = new World()
  const made = new Map<number, number>()
  let powers = 0
  const count = (): void => {
    powers += 1
    made.set(world.clock.now(), (made.get(world.clock.now()) ?? 0) + 1)
  }
  const keys: KeyAgreement = {
    publicKey: exponent => {
      count()
      return mseKeys.publicKey(exponent)
    },
    secret: (exponent, other) => {
      count()
      return mseKeys.secret(exponent, other)
    },
  }
  await world.listen(world.encryption({ mode: 'allow', methods: 'both' }, keys))
  const random = new SeededRandom(5)
  const stormers = Array.from({ length: 120 }, (_, index) => world.network.host(`10.1.0.${index + 1}`))
  const startMs = world.clock.now()
  for (const host of stormers) {
    const stream: TcpStream = host.connect({ ip: world.b.ip, port: PORT }, CONNECT, {
      open: () => stream.write(Buffer.concat([Buffer.from([0x42]), random.bytes(150)])),
      data: () => undefined,
      drain: () => undefined,
      close: () => undefined,
    })
  }
  const honest = await world.connect(world.encryption({ mode: 'require', methods: 'both' }))
  assert.ok(honest !== null)
  assert.ok(world.clock.now() - startMs < 2000)
  assert.equal(powers, 2 * (stormers.length + 1))
  for (const [atMs, number] of made) assert.ok(number <= MAX_POWERS_PER_TURN, `${number} at ${atMs}`)
  const times = [...made.keys()]
  for (const [index, atMs] of times.entries()) {
    const before = times[index - 1]
    assert.ok(before === undefined || atMs - before >= 10, 'two turns too close to each other')
  }
  honest.end.link?.end('enough')
  for (const host of stormers) host.cut()
  await world.close()
})
