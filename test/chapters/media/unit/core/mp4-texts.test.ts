// Texts inside of films that ffmpeg made, and of MP4 made byte by byte.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { readSubtitles } from '../../../../../src/chapters/media/core/subtitles/read-subtitles.ts'
import type { SubtitlePart } from '../../../../../src/chapters/media/core/subtitles/subtitle-part.ts'
import { needs } from '../../../../kit/requirements.ts'
import { Films } from '../../kit/films.ts'
import { box, chunksAt, film, moov, NO_SAMPLES, words } from '../../kit/made-mp4.ts'
import { MemorySource } from '../../kit/memory-source.ts'

const partOf = (source: MemorySource, track: number, fromSec = 0, toSec = 60): SubtitlePart =>
  readSubtitles(source, { track, fromSec, toSec }, () => false)
const textsIn = ({ cues }: SubtitlePart): string[] => cues.map(({ text }) => text)
const told = ({ cues }: SubtitlePart): (readonly (number | string)[])[] =>
  cues.map(({ startMs, endMs, text }) => [startMs, endMs, text])

/** ffmpeg moves all by what its AAC begins before 0. */
const HELLO_WORLD = [
  [1023, 2023, 'Hello'],
  [5023, 6023, 'World'],
]
/** How films in fragments are made, and by what their fragments are found. */
const FRAGMENTS = [
  ['with an index at the end', '+frag_keyframe+empty_moov'],
  ['with an index at the start', '+frag_keyframe+dash+global_sidx'],
  ['with each track in fragments of its own', '+frag_keyframe+empty_moov+separate_moof'],
  ['with the first in the head', '+frag_keyframe'],
  ['without index', '+frag_keyframe+empty_moov+default_base_moof+skip_trailer'],
] as const

/** Ten samples of a second, 2,000 bytes apart. */
const PLACES = Array.from({ length: 10 }, (_, at) => 10_000 + at * 2000)

