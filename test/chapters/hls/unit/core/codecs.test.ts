// Headers of codecs: what is read of them, what is made of them, and what is refused.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAc3Frame } from '../../../../../src/chapters/hls/core/ac3.ts'
import { adtsFrame, readAacSetup } from '../../../../../src/chapters/hls/core/aac.ts'
import { accessUnit } from '../../../../../src/chapters/hls/core/avc/access-unit.ts'
import { readAvcConfig } from '../../../../../src/chapters/hls/core/avc/avc-config.ts'
import { readAvcTiming } from '../../../../../src/chapters/hls/core/avc/sequence.ts'
import { flacFrameSamples, readFlacSetup } from '../../../../../src/chapters/hls/core/flac.ts'
import { hevcReorder } from '../../../../../src/chapters/hls/core/hevc-config.ts'
import { mp3Setup } from '../../../../../src/chapters/hls/core/mp3.ts'
import { crc32 } from '../../../../../src/chapters/hls/core/ts/crc.ts'
import { opusPacketSamples, readOpusSetup } from '../../../../../src/chapters/hls/core/opus.ts'
import { elementaryPacket, STREAM } from '../../../../../src/chapters/hls/core/ts/elementary.ts'
import { PacketWriter } from '../../../../../src/chapters/hls/core/ts/packet-writer.ts'
import { tsSegment } from '../../../../../src/chapters/hls/core/ts/ts-segment.ts'
import { PID } from '../../../../../src/chapters/hls/core/ts/tables.ts'

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
    assert.throws(() => readAacSetup(Buffer.concat([bytes('1190'), Buffer.alloc(63)])), /too long/)
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

test('parameter sets before every key frame count: 4,000 of 15 KiB are no segment', () => {
  const sets = Buffer.concat([bytes('0164000d ffe1 3c00'), Buffer.alloc(0x3c00, 0x67), Buffer.of(0)])
  const samples = Array.from({ length: 4000 }, (_, at) => ({ time: at / 24, isKey: true, bytes: new Uint8Array(0) }))
  const segment = (count: number): Uint8Array =>
    tsSegment({ video: { config: sets, frameSeconds: null, samples: samples.slice(0, count) }, sound: null })
  assert.ok(segment(10).length > 10 * 0x3c00)
  assert.throws(() => segment(4000), /too long/)
})

test('frames of AC-3 and E-AC-3 that a decoder takes', () => {
  const frame = (head: string, length: number): Uint8Array => Buffer.concat([bytes(head), Buffer.alloc(length)])
  // 48 kHz and 32 kbit/s: 128 bytes; 44.1 kHz, one word more; E-AC-3 of 64 bytes.
  for (const [head, length] of [
    ['0b77 0000 00 40 0000', 120],
    ['0b77 0000 41 40 0000', 132],
    ['0b77 001f 00 80 0000', 56],
  ] as const) {
    assert.equal(isAc3Frame(frame(head, length)), true, head)
    assert.equal(isAc3Frame(frame(head, length - 1)), false, `${head}, cut`)
  }
  for (const head of [
    '0b78 0000 00 40',
    '0b77 0000 c0 40',
    '0b77 0000 26 40',
    '0b77 401f 00 80',
    '0b77 001f f0 80',
    '0b77 001f 00 88',
  ])
    assert.equal(isAc3Frame(frame(head, 4000)), false, head)
  assert.equal(isAc3Frame(new Uint8Array(0)), false)
})

test('a sequence of HEVC that ends early is the player’s business', () => {
  const record = (unit: string): Uint8Array =>
    bytes(`01${'00'.repeat(21)} 01 21 0001 ${(unit.length / 2).toString(16).padStart(4, '0')} ${unit}`)
  assert.equal(hevcReorder(record('4201')), null)
  assert.throws(() => hevcReorder(bytes('02')), { name: 'DecodeError' })
})

test('packets of a stream are a multiple of 16 however short its last one is', () => {
  for (const size of [0, 1, 15, 40, 200]) {
    const writer = new PacketWriter(0)
    writer.packets(PID.sound, elementaryPacket(STREAM.sound, 0, null, [new Uint8Array(size)]), undefined, true)
    assert.equal(writer.bytes.length, 16 * 188, `${size} bytes`)
  }
})

describe('FLAC', () => {
  // 48 kHz, two channels, 16 bits, frames of 4,608 samples.
  const info = '1200 1200 000010 000020 0bb802f0 00000000 00000000000000000000000000000000'
  test('the head, with its mark or without', () => {
    for (const mark of ['664c6143', '']) {
      const { rate, channels, maxFrame, head } = readFlacSetup(bytes(`${mark} 80000022 ${info}`))
      assert.deepEqual(
        [rate, channels, maxFrame, hexOf(head)],
        [48_000, 2, 4608, `80000022${info.replaceAll(' ', '')}`],
      )
    }
    for (const config of ['', '664c6143', `84000022 ${info}`, '80000022 1200', `80000022 ${'00'.repeat(34)}`])
      assert.throws(() => readFlacSetup(bytes(config)), { name: 'DecodeError' }, config)
  })

  test('how long a frame is heard', () => {
    const frames = [
      ['fff8 1a 18 00 00', 192],
      ['fff8 2a 18 00 00', 576],
      ['fff9 5a 18 00 00', 4608],
      ['fff8 ca 18 00 00', 4096],
      ['fff8 6a 18 05 ff 00', 256],
      ['fff8 7a 18 c280 0fff 00', 4096],
    ] as const
    for (const [frame, samples] of frames) assert.equal(flacFrameSamples(bytes(frame)), samples, frame)
    for (const frame of ['', 'fff8 0a 18 00 00', 'fffa ca 18 00 00', 'ffff'])
      assert.throws(() => flacFrameSamples(bytes(frame)), { name: 'DecodeError' }, frame)
  })
})

describe('Opus', () => {
  test('the head, as Matroska and as MP4 have it: nothing is skipped', () => {
    const made = '0002 0000 0000bb80 0000 00'.replaceAll(' ', '')
    assert.equal(hexOf(readOpusSetup(bytes('4f70757348656164 01 02 3801 80bb0000 0000 00')).box), made)
    assert.equal(hexOf(readOpusSetup(bytes('00 02 0138 0000bb80 0000 00')).box), made)
    const six = readOpusSetup(bytes('4f70757348656164 01 06 3801 80bb0000 0000 01 04 02 000401020305'))
    assert.deepEqual([six.channels, hexOf(six.box)], [6, '000600000000bb800000010402000401020305'])
    for (const config of ['', '00', '00 00 0138 0000bb80 0000 00', '00 06 0138 0000bb80 0000 01 04'])
      assert.throws(() => readOpusSetup(bytes(config)), { name: 'DecodeError' }, config)
  })

  test('how long a packet is heard', () => {
    for (const [packet, samples] of [
      ['fc', 960],
      ['fd', 1920],
      ['e3 02', 240],
      ['78', 960],
      ['1b 01', 2880],
    ] as const)
      assert.equal(opusPacketSamples(bytes(packet)), samples, packet)
    for (const packet of ['', 'ff 00', 'ff 3f'])
      assert.throws(() => opusPacketSamples(bytes(packet)), { name: 'DecodeError' }, packet)
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
