// Segments of real films: each made by what has made none before, the last first, and joined: pictures and sound of the
// film are all there, once, at their times; any one of them decodes alone.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { START_S } from '../../../../../src/chapters/hls/core/timeline.ts'
import { needs } from '../../../../kit/requirements.ts'
import { CutFilm } from '../../kit/made-segments.ts'
import { type Packet, SegmentFilms } from '../../kit/segment-films.ts'

const PICTURE_S = 1 / 24
const PACKET = 188

/** How films are made, and how long a frame of their sound is heard. */
const FILMS = [
  { name: 'film.mkv', rate: 48_000, args: [], frame: 1024 / 48_000 },
  { name: 'other-rate.mkv', rate: 44_100, args: [], frame: 1024 / 44_100 },
  { name: 'film.mp4', rate: 48_000, args: [], frame: 1024 / 48_000 },
  { name: 'start.mp4', rate: 44_100, args: ['-movflags', '+faststart'], frame: 1024 / 44_100 },
  { name: 'fragments.mp4', rate: 48_000, args: ['-movflags', '+frag_keyframe+empty_moov'], frame: 1024 / 48_000 },
  { name: 'segments.mp4', rate: 44_100, args: ['-movflags', '+frag_keyframe+dash+global_sidx'], frame: 1024 / 44_100 },
  { name: 'mp3.mkv', rate: 48_000, args: ['-c:a', 'libmp3lame'], frame: 1152 / 48_000 },
  { name: 'no-order.mp4', rate: 48_000, args: ['-bf', '0'], frame: 1024 / 48_000 },
  { name: 'open-gop.mkv', rate: 48_000, args: ['-x264-params', 'open-gop=1:keyint=60'], frame: 1024 / 48_000 },
] as const

function stepsOf(packets: readonly Packet[]): number[] {
  const times = packets.map(({ pts }) => pts).toSorted((a, b) => a - b)
  return times.slice(1).map((time, at) => time - (times[at] ?? 0))
}

function assertSteps(packets: readonly Packet[], step: number, what: string): void {
  for (const found of stepsOf(packets)) assert.ok(Math.abs(found - step) <= 0.001, `${what}: a step of ${found} s`)
}

/** Each packet of the film that is heard or seen is there once, within 5 ms of its time. */
function assertSame(film: readonly Packet[], made: readonly Packet[], what: string): void {
  const times = (packets: readonly Packet[]): number[] => packets.map(({ pts }) => pts).toSorted((a, b) => a - b)
  const wanted = times(film).filter(pts => pts > -0.001)
  const found = times(made)
  assert.equal(found.length, wanted.length, `${what}: packets`)
  for (const [at, pts] of wanted.entries())
    assert.ok(Math.abs((found[at] ?? 0) - START_S - pts) <= 0.005, `${what} ${at}: ${found[at]} for ${pts}`)
}