describe('texts inside of films of ffmpeg', { skip: needs('ffmpeg') }, () => {
  let films: Films

  before(async () => {
    films = await Films.open()
  })
  after(() => films?.close())

  test('Matroska: SubRip and ASS, each text by its place', async () => {
    const source = new MemorySource(await readFile(await films.make('film.mkv')))
    for (const track of [4, 5]) {
      const { fetched: before } = source
      const part = partOf(source, track, 0, 10)
      assert.deepEqual([told(part), part.covered], [HELLO_WORLD, [{ fromSec: 0, toSec: 10 }]])
      assert.ok(source.fetched - before < 80_000, `${source.fetched - before} of ${source.size} bytes`)
    }
    assert.deepEqual(told(partOf(source, 4, 2, 5)), [])
    assert.throws(() => partOf(source, 1), /no text but h264/)
  })

  test('MP4: timed texts; nothing of the pictures is read, and what is not there is not covered', async () => {
    const source = new MemorySource(await readFile(await films.make('end.mp4')))
    const part = partOf(source, 4, 0, 10)
    assert.deepEqual([told(part), part.covered], [HELLO_WORLD, [{ fromSec: 0, toSec: 10 }]])
    assert.ok(part.fetched < 100_000, `${part.fetched} of ${source.size} bytes`)
    const at = Buffer.from(source.bytes).indexOf('Hello')
    assert.ok(at > 8192, 'behind what is read of its head')
    source.holes = [{ start: at, end: at + 5 }]
    const half = partOf(source, 4, 0, 10)
    assert.deepEqual(told(half), HELLO_WORLD.slice(1))
    assert.deepEqual(
      half.covered.map(({ fromSec, toSec }) => [fromSec.toFixed(3), toSec.toFixed(3)]),
      [
        ['0.000', '1.023'],
        ['2.023', '10.000'],
      ],
    )
  })

  /** A minute with a key frame every five seconds, and a text every two: `line 0`, ... */
  async function minuteOf(name: string, flags: readonly string[]): Promise<MemorySource> {
    const time = (second: number): string => `00:00:${String(second).padStart(2, '0')}`
    const lines = Array.from(
      { length: 30 },
      (_, at) => `${at + 1}\n${time(at * 2)},000 --> ${time(at * 2 + 1)},900\nline ${at}\n`,
    )
    await writeFile(films.path('minute.srt'), lines.join('\n'))
    await writeFile(
      films.path('long.srt'),
      '1\n00:00:03,000 --> 00:00:09,000\nlong\n\n2\n00:00:52,000 --> 00:00:53,000\nlate\n',
    )
    const inputs = ['-stream_loop', '5', '-i', films.path('master.mkv')]
    const texts = ['minute.srt', 'long.srt'].flatMap(each => ['-i', films.path(each)])
    const maps = ['-map', '0:v', '-map', '0:a:0', '-map', '1', '-map', '2', '-map_chapters', '-1']
    await films.makeOf(name, [], [...inputs, ...texts, ...maps, '-c', 'copy', '-c:s', 'mov_text', ...flags])
    return new MemorySource(await readFile(films.path(name)))
  }

  for (const [name, flags] of FRAGMENTS)
    test(`MP4 in fragments, ${name}: each text once and at its time, also from the middle on`, async () => {
      const source = await minuteOf(`${name.replaceAll(' ', '-')}.mp4`, ['-movflags', flags])
      const all = partOf(source, 3, 0, 61)
      // Without an edit list ffmpeg moves all by what comes before 0.
      const moved = all.cues[0]?.startMs ?? 0
      assert.ok(moved <= 100, String(moved))
      const each = Array.from({ length: 30 }, (_, at) => [at * 2000 + moved, `line ${at}`])
      const beginsOf = ({ cues }: SubtitlePart): unknown[] => cues.map(({ startMs, text }) => [startMs, text])
      assert.deepEqual([beginsOf(all), all.covered], [each, [{ fromSec: 0, toSec: 61 }]])
      // It leaves out pauses at the end of a fragment.
      for (const { startMs, endMs } of all.cues) assert.ok(endMs - startMs === 1900 || endMs - startMs === 2000)
      const middle = partOf(source, 3, 30, 40)
      assert.deepEqual(middle.covered, [{ fromSec: 30, toSec: 40 }])
      const inside = each.filter(([start]) => Number(start) >= 30_000 && Number(start) < 40_000)
      assert.deepEqual(beginsOf(middle).slice(-inside.length), inside)
      assert.ok(middle.cues.length <= inside.length + 1, 'and what began before and is still shown')
      const atKey = partOf(source, 3, (30_000 + moved) / 1000, 40)
      assert.ok(textsIn(atKey).includes('line 15'), 'one that begins with a key frame may lie before it')
      assert.deepEqual(textsIn(partOf(source, 4, 0, 60)), ['long', 'late'])
      // Nothing of pictures and sound is read but what lies beside texts and heads.
      assert.ok(all.fetched < 250_000, `${all.fetched} of ${source.size} bytes`)
      const at = Buffer.from(source.bytes).indexOf('line 15')
      source.holes = [{ start: at, end: at + 5 }]
      const half = partOf(source, 3, 0, 60)
      assert.equal(half.covered[0]?.fromSec, 0)
      const reached = half.covered[0]?.toSec ?? 0
      assert.ok(reached >= 25 && reached <= 30.1, String(reached))
      assert.ok(half.missing !== null && half.missing.start <= at && half.missing.end > at)
      if (name === 'without index') return assert.equal(half.covered.length, 1)
      assert.ok((half.covered[1]?.fromSec ?? 0) <= 36 && half.covered[1]?.toSec === 60, 'what lies behind is told')
    })

  test('Matroska without an index: from cluster to cluster', async () => {
    await films.makeOf(
      'plain.mkv',
      ['master.mkv'],
      ['-map', '0:v', '-map', '0:s:0', '-c', 'copy', '-f', 'matroska', '-live', '1'],
    )
    const source = new MemorySource(await readFile(films.path('plain.mkv')))
    const part = partOf(source, 2, 0, 10)
    assert.deepEqual([told(part), part.covered], [HELLO_WORLD, [{ fromSec: 0, toSec: 10 }]])
  })
})

