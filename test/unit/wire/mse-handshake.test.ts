// Both sides of the encrypted handshake: each against a naive one, both against each other in chunks of any length, and
// everything that ends it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { type InfoHash, infoHashBytes, parseInfoHash } from '../../../src/base/ids.ts'
import { MAX_PADDING_BYTES, type MseMethod, type MseSide } from '../../../src/wire/mse/mse-handshake.ts'
import { MseInitiator } from '../../../src/wire/mse/mse-initiator.ts'
import { type KeyAgreement, mseKeys } from '../../../src/wire/mse/mse-keys.ts'
import { MseResponder } from '../../../src/wire/mse/mse-responder.ts'
import { MseTorrents } from '../../../src/wire/mse/mse-torrents.ts'
import { naiveChoice, naiveKeys, naiveOffer, naiveRc4, naiveSha1 } from '../../kit/peers/naive-mse.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const infoHash = parseInfoHash('00112233445566778899aabbccddeeff00112233') as InfoHash
const skey = infoHashBytes(infoHash)
const BOTH: readonly MseMethod[] = ['rc4', 'plaintext']
const theirs = naiveKeys(Buffer.alloc(20, 0x5a))

/** Chance that always pads with so many bytes. */
class Padding extends SeededRandom {
  readonly #count: number

  constructor(count: number) {
    super(3)
    this.#count = count
  }

  override below(_below: number): number {
    return this.#count
  }
}

function torrents(...hashes: readonly InfoHash[]): MseTorrents {
  const known = new MseTorrents()
  for (const hash of hashes) known.add(hash)
  return known
}

interface SideOptions {
  readonly methods?: readonly MseMethod[]
  readonly padding?: number
  readonly keys?: KeyAgreement
}

function responder(options: SideOptions = {}): MseResponder {
  const known = torrents(infoHash)
  return new MseResponder({
    find: hash => known.find(hash),
    methods: options.methods ?? BOTH,
    random: new Padding(options.padding ?? 5),
    keys: options.keys ?? mseKeys,
  })
}

function initiator(options: Omit<SideOptions, 'keys'> = {}): MseInitiator {
  return new MseInitiator({
    infoHash,
    methods: options.methods ?? BOTH,
    random: new Padding(options.padding ?? 5),
    initial: () => Buffer.from('the first payload'),
  })
}

/** Gives `bytes` to a side in chunks; what it says to them, and what lies behind its handshake. */
function feed(side: MseSide, bytes: Uint8Array, size = bytes.length): { said: Buffer; behind: Buffer } {
  const said: Uint8Array[] = []
  let at = 0
  const answer = (): void => {
    while (side.wanted > 0) side.compute()
    const output = side.takeOutput()
    if (output !== null) said.push(output)
  }
  answer()
  while (at < bytes.length && side.result === null) {
    const chunk = bytes.subarray(at, at + size)
    const count = side.push(chunk)
    assert.ok(count === chunk.length || side.result !== null)
    at += count
    answer()
  }
  const behind = side.result === null ? [] : [side.rest(), bytes.subarray(at)]
  return { said: Buffer.concat(said), behind: Buffer.concat(behind) }
}

/** A responder that has heard the naive initiator's key, and the secret they share. */
function greeted(side: MseResponder, padA: Uint8Array, size?: number): { secret: Buffer; padB: number } {
  const { said } = feed(side, Buffer.concat([theirs.publicKey, padA]), size)
  return { secret: theirs.secret(said.subarray(0, 96)), padB: said.length - 96 }
}

test('a responder understands a naive initiator, for every method, padding and chunk', () => {
  const initial = Buffer.from('first payload')
  for (const [methods, provide, select] of [
    [BOTH, 3, 2],
    [['plaintext', 'rc4'], 3, 1],
    [BOTH, 1, 1],
    [BOTH, 2, 2],
    [['rc4'], 3, 2],
    [['plaintext'], 0xffffffff, 1],
  ] as const) {
    for (const padding of [0, 1, MAX_PADDING_BYTES]) {
      for (const size of [1, 100, 5000]) {
        const side = responder({ methods, padding })
        const { secret, padB } = greeted(side, Buffer.alloc(padding, 0xaa), size)
        assert.equal(padB, padding)
        const offer = naiveOffer(secret, skey, { provide, padC: Buffer.alloc(padding), initial })
        const more = select === 2 ? offer.encrypt(Buffer.from('more')) : Buffer.from('more')
        const { said, behind } = feed(side, Buffer.concat([offer.bytes, more]), size)
        const choice = offer.decrypt(said)
        assert.equal(choice.readBigUInt64BE(0), 0n)
        assert.equal(choice.readUInt32BE(8), select)
        assert.equal(choice.readUInt16BE(12), padding)
        assert.equal(choice.length, 14 + padding)
        assert.ok(choice.subarray(14).every(byte => byte === 0))
        const result = side.result
        assert.ok(result !== null)
        assert.equal(result.infoHash, infoHash)
        assert.equal(result.method, select === 2 ? 'rc4' : 'plaintext')
        assert.equal(result.encryptedBytes, select === 2 ? Number.POSITIVE_INFINITY : initial.length)
        assert.equal(result.encrypt === null, select === 1)
        const encrypted = behind.subarray(0, Math.min(behind.length, result.encryptedBytes))
        result.decrypt.apply(encrypted, encrypted)
        assert.equal(behind.toString(), 'first payloadmore')
      }
    }
  }
})

