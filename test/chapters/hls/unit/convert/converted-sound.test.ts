// Sound that is converted: AC-3 and E-AC-3 in five channels become AAC on an exact grid, in time with the picture, and
// without a click where segments meet.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { matroskaSamples } from '../../../../../src/chapters/hls/core/matroska/matroska-samples.ts'
import type { SegmentOrder, SoundSamples } from '../../../../../src/chapters/hls/core/samples.ts'
import { START_S } from '../../../../../src/chapters/hls/core/timeline.ts'
import { SoundConverter } from '../../../../../src/chapters/hls/convert/sound-converter.ts'
import { Ac3Decoder } from '../../../../../src/chapters/hls/coders/ac3-decoder.ts'
import { decodedSound, type SoundPart } from '../../../../../src/chapters/hls/convert/decoded-sound.ts'
import { GivenUp } from '../../../../../src/chapters/hls/convert/given-up.ts'
import { SegmentMaking } from '../../../../../src/chapters/hls/convert/make-segment.ts'
import { needs } from '../../../../kit/requirements.ts'
import { CutFilm } from '../../kit/made-segments.ts'
import { SegmentFilms, SOUND_RATE as RATE } from '../../kit/segment-films.ts'
import { lagOf, surprises, TONE_HZ } from '../../kit/sound-likeness.ts'

const FRAME_S = 1024 / RATE
/** Length of each film: three segments. */
const SECONDS = 12
/** What the issue allows between picture and sound. */
const MOST_APART_S = 0.005

describe('sound that is converted', { skip: needs('ffmpeg', 'ffprobe'), concurrency: 1 }, () => {
  let films: SegmentFilms
  before(async () => {
    films = await SegmentFilms.open(SECONDS)
  })
  after(() => films?.close())

  /** A film whose sound is another, and its segments joined, made in any order. */
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
    making.end()
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
      const joined = await joinedOf(name, `anoisesrc=d=${SECONDS}:c=brown:r=48000:seed=7:a=0.5`, ['-c:a', codec])
      const packets = await films.packets(joined, 'a')
      assert.ok(Math.abs(packets.length - Math.round(SECONDS / FRAME_S)) <= 2, `${packets.length} frames`)
      for (const [at, { pts }] of packets.entries())
        assert.ok(Math.abs(pts - START_S - at * FRAME_S) < 0.0001, `frame ${at} at ${pts}`)
      assert.equal(await films.ffmpeg('-v', 'warning', '-i', joined, '-f', 'null', '-'), '')
      const { lag, alike } = lagOf(await films.sound(films.path(name)), await films.sound(joined))
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

  /** The sound of a segment, and what is wanted of it. */
  async function soundIn(name: string, number: number): Promise<{ sound: SoundSamples; order: SegmentOrder }> {
    const cut = await CutFilm.open(films.path(name))
    const { order } = cut.job(number)
    const { sound } = matroskaSamples(cut.source, order)
    cut.source.close()
    assert.ok(sound !== null)
    return { sound, order }
  }

  async function partsOf(
    sound: SoundSamples,
    maxSeconds: number,
    check = () => undefined as void,
  ): Promise<SoundPart[]> {
    const decoders = await Ac3Decoder.start()
    const parts: SoundPart[] = []
    for (const part of decodedSound(decoders, sound, maxSeconds, check)) parts.push(part)
    return parts
  }

  test('a conversion lets go wherever it is, and the next one is made', async () => {
    const { sound, order } = await soundIn('film.mkv', 1)
    const converter = new SoundConverter()
    let checks = 0
    await converter.convert(sound, order, () => void (checks += 1))
    assert.ok(checks > 100, `${checks} checks`)
    for (const last of [1, Math.floor(checks / 2), checks]) {
      let left = last
      const check = (): void => {
        left -= 1
        if (left === 0) throw new GivenUp()
      }
      await assert.rejects(converter.convert(sound, order, check), GivenUp, `check ${last}`)
    }
    assert.ok((await converter.convert(sound, order, () => undefined)).samples.length > 100)
    converter.end()
  })

  test('who lets go leaves the encoder to the next one, and decoders give their memory back', async () => {
    const { sound } = await soundIn('film.mkv', 1)
    const decoders = await Ac3Decoder.start()
    for (const _ of decodedSound(decoders, sound, 60, () => undefined));
    const bytes = decoders.HEAPU8.length
    for (let turn = 0; turn < 200; turn += 1) {
      let left = 1 + (turn % 20)
      const check = (): void => {
        left -= 1
        if (left === 0) throw new GivenUp()
      }
      assert.throws(() => [...decodedSound(decoders, sound, 60, check)], GivenUp)
      for (const _ of decodedSound(decoders, sound, 60, () => undefined)) break
    }
    assert.equal(decoders.HEAPU8.length, bytes)
  })

  test('frames that cannot be decoded are left out, and those behind them keep their places', async () => {
    const { sound, order } = await soundIn('film.mkv', 1)
    const broken = sound.samples.map((sample, at) =>
      at === 40 || at === 90 ? { ...sample, bytes: Uint8Array.of(1, 2, 3) } : sample,
    )
    const whole = await partsOf(sound, 60)
    const rest = await partsOf({ ...sound, samples: broken }, 60)
    const places = whole.map(({ at }) => at).filter((_, at) => at !== 40 && at !== 90)
    for (const [at, place] of places.entries()) assert.ok(Math.abs((rest[at]?.at ?? 0) - place) <= 2, `part ${at}`)
    assert.equal(rest.length, places.length)
    const all = sound.samples.map(sample => ({ ...sample, bytes: Uint8Array.of(1, 2, 3) }))
    await assert.rejects(partsOf({ ...sound, samples: all }, 60), /cannot be decoded/)
    await assert.rejects(partsOf(sound, 1), /too long/)
    const lying = { ...order, packing: 'fmp4', soundRate: 44_100 } as const
    await assert.rejects(
      new SoundConverter().convert(sound, lying, () => undefined),
      /48000 Hz and not 44100/,
    )
  })

  test('a tone goes on where segments meet', async () => {
    const joined = await joinedOf('tone.mkv', `sine=d=${SECONDS}:r=48000:f=${TONE_HZ}`, ['-c:a', 'ac3', '-b:a', '448k'])
    const found = surprises(await films.sound(joined)).slice(RATE / 2, RATE * (SECONDS - 1))
    const most = Math.max(...found.filter((_, at) => at % 50 === 0))
    const worst = found.reduce((top, value) => Math.max(top, value), 0)
    assert.ok(worst < 400, `a step of ${worst}; elsewhere ${most}`)
  })
})
