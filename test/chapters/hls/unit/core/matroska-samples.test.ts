// Segments of Matroska as muxers other than ffmpeg write it: several frames in a block, blocks in groups, clusters
// without a length, bytes taken out of frames, and sound far from its pictures.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { blocksFrom } from '../../../../../src/chapters/hls/core/matroska/blocks.ts'
import { matroskaSamples } from '../../../../../src/chapters/hls/core/matroska/matroska-samples.ts'
import { NotHere } from '../../../../../src/chapters/media/core/byte-source.ts'
import { MemorySource } from '../../../media/kit/memory-source.ts'
import {
  blockBody,
  blockGroup,
  cluster,
  element,
  entry,
  madeMatroska,
  parent,
  simpleBlock,
} from '../../kit/made-matroska.ts'
import { madeOrder } from '../../kit/made-order.ts'

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const hexOf = (value: Uint8Array): string => Buffer.from(value).toString('hex')
const CONFIG = bytes('01640028ffe10000')
const AAC = bytes('1190')
const DEFAULT_DURATION = 0x23_e3_83
/** The head is read in larger parts. */
const FILLING = element(0xec, new Uint8Array(20_000))
const video = entry(1, 1, 'V_MPEG4/ISO/AVC', CONFIG)
const sound = entry(2, 2, 'A_AAC', AAC)
/** STREAMINFO of 48 kHz, 4096 samples in a frame. */
const FLAC = bytes(`664c6143 80000022 10001000 000000 000000 0bb802f0 ${'00'.repeat(20)}`)

describe('blocks', () => {
  /** The frames of a block with this lacing. */
  function frames(flags: number, rest: string): string[] {
    const { bytes: film, places } = madeMatroska(
      [video],
      [cluster(0, 'known', element(0xa3, blockBody(1, 0, flags, bytes(rest))))],
    )
    const found = [...blocksFrom(new MemorySource(film), places[0] ?? 0, film.length, new Set([1]))]
    return found.flatMap(block => block.frames.map(hexOf))
  }

  test('one frame, and several in each of the three ways', () => {
    assert.deepEqual(frames(0, 'aabb'), ['aabb'])
    assert.deepEqual(frames(0x02, `02 01 02 aa bbbb cccccc`), ['aa', 'bbbb', 'cccccc'])
    assert.deepEqual(frames(0x02, `01 ff01 ${'aa'.repeat(256)} bb`), ['aa'.repeat(256), 'bb'])
    assert.deepEqual(frames(0x04, '02 aaaa bbbb cccc'), ['aaaa', 'bbbb', 'cccc'])
    // 3 bytes, then one more, then two less, then the rest.
    assert.deepEqual(frames(0x06, '03 83 c0 bd aaaaaa bbbbbbbb cccc dd'), ['aaaaaa', 'bbbbbbbb', 'cccc', 'dd'])
  })

  test('what goes beyond its block is refused', () => {
    for (const [flags, rest] of [
      [0x02, '01 05 aa'],
      [0x06, '01 85 aa'],
      [0x06, '02 81 80 aa'],
      [0x02, ''],
    ] as const)
      assert.throws(() => frames(flags, rest), { name: 'DecodeError' }, rest)
  })

  test('groups, clusters without a length, and what lies between them', () => {
    const other = cluster(
      1000,
      'unknown',
      blockGroup(blockBody(1, -5, 0, bytes('01')), false),
      simpleBlock(3, 0, true, bytes('ff')),
    )
    const last = cluster(2000, 'known', blockGroup(blockBody(1, 5, 0, bytes('02')), true))
    const { bytes: film, places } = madeMatroska([video], [other, element(0xec, bytes('000000')), last])
    const found = [...blocksFrom(new MemorySource(film), places[0] ?? 0, film.length, new Set([1]))]
    assert.deepEqual(
      found.map(({ ticks, isKey }) => [ticks, isKey]),
      [
        [995, false],
        [2005, true],
      ],
    )
    const none = [...blocksFrom(new MemorySource(film), places[0] ?? 0, places[0] ?? 0, new Set([1]))]
    assert.deepEqual(none, [])
  })
})