describe('segments of real films', { skip: needs('ffmpeg', 'ffprobe'), concurrency: 1 }, () => {
  let films: SegmentFilms
  before(async () => {
    films = await SegmentFilms.open()
  })
  after(() => films?.close())

  for (const { name, rate, args, frame } of FILMS)
    test(`${name}: joined, all is there in its place, and each decodes alone`, async () => {
      const film = await CutFilm.open(await films.make(name, rate, args))
      try {
        const segments = await film.all()
        assert.ok(segments.length >= 4, `${segments.length} segments`)
        const joined = films.path(`${name}.ts`)
        await writeFile(joined, Buffer.concat(segments))
        const [pictures, sounds] = [await films.packets(joined, 'v'), await films.packets(joined, 'a')]
        assertSame(await films.packets(films.path(name), 'v'), pictures, 'pictures')
        assertSame(await films.packets(films.path(name), 'a'), sounds, 'sound')
        assertSteps(pictures, PICTURE_S, 'pictures')
        // ffmpeg writes the first frame of sound of fragments a moment before the others.
        assertSteps(name.endsWith('ments.mp4') ? sounds.slice(1) : sounds, frame, 'sound')
        for (const [at, { pts, dts }] of pictures.entries()) {
          assert.ok(pts >= dts, `picture ${at} is shown at ${pts} and decoded at ${dts}`)
          assert.ok(at === 0 || dts > (pictures[at - 1]?.dts ?? 0), `picture ${at} is decoded at ${dts}`)
        }
        assert.equal(await films.ffmpeg('-v', 'warning', '-i', joined, '-f', 'null', '-'), '')
        for (const [number, segment] of segments.entries()) {
          const alone = films.path('alone.ts')
          await writeFile(alone, segment)
          // Pictures before the key frame of an open group refer to the segment before.
          if (!name.startsWith('open'))
            assert.equal(await films.ffmpeg('-v', 'warning', '-i', alone, '-f', 'null', '-'), '', `segment ${number}`)
          const [first] = await films.packets(alone, 'v')
          assert.equal(first?.isKey, true, `segment ${number} begins with a key frame`)
        }
      } finally {
        film.source.close()
      }
    })

  test('a film that was trimmed without encoding begins with pictures from before its start', async () => {
    for (const [name, source] of [
      ['trimmed.mp4', 'film.mp4'],
      ['trimmed.mkv', 'film.mkv'],
    ] as const) {
      const path = films.path(name)
      // The key frame before lies at 5 s: two seconds of pictures are there that are not to be seen.
      await films.ffmpeg('-v', 'error', '-y', '-ss', '7', '-i', films.path(source), '-c', 'copy', path)
      const film = await CutFilm.open(path)
      const segments = await film.all()
      film.source.close()
      const joined = films.path(`${name}.ts`)
      await writeFile(joined, Buffer.concat(segments))
      const [wanted, made] = [await films.packets(path, 'v'), await films.packets(joined, 'v')]
      assert.equal(made.length, wanted.length, name)
      const shown = (packets: readonly Packet[]): number[] => packets.map(({ pts }) => pts).toSorted((a, b) => a - b)
      const [times, moved] = [shown(wanted), shown(made)]
      for (const [at, time] of times.entries())
        assert.ok(Math.abs((moved[at] ?? 0) - START_S - time) <= 0.005, `${name} ${at}: ${moved[at]} for ${time}`)
      for (const [at, { pts, dts }] of made.entries()) {
        assert.ok(dts >= 0 && pts >= dts, `${name} ${at}: ${dts}`)
        assert.ok(at === 0 || dts > (made[at - 1]?.dts ?? 0), `${name} ${at}: ${dts}`)
      }
      assert.equal(await films.ffmpeg('-v', 'warning', '-i', joined, '-f', 'null', '-'), '')
    }
  })

  test('packets of a segment count from 0 to 15 in each stream, and none is broken', async () => {
    const film = await CutFilm.open(films.path('film.mkv'))
    const segment = await film.segment(2)
    film.source.close()
    assert.equal(segment.length % PACKET, 0)
    const counters = new Map<number, number>()
    for (let at = 0; at < segment.length; at += PACKET) {
      assert.equal(segment[at], 0x47)
      const pid = (((segment[at + 1] ?? 0) & 31) << 8) | (segment[at + 2] ?? 0)
      assert.equal((segment[at + 3] ?? 0) & 15, counters.get(pid) ?? 0, `stream ${pid}`)
      counters.set(pid, ((counters.get(pid) ?? 0) + 1) % 16)
    }
    assert.deepEqual([...counters.values()], [0, 0, 0, 0])
  })

  test('without sound a film has its pictures alone', async () => {
    const film = await CutFilm.open(films.path('film.mkv'), 0)
    const path = films.path('silent.ts')
    await writeFile(path, await film.segment(1))
    film.source.close()
    assert.ok((await films.packets(path, 'v')).length > 90)
    assert.equal((await films.packets(path, 'a')).length, 0)
  })

  test('sound that lies long before or behind its pictures is found', async () => {
    // Written by a muxer that waits for each cluster to be full, with the sound half a second ahead and behind.
    for (const shift of ['0.5', '-0.5']) {
      const inputs = ['-i', films.path('film.mkv'), '-itsoffset', shift, '-i', films.path('film.mkv')]
      const path = films.path('shifted.mkv')
      await films.ffmpeg('-v', 'error', '-y', ...inputs, '-map', '0:v', '-map', '1:a', '-c', 'copy', path)
      const film = await CutFilm.open(path)
      const joined = films.path('shifted.ts')
      await writeFile(joined, Buffer.concat(await film.all()))
      film.source.close()
      assertSame(await films.packets(path, 'a'), await films.packets(joined, 'a'), `sound moved by ${shift}`)
    }
  })
})
