// Node ids and stored values of the overlay's DHT against the recorded ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../../src/base/errors.ts'
import { crc32 } from '../../../../../src/wire/crc32.ts'
import { overlayNodeId } from '../../../../../src/chapters/overlay/wire/dht-node-id.ts'
import {
  decodeIntroductionPoint,
  decodeValue,
  encodeIntroductionPoint,
  encodeSignedValue,
  encodeUnsignedValue,
  MOST_VALUE_BYTES,
  valueKey,
} from '../../../../../src/chapters/overlay/wire/dht-value.ts'
import { bareKey } from '../../../../../src/chapters/overlay/wire/public-key.ts'
import { hex, overlayVectors, unhex } from '../../../../kit/doubles/overlay-vectors.ts'

interface DhtVectors {
  readonly node_ids: readonly {
    readonly mid: string
    readonly address: readonly [string, number]
    readonly node_id: string
  }[]
  readonly values: {
    readonly unsigned: { readonly data: string; readonly packed: string }
    readonly signed: {
      readonly data: string
      readonly version: number
      readonly packed: string
      readonly public_key: string
    }
    readonly introduction_point: {
      readonly address: readonly [string, number]
      readonly last_seen: number
      readonly intro_pk_without_prefix: string
      readonly seeder_pk_without_prefix: string
      readonly payload: string
      readonly stored_value: string
    }
  }
}

const { node_ids: nodeIds, values } = overlayVectors('dht') as DhtVectors

test('node ids come from address and key', () => {
  assert.equal(crc32(Buffer.from('123456789')), 0xcbf43926)
  for (const { mid, address, node_id: id } of nodeIds) assert.equal(hex(overlayNodeId(address[0], unhex(mid))), id)
  assert.throws(() => overlayNodeId('example.org', new Uint8Array(20)), RangeError)
})

test('unsigned values', () => {
  const { data, packed } = values.unsigned
  const value = decodeValue(unhex(packed))
  assert.deepEqual(value, { kind: 'unsigned', data: unhex(data) })
  assert.equal(hex(encodeUnsignedValue(unhex(data))), packed)
  assert.equal(valueKey(value).length, 40)
})

test('signed values', () => {
  const { data, version, packed, public_key: publicKey } = values.signed
  const value = decodeValue(unhex(packed))
  assert.ok(value.kind === 'signed')
  assert.deepEqual([hex(value.data), value.version, hex(value.key.form)], [data, version, publicKey])
  assert.equal(hex(value.signedPart) + hex(value.signature), packed)
  assert.equal(valueKey(value), publicKey)
  const signer = { publicKey: value.key.form, sign: (): Uint8Array => value.signature }
  assert.equal(hex(encodeSignedValue(value.data, version, signer)), packed)
})

test('introduction points', () => {
  const recorded = values.introduction_point
  const value = decodeValue(unhex(recorded.stored_value))
  assert.equal(hex(value.data), recorded.payload)
  const point = decodeIntroductionPoint(value.data)
  assert.deepEqual([point.address.ip, point.address.port], recorded.address)
  assert.equal(point.lastSeenS, recorded.last_seen)
  assert.equal(hex(bareKey(point.publicKey)), recorded.intro_pk_without_prefix)
  assert.equal(hex(bareKey(point.seederKey)), recorded.seeder_pk_without_prefix)
  assert.equal(hex(encodeIntroductionPoint(point)), recorded.stored_value)
})

test('malformed values', () => {
  const signed = unhex(values.signed.packed)
  for (const wrong of [
    new Uint8Array(0),
    Uint8Array.of(2, 1),
    signed.subarray(0, -1),
    Uint8Array.of(...signed, 0),
    new Uint8Array(MOST_VALUE_BYTES + 1),
  ])
    assert.throws(() => decodeValue(wrong), DecodeError)
  assert.throws(() => decodeIntroductionPoint(unhex(values.introduction_point.payload).subarray(0, -1)), DecodeError)
})
