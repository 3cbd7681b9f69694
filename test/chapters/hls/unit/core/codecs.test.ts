// Headers of codecs: what is read of them, what is made of them, and what is refused.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adtsFrame, readAacSetup } from '../../../../../src/chapters/hls/core/aac.ts'
import { accessUnit } from '../../../../../src/chapters/hls/core/avc/access-unit.ts'
import { readAvcConfig } from '../../../../../src/chapters/hls/core/avc/avc-config.ts'
import { readAvcTiming } from '../../../../../src/chapters/hls/core/avc/sequence.ts'
import { mp3Setup } from '../../../../../src/chapters/hls/core/mp3.ts'
import { crc32 } from '../../../../../src/chapters/hls/core/ts/crc.ts'

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
const hexOf = (value: Uint8Array): string => Buffer.from(value).toString('hex')

describe('AAC', () => {
  test('LC of 48 and 44.1 kHz, and HE-AAC, whose frames are of half the rate', () => {
    assert.deepEqual(readAacSetup(bytes('1190')), {
      objectType: 2,
      rateIndex: 3,
      channels: 2,
      frameSeconds: 1024 / 48_000,
    })
    assert.deepEqual(readAacSetup(bytes('1210')), {
      objectType: 2,
      rateIndex: 4,
      channels: 2,
      frameSeconds: 1024 / 44_100,
    })
    // 00101 0110 0010 0011 00010 0: replication, 24 kHz inside, 48 kHz outside, LC.
    assert.deepEqual(readAacSetup(bytes('2b118800')), {
      objectType: 2,
      rateIndex: 6,
      channels: 2,
      frameSeconds: 1024 / 24_000,
    })
  })

  test('what a head cannot say is refused', () => {
    for (const config of ['', '11', '1194', '1180', '6f80', 'f960'])
      assert.throws(() => readAacSetup(bytes(config)), { name: 'DecodeError' }, config)
  })

  test('the head of a frame', () => {
    const setup = readAacSetup(bytes('1190'))
    assert.equal(hexOf(adtsFrame(setup, bytes('aabb'))), 'fff14c80013ffcaabb')
    assert.throws(() => adtsFrame(setup, new Uint8Array(8185)), /8185 bytes/)
  })
})

describe('H.264', () => {
  // Of x264: High, 320x180, two pictures ahead, 24 a second.
  const config = bytes(
    '0164000d ffe1 0019 6764000dacd94141 9f9e1000 00030010 00000303 00f14299 60 01 0006 68ebe3cb22c0',
  )

  test('a configuration has its sets and the length of lengths; one that is cut is refused', () => {
    const found = readAvcConfig(config)
    assert.deepEqual([found.lengthBytes, found.sequences.length, found.pictures.length], [4, 1, 1])
    assert.equal(hexOf(found.pictures[0] ?? new Uint8Array(0)), '68ebe3cb22c0')
    for (const length of [0, 5, 9, 33])
      assert.throws(() => readAvcConfig(config.subarray(0, length)), { name: 'DecodeError' })
    // They are put before every key frame.
    assert.throws(() => readAvcConfig(Buffer.concat([config, Buffer.alloc(16 * 1024)])), /too long/)
  })

  test('the sequence says how many pictures are decoded ahead, and how long one lasts', () => {
    const [sequence] = readAvcConfig(config).sequences
    assert.ok(sequence !== undefined)
    const { reorder, frameSeconds } = readAvcTiming(sequence)
    assert.equal(reorder, 2)
    assert.ok(Math.abs((frameSeconds ?? 0) - 1 / 24) < 1e-9)
    for (const length of [1, 4, 8])
      assert.throws(() => readAvcTiming(sequence.subarray(0, length)), { name: 'DecodeError' })
  })

  test('a picture gets start codes, a delimiter, and the sets before key frames that have none', () => {
    const found = readAvcConfig(config)
    const picture = bytes('00000002 0910 00000003 65aabb 00000000')
    const made = hexOf(accessUnit(found, picture, true))
    assert.match(made, /^0000000109f00000000167[0-9a-f]{48}0000000168ebe3cb22c00000000165aabb$/)
    assert.equal(hexOf(accessUnit(found, bytes('00000002 41aa'), false)), '0000000109f00000000141aa')
    const own = hexOf(accessUnit(found, bytes('00000002 6701 00000002 65aa'), true))
    assert.equal(own, '0000000109f00000000167010000000165aa')
    assert.throws(() => accessUnit(found, bytes('00000009 41aa'), false), { name: 'DecodeError' })
  })
})

test('a frame of MP3 says how long it is heard', () => {
  assert.deepEqual(mp3Setup(bytes('fffb9064')), { frameSeconds: 1152 / 44_100, isLow: false })
  assert.deepEqual(mp3Setup(bytes('fff394c4')), { frameSeconds: 576 / 24_000, isLow: true })
  for (const frame of ['', '00', 'ffff', 'fff19064', 'fffb9c64'])
    assert.throws(() => mp3Setup(bytes(frame)), { name: 'DecodeError' }, frame)
})

test('the check of tables is that of the format', () => {
  assert.equal(crc32(Buffer.from('123456789')), 0x03_76_e6_e7)
})
