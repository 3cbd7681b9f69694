// Films made byte by byte, as other muxers than ffmpeg write them, or nobody should: what is odd in one part of them
// costs that part.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Value } from '@sinclair/typebox/value'
import type { FilmFacts, FilmReading } from '../../../../../src/chapters/media/core/film-facts.ts'
import { MediaReply } from '../../../../../src/chapters/media/http/media-schemas.ts'
import { shownMedia } from '../../../../../src/chapters/media/http/shown-media.ts'
import { readFacts } from '../../../../../src/chapters/media/probe/read-facts.ts'
import { box, chunksAt, film, moov, NO_SAMPLES, words } from '../../kit/made-mp4.ts'
import { float, makeMkv } from '../../kit/made-mkv.ts'
import { chunk, makeWave } from '../../kit/made-wave.ts'
import { MemorySource } from '../../kit/memory-source.ts'

const KB = 1024

async function readingOf(source: MemorySource): Promise<FilmReading & { readonly facts: FilmFacts }> {
  const outcome = await readFacts(source)
  assert.ok(outcome.kind === 'read' && outcome.reading.facts !== null, JSON.stringify(outcome))
  const { facts } = outcome.reading
  const media = shownMedia({ name: 'film', size: source.size, facts, wanted: null, missing: [] }, true)
  assert.deepEqual([...Value.Errors(MediaReply, { media })], [])
  return { ...outcome.reading, facts }
}

async function factsOf(bytes: Uint8Array): Promise<FilmFacts> {
  return (await readingOf(new MemorySource(bytes))).facts
}

describe('MP4', () => {
  const picture = { id: 1, handler: 'vide', tables: chunksAt([20_000, 30_000], 100, 5000) } as const

  test('chapters all over the file have their titles; while one is not there, the facts are passing', async () => {
    const places = Array.from({ length: 60 }, (_, at) => 40_000 + at * 20_000)
    const titles = new Map(places.map((place, at) => [place, `Chapter ${at}`]))
    const texts = { id: 2, handler: 'text', tables: chunksAt(places, 100, 1000) } as const
    const source = new MemorySource(film(moov([{ ...picture, chapters: 2 }, texts], 60_000), 1_300_000, titles))
    const whole = await readingOf(source)
    assert.deepEqual(
      whole.facts.chapters,
      places.map((_, at) => ({ start: at, title: `Chapter ${at}` })),
    )
    assert.deepEqual([whole.missing, whole.passing, whole.facts.tracks.length], [null, false, 1])
    source.holes = [{ start: 200_000, end: 200_010 }]
    const { facts, missing, passing } = await readingOf(source)
    assert.deepEqual([missing, passing, facts.chapters.length], [null, true, 60])
    assert.deepEqual(
      facts.chapters.flatMap(({ start, title }) => (title === '' ? [start] : [])),
      [8],
    )
  })

  test('a track whose clock stands still costs itself, and a length that nobody can say nothing', async () => {
    const still = { id: 2, handler: 'text', tables: NO_SAMPLES, clock: box('mdhd', words(0, 0, 0, 0, 0, 0)) } as const
    const endless = box('mdhd', words(0x01_00_00_00, 0, 0, 0, 0, 1000, 0x7f_ff_ff_ff, 0xff_ff_ff_ff, 0x55c4_0000))
    const live = { id: 3, handler: 'text', tables: NO_SAMPLES, clock: endless } as const
    const facts = await factsOf(film(moov([picture, still, live], 10_000), 40_000))
    assert.deepEqual([facts.tracks.map(({ id }) => id), facts.duration, facts.seek], [[1, 3], 10, 'keys'])
    assert.match(facts.note, /^Not all of its tracks can be read\.$/)
    assert.equal((await readFacts(new MemorySource(film(moov([still], 10_000), 40_000)))).kind, 'unreadable')
  })

  test('a movie that does not say how long it is is as long as its tracks', async () => {
    assert.equal((await factsOf(film(moov([picture], 0), 40_000))).duration, 10)
    assert.equal((await factsOf(film(moov([picture], 0xff_ff_ff_ff), 40_000))).duration, 10)
  })

  test('key frames beyond the file are none', async () => {
    const beyond = { ...picture, tables: chunksAt([20_000, 40_000, 0xff_ff_ff_ff, 30_000], 100, 5000) }
    const { keys } = await factsOf(film(moov([beyond], 20_000), 40_000))
    assert.deepEqual(
      [keys?.times, keys?.bytes],
      [
        [0, 15],
        [20_000, 30_000],
      ],
    )
  })
})

