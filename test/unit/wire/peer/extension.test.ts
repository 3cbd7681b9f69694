// Extended handshake and ut_metadata: real payloads, round trips, nonsense members, bounds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../src/base/errors.ts'
import { type BencodeInput, encodeBencode } from '../../../../src/wire/bencode.ts'
import { decodeExtendedHandshake, encodeExtendedHandshake } from '../../../../src/wire/peer/extension.ts'
import {
  decodeMetadataMessage,
  encodeMetadataData,
  encodeMetadataReject,
  encodeMetadataRequest,
  METADATA_PIECE_BYTES,
  metadataPieceCount,
} from '../../../../src/wire/peer/ut-metadata.ts'

const NOTHING = {
  m: new Map(),
  version: null,
  listenPort: null,
  metadataSize: null,
  requestQueue: null,
  yourIp: null,
  uploadOnly: false,
}

test('reads the example of BEP 10', () => {
  const payload = Buffer.from(
    'd1:md11:LT_metadatai1e6:µT_PEXi2ee1:pi6881e1:v13:\xc2\xb5Torrent 1.2e'
      .replace('µ', '\xc2\xb5')
      .replace('6:', '7:'),
    'latin1',
  )
  assert.deepEqual(decodeExtendedHandshake(payload), {
    ...NOTHING,
    m: new Map([
      ['LT_metadata', 1],
      ['\xc2\xb5T_PEX', 2],
    ]),
    version: 'µTorrent 1.2',
    listenPort: 6881,
  })
})

test('what is written is read back', () => {
  const handshake = {
    m: new Map([
      ['ut_metadata', 3],
      ['ut_pex', 0],
    ]),
    version: 'Tributary 0.1.0',
    listenPort: 6881,
    metadataSize: 31235,
    requestQueue: 500,
    yourIp: Uint8Array.of(1, 2, 3, 4),
    uploadOnly: true,
  }
  assert.deepEqual(decodeExtendedHandshake(encodeExtendedHandshake(handshake)), handshake)
  assert.deepEqual(decodeExtendedHandshake(encodeExtendedHandshake({})), NOTHING)
  const takenBack = Buffer.from(encodeExtendedHandshake({ uploadOnly: false })).toString('latin1')
  assert.equal(takenBack, 'd1:mde11:upload_onlyi0ee', 'what an earlier one said can be taken back')
})

test('members that make no sense are as good as absent', () => {
  const nonsense: { [key: string]: BencodeInput } = {
    m: { ut_metadata: -1, a: 256, b: 'x', c: 2n ** 60n },
    v: Buffer.from([0xff]),
    p: 0,
    metadata_size: 2 ** 31,
    reqq: -5,
    yourip: 'xyz',
    upload_only: 0,
  }
  assert.deepEqual(decodeExtendedHandshake(encodeBencode(nonsense)), NOTHING)
  assert.deepEqual(decodeExtendedHandshake(encodeBencode({ m: [], v: 1, p: 65536, metadata_size: 0 })), NOTHING)
})

test('names and lists are bounded and without control characters', () => {
  const m = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]))
  const read = decodeExtendedHandshake(encodeBencode({ m, v: `a\n\x1b[2J${'x'.repeat(1000)}` }))
  assert.equal(read.m.size, 100)
  assert.ok(/^a {2}\[2Jx+$/.test(read.version ?? '') && read.version?.length === 128)
})

test('refuses what is no dictionary, over-long or nested too deep', () => {
  for (const bad of ['', 'le', 'i1e', 'l-3:', `d1:m${'l'.repeat(10_000)}`]) {
    assert.throws(() => decodeExtendedHandshake(Buffer.from(bad)), DecodeError, bad.slice(0, 10))
  }
  assert.throws(() => decodeExtendedHandshake(encodeBencode({ v: 'x'.repeat(20_000) })), DecodeError)
})

test('metadata messages are those of BEP 9', () => {
  const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
  assert.equal(latin1(encodeMetadataRequest(0)), 'd8:msg_typei0e5:piecei0ee')
  assert.equal(latin1(encodeMetadataReject(0)), 'd8:msg_typei2e5:piecei0ee')
  const data = encodeMetadataData(0, 4, Buffer.from('data'))
  assert.equal(latin1(data), 'd8:msg_typei1e5:piecei0e10:total_sizei4eedata')
  assert.deepEqual(decodeMetadataMessage(encodeMetadataRequest(7)), { type: 'request', piece: 7 })
  assert.deepEqual(decodeMetadataMessage(encodeMetadataReject(7)), { type: 'reject', piece: 7 })
  assert.deepEqual(decodeMetadataMessage(data), { type: 'data', piece: 0, totalSize: 4, data: Buffer.from('data') })
  assert.deepEqual(decodeMetadataMessage(encodeBencode({ msg_type: 9, piece: 0 })), { type: 'unknown' })
})

test('a metadata piece has the length of its place', () => {
  const total = METADATA_PIECE_BYTES + 5
  assert.equal(metadataPieceCount(total), 2)
  const last = decodeMetadataMessage(encodeMetadataData(1, total, new Uint8Array(5)))
  assert.equal(last.type === 'data' && last.data.length, 5)
  const wrong: [number, number, number][] = [
    [1, total, 6],
    [0, total, 5],
    [2, total, 0],
    [0, 0, 0],
    [0, 2 ** 31, METADATA_PIECE_BYTES],
    [0, -1, 0],
  ]
  for (const [piece, size, length] of wrong) {
    assert.throws(
      () => decodeMetadataMessage(encodeMetadataData(piece, size, new Uint8Array(length))),
      DecodeError,
      `${piece} ${size}`,
    )
  }
})

test('a metadata message needs a piece number in range', () => {
  for (const piece of [-1, 1024, 'x', undefined]) {
    assert.throws(() => decodeMetadataMessage(encodeBencode({ msg_type: 0, piece })), DecodeError)
  }
  assert.throws(() => decodeMetadataMessage(Buffer.from('i0e')), DecodeError)
})
