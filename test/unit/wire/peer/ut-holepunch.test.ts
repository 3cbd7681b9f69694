// Messages of holepunching: bytes of BEP 55, both families, the short form of libtorrent, nonsense.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../src/base/errors.ts'
import { decodeHolepunch, encodeHolepunch, HOLEPUNCH_ERRORS } from '../../../../src/wire/peer/ut-holepunch.ts'

const four = { ip: '1.2.3.4', port: 0x1ae1 }
const six = { ip: '2001:db8::1', port: 1 }
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const from = (text: string): Uint8Array => Buffer.from(text, 'hex')

test('messages are those of BEP 55', () => {
  assert.equal(hex(encodeHolepunch({ type: 'rendezvous', address: four })), '0000010203041ae100000000')
  assert.equal(hex(encodeHolepunch({ type: 'connect', address: four })), '0100010203041ae100000000')
  assert.equal(
    hex(encodeHolepunch({ type: 'error', address: four, code: HOLEPUNCH_ERRORS.noSupport })),
    '0200010203041ae100000003',
  )
  assert.equal(
    hex(encodeHolepunch({ type: 'connect', address: six })),
    '010120010db8000000000000000000000001000100000000',
  )
  assert.deepEqual(HOLEPUNCH_ERRORS, { noSuchPeer: 1, notConnected: 2, noSupport: 3, noSelf: 4 })
})

test('what is written is read back, also an endpoint nobody can be at', () => {
  for (const address of [four, six, { ip: '0.0.0.0', port: 0 }, { ip: '::', port: 0 }]) {
    for (const type of ['rendezvous', 'connect'] as const) {
      assert.deepEqual(decodeHolepunch(encodeHolepunch({ type, address })), { type, address })
    }
    const refusal = { type: 'error' as const, address, code: 0xfffffffe }
    assert.deepEqual(decodeHolepunch(encodeHolepunch(refusal)), refusal)
  }
})

test('the form without a code, as libtorrent has it, is read', () => {
  assert.deepEqual(decodeHolepunch(from('0000010203041ae1')), { type: 'rendezvous', address: four })
  assert.deepEqual(decodeHolepunch(from('010120010db80000000000000000000000010001')), {
    type: 'connect',
    address: six,
  })
})

test('later types and families are unknown; what is cut off is refused', () => {
  assert.deepEqual(decodeHolepunch(from('0300010203041ae1')), { type: 'unknown' })
  assert.deepEqual(decodeHolepunch(from('0002010203041ae1')), { type: 'unknown' })
  for (const bad of ['', '00', '0000', '0000010203041a', '0001010203041ae100000000', '0200010203041ae1000000']) {
    assert.throws(() => decodeHolepunch(from(bad)), DecodeError, bad)
  }
})