test('an initiator understands a naive responder, and sends what it should', () => {
  for (const [methods, provide, select] of [
    [BOTH, 3, 2],
    [BOTH, 3, 1],
    [['rc4'], 2, 2],
    [['plaintext'], 1, 1],
  ] as const) {
    for (const padding of [0, 3, MAX_PADDING_BYTES]) {
      for (const size of [1, 97, 5000]) {
        const side = initiator({ methods, padding })
        const first = feed(side, new Uint8Array(0)).said
        assert.equal(first.length, 96 + padding)
        const secret = theirs.secret(first.subarray(0, 96))
        const offer = feed(side, Buffer.concat([theirs.publicKey, Buffer.alloc(padding, 0xbb)]), size).said
        assert.ok(offer.subarray(0, 20).equals(naiveSha1('req1', secret)))
        const mask = naiveSha1('req3', secret)
        const name = offer.subarray(20, 40).map((byte, at) => byte ^ (mask[at] as number))
        assert.ok(naiveSha1('req2', skey).equals(name))
        const body = naiveRc4(naiveSha1('keyA', secret, skey))(offer.subarray(40))
        assert.equal(body.readBigUInt64BE(0), 0n)
        assert.equal(body.readUInt32BE(8), provide)
        assert.equal(body.readUInt16BE(12), padding)
        assert.ok(body.subarray(14, 14 + padding).every(byte => byte === 0))
        assert.equal(body.readUInt16BE(14 + padding), 17)
        assert.equal(body.subarray(16 + padding).toString(), 'the first payload')
        const choice = naiveChoice(secret, skey, { select, padD: Buffer.alloc(padding) })
        const payload = select === 2 ? choice.encrypt(Buffer.from('hello')) : Buffer.from('hello')
        const { behind } = feed(side, Buffer.concat([choice.bytes, payload]), size)
        const result = side.result
        assert.ok(result !== null)
        assert.equal(result.encryptedBytes, select === 2 ? Number.POSITIVE_INFINITY : 0)
        if (select === 2) result.decrypt.apply(behind, behind)
        assert.equal(behind.toString(), 'hello')
      }
    }
  }
})

test('both sides agree in chunks of any length, for two exponentiations each', () => {
  for (const size of [1, 2, 19, 20, 21, 96, 4096]) {
    let powers = 0
    const keys: KeyAgreement = {
      publicKey: exponent => {
        powers += 1
        return mseKeys.publicKey(exponent)
      },
      secret: (exponent, other) => {
        powers += 1
        return mseKeys.secret(exponent, other)
      },
    }
    const a = initiator({ padding: 77 })
    const b = responder({ padding: 300, keys })
    const one = feed(a, new Uint8Array(0)).said
    const two = feed(b, one, size).said
    const three = feed(a, two, size).said
    const atB = feed(b, three, size)
    const atA = feed(a, atB.said, size)
    assert.equal(a.result?.method, 'rc4')
    assert.equal(b.result?.method, 'rc4')
    assert.equal(atA.behind.length, 0)
    assert.equal(powers, 2)
    // What is behind the handshake at the responder is the first payload.
    b.result?.decrypt.apply(atB.behind, atB.behind)
    assert.equal(atB.behind.toString(), 'the first payload')
    const message = Buffer.from('back again')
    b.result?.encrypt?.apply(message, message)
    a.result?.decrypt.apply(message, message)
    assert.equal(message.toString(), 'back again')
  }
})

test('nothing is computed before a whole key is there, and nothing again for what follows', () => {
  const side = responder()
  side.push(theirs.publicKey.subarray(0, 95))
  assert.equal(side.wanted, 0)
  side.push(theirs.publicKey.subarray(95))
  assert.equal(side.wanted, 2)
  side.compute()
  assert.equal(side.wanted, 0)
  side.push(Buffer.alloc(100, 1))
  assert.equal(side.wanted, 0)
})

