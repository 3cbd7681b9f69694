// HEVC in fragments of MP4: joined to the head they decode alone, and together they are the film, its picture and sound
// at their times.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { START_S } from '../../../../../src/chapters/hls/core/timeline.ts'
import { needs } from '../../../../kit/requirements.ts'
import { CutFilm } from '../../kit/made-segments.ts'
import { SegmentFilms } from '../../kit/segment-films.ts'

const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error:bframes=3', '-tag:v', 'hvc1']

describe('HEVC in segments', { skip: needs('ffmpeg', 'ffprobe'), concurrency: 1 }, () => {
  let films: SegmentFilms
  before(async () => {
    films = await SegmentFilms.open()
  })
  after(() => films?.close())

  for (const name of ['film.mkv', 'film.mp4'])
    test(`${name}: all is there in its place`, async () => {
      const film = await CutFilm.open(await films.make(name, 48_000, HEVC))
      assert.equal(film.plan.packing, 'fmp4')
      const head = await film.made(film.named('init.mp4'))
      const segments = await film.all()
      film.source.close()
      const joined = films.path(`${name}.joined.mp4`)
      await writeFile(joined, Buffer.concat([head, ...segments]))
      for (const [kind, step] of [
        ['v', 1 / 24],
        ['a', 1024 / 48_000],
      ] as const) {
        const wanted = (await films.packets(films.path(name), kind)).map(({ pts }) => pts).filter(pts => pts > -0.001)
        const packets = await films.packets(joined, kind)
        const times = packets.map(({ pts }) => pts).sort((a, b) => a - b)
        assert.equal(times.length, wanted.length, `packets of ${kind}`)
        for (const [at, pts] of wanted.toSorted((a, b) => a - b).entries())
          assert.ok(Math.abs((times[at] ?? 0) - START_S - pts) <= 0.005, `${kind} ${at}: ${times[at]} for ${pts}`)
        for (const [at, time] of times.entries())
          assert.ok(at === 0 || Math.abs(time - (times[at - 1] ?? 0) - step) <= 0.001, `step ${at} of ${kind}`)
        for (const { pts, dts } of packets) assert.ok(pts >= dts, `${kind}: ${pts} before ${dts}`)
      }
      assert.equal(await films.ffmpeg('-v', 'warning', '-i', joined, '-f', 'null', '-'), '')
      const alone = films.path('alone.mp4')
      await writeFile(alone, Buffer.concat([head, segments[2] ?? new Uint8Array(0)]))
      assert.equal(await films.ffmpeg('-v', 'error', '-i', alone, '-f', 'null', '-'), '')
      assert.ok((await films.packets(alone, 'v')).length >= 90)
    })
})
