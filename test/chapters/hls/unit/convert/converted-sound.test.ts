// Sound that is converted: AC-3 and E-AC-3 in five channels become AAC on an exact grid, in time with the picture, and
// without a click where segments meet.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { matroskaSamples } from '../../../../../src/chapters/hls/core/matroska/matroska-samples.ts'
import type { SoundSamples } from '../../../../../src/chapters/hls/core/samples.ts'
import { SoundConverter } from '../../../../../src/chapters/hls/convert/sound-converter.ts'
import { SegmentMaking } from '../../../../../src/chapters/hls/convert/make-segment.ts'
import { needs } from '../../../../kit/requirements.ts'
import { CutFilm } from '../../kit/made-segments.ts'
import { SegmentFilms } from '../../kit/segment-films.ts'

const RATE = 48_000
const FRAME_S = 1024 / RATE
/** What the issue allows between picture and sound. */
const MOST_APART_S = 0.005
/** Places that are compared, samples. */
const REACH = 1500
const TONE_HZ = 440

/** How much two sounds are alike when one is moved by `lag` samples: 1 = the same. */
function likeness(one: Int16Array, other: Int16Array, lag: number): number {
  let [both, ones, others] = [0, 0, 0]
  for (let at = 48_000; at < 48_000 * 20; at += 7) {
    const [a, b] = [one[at] ?? 0, other[at + lag] ?? 0]
    both += a * b
    ones += a * a
    others += b * b
  }
  return both / Math.sqrt(ones * others || 1)
}

/** By how many samples the second comes later, and how alike they are then. */
function lagOf(one: Int16Array, other: Int16Array): { lag: number; alike: number } {
  let best = { lag: 0, alike: -1 }
  for (let lag = -REACH; lag <= REACH; lag += 1) {
    const alike = likeness(one, other, lag)
    if (alike > best.alike) best = { lag, alike }
  }
  return best
}

/** How far each sample of a tone is from what the two before it say. */
function surprises(sound: Int16Array): number[] {
  const turn = 2 * Math.cos((2 * Math.PI * TONE_HZ) / RATE)
  return [...sound].map((value, at) =>
    at < 2 ? 0 : Math.abs(value - turn * (sound[at - 1] ?? 0) + (sound[at - 2] ?? 0)),
  )
}

describe('sound that is converted', { skip: needs('ffmpeg', 'ffprobe'), concurrency: 1 }, () => {
  let films: SegmentFilms
  before(async () => {
    films = await SegmentFilms.open()
  })
  after(() => films?.close())

  /** The first sound of a file as one channel. */
  async function soundOf(path: string): Promise<Int16Array> {
    const out = films.path('sound.raw')
    await films.ffmpeg(
      '-v',
      'error',
      '-y',
      '-i',
      path,
      '-map',
      '0:a:0',
      '-ac',
      '1',
      '-ar',
      `${RATE}`,
      '-f',
      's16le',
      out,
    )
    const bytes = await readFile(out)
    return new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 2))
  }

  /** A film whose sound is made anew, and its segments joined, made in any order. */
  async function joinedOf(name: string, source: string, args: readonly string[]): Promise<string> {
    const plain = await films.make(`plain${extname(name)}`, RATE, [])
    const path = films.path(name)
    const sound = ['-f', 'lavfi', '-i', source, '-map', '0:v', '-map', '1:a', '-c:v', 'copy']
    await films.ffmpeg('-v', 'error', '-y', '-i', plain, ...sound, '-ac', '6', '-ar', `${RATE}`, ...args, path)
    const film = await CutFilm.open(path)
    assert.equal(film.plan.isConverted, true)
    const making = new SegmentMaking()
    const segments = new Map<number, Uint8Array>()
    for (const number of [2, 0, 3, 1, ...film.plan.cuts.keys()])
      if (!segments.has(number) && number < film.plan.cuts.length)
        segments.set(number, await film.segment(number, making))
    await making.end()
    film.source.close()
    const joined = films.path(`${name}.ts`)
    await writeFile(joined, Buffer.concat([...segments].sort(([a], [b]) => a - b).map(([, bytes]) => bytes)))
    return joined
  }

  for (const [name, codec] of [
    ['film.mkv', 'ac3'],
    ['more.mkv', 'eac3'],
    ['film.mp4', 'ac3'],
  ] as const)
    test(`${codec} in ${name}: the grid is exact, picture and sound are together`, async () => {
      const joined = await joinedOf(name, 'anoisesrc=d=24:c=brown:r=48000:seed=7:a=0.5', ['-c:a', codec])
      const packets = await films.packets(joined, 'a')
      assert.ok(Math.abs(packets.length - Math.round(24 / FRAME_S)) <= 2, `${packets.length} frames`)
      for (const [at, { pts }] of packets.entries())
        assert.ok(Math.abs(pts - 1.4 - at * FRAME_S) < 0.0001, `frame ${at} at ${pts}`)
      assert.equal(await films.ffmpeg('-v', 'warning', '-i', joined, '-f', 'null', '-'), '')
      const { lag, alike } = lagOf(await soundOf(films.path(name)), await soundOf(joined))
      assert.ok(Math.abs(lag) / RATE <= MOST_APART_S, `${lag} samples apart`)
      assert.ok(alike > 0.9, `${alike} alike`)
    })

  test('a hole of hours in the times of a film is no silence of hours', async () => {
    const cut = await CutFilm.open(films.path('film.mkv'))
    const { order } = cut.job(1)
    const { sound } = matroskaSamples(cut.source, order)
    assert.ok(sound !== null)
    const [first, second] = sound.samples
    assert.ok(first !== undefined && second !== undefined)
    const samples = [first, { ...second, time: first.time + 20_000 }]
    const convert = (times: SoundSamples): Promise<SoundSamples> =>
      new SoundConverter().convert(times, { ...order, end: order.start + 30_000 }, () => undefined)
    await assert.rejects(convert({ ...sound, samples }), /too long/)
    const many = Array.from({ length: 4001 }, (_, at) => ({ ...first, time: first.time + at / 1000 }))
    await assert.rejects(convert({ ...sound, samples: many }), /too long/)
    cut.source.close()
  })

  test('a tone goes on where segments meet', async () => {
    const joined = await joinedOf('tone.mkv', `sine=d=24:r=48000:f=${TONE_HZ}`, ['-c:a', 'ac3', '-b:a', '448k'])
    const found = surprises(await soundOf(joined)).slice(RATE / 2, RATE * 23)
    const most = Math.max(...found.filter((_, at) => at % 50 === 0))
    const worst = found.reduce((top, value) => Math.max(top, value), 0)
    assert.ok(worst < 400, `a step of ${worst}; elsewhere ${most}`)
  })
})