test('padding without an end is given up at its bound, in any chunks', () => {
  for (const size of [1, 50]) {
    const side = responder()
    greeted(side, new Uint8Array(0))
    let pushed = 0
    assert.throws(() => {
      for (; pushed < 10_000; pushed += size) side.push(Buffer.alloc(size, 0x77))
    }, /no end of the padding/)
    // 512 of padding and the 20 of the hash.
    assert.ok(pushed < 532 && pushed + size >= 532, `${pushed}`)
    const other = initiator()
    feed(other, theirs.publicKey)
    pushed = 0
    assert.throws(() => {
      for (; pushed < 10_000; pushed += size) other.push(Buffer.alloc(size, 0x77))
    }, /no end of the padding/)
    assert.ok(pushed < 520 && pushed + size >= 520, `${pushed}`)
  }
})

test('more than key and padding before the keys are made, and more than a whole handshake, are refused', () => {
  const early = responder()
  early.push(Buffer.concat([theirs.publicKey, Buffer.alloc(512)]))
  assert.equal(early.wanted, 2)
  assert.throws(() => early.push(Buffer.alloc(1)), DecodeError)
  assert.throws(() => responder().push(Buffer.concat([theirs.publicKey, Buffer.alloc(100_000)])), DecodeError)
  const other = initiator()
  other.compute()
  assert.throws(() => other.push(Buffer.concat([theirs.publicKey, Buffer.alloc(600)])), DecodeError)
})

test('useless keys end the handshake on both sides before the other power is taken', () => {
  for (const value of [0, 1]) {
    const key = Buffer.alloc(96)
    key[95] = value
    let made = 0
    const keys: KeyAgreement = {
      publicKey: exponent => {
        made += 1
        return mseKeys.publicKey(exponent)
      },
      secret: mseKeys.secret,
    }
    const side = responder({ keys })
    side.push(key)
    assert.throws(() => side.compute(), DecodeError)
    assert.equal(made, 0)
    assert.equal(side.takeOutput(), null)
    const other = initiator()
    other.compute()
    other.push(key)
    assert.throws(() => other.compute(), DecodeError)
  }
})

test('offers that cannot be meant end the handshake', () => {
  const strange = Buffer.from('ffffffffffffffffffffffffffffffffffffffff', 'hex')
  const broken: readonly [RegExp, readonly MseMethod[], (secret: Uint8Array) => Buffer][] = [
    [/no torrent of ours/, BOTH, secret => naiveOffer(secret, strange, { provide: 3 }).bytes],
    [/verification constant/, BOTH, secret => naiveOffer(secret, skey, { provide: 3, vc: Buffer.alloc(8, 1) }).bytes],
    [
      /verification constant/,
      BOTH,
      secret => naiveOffer(secret, skey, { provide: 3, vc: Buffer.from('0000000000000001', 'hex') }).bytes,
    ],
    [/no common method/, ['rc4'], secret => naiveOffer(secret, skey, { provide: 1 }).bytes],
    [/no common method/, ['plaintext'], secret => naiveOffer(secret, skey, { provide: 2 }).bytes],
    [/no common method/, BOTH, secret => naiveOffer(secret, skey, { provide: 0 }).bytes],
    [/no common method/, BOTH, secret => naiveOffer(secret, skey, { provide: 0xfffffffc }).bytes],
    [/too long a padding/, BOTH, secret => naiveOffer(secret, skey, { provide: 3, padBytes: 513 }).bytes],
    [/too long a padding/, BOTH, secret => naiveOffer(secret, skey, { provide: 3, padBytes: 65535 }).bytes],
  ]
  for (const [message, methods, offer] of broken) {
    const side = responder({ methods })
    const { secret } = greeted(side, Buffer.alloc(10))
    assert.throws(() => side.push(offer(secret)), message)
    assert.equal(side.result, null)
    assert.equal(side.takeOutput(), null)
  }
})

test('choices that were not offered end the handshake: no way round what the settings allow', () => {
  for (const [methods, select, padBytes] of [
    [['rc4'], 1, 0],
    [['plaintext'], 2, 0],
    [BOTH, 3, 0],
    [BOTH, 0, 0],
    [BOTH, 4, 0],
    [BOTH, 0x80000002, 0],
    [BOTH, 2, 513],
  ] as const) {
    const side = initiator({ methods })
    const first = feed(side, new Uint8Array(0)).said
    const secret = theirs.secret(first.subarray(0, 96))
    feed(side, theirs.publicKey)
    assert.throws(() => side.push(naiveChoice(secret, skey, { select, padBytes }).bytes), DecodeError)
    assert.equal(side.result, null)
  }
})

test('torrents are found by the hash that names them while they are there', () => {
  const other = parseInfoHash('ff'.repeat(20)) as InfoHash
  const known = torrents(infoHash, other, infoHash)
  assert.equal(known.size, 2)
  assert.equal(known.find(naiveSha1('req2', skey)), infoHash)
  assert.equal(known.find(naiveSha1('req2', infoHashBytes(other))), other)
  known.delete(infoHash)
  known.delete(infoHash)
  assert.equal(known.find(naiveSha1('req2', skey)), null)
  assert.equal(known.size, 1)
})
