// Facts of short films in every container, against what ffmpeg made and ffprobe sees; and of films of which a part is
// not there, or wrong.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { FilmFacts } from '../../../../../src/chapters/media/core/film-facts.ts'
import { readFacts } from '../../../../../src/chapters/media/probe/read-facts.ts'
import { needs } from '../../../../kit/requirements.ts'
import { FILM_NAMES, type FilmName, Films } from '../../kit/films.ts'
import { MemorySource } from '../../kit/memory-source.ts'

const INDEXED = [
  'film.mkv',
  'film.webm',
  'start.mp4',
  'end.mp4',
  'segments.mp4',
  'fragments.mp4',
  'dash.mp4',
  'first-inside.mp4',
] as const

describe('facts of short films', { skip: needs('ffmpeg', 'ffprobe') }, () => {
  let films: Films
  const made = new Map<string, Uint8Array>()

  const bytesOf = (name: string): Uint8Array => {
    const bytes = made.get(name)
    assert.ok(bytes !== undefined, name)
    return bytes
  }
  const factsOf = async (name: FilmName): Promise<FilmFacts> => {
    const outcome = await readFacts(new MemorySource(bytesOf(name)))
    assert.ok(outcome.kind === 'read' && outcome.reading.facts !== null, `${name}: ${JSON.stringify(outcome)}`)
    assert.equal(outcome.reading.missing, null)
    return outcome.reading.facts
  }

  before(async () => {
    films = await Films.open()
    for (const name of FILM_NAMES) made.set(name, await readFile(await films.make(name)))
  })
  after(() => films?.close())

  test('container, duration, seeking and codecs', async () => {
    const expected: Record<FilmName, readonly [string, string, readonly string[]]> = {
      'film.mkv': ['matroska', 'keys', ['h264', 'aac', 'ac3', 'srt', 'ass']],
      'film.webm': ['webm', 'keys', ['vp8', 'opus']],
      'start.mp4': ['mp4', 'keys', ['h264', 'aac', 'ac3']],
      'end.mp4': ['mp4', 'keys', ['h264', 'aac', 'ac3', 'tx3g']],
      'fragments.mp4': ['mp4', 'keys', ['h264', 'aac']],
      'segments.mp4': ['mp4', 'keys', ['h264', 'aac']],
      'dash.mp4': ['mp4', 'keys', ['h264', 'aac']],
      'first-inside.mp4': ['mp4', 'keys', ['h264', 'aac']],
      'film.mov': ['mp4', 'keys', ['h264', 'aac']],
      'film.ts': ['mpegts', 'bytes', ['h264', 'aac', 'ac3']],
      'film.avi': ['avi', 'keys', ['mpeg4', 'mp3']],
      'book.m4b': ['mp4', 'keys', ['aac']],
      'sound.flac': ['flac', 'bytes', ['flac']],
      'sound.mp3': ['mp3', 'bytes', ['mp3']],
      'sound.ogg': ['ogg', 'bytes', ['vorbis']],
      'sound.opus': ['ogg', 'bytes', ['opus']],
      'sound.aac': ['adts', 'bytes', ['aac']],
      'sound.wav': ['wave', 'bytes', ['pcm']],
    }
    for (const name of FILM_NAMES) {
      const { container, seek, tracks, duration, bitrate } = await factsOf(name)
      assert.deepEqual([container, seek, tracks.map(({ codec }) => codec)], expected[name], name)
      assert.ok(duration !== null && Math.abs(duration - 10) < 0.1, `${name}: ${duration}`)
      const average = (bytesOf(name).length * 8) / duration
      assert.ok(bitrate !== null && Math.abs(bitrate - average) < 1, `${name}: ${bitrate}`)
    }
  })

  test('what tracks are: languages, names, channels, pictures, the words for browsers', async () => {
    const { tracks } = await factsOf('film.mkv')
    const shown = tracks.map(one => [one.kind, one.codecString, one.language, one.name, one.channels, one.isForced])
    assert.deepEqual(shown, [
      ['video', 'avc1.4d400c', 'und', '', 0, false],
      ['audio', 'mp4a.40.2', 'eng', '', 2, false],
      ['audio', 'ac-3', 'deu', 'Deutsch 5.1', 6, false],
      ['subtitle', null, 'fra', '', 0, false],
      ['subtitle', null, 'und', '', 0, true],
    ])
    assert.deepEqual(
      tracks.slice(0, 2).map(({ width, height, sampleRate }) => [width, height, sampleRate]),
      [
        [320, 180, 0],
        [0, 0, 44_100],
      ],
    )
    for (const name of ['start.mp4', 'end.mp4', 'film.ts'] as const) {
      const found = (await factsOf(name)).tracks.slice(0, 3)
      assert.deepEqual(
        found.map(one => [one.codecString, one.language, one.width, one.height]),
        [
          ['avc1.4d400c', 'und', 320, 180],
          ['mp4a.40.2', 'eng', 0, 0],
          ['ac-3', 'deu', 0, 0],
        ],
        name,
      )
    }
    assert.equal((await factsOf('start.mp4')).tracks[2]?.channels, 6, 'of dac3: the field before it says 2')
  })

  test('chapters of Matroska and MP4', async () => {
    for (const name of ['film.mkv', 'film.webm', 'start.mp4', 'end.mp4', 'film.mov', 'book.m4b'] as const)
      assert.deepEqual(
        (await factsOf(name)).chapters,
        [
          { start: 0, title: 'Opening – Anfang' },
          { start: 3, title: 'The rest' },
        ],
        name,
      )
  })

  test('times of key frames are those that ffprobe sees, and their bytes lead to them', async () => {
    for (const name of INDEXED) {
      const { keys, tracks } = await factsOf(name)
      assert.ok(keys !== null, name)
      assert.equal(tracks.find(({ id }) => id === keys.track)?.kind, 'video')
      const lines = (await films.probe(name, 'packet=pts_time,pos,flags')).map(line => line.split(','))
      const frames = lines.filter(line => line.some(field => field.startsWith('K')))
      const seen = frames.map(line => Number(line[0]))
      // ffmpeg's own index of segments leaves out by how much pictures are shown later than they are decoded.
      const most = name === 'segments.mp4' ? 0.1 : 0.001
      assert.equal(keys.times.length, seen.length, name)
      for (const [at, time] of keys.times.entries())
        assert.ok(Math.abs(time - (seen[at] ?? -1)) <= most, `${name}: ${time}, ${seen[at]}`)
      const places = frames.map(line => Number(line[1]))
      for (const [at, byte] of keys.bytes.entries()) {
        const [place = 0, next = Number.POSITIVE_INFINITY] = [places[at], places[at + 1]]
        assert.ok(byte <= place && place < next, `${name}: ${byte} leads to ${place}`)
        const word = Buffer.from(bytesOf(name).subarray(byte, byte + 8))
        if (name === 'film.mkv' || name === 'film.webm') assert.equal(word.readUInt32BE(0), 0x1f43b675, 'a cluster')
        else if (name === 'start.mp4' || name === 'end.mp4' || (name === 'first-inside.mp4' && at === 0))
          assert.equal(byte, place, name)
        else assert.match(word.toString('latin1', 4), /moof|styp|sidx/, name)
      }
    }
  })

  test('without the index at their end, films in fragments are not as long as their first fragment', async () => {
    for (const name of ['dash.mp4', 'first-inside.mp4'] as const) {
      const bytes = Buffer.from(bytesOf(name))
      const outcome = await readFacts(new MemorySource(bytes.subarray(0, -bytes.readUInt32BE(bytes.length - 4))))
      assert.ok(outcome.kind === 'read', name)
      const { facts } = outcome.reading
      assert.deepEqual([facts?.duration, facts?.keys, facts?.seek], [null, null, 'not-yet'], name)
    }
  })

  test('what is missing is named, and what is known without it is told', async () => {
    for (const name of ['film.mkv', 'end.mp4', 'fragments.mp4'] as const) {
      const source = new MemorySource(bytesOf(name))
      const whole = await factsOf(name)
      const index = whole.index.at(-1) ?? { start: 0, end: 0 }
      source.holes = [{ start: index.start, end: source.size }]
      const outcome = await readFacts(source)
      if (name === 'end.mp4') {
        assert.ok(outcome.kind === 'missing' && outcome.range.end > index.start, name)
        continue
      }
      assert.ok(outcome.kind === 'read' && outcome.reading.missing !== null, name)
      const { facts, missing } = outcome.reading
      assert.ok(missing.start >= index.start - 16_384 && missing.end > index.start, JSON.stringify(missing))
      assert.deepEqual([facts?.tracks, facts?.keys, facts?.seek], [whole.tracks, null, 'not-yet'])
    }
    const source = new MemorySource(bytesOf('film.ts'))
    source.holes = [{ start: source.size - 100_000, end: source.size }]
    const outcome = await readFacts(source)
    assert.ok(outcome.kind === 'read' && outcome.reading.missing !== null)
    assert.deepEqual([outcome.reading.facts?.duration, outcome.reading.facts?.tracks.length], [null, 3])
  })

  test('an MP4 that names another file for its samples is not followed, and says so', async () => {
    const bytes = Buffer.from(bytesOf('start.mp4'))
    for (let at = bytes.indexOf('url '); at >= 0; at = bytes.indexOf('url ', at + 1)) bytes[at + 7] = 0
    const outcome = await readFacts(new MemorySource(bytes))
    assert.ok(outcome.kind === 'read')
    const { facts } = outcome.reading
    assert.deepEqual([facts?.keys, facts?.seek, facts?.tracks.length], [null, 'not-yet', 3])
    assert.match(facts?.note ?? '', /names another file or address .* not followed/)
  })

  test('a broken index costs the index alone', async () => {
    const bytes = Buffer.from(bytesOf('film.mkv'))
    const cues = bytes.indexOf(Buffer.from('1c53bb6b', 'hex'), bytes.length - 400)
    bytes[cues + 5] = 0
    bytes[cues + 6] = 0
    const outcome = await readFacts(new MemorySource(bytes))
    assert.ok(outcome.kind === 'read')
    assert.deepEqual([outcome.reading.facts?.seek, outcome.reading.facts?.tracks.length], ['not-yet', 5])
    assert.match(outcome.reading.facts?.note ?? '', /^Its index \(Cues\)/)
  })

  test('a cover of megabytes costs nothing: it is passed over', async () => {
    const cover = new Uint8Array(3_000_000).fill(7)
    const mp3 = Buffer.concat([id3(cover), bytesOf('sound.mp3')])
    const flac = Buffer.from(bytesOf('sound.flac'))
    const picture = Buffer.concat([Buffer.from([6, 0x2d, 0xc6, 0xc0]), cover])
    const withPicture = Buffer.concat([flac.subarray(0, 42), picture, flac.subarray(42)])
    for (const [kind, bytes] of [
      ['mp3', mp3],
      ['flac', withPicture],
    ] as const) {
      const outcome = await readFacts(new MemorySource(bytes))
      assert.ok(outcome.kind === 'read', `${kind} ${JSON.stringify(outcome)}`)
      assert.equal(outcome.reading.facts?.container, kind)
      assert.ok(Math.abs((outcome.reading.facts?.duration ?? 0) - 10) < 0.1)
      assert.ok(outcome.reading.fetched <= 256 * 1024, `${kind}: ${outcome.reading.fetched}`)
    }
  })
})

/** A tag that holds a cover and nothing else. */
function id3(cover: Uint8Array): Buffer {
  const length = [21, 14, 7, 0].map(shift => (cover.length >> shift) & 0x7f)
  return Buffer.concat([Buffer.from('ID3'), Buffer.from([3, 0, 0, ...length]), cover])
}