describe('MP4 in fragments', () => {
  const picture = { id: 1, handler: 'vide', tables: NO_SAMPLES } as const
  const usual = box('mvex', box('trex', words(0, 1, 1, 500, 0, 0)))
  /** A film of one fragment: what it says of its samples, in a box traf. */
  const inFragments = (traf: Buffer, more: Buffer = usual): Buffer => {
    const head = Buffer.concat([box('ftyp', Buffer.from('isom'), words(0)), moov([picture], 0, more)])
    const fragment = Buffer.concat([box('moof', box('mfhd', words(0, 1)), traf), box('mdat', Buffer.alloc(5000))])
    const entry = words(0, 1, 0, 1, 2000, head.length)
    const access = box('mfra', box('tfra', entry, Buffer.from([1, 1, 1])), box('mfro', words(0, 8 + 35 + 16)))
    return Buffer.concat([head, fragment, access])
  }
  const traf = (...runs: readonly Buffer[]): Buffer =>
    box('traf', box('tfhd', words(0, 1)), box('tfdt', words(0, 2000)), ...runs)

  test('an end without lengths of samples is counted by those that the movie says are usual', async () => {
    const facts = await factsOf(inFragments(traf(box('trun', words(0, 10)))))
    assert.deepEqual([facts.duration, facts.keys?.times, facts.fragmented], [7, [2], true])
  })

  test('the fragment at the end may be long, and what is wrong in it does not cost the key frames', async () => {
    const run = box('trun', words(0x1_00, 50_000, ...new Array<number>(50_000).fill(2)))
    const long = await factsOf(inFragments(traf(run)))
    assert.deepEqual([long.duration, long.keys?.times, long.note], [102, [2], ''])
    const broken = await factsOf(inFragments(traf(box('trun', words(0x1_00, 50_000, 2)))))
    assert.deepEqual([broken.duration, broken.keys?.times, broken.seek], [null, [2], 'keys'])
    assert.match(broken.note, /^Its end cannot be read/)
  })

  test('an index of the first fragment alone is none', async () => {
    const head = Buffer.concat([box('ftyp', Buffer.from('isom'), words(0)), moov([picture], 0, usual)])
    const fragment = Buffer.concat([box('moof', box('mfhd', words(0, 1)), traf()), box('mdat', Buffer.alloc(5000))])
    const one = box('sidx', words(0, 1, 1000, 0, 0, 1, fragment.length, 5000, 0x90_00_00_00))
    const facts = await factsOf(Buffer.concat([head, one, fragment, one, fragment]))
    assert.deepEqual([facts.duration, facts.keys, facts.seek], [null, null, 'not-yet'])
    assert.match(facts.note, /one of several\. It has no index/)
    const whole = await factsOf(Buffer.concat([head, one, fragment]))
    assert.deepEqual([whole.duration, whole.keys?.times], [5, [0]])
  })
})

