// Keys, signatures, handshakes and layers of the overlays against the recorded vectors, by both libraries and between
// them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../../src/base/errors.ts'
import type { CurvePrimitives } from '../../../../../src/chapters/overlay/io/overlay-primitives.ts'
import type { LayerKey } from '../../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import { circuitSecrets } from '../../../../../src/chapters/overlay/wire/circuit-secrets.ts'
import { hsalsa20 } from '../../../../../src/chapters/overlay/wire/hsalsa20.ts'
import { splitSigned } from '../../../../../src/chapters/overlay/wire/packet.ts'
import { parsePublicKey, privateForm } from '../../../../../src/chapters/overlay/wire/public-key.ts'
import { cryptoOver, curves, opened, sealed } from '../../kit/overlay-crypto-makers.ts'
import { hex, overlayVectors, type RecordedPacket, unhex } from '../../../../kit/doubles/overlay-vectors.ts'

interface RecordedKey {
  readonly label: string
  readonly private_bin: string
  readonly public_bin: string
  readonly mid: string
  readonly message: string
  readonly signature: string
}
interface RecordedHandshake {
  readonly originator_ephemeral_sk: string
  readonly X_originator_ephemeral_pk: string
  readonly responder_ephemeral_sk: string
  readonly Y_responder_ephemeral_pk: string
  readonly responder_identity_crypt_sk: string
  readonly x25519_XY: string
  readonly hsalsa_XY: string
  readonly x25519_XB: string
  readonly auth: string
  readonly hkdf_okm_72: string
}
interface RecordedLayer {
  readonly direction: 'forward' | 'backward'
  readonly plaintext: string
  readonly output: string
}

const { keys } = overlayVectors('keys') as { readonly keys: readonly RecordedKey[] }
const vectors = overlayVectors('tunnel_crypto') as {
  readonly handshake: RecordedHandshake
  readonly encrypt: readonly RecordedLayer[]
}
const { handshake } = vectors
const material = unhex(handshake.hkdf_okm_72)

/** A test with each library. */
function each(name: string, check: (curve: CurvePrimitives) => void): void {
  for (const curve of curves) test(`${name} (${curve.made})`, () => check(curve))
}

test('sodium-native is installed here, or the tests below say less than they seem to', () => {
  assert.deepEqual(
    curves.map(curve => curve.made),
    ['sodium-native', 'node:crypto'],
  )
})

test('HSalsa20, proof and keys of a recorded handshake', () => {
  assert.equal(hex(hsalsa20(unhex(handshake.x25519_XY))), handshake.hsalsa_XY)
  const [ephemeral, identity] = [unhex(handshake.x25519_XY), unhex(handshake.x25519_XB)]
  const secrets = circuitSecrets(ephemeral, identity, unhex(handshake.Y_responder_ephemeral_pk))
  assert.deepEqual([hex(secrets.auth), hex(secrets.material)], [handshake.auth, handshake.hkdf_okm_72])
  assert.ok(
    [...ephemeral, ...identity].every(byte => byte === 0),
    'the results of X25519 are wiped',
  )
})

each('key pairs', curve => {
  for (const key of keys) {
    const pair = cryptoOver(curve).fromPrivate(unhex(key.private_bin))
    assert.deepEqual([hex(pair.publicKey), hex(pair.mid)], [key.public_bin, key.mid])
    assert.equal(hex(pair.sign(unhex(key.message))), key.signature)
    assert.equal(hex(pair.privateForm()), key.private_bin)
    pair.wipe()
    assert.throws(() => pair.sign(unhex(key.message)), /wiped/)
    assert.throws(() => pair.privateForm(), /wiped/)
  }
  const crypto = cryptoOver(curve)
  const own = crypto.generate()
  const again = crypto.fromPrivate(own.privateForm())
  assert.equal(hex(again.publicKey), hex(own.publicKey))
  assert.notEqual(hex(own.publicKey), hex(crypto.generate().publicKey))
  for (const wrong of [new Uint8Array(0), own.publicKey, own.privateForm().subarray(1)])
    assert.throws(() => crypto.fromPrivate(wrong), DecodeError)
})

