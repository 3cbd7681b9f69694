// Messages of peer exchange: bytes of BEP 11, both families, flags, what is left out, bounds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../src/base/errors.ts'
import type { PeerAddress } from '../../../../src/base/ids.ts'
import { type BencodeInput, encodeBencode } from '../../../../src/wire/bencode.ts'
import { decodePex, encodePex, MAX_PEX_READ, type PexFlags } from '../../../../src/wire/peer/ut-pex.ts'

const NONE: PexFlags = { encryption: false, seed: false, utp: false, holepunch: false, reachable: false }
const ALL: PexFlags = { encryption: true, seed: true, utp: true, holepunch: true, reachable: true }
const four: PeerAddress = { ip: '1.2.3.4', port: 0x1ae1 }
const six: PeerAddress = { ip: '2001:db8::1', port: 6881 }
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const read = (dict: { [key: string]: BencodeInput }) => decodePex(encodeBencode(dict))

test('a message is that of BEP 11, always with flags', () => {
  const message = { added: [{ address: four, flags: { ...NONE, seed: true, reachable: true } }], dropped: [] }
  assert.equal(latin1(encodePex(message)), 'd5:added6:\x01\x02\x03\x04\x1a\xe17:added.f1:\x127:dropped0:e')
  assert.deepEqual(decodePex(encodePex(message)), message)
})

test('both families go and come, with each flag', () => {
  const flags = (['encryption', 'seed', 'utp', 'holepunch', 'reachable'] as const).map(name => ({
    ...NONE,
    [name]: true,
  }))
  for (const flag of [NONE, ALL, ...flags]) {
    const added = [
      { address: four, flags: flag },
      { address: six, flags: NONE },
    ]
    const dropped = [
      { ip: '5.6.7.8', port: 1 },
      { ip: '2001:db8::2', port: 65535 },
    ]
    assert.deepEqual(decodePex(encodePex({ added, dropped })), { added, dropped })
  }
  assert.deepEqual(decodePex(encodePex({ added: [], dropped: [] })), { added: [], dropped: [] })
})

test('bits of flags are those of BEP 11; absent and missing ones say nothing', () => {
  const list = Buffer.from('010203041ae1010203051ae1010203061ae1', 'hex')
  const seen = read({ added: list, 'added.f': Buffer.from([0x01 | 0x04, 0xe8]) }).added.map(contact => contact.flags)
  assert.deepEqual(seen, [{ ...NONE, encryption: true, utp: true }, { ...NONE, holepunch: true }, NONE])
  assert.deepEqual(read({ added: list }).added.length, 3)
})

test('addresses nobody can be at, and those that stand twice, are left out with their flags', () => {
  const list = Buffer.from(
    ['000000001ae1', '7f0000010000', 'e00000011ae1', '010203041ae1', '010203041ae1', '010203051ae1'].join(''),
    'hex',
  )
  const { added } = read({ added: list, 'added.f': Buffer.from([1, 1, 1, 2, 4, 8]) })
  assert.deepEqual(added, [
    { address: four, flags: { ...NONE, seed: true } },
    { address: { ip: '1.2.3.5', port: 0x1ae1 }, flags: { ...NONE, holepunch: true } },
  ])
})

test('of a long list no more than the bound is read, of both families together', () => {
  const entries = (bytes: number, count: number): Buffer => {
    const list = Buffer.alloc(count * bytes)
    for (let i = 0; i < count; i += 1) {
      list.writeUInt32BE(bytes === 6 ? 0x01000000 + i : 0x20010db8, i * bytes)
      list.writeUInt16BE(bytes === 6 ? 6881 : 1 + i, (i + 1) * bytes - 2)
    }
    return list
  }
  const long = read({ added: entries(6, 10_000), dropped: entries(6, 10_000) })
  assert.equal(long.added.length, MAX_PEX_READ)
  assert.equal(long.dropped.length, MAX_PEX_READ)
  const both = read({ added: entries(6, 60), added6: entries(18, 60) })
  assert.equal(both.added.length, MAX_PEX_READ)
  assert.equal(both.added.filter(contact => contact.address.ip.includes(':')).length, MAX_PEX_READ - 60)
  const contacts = Array.from({ length: MAX_PEX_READ + 1 }, (_, i) => ({
    address: { ip: '1.1.1.1', port: i + 1 },
    flags: NONE,
  }))
  assert.throws(() => encodePex({ added: contacts, dropped: [] }), RangeError)
  assert.throws(() => encodePex({ added: [], dropped: contacts.map(contact => contact.address) }), RangeError)
})

test('refuses what is no message', () => {
  for (const bad of ['', 'le', 'i1e', 'd5:added']) assert.throws(() => decodePex(Buffer.from(bad)), DecodeError, bad)
  assert.throws(() => read({ added: Buffer.alloc(7) }), DecodeError)
  assert.throws(() => read({ dropped6: Buffer.alloc(6) }), DecodeError)
  assert.deepEqual(read({ added: 1, dropped: [] }), { added: [], dropped: [] }, 'members of another type are as absent')
})