describe('what the end of a file, or nothing, bounds', () => {
  const block = simpleBlock(1, 0, true, bytes('aabb'))
  const read = (film: Buffer, start: number): number =>
    [...blocksFrom(new MemorySource(film), start, film.length, new Set([1]))].length

  test('a file that was cut off gives what is whole; a block that goes beyond its cluster is refused', () => {
    const { bytes: film, places } = madeMatroska([video], [cluster(0, 'known', block, block)])
    assert.equal(read(film, places[0] ?? 0), 2)
    assert.equal(read(film.subarray(0, film.length - 1), places[0] ?? 0), 1)
    const long = element(0xa3, new Uint8Array(10))
    long[8] = 200
    const other = madeMatroska([video], [cluster(0, 'known', block, long), cluster(1, 'known', block)])
    assert.throws(() => read(other.bytes, other.places[0] ?? 0), /goes beyond its cluster/)
  })

  test('elements without number are not walked through', () => {
    const nothing = Buffer.alloc(2 * 200_000)
    for (let at = 0; at < nothing.length; at += 2) nothing.writeUInt16BE(0xec_80, at)
    for (const clusters of [[cluster(0, 'known', nothing, block)], [nothing, cluster(0, 'known', block)]]) {
      const { bytes: film, places } = madeMatroska([video], clusters)
      assert.throws(() => read(film, places[0] ?? 0), /too many elements/)
    }
  })
})

