// Segments of two hours of film, from its start, its middle and near its end: each is made alone, of little of the file
// and by little of the processor, decodes alone, and has every picture of its time. `make bench-films` has the figures.

import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { SegmentMaking } from '../../../../../src/chapters/hls/convert/make-segment.ts'
import { START_S } from '../../../../../src/chapters/hls/core/timeline.ts'
import { cpuTimeMs } from '../../../../kit/nodes/cpu-time.ts'
import { needs } from '../../../../kit/requirements.ts'
import { CutFilm } from '../../kit/made-segments.ts'
import { LONG_S, SegmentFilms } from '../../kit/segment-films.ts'

/** Of the file, for a segment: each is some 100 KB. */
const MOST_READ = 1024 * 1024
const PICTURE_S = 1 / 24
/** Places in a film, as shares of its segments. */
const PLACES = [0, 0.5, 0.97]

/**
 * Films, and what one of their segments may cost of the processor, ms: many times what it takes (decision 0543), but
 * less than a walk through two hours would.
 */
const FILMS = [
  { name: 'long.mkv', args: [], mostMs: 1000 },
  { name: 'long.mp4', args: [], mostMs: 1000 },
  { name: 'sound.mkv', args: ['-c:a', 'ac3', '-ac', '6', '-b:a', '192k'], mostMs: 4000 },
] as const

describe('segments of two hours of film', { skip: needs('ffmpeg', 'ffprobe'), concurrency: 1 }, () => {
  let films: SegmentFilms
  before(async () => {
    films = await SegmentFilms.open()
  })
  after(() => films?.close())

  for (const { name, args, mostMs } of FILMS)
    test(name, { timeout: 120_000 }, async t => {
      const path = await films.makeLong(name, args)
      const film = await CutFilm.open(path)
      const { cuts } = film.plan
      assert.ok(Math.abs((cuts.at(-1)?.start ?? 0) - LONG_S) < 30)
      const making = new SegmentMaking()
      try {
        // The first of all compiles.
        await film.segment(1, making)
        for (const place of PLACES) {
          const number = Math.floor(place * cuts.length)
          const { start, end } = cuts[number] ?? assert.fail()
          const [since, read] = [cpuTimeMs(), film.source.fetched]
          const bytes = await film.segment(number, making)
          const [ms, fetched] = [cpuTimeMs() - since, film.source.fetched - read]
          t.diagnostic(`segment ${number} at ${start.toFixed(1)} s: ${ms.toFixed(0)} ms, ${fetched} bytes read`)
          assert.ok(ms <= mostMs, `${ms} ms of the processor`)
          assert.ok(fetched <= MOST_READ, `${fetched} bytes read`)
          const alone = films.path(`${number}.ts`)
          await writeFile(alone, bytes)
          assert.equal(await films.ffmpeg('-v', 'warning', '-i', alone, '-f', 'null', '-'), '')
          const pictures = (await films.packets(alone, 'v')).map(({ pts }) => pts).toSorted((a, b) => a - b)
          assert.equal(pictures.length, Math.round((end - start) / PICTURE_S))
          assert.ok(Math.abs((pictures[0] ?? 0) - START_S - start) <= 0.005, `${pictures[0]} of ${start}`)
        }
      } finally {
        making.end()
        film.source.close()
        await rm(path)
      }
    })
})