each('signatures, of old keys too', curve => {
  const crypto = cryptoOver(curve)
  const { keys: old } = overlayVectors('legacy_keys') as { readonly keys: readonly RecordedKey[] }
  for (const { public_bin: form, message, signature } of [...keys, ...old]) {
    const key = parsePublicKey(unhex(form))
    const [text, right] = [unhex(message), unhex(signature)]
    assert.ok(crypto.verify(key, text, right), key.curve)
    for (let at = 0; at < right.length; at += 7) {
      const wrong = Uint8Array.from(right)
      wrong[at] = (wrong[at] as number) ^ 1
      assert.ok(!crypto.verify(key, text, wrong), key.curve)
    }
    const shared = (bytes: Uint8Array): Uint8Array => {
      const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
      copy.set(bytes)
      return copy
    }
    assert.ok(crypto.verify(parsePublicKey(shared(key.form)), shared(text), shared(right)), 'in shared memory too')
    assert.ok(!crypto.verify(key, Uint8Array.of(...text, 0), right))
    assert.ok(!crypto.verify(key, text, right.subarray(1)))
    assert.ok(!crypto.verify(key, text, new Uint8Array(0)))
  }
})

each('signatures of all recorded packets', curve => {
  const crypto = cryptoOver(curve)
  const { packets } = overlayVectors('packets') as { readonly packets: readonly RecordedPacket[] }
  const { packets: ofDht } = overlayVectors('dht') as { readonly packets: readonly RecordedPacket[] }
  const signed = [...packets, ...ofDht].filter(packet => packet.signed)
  assert.ok(signed.length > 20)
  for (const packet of signed) {
    const { key, signedPart, signature } = splitSigned(unhex(packet.packet))
    assert.ok(crypto.verify(key, signedPart, signature), packet.name)
  }
})

each('handshake, both ends, with recorded chance', curve => {
  const hop = keys.find(key => key.private_bin.includes(handshake.responder_identity_crypt_sk))
  assert.ok(hop)
  const start = cryptoOver(curve, handshake.originator_ephemeral_sk).begin()
  assert.equal(hex(start.ephemeral), handshake.X_originator_ephemeral_pk)
  const crypto = cryptoOver(curve, handshake.responder_ephemeral_sk)
  const done = crypto.respond(crypto.fromPrivate(unhex(hop.private_bin)), start.ephemeral)
  assert.ok(done)
  assert.deepEqual([hex(done.ephemeral), hex(done.auth)], [handshake.Y_responder_ephemeral_pk, handshake.auth])
  const text = Uint8Array.of(1, 2, 3)
  const offer = sealed(done.keys.forward, text)
  const finished = start.finish(unhex(hop.public_bin), done, offer)
  assert.ok(finished)
  const { keys: mine } = finished
  assert.deepEqual(finished.text, text)
  assert.deepEqual(opened(mine.backward, sealed(done.keys.backward, text)), text)
  // Answers that are not of this hop, and keys that nobody can agree with.
  const wrong = Uint8Array.from(done.auth, byte => byte ^ 1)
  assert.equal(start.finish(unhex(hop.public_bin), { ...done, auth: wrong }, offer), null)
  assert.equal(start.finish(unhex(hop.public_bin), { ...done, auth: done.auth.subarray(1) }, offer), null)
  // The proof of the answer would do for any key; what came sealed with it does not.
  assert.equal(start.finish(unhex(keys[0]?.public_bin ?? ''), done, offer), null)
  assert.equal(start.finish(unhex(hop.public_bin), { ...done, ephemeral: new Uint8Array(32) }, offer), null)
  assert.equal(start.finish(unhex(hop.public_bin), { ...done, ephemeral: new Uint8Array(31) }, offer), null)
  assert.equal(start.finish(new Uint8Array(3), done, offer), null)
  assert.equal(start.finish(unhex(hop.public_bin), done, offer.subarray(1)), null)
  assert.equal(start.finish(unhex(hop.public_bin), done, new Uint8Array(0)), null)
  const real = cryptoOver(curve)
  assert.equal(real.respond(real.generate(), new Uint8Array(32)), null)
  assert.equal(real.respond(real.generate(), new Uint8Array(7)), null)
  start.wipe()
  assert.equal(start.finish(unhex(hop.public_bin), done, offer), null)
})

each('layers, byte by byte, where the bytes lie', curve => {
  const session = cryptoOver(curve).session(material, 'hop')
  const reader = cryptoOver(curve).session(material, 'hop')
  for (const { direction, plaintext, output } of vectors.encrypt) {
    const text = unhex(plaintext)
    // In the middle of larger memory, as a cell lies in a slot: nothing around it may change.
    const slot = new Uint8Array(new SharedArrayBuffer(text.length + 64)).fill(0xee)
    const bytes = slot.subarray(10, 54 + text.length)
    bytes.set(text, 20)
    assert.ok(session[direction].seal(bytes, 20, 20 + text.length))
    assert.equal(hex(bytes.subarray(12, 36 + text.length)), output)
    assert.ok([...slot.subarray(0, 22), ...slot.subarray(46 + text.length)].every(byte => byte === 0xee))
    assert.ok(reader[direction].open(bytes, 12, 36 + text.length))
    assert.equal(hex(bytes.subarray(20, 20 + text.length)), plaintext)
    const other = direction === 'forward' ? 'backward' : 'forward'
    assert.equal(opened(reader[other], unhex(output)), null)
  }
})