describe('a segment', () => {
  const key = (ticks: number, name: string, ...more: Buffer[]): Buffer =>
    cluster(ticks, 'known', simpleBlock(1, 0, true, bytes(name)), ...more)

  test('sound before its key frame and behind the next one is found, each frame once', () => {
    const clusters = [
      key(0, 'a0', simpleBlock(2, 3990, true, bytes('5a')), simpleBlock(2, 4010, true, bytes('5b'))),
      key(4000, 'a1', simpleBlock(1, 40, false, bytes('a2')), simpleBlock(2, 3000, true, bytes('5c'))),
      key(8000, 'a3', simpleBlock(2, -20, true, bytes('5d')), simpleBlock(2, 5, true, bytes('5e'))),
    ]
    const { bytes: film, places } = madeMatroska([video, sound], clusters)
    const [backByte = 0, startByte = 0, endByte = 0] = places
    const found = matroskaSamples(new MemorySource(film), madeOrder({ startByte, endByte, backByte }))
    assert.deepEqual(
      found.video.samples.map(sample => [sample.time, sample.isKey, hexOf(sample.bytes)]),
      [
        [4, true, 'a1'],
        [4.04, false, 'a2'],
      ],
    )
    assert.deepEqual(
      found.sound?.samples.map(sample => [sample.time, hexOf(sample.bytes)]),
      [
        [4.01, '5b'],
        [7, '5c'],
        [7.98, '5d'],
      ],
    )
    const first = matroskaSamples(
      new MemorySource(film),
      madeOrder({ isFirst: true, start: 0, end: 4, startByte: backByte, endByte: startByte, backByte }),
    )
    assert.deepEqual(
      first.sound?.samples.map(sample => hexOf(sample.bytes)),
      ['5a'],
    )
  })

  test('the run-up of converted sound is taken where it is there, and not waited for', () => {
    const clusters = [
      key(0, 'a0', simpleBlock(2, 3900, true, bytes('5a')), simpleBlock(2, 3960, true, bytes('5b')), FILLING),
      key(4000, 'a1', simpleBlock(2, 0, true, bytes('5c'))),
    ]
    const { bytes: film, places } = madeMatroska([video, sound], clusters)
    const [backByte = 0, startByte = 0] = places
    const order = madeOrder({
      startByte,
      endByte: film.length,
      backByte,
      end: Number.POSITIVE_INFINITY,
      soundMargin: 0.12,
    })
    const source = new MemorySource(film)
    const frames = (): unknown => matroskaSamples(source, order).sound?.samples.map(sample => hexOf(sample.bytes))
    assert.deepEqual(frames(), ['5a', '5b', '5c'])
    source.holes = [{ start: backByte + 15_000, end: backByte + 15_001 }]
    assert.deepEqual(frames(), ['5c'])
    // Sound that is missing altogether is waited for.
    const silent = madeMatroska([video, sound], [clusters[0] ?? bytes(''), key(4000, 'a1')])
    const without = new MemorySource(silent.bytes)
    without.holes = source.holes
    assert.throws(() => matroskaSamples(without, { ...order, endByte: silent.bytes.length }), NotHere)
  })

  test('what was taken from the start of frames is put back; other compression and encryption are refused', () => {
    const encodings = (...parts: Buffer[]): Buffer => parent(0x6d80, parent(0x6240, ...parts))
    const stripped = encodings(parent(0x5034, element(0x4254, bytes('03')), element(0x4255, bytes('0102'))))
    const read = (...more: Buffer[]): string => {
      const { bytes: film, places } = madeMatroska([entry(1, 1, 'V_MPEG4/ISO/AVC', CONFIG, ...more)], [key(4000, 'a1')])
      const order = madeOrder({ sound: null, startByte: places[0] ?? 0, endByte: film.length })
      return hexOf(matroskaSamples(new MemorySource(film), order).video.samples[0]?.bytes ?? bytes(''))
    }
    assert.equal(read(), 'a1')
    assert.equal(read(stripped), '0102a1')
    const much = encodings(parent(0x5034, element(0x4254, bytes('03')), element(0x4255, new Uint8Array(65))))
    assert.throws(() => read(much), /too much was taken out/)
    assert.throws(() => read(encodings(parent(0x5034))), /compressed once more/)
    assert.throws(() => read(encodings(parent(0x5035))), /encrypted/)
  })

  test('what a decoder keeps back is taken from the times of its frames', () => {
    const delayed = entry(2, 2, 'A_AAC', AAC, element(0x56aa, bytes('0145855d')))
    const clusters = [key(0, 'a0', simpleBlock(2, 0, true, bytes('5a')), simpleBlock(2, 21, true, bytes('5b')))]
    const { bytes: film, places } = madeMatroska([video, delayed], clusters)
    const last = { isFirst: true, start: 0, end: Number.POSITIVE_INFINITY }
    const order = madeOrder({ ...last, startByte: places[0] ?? 0, endByte: film.length })
    const [first, second] = matroskaSamples(new MemorySource(film), order).sound?.samples ?? []
    assert.equal(second, undefined, 'the first frame is not heard')
    assert.equal(hexOf(first?.bytes ?? bytes('')), '5b')
    assert.ok(Math.abs(first?.time ?? 1) < 0.001)
  })

  test('packets of Opus and FLAC in one block each begin where the one before ends', () => {
    for (const [codec, id, config, frame, seconds] of [
      ['opus', 'A_OPUS', bytes('00'), 'f800', 0.02],
      ['flac', 'A_FLAC', FLAC, 'fff8c91800c2', 4096 / 48_000],
    ] as const) {
      const laced = element(0xa3, blockBody(2, 0, 0x84, bytes(`02 ${frame.repeat(3)}`)))
      const { bytes: film, places } = madeMatroska([video, entry(2, 2, id, config)], [key(0, 'a0', laced)])
      const last = { isFirst: true, start: 0, end: Number.POSITIVE_INFINITY, soundCodec: codec }
      const order = madeOrder({ ...last, startByte: places[0] ?? 0, endByte: film.length })
      const times = matroskaSamples(new MemorySource(film), order).sound?.samples.map(({ time }) => time) ?? []
      assert.equal(times.length, 3)
      for (const [at, time] of times.entries())
        assert.ok(Math.abs(time - at * seconds) < 1e-9, `${codec} ${at} at ${time}`)
    }
  })

  test('a length of frames is told; a key frame that is not where the index says is refused', () => {
    const timed = entry(1, 1, 'V_MPEG4/ISO/AVC', CONFIG, element(DEFAULT_DURATION, bytes('027bc86b')))
    const { bytes: film, places } = madeMatroska([timed], [key(3000, 'a1')])
    const order = madeOrder({ sound: null, startByte: places[0] ?? 0, endByte: film.length })
    assert.throws(() => matroskaSamples(new MemorySource(film), order), /no key frame/)
    const found = matroskaSamples(new MemorySource(film), { ...order, start: 3 })
    assert.ok(Math.abs((found.video.frameSeconds ?? 0) - 1 / 24) < 1e-4)
    assert.throws(() => matroskaSamples(new MemorySource(film), { ...order, video: 7 }), /no track 7/)
  })
})
