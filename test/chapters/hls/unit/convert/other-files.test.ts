// An MP4 that says its samples lie in another file: no segment is cut of it, of tables, of fragments or of the head.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { SegmentMaking } from '../../../../../src/chapters/hls/convert/make-segment.ts'
import { needs } from '../../../../kit/requirements.ts'
import { MemorySource } from '../../../media/kit/memory-source.ts'
import { CutFilm } from '../../kit/made-segments.ts'
import { SegmentFilms } from '../../kit/segment-films.ts'

const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error', '-tag:v', 'hvc1']

describe('films that name other files', { skip: needs('ffmpeg'), concurrency: 1 }, () => {
  let films: SegmentFilms
  before(async () => {
    films = await SegmentFilms.open()
  })
  after(() => films?.close())

  for (const [name, args] of [
    ['film.mp4', []],
    ['fragments.mp4', ['-movflags', '+frag_keyframe+empty_moov']],
    ['hevc.mp4', HEVC],
  ] as const)
    test(`${name}: neither its picture nor its sound may lie elsewhere`, async () => {
      // The facts are of a film whose samples are its own, as a link of before would have it.
      const film = await CutFilm.open(await films.make(name, 48_000, args))
      film.source.close()
      const jobs = [film.job(0), film.job(1), ...(film.plan.packing === 'fmp4' ? [film.named('init.mp4')] : [])]
      const bytes = await readFile(films.path(name))
      const places = [bytes.indexOf('url '), bytes.lastIndexOf('url ')]
      assert.ok(places[0] !== places[1], 'one for each track')
      for (const at of [null, ...places])
        for (const job of jobs) {
          const changed = Buffer.from(bytes)
          if (at !== null) changed[at + 7] = 0
          const outcome = await new SegmentMaking().make(job, new MemorySource(changed), () => undefined)
          const why = 'why' in outcome ? outcome.why : ''
          assert.equal(outcome.kind, at === null ? 'made' : 'unreadable', why)
          if (at !== null) assert.match(why, /names another file or address .* not followed/)
        }
    })
})
