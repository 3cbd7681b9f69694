// Films with something wrong in them, whose texts are read by the thread: none crashes it or takes it long, what is
// told of them is text with times that make sense, and the node goes on meanwhile. FUZZ_SEED is the number of the
// first.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import type { ByteRange } from '../../../../src/chapters/media/core/byte-source.ts'
import { MAX_PART_CUES, PART_BUDGET_BYTES } from '../../../../src/chapters/media/core/subtitles/subtitle-part.ts'
import { MediaThread } from '../../../../src/chapters/media/io/media-thread.ts'
import type { ReadableFilm } from '../../../../src/chapters/media/ports/film-reader.ts'
import type { TextsOutcome } from '../../../../src/chapters/media/probe/read-part.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { webVttOf } from '../../../../src/wire/subtitles/cue.ts'
import { coveredIn, coveredNote } from '../../../../src/wire/subtitles/spans.ts'
import { timedText } from '../../../../src/wire/subtitles/timed-text.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { mainThreadMs } from '../../../kit/nodes/cpu-time.ts'
import { needs } from '../../../kit/requirements.ts'
import { fuzzSource } from '../../../kit/sim/fuzz.ts'
import { Films } from '../kit/films.ts'
import { compression, makeTexts, packing, TEXTS } from '../kit/made-texts.ts'
import { mutated } from '../kit/mutations.ts'

const FILMS = Number(process.env['FUZZ_FILMS'] ?? 250)
const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 1)
const MOST_MAIN_MS = 20
const ORDER = { fromSec: 0, toSec: 60 }

interface Fuzzed {
  readonly name: string
  readonly track: number
  readonly bytes: Uint8Array
  /** Where most is changed. */
  readonly tables: readonly ByteRange[]
}

/** Places of a text in a film, with what lies around them. */
function around(bytes: Uint8Array, text: string): ByteRange[] {
  const at = Buffer.from(bytes).indexOf(text)
  return at < 0 ? [] : [{ start: Math.max(0, at - 60), end: Math.min(bytes.length, at + 60) }]
}

function madeFilm(name: string, index: 'texts' | 'keys' | 'none'): Fuzzed {
  const texts = Array.from({ length: 20 }, (_, at) => ({
    ms: at * 500,
    lengthMs: 400,
    bytes: deflateSync(Buffer.from(`<i>text</i> ${at}`)),
  }))
  const more = [packing(compression(0))]
  const made = makeTexts({ texts, index, more, seconds: 10, pictureBytes: 200, isLive: index === 'none' })
  const heads = made.clusters.map(start => ({ start, end: start + 200 }))
  return { name, track: TEXTS, bytes: made.bytes, tables: [...heads, made.cues] }
}

/** A film in memory; of some a part is not there. */
function filmOf(bytes: Uint8Array, seed: number): ReadableFilm & { fetched: number } {
  const hole = seed % 3 === 0 ? Math.floor((bytes.length * fuzzSource(seed).below(100)) / 100) : -1
  const film = {
    size: bytes.length,
    fetched: 0,
    async read(start: number, length: number, into: Uint8Array): Promise<number> {
      assert.ok(start >= 0 && length > 0 && start + length <= bytes.length, `${start}, ${length} of ${bytes.length}`)
      const end = hole >= start && hole < start + length ? hole : start + length
      into.set(bytes.subarray(start, end))
      film.fetched += end - start
      return end - start
    },
  }
  return film
}

