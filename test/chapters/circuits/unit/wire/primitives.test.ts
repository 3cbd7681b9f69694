// Primitive types, keys, names and the exit policy against the recorded vectors.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../../src/base/errors.ts'
import { parseInfoHash, type InfoHash } from '../../../../../src/base/ids.ts'
import { classifyDatagram, DATAGRAM, mayPassExit } from '../../../../../src/chapters/circuits/wire/exit-policy.ts'
import * as fields from '../../../../../src/chapters/overlay/wire/fields.ts'
import type { Field } from '../../../../../src/chapters/overlay/wire/fields.ts'
import {
  addressOfCircuit,
  circuitOfAddress,
  lookupInfoHash,
  pexCommunityId,
} from '../../../../../src/chapters/circuits/wire/hidden-names.ts'
import { HttpAnswer, httpParts } from '../../../../../src/chapters/circuits/wire/http-parts.ts'
import { decodePayload, encodePayload } from '../../../../../src/chapters/overlay/wire/message.ts'
import { communityIdBytes, COMMUNITY_IDS } from '../../../../../src/chapters/overlay/wire/community-ids.ts'
import { prefixOf } from '../../../../../src/chapters/overlay/wire/packet.ts'
import { isNoAddress, NO_ADDRESS } from '../../../../../src/chapters/overlay/wire/address.ts'
import {
  agreementHalf,
  isCircuitKey,
  midOf,
  parsePublicKey,
  privateForm,
  publicForm,
  signingHalf,
} from '../../../../../src/chapters/overlay/wire/public-key.ts'
import { hex, overlayVectors, recordedForm, unhex } from '../../../../kit/doubles/overlay-vectors.ts'

const byFormat: Readonly<Record<string, Field<unknown>>> = {
  B: fields.u8,
  H: fields.u16,
  I: fields.u32,
  Q: fields.u64,
  '?': fields.bool,
  ipv4: fields.ipv4,
  ip_address: fields.ip,
  address: fields.addr,
  varlenH: fields.v16,
  varlenHutf8: fields.v16,
  varlenHx20: fields.communityIds,
  'varlenH-list': fields.list16,
  raw: fields.raw,
  '20s': fields.fixed(20),
  bits: fields.u8,
}

test('primitive types', () => {
  type Item = { readonly format: string; readonly value: unknown; readonly hex: string }
  const { items } = overlayVectors('serialization') as { readonly items: readonly Item[] }
  for (const { format, value, hex: bytes } of items) {
    // A u32 length stands in no message that we know.
    if (format === 'varlenI') continue
    const field = byFormat[format]
    assert.ok(field, format)
    const shape = { fields: { it: field } }
    const { it } = decodePayload(shape, unhex(bytes))
    if (format === 'Q') assert.equal(it, BigInt(value as string))
    else if (format === 'varlenHutf8') assert.equal(Buffer.from(it as Uint8Array).toString(), value)
    else if (format === 'varlenHx20') assert.equal((recordedForm(it) as string[]).join(''), value)
    else if (format !== 'bits') assert.deepEqual(recordedForm(it), value, format)
    assert.equal(hex(encodePayload(shape, { it })), bytes, format)
    if (format !== 'raw') assert.throws(() => decodePayload(shape, unhex(bytes).subarray(1)), DecodeError, format)
  }
})

test('addresses: none, other types, names that are none', () => {
  const shape = { fields: { it: fields.addr } }
  const read = (text: string) => decodePayload(shape, unhex(text)).it
  assert.ok(isNoAddress(read('01000000000000')))
  assert.deepEqual(read('01000000000000'), NO_ADDRESS)
  assert.ok(!isNoAddress(read('01000000000001')))
  // An IPv4 address inside IPv6 is that IPv4 address, whatever a filter looks at.
  assert.deepEqual(read('0300000000000000000000ffff7f0000010050'), { ip: '127.0.0.1', port: 80 })
  for (const wrong of ['00', '04', '0200000050', '02000120 0050', '0200020a410050', `020100${'41'.repeat(256)}0050`])
    assert.throws(() => read(wrong.replace(' ', '')), DecodeError, wrong)
  assert.throws(() => encodePayload(shape, { it: { host: '', port: 1 } }), RangeError)
})

test('keys: forms, halves, mids', () => {
  type Key = Readonly<
    Record<'private_bin' | 'public_bin' | 'crypt_sk' | 'sign_seed' | 'crypt_pk' | 'sign_pk' | 'mid', string>
  >
  for (const key of (overlayVectors('keys') as { readonly keys: readonly Key[] }).keys) {
    assert.equal(hex(privateForm(unhex(key.crypt_sk), unhex(key.sign_seed))), key.private_bin)
    const form = publicForm(unhex(key.crypt_pk), unhex(key.sign_pk))
    assert.equal(hex(form), key.public_bin)
    assert.equal(hex(midOf(form)), key.mid)
    assert.deepEqual([hex(agreementHalf(form)), hex(signingHalf(form))], [key.crypt_pk, key.sign_pk])
    assert.ok(isCircuitKey(form) && !isCircuitKey(Uint8Array.of(...form, 0)))
    const longer = parsePublicKey(Uint8Array.of(...form, 0))
    assert.deepEqual([longer.curve, hex(longer.form), longer.signatureBytes], ['curve25519', key.public_bin, 64])
  }
  type Old = { readonly curve: string; readonly public_bin: string; readonly mid: string; readonly signature: string }
  for (const old of (overlayVectors('legacy_keys') as { readonly keys: readonly Old[] }).keys) {
    const key = parsePublicKey(unhex(old.public_bin))
    assert.deepEqual([key.curve, key.signatureBytes], [old.curve, old.signature.length / 2])
    assert.equal(hex(midOf(key.form)), old.mid)
    assert.ok(!isCircuitKey(key.form))
    assert.throws(() => parsePublicKey(key.form.subarray(1)), DecodeError)
    assert.throws(() => parsePublicKey(key.form.subarray(0, -1)), DecodeError)
  }
})