describe('texts of MP4', () => {
  const bytesOf = (entry: string, samples: readonly Buffer[]): Buffer => {
    const media = moov([{ id: 1, handler: 'text', tables: chunksAt(PLACES, 100, 1000) }], 10_000)
    const made = film(media, 40_000)
    // The kit has QuickTime's texts alone.
    const at = made.indexOf('text', made.indexOf('stsd'))
    made.write(entry, at, 'latin1')
    for (const [sample, body] of samples.entries()) body.copy(made, PLACES[sample] ?? 0)
    return made
  }
  const text = (bytes: Uint8Array): Buffer =>
    Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])

  test('UTF-8, UTF-16, pauses, a length that lies, styles behind it', () => {
    const samples = [
      text(Buffer.from('one')),
      text(Buffer.alloc(0)),
      text(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('zwei ü', 'utf16le')])),
      Buffer.concat([Buffer.from([0xff, 0xff]), Buffer.from('long')]),
      Buffer.concat([text(Buffer.from('<b>styled</b>')), box('styl', words(1, 2, 3))]),
    ]
    const part = partOf(new MemorySource(bytesOf('tx3g', samples)), 1, 0, 5)
    assert.deepEqual(told(part), [
      [0, 1000, 'one'],
      [2000, 3000, 'zwei ü'],
      [3000, 4000, 'long'],
      [4000, 5000, '<b>styled</b>'],
    ])
    assert.deepEqual(part.covered, [{ fromSec: 0, toSec: 5 }])
  })

  test('WebVTT: each box a text; one that makes no sense is left out', () => {
    const cue = (payload: string): Buffer =>
      box('vttc', box('sttg', Buffer.from('align:start')), box('payl', Buffer.from(payload)))
    const samples = [
      Buffer.concat([cue('<i>one</i> &amp;'), cue('two')]),
      box('vtte'),
      words(0xff_ff_ff_ff, 1),
      cue('four'),
    ]
    const padded = samples.map(sample => Buffer.concat([sample, box('free', Buffer.alloc(92 - sample.length))]))
    assert.deepEqual(told(partOf(new MemorySource(bytesOf('wvtt', padded)), 1, 0, 4)), [
      [0, 1000, 'one &'],
      [0, 1000, 'two'],
      [3000, 4000, 'four'],
    ])
  })

  test('what is not there lacks for as long as it is shown', () => {
    const source = new MemorySource(bytesOf('tx3g', [text(Buffer.from('one')), text(Buffer.from('two'))]))
    source.holes = [{ start: PLACES[1] ?? 0, end: (PLACES[1] ?? 0) + 50 }]
    const part = partOf(source, 1, 0, 4)
    assert.deepEqual(told(part), [[0, 1000, 'one']])
    assert.deepEqual(part.covered, [
      { fromSec: 0, toSec: 1 },
      { fromSec: 2, toSec: 4 },
    ])
  })

  test('WebVTT in fragments; samples by the billion, and places outside of the file, end soon', () => {
    const cue = box('vttc', box('payl', Buffer.from('<i>one</i> &amp;')))
    const samples = [cue, box('vtte'), cue]
    const fragment = (count: number, sizes: readonly number[], place: number): Buffer => {
      const flags = sizes.length === 0 ? 0x2_00_01 : 0x2_02_01
      const run = box('trun', words(flags & 0xfff, count, place, ...sizes))
      const head = box('tfhd', words(0x2_00_18, 1, 1000, cue.length))
      return box('moof', box('mfhd', words(0, 1)), box('traf', head, box('tfdt', words(0, 2000)), run))
    }
    const filmOf = (count: number, sizes: readonly number[], place?: number): MemorySource => {
      const extended = box('mvex', box('trex', words(0, 1, 1, 0, 0, 0)))
      const movie = moov([{ id: 1, handler: 'text', tables: NO_SAMPLES }], 0, extended)
      movie.write('wvtt', movie.indexOf('text', movie.indexOf('stsd')), 'latin1')
      const { length } = fragment(count, sizes, 0)
      const parts = [box('ftyp', Buffer.from('isom'), words(0)), movie, fragment(count, sizes, place ?? length + 8)]
      return new MemorySource(Buffer.concat([...parts, box('mdat', ...samples)]))
    }
    const sizes = samples.map(({ length }) => length)
    assert.deepEqual(told(partOf(filmOf(3, sizes), 1)), [
      [2000, 3000, 'one &'],
      [4000, 5000, 'one &'],
    ])
    const before = process.cpuUsage()
    assert.ok(partOf(filmOf(0xff_ff_ff_ff, []), 1).cues.length <= 2)
    assert.deepEqual(told(partOf(filmOf(3, sizes, 0x7f_ff_ff_ff), 1)), [])
    assert.deepEqual(told(partOf(filmOf(3, sizes, 0x80_00_00_00), 1)), [])
    assert.ok(process.cpuUsage(before).user < 2_000_000, `${process.cpuUsage(before).user} us`)
  })

  test('tables that speak of billions of texts end soon', () => {
    const tables = [
      box('stts', words(0, 1, 0xff_ff_ff_ff, 0)),
      box('stsc', words(0, 1, 1, 0xff_ff_ff_ff, 1)),
      box('stsz', words(0, 50, 0xff_ff_ff_ff)),
      box('stco', words(0, 1, 20_000)),
    ]
    const made = film(moov([{ id: 1, handler: 'text', tables }], 10_000), 40_000)
    const before = performance.now()
    const part = partOf(new MemorySource(made), 1)
    assert.ok(part.cues.length === 0 && performance.now() - before < 3000)
  })
})