each('what is forged, short or beyond the end is refused', curve => {
  const { forward } = cryptoOver(curve).session(material, 'hop')
  const text = sealed(
    forward,
    Uint8Array.from({ length: 40 }, (_, i) => i),
  )
  for (let at = 0; at < text.length; at++) {
    const forged = Uint8Array.from(text)
    forged[at] = (forged[at] as number) ^ 0x80
    assert.equal(opened(forward, forged), null, `byte ${at}`)
  }
  for (let length = 0; length < text.length; length++) assert.equal(opened(forward, text.subarray(0, length)), null)
  assert.ok(!forward.open(text, -1, 60) && !forward.open(text, 10, text.length + 1) && !forward.open(text, 50, 40))
  for (const [start, end] of [
    [7, 20],
    [8, 49],
    [20, 10],
  ] as const)
    assert.throws(() => forward.seal(text, start, end), RangeError)
  assert.ok(opened(forward, text))
})

each('the originator never seals with a counter that its hop has used', curve => {
  const crypto = cryptoOver(curve)
  const [hop, originator] = [crypto.session(material, 'hop'), crypto.session(material, 'originator')]
  const counterOf = (key: LayerKey): string => hex(sealed(key, new Uint8Array(1)).subarray(0, 8))
  assert.equal(counterOf(hop.forward), '0000000000000002')
  assert.equal(counterOf(originator.forward), '0000000000000003')
  assert.equal(counterOf(originator.backward), '0000000000000002')
  for (let i = 0; i < 300; i++) counterOf(originator.forward)
  assert.equal(counterOf(originator.forward), '0000000000000130')
})

each('any counter will do, and it goes on beyond 32 bits', curve => {
  const high = curve.layer(material.subarray(32, 64), material.subarray(68), 0xfffffffe)
  const { forward } = cryptoOver(curve).session(material, 'hop')
  const texts = [1, 2, 3].map(n => sealed(high, Uint8Array.of(n)))
  assert.deepEqual(
    texts.map(text => hex(text.subarray(0, 8))),
    ['00000000ffffffff', '0000000100000000', '0000000100000001'],
  )
  assert.deepEqual(
    texts.reverse().map(text => opened(forward, text)?.[0]),
    [3, 2, 1],
  )
})

each('wiped keys neither seal nor open', curve => {
  const session = cryptoOver(curve).session(material, 'hop')
  const text = sealed(session.forward, Uint8Array.of(7))
  session.wipe()
  for (const key of [session.forward, session.backward]) {
    const bytes = new Uint8Array(64).fill(9)
    assert.equal(key.seal(bytes, 8, 20), false)
    // Who overlooks that sends nothing in clear.
    assert.ok(bytes.every((byte, at) => byte === (at >= 8 && at < 20 ? 0 : 9)))
  }
  assert.equal(opened(session.forward, text), null)
})

test('both libraries understand each other', () => {
  const [one, other] = curves
  assert.ok(one && other)
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    const [originator, hop] = [cryptoOver(first), cryptoOver(second)]
    const own = hop.generate()
    const message = Uint8Array.of(1, 2, 3)
    assert.ok(originator.verify(parsePublicKey(own.publicKey), message, own.sign(message)))
    const start = originator.begin()
    const done = hop.respond(own, start.ephemeral)
    assert.ok(done)
    const mine = start.finish(own.publicKey, done, sealed(done.keys.forward, message))?.keys
    assert.ok(mine)
    for (let length = 0; length < 200; length += 13) {
      const text = new Uint8Array(length).fill(length)
      assert.deepEqual(opened(done.keys.forward, sealed(mine.forward, text)), text)
      assert.deepEqual(opened(mine.backward, sealed(done.keys.backward, text)), text)
    }
  }
  const form = privateForm(new Uint8Array(32).fill(5), new Uint8Array(32).fill(6))
  assert.deepEqual(cryptoOver(one).fromPrivate(form).publicKey, cryptoOver(other).fromPrivate(form).publicKey)
})
