// Conversions by another program: one picture and two sounds at a time, a trial before a film is played, and what
// failed is not tried again at once.

import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import type { Cut } from '../../../../../src/chapters/hls/core/cuts.ts'
import { planOf, orderOf, type SegmentPlan } from '../../../../../src/chapters/hls/core/segment-plan.ts'
import { ConversionFailed, type FailureKind } from '../../../../../src/chapters/hls/ports/film-converter.ts'
import { ConversionLine } from '../../../../../src/chapters/hls/service/conversion-line.ts'
import { ConvertedSegments } from '../../../../../src/chapters/hls/service/converted-segments.ts'
import type { SegmentJob } from '../../../../../src/chapters/hls/convert/thread-messages.ts'
import { AppError } from '../../../../../src/base/errors.ts'
import { plainTrack } from '../../../../../src/chapters/media/core/film-facts.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { abilities, HeldConverter } from '../../kit/held-converter.ts'
import { madeFacts } from '../../kit/made-facts.ts'

const never = (): AbortSignal => new AbortController().signal
const PICTURE = { picture: 'hevc', sound: null }
const SOUND = { picture: null, sound: 'dts' }

const TRIED = { byProgram: PICTURE, cuts: cutsOfS([4, 4, 4]) }

/** Cuts of so many seconds each. */
function cutsOfS(seconds: readonly number[]): Cut[] {
  return seconds.map(duration => ({ start: 0, end: duration, duration, startByte: 0, endByte: 0, backByte: 0 }))
}

/** A film of HEVC with DTS. */
function planOfFilm(wantsH264: boolean): SegmentPlan {
  const { tracks } = madeFacts()
  const [video, sound] = tracks
  assert.ok(video !== undefined && sound !== undefined)
  const changed = [
    { ...video, codec: 'hevc', codecString: 'hvc1.1.6.L93.B0' },
    { ...plainTrack, id: 2, kind: 'audio' as const, codec: 'dts', sampleRate: 48_000 },
  ]
  return planOf(madeFacts({ tracks: changed }), 1_000_000, null, { abilities, wantsH264 })
}

