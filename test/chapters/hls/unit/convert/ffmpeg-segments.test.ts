// Segments of real films that the real ffmpeg has a part in: joined, the grid of the sound is exact and every picture
// is there once, at its time; any segment is made alone, from Matroska, MP4 and AVI.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { START_S } from '../../../../../src/chapters/hls/core/timeline.ts'
import { needs } from '../../../../kit/requirements.ts'
import { RealConversions } from '../../kit/converted-films.ts'
import { type Packet, SegmentFilms } from '../../kit/segment-films.ts'
import { lagOf, surprises, TONE_HZ } from '../../kit/sound-likeness.ts'

const RATE = 48_000
/** Length of each film: three segments and more. */
const SECONDS = 12
const FRAME_S = 1024 / RATE
const PICTURE_S = 1 / 24
/** What the issue allows between picture and sound. */
const MOST_APART_S = 0.005
/** Loudness of what is surely heard, of 32,768. */
const HEARD = 500

const DTS = ['-c:a', 'dca', '-strict', '-2', '-b:a', '768k']
/** Half a second of sound in each block. */
const LONG = ['-af', 'asetnsamples=24000']
/** How films are made whose sound is converted and whose picture is copied. */
const SOUNDS = [
  { name: 'dts.mkv', args: [...DTS, '-ac', '6', '-b:a', '1536k'] },
  { name: 'dts.mp4', args: DTS },
  { name: 'alac.mp4', args: ['-c:a', 'alac'] },
  { name: 'vorbis.mkv', args: ['-c:a', 'libvorbis'] },
  { name: 'mp2.mkv', args: ['-c:a', 'mp2'] },
  { name: 'pcm.mkv', args: ['-c:a', 'pcm_s24le'] },
  { name: 'truehd.mkv', args: ['-c:a', 'truehd', '-strict', '-2'] },
  // Frames longer than what is decoded before a segment.
  { name: 'long-pcm.mkv', args: ['-c:a', 'pcm_s16le', ...LONG] },
  { name: 'long-near.mkv', args: ['-c:a', 'pcm_s16le', ...LONG, '-g', '4'] },
  { name: 'long-alac.mkv', args: ['-c:a', 'alac', '-ar', '8000'] },
  { name: 'long-alac.mp4', args: ['-c:a', 'alac', '-ar', '8000'] },
  { name: 'long-fragments.mp4', args: ['-c:a', 'alac', '-ar', '8000', '-movflags', 'frag_keyframe+delay_moov'] },
] as const

