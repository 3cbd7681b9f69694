// Texts inside of Matroska films, made byte by byte: found by the places that the index tells, by walking over the
// heads of blocks, and without an index; packed; as far as they are there; and what enemies write.

import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import { describe, test } from 'node:test'
import { unpacked } from '../../../../../src/chapters/media/core/subtitles/block-cues.ts'
import { readSubtitles } from '../../../../../src/chapters/media/core/subtitles/read-subtitles.ts'
import {
  MAX_PART_CUES,
  MAX_TEXT_BYTES,
  NoTexts,
  PART_BUDGET_BYTES,
  type SubtitlePart,
} from '../../../../../src/chapters/media/core/subtitles/subtitle-part.ts'
import { type ByteSource, NotHere } from '../../../../../src/chapters/media/core/byte-source.ts'
import { FieldBytes } from '../../../../../src/chapters/media/core/field-bytes.ts'
import { textPlaces } from '../../../../../src/chapters/media/core/matroska/text-places.ts'
import { spotTime } from '../../../../../src/chapters/media/probe/spot-time.ts'
import { MAX_AT_ONCE } from '../../../../../src/wire/subtitles/cue.ts'
import { element, uint } from '../../kit/made-mkv.ts'
import { compression, type MadeText, makeTexts, type MadeTextsOptions, packing, TEXTS } from '../../kit/made-texts.ts'
import { MemorySource } from '../../kit/memory-source.ts'

const WAYS = ['texts', 'keys', 'none'] as const
const ZLIB = 0
const STRIPPED = 3

const said = (ms: number, text: string, lengthMs: number | null = 1000): MadeText => ({
  ms,
  lengthMs,
  bytes: Buffer.from(text),
})
/** One text every four seconds, `0`, `1`, ... */
const often = (seconds: number): MadeText[] =>
  Array.from({ length: seconds / 4 }, (_, at) => said(at * 4000 + 1500, String(at)))

function partOf(
  source: MemorySource,
  fromSec: number,
  toSec: number,
  track = TEXTS,
  isOver: () => boolean = () => false,
): SubtitlePart {
  return readSubtitles(source, { track, fromSec, toSec }, isOver)
}

const textsOf = ({ cues }: SubtitlePart): string[] => cues.map(({ text }) => text)
const coveredOf = ({ covered }: SubtitlePart): number[][] => covered.map(({ fromSec, toSec }) => [fromSec, toSec])
/** The texts of the whole film. */
const read = (options: MadeTextsOptions): string[] =>
  textsOf(partOf(new MemorySource(makeTexts(options).bytes), 0, 9999))

