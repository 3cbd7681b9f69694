// Films with something wrong in them, cut by the thread: none crashes it, takes three seconds or much memory, and the
// node goes on meanwhile. FUZZ_SEED is the number of the first; FUZZ_FILMS: how many of each, for which
// `make damaged-films` says a thousand.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { SegmentThread } from '../../../../src/chapters/hls/io/segment-thread.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { needs } from '../../../kit/requirements.ts'
import { mutated } from '../../media/kit/mutations.ts'
import { RealConversions } from '../kit/converted-films.ts'
import { damagedJob, goodFilm, MOST_JOB_MS, type Tally, workOn } from '../kit/damaged-films.ts'
import { SegmentFilms } from '../kit/segment-films.ts'

const FIRST_SEED = Number(process.env['FUZZ_SEED'] ?? 1)
/** What the node's own thread may work for one segment: it cannot stand still for longer than that, ms. */
const MOST_MAIN_MS = 20
/** Of the longest segment as it is read, packed and written, with a thread and what it converts with. */
const MOST_MIB = 300
const FRAGMENTS = ['-movflags', '+frag_keyframe+empty_moov']
const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error:bframes=3', '-tag:v', 'hvc1']
const FLAC = ['-c:a', 'flac', '-strict', '-2']
const OPUS = ['-c:a', 'libopus', '-strict', '-2']
const DTS = ['-c:a', 'dca', '-strict', '-2']
/** A node that converts all that it could: of it the cut is made, which is what it is given. */
const ABLE = { abilities: { sound: true, picture: true, without: '' }, wantsH264: false }

/** How films are made, and how many of each are damaged; what this node itself converts costs thirty times as much. */
const FILMS = [
  { name: 'film.mkv', args: [], count: 1000 },
  { name: 'film.mp4', args: [], count: 1000 },
  { name: 'fragments.mp4', args: FRAGMENTS, count: 1000 },
  { name: 'hevc.mkv', args: HEVC, count: 60 },
  { name: 'hevc.mp4', args: HEVC, count: 60 },
  { name: 'hevc-fragments.mp4', args: [...HEVC, ...FRAGMENTS], count: 60 },
  { name: 'flac.mkv', args: FLAC, count: 60 },
  { name: 'flac.mp4', args: FLAC, count: 60 },
  { name: 'opus.mkv', args: OPUS, count: 60 },
  { name: 'opus-fragments.mp4', args: [...OPUS, ...FRAGMENTS], count: 60 },
  { name: 'mp3.mkv', args: ['-c:a', 'libmp3lame'], count: 60 },
  { name: 'ac3.mkv', args: ['-c:a', 'ac3'], count: 20 },
  { name: 'eac3.mp4', args: ['-c:a', 'eac3'], count: 20 },
  { name: 'hevc-ac3.mkv', args: [...HEVC, '-c:a', 'ac3'], count: 20 },
  { name: 'dts.mkv', args: DTS, count: 60, ways: ABLE },
  { name: 'asp.mp4', args: ['-c:v', 'mpeg4', '-bf', '2'], count: 60, ways: ABLE },
  { name: 'xvid.avi', args: ['-c:v', 'libxvid', '-c:a', 'libmp3lame'], count: 60, ways: ABLE },
  { name: 'asp.avi', args: ['-c:v', 'mpeg4', '-bf', '2', '-c:a', 'ac3'], count: 60, ways: ABLE },
] as const

function countOf(usual: number): number {
  return Number(process.env['FUZZ_FILMS'] ?? usual)
}

describe('segments of films with something wrong in them', { skip: needs('ffmpeg'), concurrency: 1 }, () => {
  let films: SegmentFilms
  const thread = new SegmentThread({ clock: new SystemClock() })
  before(async () => {
    films = await SegmentFilms.open()
  })
  after(async () => {
    await thread.stop()
    await films?.close()
  })

  function check(tally: Tally): void {
    assert.ok(tally.made > 0 && tally.unreadable > 0, 'some are made, some are not')
    assert.ok(tally.mainMs <= MOST_MAIN_MS, `${tally.mainMs} ms of this thread for one`)
    assert.ok(tally.jobMs <= MOST_JOB_MS, `${tally.jobMs} ms of all threads for one`)
    assert.ok(tally.grownMib <= MOST_MIB, `${tally.grownMib} MiB more`)
  }

  for (const { name, args, count, ...more } of FILMS)
    test(`${countOf(count)} of ${name}`, async context => {
      const bytes = await readFile(await films.make(name, 48_000, args))
      const good = await goodFilm(name, bytes, 'ways' in more ? more.ways : undefined)
      const tally = await workOn(thread, countOf(count), at => damagedJob(good, FIRST_SEED + at))
      context.diagnostic(JSON.stringify(tally))
      check(tally)
    })

  for (const [name, args] of [
    ['dts.mkv', DTS],
    ['mpeg2.mkv', ['-c:v', 'mpeg2video', '-g', '120', '-c:a', 'mp2']],
  ] as const)
    test(`what ffmpeg made of ${name}, ${countOf(60)} times something else`, async context => {
      const conversions = new RealConversions()
      const film = await conversions.open(await films.make(name, 48_000, args))
      const good = await readFile(films.path(name))
      const converted = await conversions.output(film, 1)
      film.source.close()
      await conversions.converter.stop()
      const places = [{ start: 0, end: converted.length }]
      const tally = await workOn(thread, countOf(60), async at => {
        const bytes = mutated(converted, places, FIRST_SEED + at)
        return { job: { ...film.job(1), converted: { parts: film.plan.byProgram, bytes } }, film: good }
      })
      context.diagnostic(JSON.stringify(tally))
      check(tally)
    })
})