const X265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-tag:v', 'hvc1', '-x265-params']
/** How films are made whose picture becomes H.264. */
const PICTURES = [
  { name: 'hevc.mkv', args: [...X265, 'log-level=error:bframes=3:keyint=60:min-keyint=60:open-gop=0'] },
  { name: 'open.mkv', args: [...X265, 'log-level=error:bframes=3:keyint=60:min-keyint=60:open-gop=1:scenecut=0'] },
  { name: 'open.mp4', args: [...X265, 'log-level=error:bframes=3:keyint=60:min-keyint=60:open-gop=1:scenecut=0'] },
  { name: 'mpeg2.mkv', args: ['-c:v', 'mpeg2video', '-bf', '2', '-g', '120', '-b:v', '1M'] },
  // Beside a picture that is converted FLAC and Opus become AAC too.
  { name: 'asp.mkv', args: ['-c:v', 'mpeg4', '-bf', '2', '-g', '120', '-b:v', '1M', '-c:a', 'flac'] },
  { name: 'asp.mp4', args: ['-c:v', 'mpeg4', '-bf', '2', '-g', '120', '-b:v', '1M', '-c:a', 'libopus'] },
  { name: 'vp9.mkv', args: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-g', '120'] },
  { name: 'av1.mkv', args: ['-c:v', 'libaom-av1', '-cpu-used', '8', '-usage', 'realtime', '-g', '120'] },
  { name: 'xvid.avi', args: ['-c:v', 'libxvid', '-g', '120', '-b:v', '1M', '-c:a', 'libmp3lame'] },
  { name: 'asp.avi', args: ['-c:v', 'mpeg4', '-bf', '2', '-g', '120', '-b:v', '1M', '-vtag', 'XVID', '-c:a', 'ac3'] },
  {
    name: 'pcm.avi',
    args: ['-c:v', 'mpeg4', '-g', '120', '-b:v', '1M', '-vtag', 'XVID', '-c:a', 'pcm_s16le', ...LONG],
  },
] as const

function assertGrid(packets: readonly Packet[], first: number, step: number, within: number, what: string): void {
  for (const [at, { pts }] of packets.entries())
    assert.ok(Math.abs(pts - first - at * step) <= within, `${what} ${at} at ${pts}, not ${first + at * step}`)
}

describe('segments that ffmpeg has a part in', { skip: needs('ffmpeg', 'ffprobe'), concurrency: 1 }, () => {
  const conversions = new RealConversions()
  let films: SegmentFilms
  before(async () => {
    films = await SegmentFilms.open(SECONDS)
  })
  after(async () => {
    await conversions.converter.stop()
    await films?.close()
  })

  /** Loudness of each 40th of a second of a file. */
  async function loudnessOf(path: string): Promise<number[]> {
    const sound = await films.sound(path)
    return Array.from({ length: Math.floor(sound.length / 1200) }, (_, part) =>
      Math.max(...sound.subarray(part * 1200, (part + 1) * 1200)),
    )
  }

  for (const { name, args } of SOUNDS)
    test(`${name}: its sound is AAC on an exact grid, and never silent`, async () => {
      const film = await conversions.open(await films.make(name, RATE, args))
      assert.deepEqual([film.plan.byProgram.picture, film.plan.byProgram.sound !== null], [null, true])
      const joined = films.path(`${name}.ts`)
      await writeFile(joined, Buffer.concat(await conversions.all(film)))
      film.source.close()
      const [pictures, sounds] = [await films.packets(joined, 'v'), await films.packets(joined, 'a')]
      assert.equal(pictures.length, SECONDS * 24)
      // The last frame of the film may be longer than it.
      assert.ok(Math.abs(sounds.length - SECONDS / FRAME_S) <= 5, `${sounds.length} frames of sound`)
      assertGrid(sounds, START_S, FRAME_S, 0.0001, 'sound')
      assert.equal(await films.ffmpeg('-v', 'warning', '-i', joined, '-f', 'null', '-'), '')
      const loud = (await loudnessOf(joined)).slice(4, SECONDS * 40 - 8)
      assert.ok(Math.min(...loud) > HEARD, `silent at ${loud.findIndex(one => one <= HEARD) / 40} s`)
    })

  for (const [name, codec] of [
    ['noise.mkv', ['-c:a', 'dca', '-strict', '-2', '-ac', '2', '-b:a', '1536k']],
    ['noise.mp4', ['-c:a', 'alac']],
    ['long.mkv', ['-c:a', 'pcm_s16le', ...LONG]],
    ['long.avi', ['-c:a', 'pcm_s16le', ...LONG]],
  ] as const)
    test(`${codec[1]} in ${name}: picture and sound are together, and a tone goes on where segments meet`, async () => {
      for (const source of [
        `anoisesrc=d=${SECONDS}:c=brown:r=48000:seed=7:a=0.5`,
        `sine=d=${SECONDS}:r=48000:f=${TONE_HZ}`,
      ]) {
        const plain = await films.make(`plain${extname(name)}`, RATE, name === 'long.avi' ? ['-c:v', 'mpeg4'] : [])
        const path = films.path(name)
        const mapped = ['-f', 'lavfi', '-i', source, '-map', '0:v', '-map', '1:a', '-c:v', 'copy']
        await films.ffmpeg('-v', 'error', '-y', '-i', plain, ...mapped, ...codec, path)
        const film = await conversions.open(path)
        const joined = films.path(`${name}.ts`)
        await writeFile(joined, Buffer.concat(await conversions.all(film)))
        film.source.close()
        const sound = await films.sound(joined)
        if (source.startsWith('sine')) {
          const found = surprises(sound).slice(RATE / 2, RATE * (SECONDS - 1))
          const worst = found.reduce((top, value) => Math.max(top, value), 0)
          assert.ok(worst < 400, `a step of ${worst}`)
          continue
        }
        const { lag, alike } = lagOf(await films.sound(path), sound)
        assert.ok(Math.abs(lag) / RATE <= MOST_APART_S, `${lag} samples apart`)
        assert.ok(alike > 0.9, `${alike} alike`)
      }
    })

  for (const { name, args } of PICTURES)
    test(`${name}: every picture is there once, as H.264, at its time`, async () => {
      const film = await conversions.open(await films.make(name, RATE, args), true)
      assert.notEqual(film.plan.byProgram.picture, null)
      assert.ok(film.plan.cuts.length >= 3, `${film.plan.cuts.length} segments`)
      const segments = await conversions.all(film)
      film.source.close()
      const joined = films.path(`${name}.ts`)
      await writeFile(joined, Buffer.concat(segments))
      const pictures = await films.packets(joined, 'v')
      const wanted = (await films.packets(films.path(name), 'v')).length
      assert.ok(Math.abs(pictures.length - wanted) <= 1, `${pictures.length} of ${wanted} pictures`)
      // Matroska rounds times itself.
      assertGrid(pictures, pictures[0]?.pts ?? 0, PICTURE_S, name.endsWith('.mp4') ? 0.0001 : 0.001, 'picture')
      const [first = 0] = await films.shown(films.path(name))
      assert.ok(
        Math.abs((pictures[0]?.pts ?? 0) - START_S - first) <= 0.001,
        `the first at ${pictures[0]?.pts}, of ${first}`,
      )
      assert.equal(await films.ffmpeg('-v', 'warning', '-i', joined, '-f', 'null', '-'), '')
      const loud = (await loudnessOf(joined)).slice(8, SECONDS * 40 - 20)
      assert.ok(Math.min(...loud) > HEARD, `silent at ${loud.findIndex(one => one <= HEARD) / 40} s`)
      for (const [number, segment] of segments.entries()) {
        const alone = films.path('alone.ts')
        await writeFile(alone, segment)
        assert.equal(await films.ffmpeg('-v', 'warning', '-i', alone, '-f', 'null', '-'), '', `segment ${number}`)
        assert.equal((await films.packets(alone, 'v'))[0]?.isKey, true)
      }
    })
})