test('names of hidden services', () => {
  interface Names {
    readonly lookup_info_hash: { readonly torrent_info_hash: string; readonly lookup_info_hash: string }
    readonly circuit_id_ip: readonly { readonly circuit_id: number; readonly ip: string; readonly port: number }[]
    readonly pex_community_id: Readonly<Record<'info_hash' | 'community_id' | 'extra_bytes_two_seeders', string>>
  }
  const names = overlayVectors('e2e') as Names
  const infoHash = parseInfoHash(names.lookup_info_hash.torrent_info_hash) as InfoHash
  assert.equal(hex(lookupInfoHash(infoHash)), names.lookup_info_hash.lookup_info_hash)
  for (const { circuit_id: id, ip, port } of names.circuit_id_ip) {
    assert.deepEqual(addressOfCircuit(id), { ip, port })
    assert.equal(circuitOfAddress({ ip, port }), id)
  }
  assert.equal(circuitOfAddress({ ip: '1.2.3.4', port: 80 }), null)
  assert.equal(circuitOfAddress({ ip: '::1', port: 1024 }), null)
  const pex = names.pex_community_id
  assert.equal(hex(pexCommunityId(unhex(pex.info_hash))), pex.community_id)
  assert.equal(hex(pexCommunityId(unhex('ff'.repeat(20)))), '00'.repeat(20))
  assert.equal(hex(pexCommunityId(unhex(`${'00'.repeat(18)}00ff`))), `${'00'.repeat(18)}0100`)
  const shape = { fields: { keys: fields.list16 } }
  const { keys } = decodePayload(shape, unhex(pex.extra_bytes_two_seeders))
  assert.deepEqual([keys.length, keys.every(isCircuitKey)], [2, true])
})

test('what passes an exit', () => {
  interface Sample {
    readonly name: string
    readonly datagram: string
    readonly could_be_utp: boolean
    readonly could_be_udp_tracker: boolean
    readonly could_be_dht: boolean
    readonly could_be_ipv8: boolean
    readonly allowed: Readonly<Record<string, boolean>>
  }
  const prefix = prefixOf(communityIdBytes(COMMUNITY_IDS.plainTunnels) as Uint8Array)
  const { samples } = overlayVectors('exit_policy') as { readonly samples: readonly Sample[] }
  for (const sample of samples) {
    const datagram = unhex(sample.datagram)
    const kinds =
      (sample.could_be_utp ? DATAGRAM.utp : 0) |
      (sample.could_be_udp_tracker ? DATAGRAM.tracker : 0) |
      (sample.could_be_dht ? DATAGRAM.dht : 0) |
      (sample.could_be_ipv8 ? DATAGRAM.ipv8 : 0)
    assert.equal(classifyDatagram(datagram), kinds, sample.name)
    for (const [key, allowed] of Object.entries(sample.allowed)) {
      const flags = key
        .slice('flags='.length)
        .split(',')
        .reduce((sum, flag) => sum | Number(flag), 0)
      assert.equal(mayPassExit(datagram, flags, prefix), allowed, `${sample.name}, ${key}`)
    }
  }
})

test('answers of web servers go in parts and come together in any order', () => {
  const answer = Uint8Array.from({ length: 3000 }, (_, i) => i)
  const parts = httpParts(7, answer)
  assert.deepEqual(
    parts.map(part => part.data.length),
    [1400, 1400, 200],
  )
  const whole = new HttpAnswer(3000)
  assert.equal(whole.add(parts[2] as (typeof parts)[0]), null)
  assert.equal(whole.add(parts[0] as (typeof parts)[0]), null)
  assert.equal(whole.add(parts[0] as (typeof parts)[0]), null)
  assert.deepEqual(whole.add(parts[1] as (typeof parts)[0]), answer)
  assert.deepEqual(new HttpAnswer(0).add(httpParts(1, new Uint8Array(0))[0] as (typeof parts)[0]), new Uint8Array(0))
  const part = { identifier: 1, part: 0, total: 2, data: new Uint8Array(10) }
  const some = new HttpAnswer(15)
  some.add(part)
  assert.throws(() => some.add({ ...part, total: 3 }), DecodeError)
  assert.throws(() => some.add({ ...part, part: 2 }), DecodeError)
  assert.throws(() => some.add({ ...part, part: 1 }), DecodeError)
  assert.throws(() => new HttpAnswer(15).add({ ...part, total: 0 }), DecodeError)
  assert.throws(() => new HttpAnswer(15).add({ ...part, total: 60_000, data: new Uint8Array(0) }), DecodeError)
})