describe('texts inside of Matroska films', () => {
  for (const index of WAYS) {
    test(`texts of a part, index of ${index}: all of it is covered, little of the pictures is read`, () => {
      const made = makeTexts({ texts: often(600), index, seconds: 600, pictureBytes: 40_000 })
      const source = new MemorySource(made.bytes)
      const part = partOf(source, 300, 360)
      assert.deepEqual(coveredOf(part), [[300, 360]])
      const inside = Array.from({ length: 15 }, (_, at) => String(75 + at))
      assert.deepEqual(
        textsOf(part).filter(text => inside.includes(text)),
        inside,
      )
      assert.ok(textsOf(part).length <= 18, `${textsOf(part)}: of what lies beside it few are told`)
      const first = part.cues.find(({ text }) => text === '75')
      assert.deepEqual([first?.startMs, first?.endMs], [301_500, 302_500])
      assert.ok(source.fetched < (index === 'texts' ? 300_000 : 4_000_000), `${source.fetched} of ${source.size} bytes`)
    })

    test(`what is not there is not covered, index of ${index}; the rest is told`, () => {
      const made = makeTexts({ texts: often(60), index })
      const source = new MemorySource(made.bytes)
      const [start = 0, end = 0] = [made.clusters[4], made.clusters[6]]
      source.holes = [{ start, end }]
      const part = partOf(source, 0, 60)
      const covered = coveredOf(part)
      assert.ok(textsOf(part).includes('0') && textsOf(part).includes('4'), String(textsOf(part)))
      assert.ok(!textsOf(part).includes('5') && !textsOf(part).includes('6'), 'those lie in the hole')
      assert.equal(covered[0]?.[0], 0)
      const missing = part.missing?.start ?? 0
      assert.ok(missing >= start && missing < end, `${missing} of ${start} to ${end}`)
      const reached = covered[0]?.[1] ?? 0
      assert.ok(reached >= 15 && reached <= 21.5, `covered up to ${reached}`)
      // Without an index nobody knows what lies behind a hole.
      if (index === 'none') return assert.equal(covered.length, 1)
      const rest = covered[1] ?? []
      assert.ok((rest[0] ?? 0) >= 29 && (rest[0] ?? 0) <= 33.5 && rest[1] === 60, String(rest))
      source.holes = []
      const whole = partOf(source, 0, 60)
      assert.equal(whole.missing, null)
      assert.deepEqual([textsOf(whole).length, coveredOf(whole)], [15, [[0, 60]]])
    })
  }

  test('a slow head leaves all the time for texts, and one read is always done', () => {
    const source = new MemorySource(makeTexts({ texts: often(60) }).bytes)
    let now = 0
    const slow: ByteSource = {
      size: source.size,
      read: (start, end) => {
        now += 600
        return source.read(start, end)
      },
    }
    const order = { track: TEXTS, fromSec: 0, toSec: 60 }
    const part = readSubtitles(
      slow,
      order,
      spotTime(() => now, 1500),
    )
    assert.ok(part.cues.length > 0 && part.covered.length > 0, `${part.cues.length} texts`)
    assert.ok((part.covered.at(-1)?.toSec ?? 60) < 60, 'and then it is over')
  })

  test('bytes that are only likely to be of use are not waited for', () => {
    const made = makeTexts({ texts: [said(1000, 'here')], index: 'keys' })
    const source = new MemorySource(made.bytes)
    // The head of the index is read in a block of 8 KiB.
    source.holes = [{ start: made.clusters[1] ?? 0, end: Math.floor(made.cues.start / 8192) * 8192 }]
    assert.deepEqual(textsOf(partOf(source, 0, 5)), ['here'])
    assert.deepEqual(coveredOf(partOf(source, 0, 5)), [[0, 5]])
  })

  test('before its index is there a film may have one: that is waited for', () => {
    const made = makeTexts({ texts: often(60) })
    const source = new MemorySource(made.bytes)
    source.holes = [made.cues]
    assert.throws(() => partOf(source, 0, 60), NotHere)
  })

  test('an index that tells the cluster of a text, and not its place in it, is one of key frames', () => {
    const made = makeTexts({ texts: often(60), index: 'clusters' })
    const part = partOf(new MemorySource(made.bytes), 0, 60)
    assert.deepEqual([textsOf(part).length, coveredOf(part)], [15, [[0, 60]]])
  })

  test('clusters that do not say where they end', () => {
    for (const index of ['keys', 'none'] as const) {
      const made = makeTexts({ texts: often(60), index, isLive: true })
      const part = partOf(new MemorySource(made.bytes), 0, 60)
      assert.deepEqual([textsOf(part).length, coveredOf(part)], [15, [[0, 60]]], index)
    }
  })

  test('texts that do not say how long are shown for five seconds', () => {
    const { bytes } = makeTexts({ texts: [said(1000, 'x', null)] })
    assert.deepEqual(partOf(new MemorySource(bytes), 0, 60).cues, [{ startMs: 1000, endMs: 6000, text: 'x' }])
  })

  test('ASS, SSA, WebVTT, and WebVTT of WebM: the text alone', () => {
    const ass = '3,0,Default,Mary,0,0,0,,{\\b1}Hello{\\b0}, you,\\Nthere <b>&amp;'
    for (const codecId of ['S_TEXT/ASS', 'S_TEXT/SSA', 'S_ASS'])
      assert.deepEqual(read({ codecId, texts: [said(0, ass)] }), ['Hello, you,\nthere <b>&amp;'])
    const drawing = '4,0,Default,,0,0,0,,{\\p1}m 0 0 l 100 0'
    assert.deepEqual(read({ codecId: 'S_TEXT/ASS', texts: [said(0, drawing), said(1, 'too few,fields')] }), [])
    const layers = [said(0, ass), said(0, ass.replace('3,0', '4,1'))]
    assert.equal(read({ codecId: 'S_TEXT/ASS', texts: layers }).length, 1, 'layers are told once')
    const vtt = '<v Mary>Hello &amp; <b>you</b>\nthere'
    assert.deepEqual(read({ codecId: 'S_TEXT/WEBVTT', texts: [said(0, vtt)] }), ['Hello & you\nthere'])
    assert.deepEqual(read({ codecId: 'D_WEBVTT/SUBTITLES', texts: [said(0, `id\nalign:left\n${vtt}`)] }), [
      'Hello & you\nthere',
    ])
    assert.deepEqual(read({ texts: [said(0, '<i>Yes</i> {\\an8}1 < 2 &amp;')] }), ['Yes 1 < 2 &amp;'])
  })

  test('packed texts: by zlib, by what was taken from their start, by both', () => {
    const texts = [said(0, 'Hello'), said(2000, 'Hello there')]
    const packed = texts.map(text => ({ ...text, bytes: deflateSync(text.bytes) }))
    const stripped = texts.map(text => ({ ...text, bytes: text.bytes.subarray(3) }))
    const hel = compression(STRIPPED, Buffer.from('Hel'))
    assert.deepEqual(read({ texts: packed, more: [packing(compression(ZLIB))] }), ['Hello', 'Hello there'])
    assert.deepEqual(read({ texts: stripped, more: [packing(hel)] }), ['Hello', 'Hello there'])
    const both = stripped.map(text => ({ ...text, bytes: deflateSync(text.bytes) }))
    const first = element(0x6240, element(0x5031, uint(0)), hel)
    const second = element(0x6240, element(0x5031, uint(1)), compression(ZLIB))
    assert.deepEqual(read({ texts: both, more: [element(0x6d80, first, second)] }), ['Hello', 'Hello there'])
    // Of the codec's own bytes alone.
    assert.deepEqual(read({ texts, more: [packing(element(0x5032, uint(2)), compression(ZLIB))] }), [
      'Hello',
      'Hello there',
    ])
  })

  test('a bomb is not unpacked, and costs no other text', () => {
    const bomb = { ...said(1000, ''), bytes: deflateSync(Buffer.alloc(100 * 1024 * 1024, 'x'), { level: 9 }) }
    const texts = [bomb, { ...said(2000, ''), bytes: deflateSync(Buffer.from('good')) }, said(3000, 'no zlib at all')]
    assert.ok(bomb.bytes.length > MAX_TEXT_BYTES, 'too long to be looked at')
    const small = { ...bomb, bytes: deflateSync(Buffer.alloc(MAX_TEXT_BYTES * 100, 'x'), { level: 9 }) }
    const more = [packing(compression(ZLIB))]
    assert.deepEqual(read({ texts, more }), ['good'])
    assert.deepEqual(read({ texts: [small, ...texts.slice(1)], more }), ['good'])
    // And ends as soon as it has more than a text may have: the length of all of it would be another reason.
    assert.throws(() => unpacked(small.bytes, [{ kind: 'zlib' }]), /cannot be unpacked/)
    assert.throws(() => unpacked(bomb.bytes, [{ kind: 'zlib' }]), /cannot be unpacked/)
    const six = Array.from({ length: 6 }, () => element(0x6240, compression(ZLIB)))
    assert.throws(() => read({ texts, more: [element(0x6d80, ...six)] }), /packed too often/)
  })

  test('laced, encrypted, or packed otherwise: no text of it', () => {
    assert.deepEqual(read({ texts: [{ ...said(0, 'x'), flags: 6 }, said(2000, 'y')] }), ['y'])
    for (const [more, why] of [
      [packing(element(0x5035)), /encrypted/],
      [packing(compression(1)), /nobody uses/],
      [packing(compression(STRIPPED, Buffer.alloc(65))), /too much/],
    ] as const)
      assert.throws(() => read({ texts: [said(0, 'x')], more: [more] }), why)
  })

  test('numbers of tracks that there are none of, or of pictures', () => {
    const source = new MemorySource(makeTexts({ texts: [] }).bytes)
    assert.throws(() => partOf(source, 0, 1, 9), NoTexts)
    assert.throws(() => partOf(source, 0, 1, 1), /no text but vp8/)
    // As many as facts tell.
    assert.deepEqual(partOf(new MemorySource(makeTexts({ texts: [], before: 62 }).bytes), 0, 1).cues, [])
    assert.throws(() => partOf(new MemorySource(makeTexts({ texts: [], before: 63 }).bytes), 0, 1), NoTexts)
    const pictures = new MemorySource(makeTexts({ texts: [], codecId: 'S_HDMV/PGS' }).bytes)
    assert.throws(() => partOf(pictures, 0, 1), /no text but pgs/)
    for (const codecId of ['constructor', '__proto__', 'toString'])
      assert.throws(() => partOf(new MemorySource(makeTexts({ texts: [], codecId }).bytes), 0, 1), NoTexts)
    assert.throws(() => partOf(new MemorySource(Buffer.from('RIFF....AVI ')), 0, 1), /Matroska and MP4 alone/)
    assert.throws(() => partOf(new MemorySource(new Uint8Array(0)), 0, 1), NoTexts)
  })

  test('a part that is too much is told as far as it came, and goes on from there', () => {
    const made = makeTexts({ texts: often(60), index: 'keys' })
    let reads = 0
    const source = new MemorySource(made.bytes)
    const some = partOf(source, 0, 60, TEXTS, () => ++reads > 40)
    const [[from, reached = 0] = []] = coveredOf(some)
    assert.ok(from === 0 && reached > 0 && reached < 60, `${reached}`)
    const rest = partOf(source, reached, 60)
    assert.deepEqual(coveredOf(rest), [[reached, 60]])
    assert.equal(new Set([...textsOf(some), ...textsOf(rest)]).size, 15)
  })

  test('texts without number and size have bounds', () => {
    const texts = Array.from({ length: MAX_PART_CUES + 500 }, (_, at) => said(at * 2, `${at}`, 1))
    for (const index of WAYS) {
      const part = partOf(new MemorySource(makeTexts({ texts, index, pictureBytes: 10 }).bytes), 0, 60)
      assert.ok(part.cues.length <= MAX_PART_CUES)
      assert.ok((part.covered.at(-1)?.toSec ?? 0) < 60, 'it says that not all is told')
    }
    const long = said(0, 'y'.repeat(MAX_TEXT_BYTES + 1))
    assert.deepEqual(read({ texts: [long, said(2000, 'z'.repeat(60_000))] }), ['z'.repeat(1000)])
    const huge = makeTexts({ texts: often(60), index: 'keys', pictureBytes: 4000, seconds: 1200 })
    const part = partOf(new MemorySource(huge.bytes), 0, 1200)
    assert.ok(part.fetched <= PART_BUDGET_BYTES + 1024 * 1024, String(part.fetched))
    assert.ok((part.covered[0]?.toSec ?? 0) > 100)
  })

  test('one cluster with more texts than a part may have is covered part by part, and so is one moment', () => {
    const distinct = Array.from({ length: 2 * MAX_PART_CUES }, (_, at) => said(at, `${at}`, 1))
    for (const index of WAYS) {
      const source = new MemorySource(makeTexts({ texts: distinct, index, seconds: 5, pictureBytes: 10 }).bytes)
      const found = new Set<string>()
      let [fromSec, parts] = [0, 0]
      for (; fromSec < 5 && parts < 5; parts += 1) {
        const part = partOf(source, fromSec, 5)
        for (const text of textsOf(part)) found.add(text)
        assert.equal(part.covered[0]?.fromSec, fromSec, `${index}: it goes on where it was`)
        fromSec = part.covered[0]?.toSec ?? 5
      }
      assert.deepEqual([found.size, fromSec], [distinct.length, 5], `${index}, ${parts} parts`)
    }
    const moment = Array.from({ length: MAX_PART_CUES + 500 }, (_, at) => said(1000, `${at}`))
    for (const index of WAYS) {
      const texts = [...moment, said(3000, 'later')]
      const part = partOf(new MemorySource(makeTexts({ texts, index, seconds: 5, pictureBytes: 10 }).bytes), 0, 5)
      assert.deepEqual([coveredOf(part), part.cues.length], [[[0, 5]], MAX_AT_ONCE + 1], index)
    }
  })

  test('without index and lengths what lies too far behind is not found, and that is said; not where time was short', () => {
    const { bytes } = makeTexts({ texts: often(1200), index: 'none', isLive: true, pictureBytes: 4000, seconds: 1200 })
    const source = new MemorySource(bytes)
    assert.throws(() => partOf(source, 1100, 1160), NoTexts)
    assert.deepEqual(coveredOf(partOf(source, 600, 660)), [[600, 660]])
    let reads = 0
    assert.deepEqual(coveredOf(partOf(source, 1100, 1160, TEXTS, () => ++reads > 40)), [])
    // What is not there yet may come.
    source.holes = [{ start: 10_000_000, end: 11_000_000 }]
    assert.equal(partOf(source, 1100, 1160).missing?.start !== undefined, true)
  })

  test('an index with more places than are kept is one of key frames', () => {
    const units = { segment: 0, tick: 0.001, size: 1000 }
    const position = element(0xb7, element(0xf7, uint(TEXTS)), element(0xf1, uint(1)), element(0xf0, uint(1)))
    const cuesOf = (positions: number, points: number): FieldBytes =>
      new FieldBytes(
        Buffer.concat(
          Array.from({ length: points }, () =>
            element(0xbb, element(0xb3, uint(0)), ...Array.from({ length: positions }, () => position)),
          ),
        ),
      )
    assert.equal(textPlaces(cuesOf(1, 50_000), TEXTS, units)?.length, 50_000)
    assert.equal(textPlaces(cuesOf(1, 50_001), TEXTS, units), null)
    assert.equal(textPlaces(cuesOf(50_001, 1), TEXTS, units), null)
  })

  test('an index that leads anywhere costs what it leads to, and no more', () => {
    const made = makeTexts({ texts: often(60) })
    // Every place of a cluster in the index is made another.
    for (const value of [0, 1, 1000, made.bytes.length - 3, 2 ** 40, 2 ** 52]) {
      const bytes = Buffer.from(made.bytes)
      for (let at = made.cues.start; at < made.cues.end - 10; at += 1) {
        const isPlace = bytes[at] === 0xf1 && bytes[at + 1] === 1 && bytes[at + 8] === 8
        if (isPlace) bytes.writeBigUInt64BE(BigInt(value), at + 9)
      }
      const part = partOf(new MemorySource(bytes), 0, 60)
      assert.ok(part.fetched < made.bytes.length + 200_000, `${value}: ${part.fetched} bytes`)
    }
  })
})