function check(outcome: TextsOutcome, what: string): void {
  if (outcome.kind === 'unreadable') return assert.doesNotMatch(outcome.why, /^it takes too/, what)
  if (outcome.kind !== 'texts') return assert.ok(outcome.kind === 'none' || outcome.kind === 'missing', what)
  const { cues, covered } = outcome.part
  assert.ok(cues.length <= MAX_PART_CUES, what)
  let before = 0
  for (const { startMs, endMs, text } of cues) {
    assert.ok(
      Number.isSafeInteger(startMs) && Number.isSafeInteger(endMs) && startMs >= before && endMs > startMs,
      what,
    )
    assert.ok(text.length > 0 && text.length <= 1000 && !/\p{Cc}/u.test(text.replaceAll('\n', '')), what)
    before = startMs
  }
  let reached = ORDER.fromSec
  for (const { fromSec, toSec } of covered) {
    assert.ok(fromSec >= reached && toSec > fromSec && toSec <= ORDER.toSec, what)
    reached = toSec
  }
  const vtt = webVttOf(cues, 0, coveredNote(covered))
  assert.equal(timedText(vtt.split('\n'), true).length, cues.length, what)
  assert.equal(coveredIn(vtt).length, coveredIn(webVttOf([], 0, coveredNote(covered))).length, what)
}

describe('texts of films with something wrong in them', { skip: needs('ffmpeg'), concurrency: 1 }, () => {
  let films: Films
  const thread = new MediaThread({ clock: new SystemClock(), log: silentLog })

  before(async () => {
    films = await Films.open()
  })
  after(async () => {
    await thread.stop()
    await films?.close()
  })

  const inFragments = (): Promise<string> => {
    const args = ['-map', '0:v', '-map', '0:a:0', '-map', '0:s:0', '-c', 'copy', '-c:s', 'mov_text']
    return films.makeOf('texts.mp4', ['master.mkv'], [...args, '-movflags', '+frag_keyframe+empty_moov'])
  }
  const ofFfmpeg = async (name: 'film.mkv' | 'end.mp4' | 'texts.mp4', track: number): Promise<Fuzzed> => {
    const bytes = await readFile(await (name === 'texts.mp4' ? inFragments() : films.make(name)))
    const tables = [
      ...around(bytes, 'Hello'),
      ...around(bytes, 'World'),
      ...around(bytes, 'moof'),
      { start: bytes.length - 4000, end: bytes.length },
    ]
    return { name, track, bytes, tables }
  }
  const all: Readonly<Record<string, () => Fuzzed | Promise<Fuzzed>>> = {
    'SubRip of ffmpeg in Matroska': () => ofFfmpeg('film.mkv', 4),
    'ASS of ffmpeg in Matroska': () => ofFfmpeg('film.mkv', 5),
    'timed texts of ffmpeg in MP4': () => ofFfmpeg('end.mp4', 4),
    'timed texts of ffmpeg in fragments': () => ofFfmpeg('texts.mp4', 3),
    'packed texts by their places': () => madeFilm('places', 'texts'),
    'packed texts by key frames': () => madeFilm('keys', 'keys'),
    'packed texts in clusters without end': () => madeFilm('live', 'none'),
  }

  for (const [title, make] of Object.entries(all)) {
    test(`${FILMS} films: ${title}`, async context => {
      const { name, track, bytes, tables } = await make()
      let [slowest, most, told] = [0, 0, 0]
      const mains: number[] = []
      for (let seed = FIRST_SEED; seed < FIRST_SEED + FILMS; seed += 1) {
        const what = `${name}, FUZZ_SEED=${seed}`
        const film = filmOf(mutated(bytes, tables, seed), seed)
        const since = performance.now()
        const mainSince = mainThreadMs()
        const outcome = await thread.texts(film, { track, ...ORDER })
        mains.push(mainThreadMs() - mainSince)
        slowest = Math.max(slowest, performance.now() - since)
        check(outcome, what)
        most = Math.max(most, film.fetched)
        if (outcome.kind === 'texts' && outcome.part.cues.length > 0) told += 1
      }
      const main = mains.toSorted((a, b) => b - a)[Math.floor(FILMS / 100)] ?? 0
      context.diagnostic(
        `texts of ${told}, the slowest ${slowest.toFixed(1)} ms, most ${most} bytes, main thread ${main.toFixed(1)} ms`,
      )
      assert.ok(told > 0 && told <= FILMS)
      assert.ok(most <= PART_BUDGET_BYTES + bytes.length)
      assert.ok(main < MOST_MAIN_MS, `the main thread worked ${main} ms for one film`)
    })
  }
})