describe('conversions by another program', () => {
  let clock: VirtualClock
  let converter: HeldConverter
  let line: ConversionLine
  let segments: ConvertedSegments
  let jobs: SegmentJob[]

  beforeEach(() => {
    clock = new VirtualClock()
    converter = new HeldConverter()
    line = new ConversionLine(clock)
    segments = new ConvertedSegments({ clock, converter, line })
    jobs = []
  })

  const made = async (job: SegmentJob): Promise<Uint8Array> => {
    jobs.push(job)
    return Uint8Array.of(job.cut === undefined ? 3 : 1)
  }
  function job(number: number, tag = 'film'): SegmentJob {
    const order = orderOf(planOfFilm(true), `${number}.ts`)
    assert.ok(order !== null)
    return { tag, size: 1_000_000, order }
  }
  const turn = (): Promise<void> => clock.advance(0)

  test('a segment is cut, converted and packed', async () => {
    const { byProgram } = planOfFilm(true)
    assert.deepEqual(byProgram, { picture: 'hevc', sound: 'dts' })
    assert.deepEqual(planOfFilm(false).byProgram, { picture: null, sound: 'dts' })
    const asked = segments.segment(job(1), byProgram, made, never())
    await turn()
    converter.running[0]?.end()
    assert.deepEqual([...(await asked)], [3])
    assert.deepEqual(
      jobs.map(({ cut, converted }) => [cut ?? null, converted?.parts ?? null]),
      [
        [byProgram, null],
        [null, byProgram],
      ],
    )
    const args = converter.asked[0]?.args.join(' ') ?? ''
    assert.match(args, /-protocol_whitelist pipe -format_whitelist matroska -codec_whitelist hevc,dca /)
    assert.match(args, /-f matroska -i pipe:0 .* -f matroska pipe:1$/)
  })

  test('one picture and two sounds at a time; who waits longer than two seconds, or is one too many, is refused', async () => {
    const all = [0, 1, 2].flatMap(number => [
      segments.segment(job(number), PICTURE, made, never()),
      segments.segment(job(number), SOUND, made, never()),
    ])
    const settled = Promise.allSettled(all)
    await turn()
    assert.deepEqual([converter.running.length, line.active, line.length], [3, 3, 3])
    await clock.advance(2000)
    assert.deepEqual([line.active, line.length], [3, 0])
    const waiting = [0, 1, 2, 0].map(number => segments.segment(job(number), PICTURE, made, never()))
    const refused = Promise.allSettled(waiting)
    await turn()
    await assert.rejects(segments.segment(job(0), PICTURE, made, never()), { code: 'TooManyRequests' })
    await clock.advance(2000)
    for (const one of await refused)
      assert.equal(one.status === 'rejected' && (one.reason as AppError).code, 'TooManyRequests')
    for (const one of [...converter.running]) one.end()
    const results = await settled
    assert.deepEqual(
      results.map(one => (one.status === 'fulfilled' ? 'made' : (one.reason as AppError).code)),
      ['made', 'made', 'TooManyRequests', 'made', 'TooManyRequests', 'TooManyRequests'],
    )
    assert.deepEqual([line.active, line.length, clock.pending], [0, 0, 0])
  })

  test('of a hundred clients that leave nothing stays', async () => {
    const clients = Array.from({ length: 100 }, () => new AbortController())
    const asked = Promise.allSettled(
      clients.map(({ signal }, at) => segments.segment(job(at % 3), at % 2 === 0 ? PICTURE : SOUND, made, signal)),
    )
    await turn()
    for (const client of clients) client.abort()
    for (const one of await asked) assert.equal(one.status, 'rejected')
    assert.deepEqual([converter.running.length, line.active, line.length, clock.pending], [0, 0, 0, 0])
  })

  test('a picture is tried for two seconds: fast enough, it is played; else it is said, and tried again after a while', async () => {
    const tried = async (tag: string, ms: number): Promise<void> => {
      const trial = segments.try(job(0, tag), TRIED, made, never())
      const settled = trial.catch(() => undefined)
      await turn()
      await clock.advance(ms)
      converter.running[0]?.end()
      await settled
      return trial
    }
    assert.equal(segments.isTried('fast', TRIED.cuts), false)
    await tried('fast', 1333)
    assert.equal(segments.isTried('fast', TRIED.cuts), true)
    await assert.rejects(tried('slow', 1334), { code: 'ConversionTooSlow', message: /1\.4 times as fast.*1\.5 times/ })
    assert.throws(() => segments.isTried('slow', TRIED.cuts), { code: 'ConversionTooSlow' })
    assert.match(converter.asked[0]?.args.join(' ') ?? '', /trim=end=11\.9995/)
    await clock.advance(600_000)
    assert.equal(segments.isTried('slow', TRIED.cuts), false)
    await tried('slow', 500)
    assert.equal(segments.isTried('slow', TRIED.cuts), true)
  })

  test('a part that takes longer than players wait is too slow however fast it goes; a moment is not tried', async () => {
    const tried = async (tag: string, longest: number, ms: number): Promise<void> => {
      const plan = { byProgram: PICTURE, cuts: cutsOfS([4, longest, 4]) }
      const trial = segments.try(job(0, tag), plan, made, never())
      const settled = trial.catch(() => undefined)
      await turn()
      await clock.advance(ms)
      converter.running[0]?.end()
      await settled
      return trial
    }
    await tried('near', 16, 1000)
    await assert.rejects(tried('far', 17, 1000), { code: 'ConversionTooSlow', message: /2 times .* 17 s apart/ })
    assert.equal(converter.asked.length, 2)
    assert.equal(segments.isTried('moment', cutsOfS([0.9])), true)
    assert.equal(segments.isTried('second', cutsOfS([1])), false)
    const short = { byProgram: PICTURE, cuts: cutsOfS([1.5]) }
    const trial = assert.rejects(segments.try(job(0, 'short'), short, made, never()), { code: 'ConversionTooSlow' })
    await turn()
    await clock.advance(1200)
    converter.running[0]?.end()
    await trial
  })

  test('sound has less memory and time than a picture', async () => {
    const asked = Promise.allSettled([SOUND, PICTURE].map(parts => segments.segment(job(0), parts, made, never())))
    await turn()
    const [sound, picture] = converter.asked.map(({ limits }) => limits)
    assert.deepEqual([sound?.memoryKib, picture?.memoryKib], [768 * 1024, 2 * 1024 * 1024])
    assert.ok((sound?.wallMs ?? 0) < (picture?.wallMs ?? 0) && (sound?.cpuSeconds ?? 0) < (picture?.cpuSeconds ?? 0))
    for (const one of [...converter.running]) one.end()
    await asked
  })

  test('cuts that wait are bounded by their bytes', async () => {
    const heavy = async (one: SegmentJob): Promise<Uint8Array> =>
      new Uint8Array(one.cut === undefined ? 1 : 25 * 1024 * 1024)
    const all = [0, 1, 2].map(number => segments.segment(job(number), PICTURE, heavy, never()))
    const settled = Promise.allSettled(all)
    await turn()
    assert.deepEqual([line.active, line.length], [1, 2])
    await assert.rejects(segments.segment(job(0), PICTURE, heavy, never()), { code: 'TooManyRequests' })
    const small = segments.segment(job(0), PICTURE, made, never()).catch(() => null)
    await turn()
    assert.equal(line.length, 3)
    await clock.advance(2000)
    converter.running[0]?.end()
    await Promise.all([settled, small])
    assert.deepEqual([line.active, line.length], [0, 0])
  })

  test('a trial that does not end is too slow; one that fails is not', async () => {
    const late = segments.try(job(0), TRIED, made, never())
    await turn()
    await clock.advance(10_000)
    converter.running[0]?.fail(new ConversionFailed('it takes too long', 'late'))
    await assert.rejects(late, { code: 'ConversionTooSlow' })
    const failed = segments.try(job(0, 'broken'), TRIED, made, never())
    await turn()
    converter.running[0]?.fail(new ConversionFailed('the program refuses it'))
    await assert.rejects(failed, { code: 'MediaUnreadable' })
    assert.equal(segments.isTried('broken', TRIED.cuts), false)
    await assert.rejects(segments.try(job(0, 'broken'), TRIED, made, never()), { code: 'MediaUnreadable' })
    assert.equal(converter.asked.length, 2, 'nor is it tried again at once')
  })

  test('what comes of it and cannot be packed is not made again at once either', async () => {
    const packed = async (one: SegmentJob): Promise<Uint8Array> => {
      if (one.converted !== undefined) throw new AppError('MediaUnreadable', 'It cannot be read: no picture.')
      return Uint8Array.of(1)
    }
    for (const round of [0, 1]) {
      const asked = segments.segment(job(1), PICTURE, packed, never())
      const settled = asked.catch(() => undefined)
      await turn()
      converter.running[0]?.end()
      await settled
      await assert.rejects(asked, { code: 'MediaUnreadable', message: /no picture\.$/ }, `${round}`)
    }
    assert.equal(converter.asked.length, 1)
  })

  test('what comes too late, or finds no room, is asked for again; three times in a row it is given up', async () => {
    const fail = async (kind: FailureKind | null): Promise<string> => {
      const asked = segments.segment(job(1), SOUND, made, never())
      const settled = asked.then(
        () => 'made',
        (error: unknown) => (error as AppError).code,
      )
      await turn()
      if (kind === null) converter.running[0]?.end()
      else converter.running[0]?.fail(new ConversionFailed('no', kind))
      return settled
    }
    assert.equal(await fail('busy'), 'TooManyRequests')
    assert.equal(await fail('late'), 'TooManyRequests')
    assert.equal(await fail(null), 'made', 'which begins anew')
    for (const kind of ['late', 'busy'] as const) assert.equal(await fail(kind), 'TooManyRequests')
    assert.equal(await fail('late'), 'MediaUnreadable')
    assert.equal(await fail(null), 'MediaUnreadable', 'for a minute')
    assert.equal(converter.asked.length, 6)
    const trial = segments.try(job(0), TRIED, made, never())
    await turn()
    converter.running[0]?.fail(new ConversionFailed('no', 'busy'))
    await assert.rejects(trial, { code: 'TooManyRequests' })
  })

  test('what failed is not converted again for a minute', async () => {
    const fail = async (): Promise<void> => {
      const asked = segments.segment(job(1), SOUND, made, never())
      const settled = asked.catch(() => undefined)
      await turn()
      converter.running[0]?.fail(new ConversionFailed('the program refuses it'))
      await settled
      await assert.rejects(asked, { code: 'MediaUnreadable', message: /the program refuses it/ })
    }
    await fail()
    await fail()
    assert.equal(converter.asked.length, 1)
    await clock.advance(60_000)
    await fail()
    assert.equal(converter.asked.length, 2)
  })
})