describe('Matroska', () => {
  test('what a film calls its codec is a text, whatever programs have of that name', async () => {
    for (const codecId of ['CONSTRUCTOR', '__PROTO__', 'toString']) {
      const [track] = (await factsOf(makeMkv({ codecId }).bytes)).tracks
      assert.deepEqual([track?.codec, track?.codecString], [codecId.toLowerCase(), null])
    }
  })

  test('numbers that are none, or that no film has, are not known', async () => {
    for (const rate of [Buffer.from('7fc00000', 'hex'), float(Number.POSITIVE_INFINITY), float(-1), float(1e300)])
      assert.equal((await factsOf(makeMkv({ rate }).bytes)).tracks[0]?.sampleRate, 0)
    for (const duration of [1e300, 1e14, Number.NaN, -5, 0, 2e-309]) {
      const facts = await factsOf(makeMkv({ duration }).bytes)
      assert.deepEqual([facts.duration, facts.bitrate], [null, null])
    }
  })

  test('what is known before fonts of megabytes is told before they are there, and they are no index', async () => {
    const { bytes, fonts, cluster, cues } = makeMkv({ fonts: 3_000_000 })
    const source = new MemorySource(bytes)
    const whole = await readingOf(source)
    assert.deepEqual([whole.facts.duration, whole.facts.keys?.bytes, whole.missing], [10, [cluster], null])
    assert.deepEqual(whole.facts.index, [{ start: 0, end: fonts.start }, cues])
    source.holes = [{ start: fonts.start + 100_000, end: cluster + 20_000 }]
    const early = await readingOf(source)
    assert.deepEqual([early.facts.duration, early.facts.keys?.bytes], [10, [cluster]])
    assert.ok(
      early.missing !== null && early.missing.start <= cluster && early.missing.end > cluster,
      'for the chapters',
    )
  })
})

test('what makes no sense behind the tracks of a Matroska does not cost what its SeekHead leads to', async () => {
  const { bytes, fonts, cluster } = makeMkv({ fonts: 10_000 })
  bytes[fonts.start] = 0
  const facts = await factsOf(bytes)
  assert.deepEqual([facts.duration, facts.keys?.bytes], [10, [cluster]])
  assert.match(facts.note, /^Its chapters cannot be read/)
})

describe('WAVE', () => {
  test('covers and texts before the sound are passed over, also while they are not there', async () => {
    const before = [chunk('id3 ', Buffer.alloc(700_000)), chunk('LIST', Buffer.alloc(300_000))]
    const source = new MemorySource(makeWave(20, { before }))
    source.holes = [{ start: 100_000, end: 600_000 }]
    const { facts, fetched } = await readingOf(source)
    assert.deepEqual([facts.container, facts.duration, facts.tracks[0]?.codec], ['wave', 20, 'pcm'])
    assert.deepEqual([facts.tracks[0]?.channels, facts.tracks[0]?.sampleRate], [2, 8000])
    assert.ok(fetched <= 64 * KB, `${fetched}`)
  })

  test('long ones, big-endian ones, and those whose recorder was cut off', async () => {
    const sizes = Buffer.alloc(24)
    sizes.writeUInt32LE(5 * 32_000, 8)
    const long = makeWave(20, { kind: 'RF64', before: [chunk('ds64', sizes)], length: 0xff_ff_ff_ff })
    assert.equal((await factsOf(long)).duration, 5)
    const big = await factsOf(makeWave(20, { kind: 'RIFX', tag: 7 }))
    assert.deepEqual([big.duration, big.tracks[0]?.codec], [20, 'ulaw'])
    const cut = (await factsOf(makeWave(20, { length: 0 }))).duration
    assert.ok(cut !== null && cut > 20 && cut < 20.1, 'to the end of the file')
  })
})

test('a text of two bytes a letter is no sound, and costs one block', async () => {
  const source = new MemorySource(Buffer.from(`\uFEFF${'no film '.repeat(50_000)}`, 'utf16le'))
  const why = 'it is none of the containers that this node knows'
  assert.deepEqual(await readFacts(source), { kind: 'unreadable', why })
  assert.ok(source.fetched <= 8 * KB, `${source.fetched}`)
})
