// Texts inside of films that ffmpeg made, and of MP4 made byte by byte.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { readSubtitles } from '../../../../../src/chapters/media/core/subtitles/read-subtitles.ts'
import type { SubtitlePart } from '../../../../../src/chapters/media/core/subtitles/subtitle-part.ts'
import { needs } from '../../../../kit/requirements.ts'
import { Films } from '../../kit/films.ts'
import { box, chunksAt, film, moov, words } from '../../kit/made-mp4.ts'
import { MemorySource } from '../../kit/memory-source.ts'

const partOf = (source: MemorySource, track: number, fromSec = 0, toSec = 60): SubtitlePart =>
  readSubtitles(source, { track, fromSec, toSec }, () => false)
const told = ({ cues }: SubtitlePart): unknown[] => cues.map(({ startMs, endMs, text }) => [startMs, endMs, text])

/** ffmpeg moves all by what its AAC begins before 0. */
const HELLO_WORLD = [
  [1023, 2023, 'Hello'],
  [5023, 6023, 'World'],
]
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
