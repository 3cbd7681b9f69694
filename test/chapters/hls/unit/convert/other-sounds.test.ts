// FLAC and Opus beside H.264 and HEVC: copied into fragments of MP4, whole, and in time with the picture.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { masterPlaylist } from '../../../../../src/chapters/hls/core/playlists.ts'
import { START_S } from '../../../../../src/chapters/hls/core/timeline.ts'
import { needs } from '../../../../kit/requirements.ts'
import { CutFilm } from '../../kit/made-segments.ts'
import { SegmentFilms, SOUND_RATE } from '../../kit/segment-films.ts'
import { lagOf } from '../../kit/sound-likeness.ts'

/** Length of each film: three segments. */
const SECONDS = 12
/** What the issue allows between picture and sound. */
const MOST_APART_S = 0.005
/** What libopus keeps back. */
const OPUS_DELAY_S = 312 / 48_000
const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error:bframes=3', '-tag:v', 'hvc1']
const FLAC = ['-c:a', 'flac', '-strict', '-2']
const OPUS = ['-c:a', 'libopus', '-strict', '-2']

const FILMS = [
  { name: 'flac.mkv', args: FLAC, says: /CODECS="avc1\.[0-9a-f]+,fLaC"/ },
  { name: 'flac.mp4', args: FLAC, says: /,fLaC"/ },
  { name: 'opus.mkv', args: OPUS, says: /,Opus"/ },
  { name: 'opus.mp4', args: OPUS, says: /,Opus"/ },
  { name: 'opus-fragments.mp4', args: [...OPUS, '-movflags', '+frag_keyframe+empty_moov'], says: /,Opus"/ },
  { name: 'hevc-opus.mkv', args: [...HEVC, ...OPUS], says: /CODECS="hvc1\.[^,]+,Opus"/ },
] as const

describe('FLAC and Opus in segments', { skip: needs('ffmpeg', 'ffprobe'), concurrency: 1 }, () => {
  let films: SegmentFilms
  before(async () => {
    films = await SegmentFilms.open(SECONDS)
  })
  after(() => films?.close())

  async function startOf(path: string): Promise<number> {
    return Math.min(...(await films.packets(path, 'a')).map(({ pts }) => pts))
  }

  for (const { name, args, says } of FILMS)
    test(`${name}: all is there in its place, and it is the same sound`, async () => {
      const plain = await films.make(`plain-${name}`, SOUND_RATE, args)
      const path = films.path(name)
      const noise = ['-f', 'lavfi', '-i', `anoisesrc=d=${SECONDS}:c=brown:r=48000:seed=7:a=0.5`]
      const codec = args.slice(args.indexOf('-c:a'))
      await films.ffmpeg(
        ...['-v', 'error', '-y', '-i', plain, ...noise, '-map', '0:v', '-map', '1:a', '-c:v', 'copy', '-ac', '2'],
        ...codec,
        path,
      )
      const film = await CutFilm.open(path)
      assert.deepEqual([film.plan.packing, film.plan.isConverted], ['fmp4', false])
      assert.match(masterPlaylist(film.plan, ''), says)
      const head = await film.made(film.named('init.mp4'))
      const segments = await film.all()
      film.source.close()
      const joined = films.path(`joined-${name.replace(extname(name), '.mp4')}`)
      await writeFile(joined, Buffer.concat([head, ...segments]))
      for (const kind of ['v', 'a'] as const) {
        const wanted = (await films.packets(path, kind)).map(({ pts }) => pts).filter(pts => pts > -0.001)
        const packets = await films.packets(joined, kind)
        const times = packets.map(({ pts }) => pts).toSorted((a, b) => a - b)
        assert.equal(times.length, wanted.length, `packets of ${kind}`)
        for (const [at, pts] of wanted.toSorted((a, b) => a - b).entries())
          assert.ok(Math.abs((times[at] ?? 0) - START_S - pts) <= MOST_APART_S, `${kind} ${at}: ${times[at]}, ${pts}`)
        for (const { pts, dts } of packets) assert.ok(pts >= dts, `${kind}: ${pts} before ${dts}`)
      }
      assert.equal(await films.ffmpeg('-v', 'warning', '-i', joined, '-f', 'null', '-'), '')
      const { lag, alike } = lagOf(await films.sound(path), await films.sound(joined))
      // Decoded sound has no times: it begins with its first packet, of the film behind what Opus keeps back there.
      const skipped = name.includes('opus') ? OPUS_DELAY_S : 0
      const [begun, wanted] = [await startOf(joined), (await startOf(path)) + skipped]
      const apart = lag / SOUND_RATE + begun - START_S - wanted
      assert.ok(Math.abs(apart) <= MOST_APART_S, `${apart} s apart: ${lag} samples, from ${begun} and ${wanted} s on`)
      assert.ok(alike > 0.99, `${alike} alike`)
      const alone = films.path('alone.mp4')
      await writeFile(alone, Buffer.concat([head, segments[2] ?? new Uint8Array(0)]))
      assert.equal(await films.ffmpeg('-v', 'error', '-i', alone, '-f', 'null', '-'), '')
    })
})
