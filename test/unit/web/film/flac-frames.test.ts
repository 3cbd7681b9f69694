// Our FLAC, read back by ffmpeg: each sample is what it was.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { FRAME_SAMPLES, flacFrame, flacHead } from '../../../../src/web/model/film/flac-frames.ts'
import { needs } from '../../../kit/requirements.ts'

type Wave = (at: number, channel: number) => number

const signals: Readonly<Record<string, Wave>> = {
  silence: () => 0,
  'a level': () => -32_768,
  tone: (at, channel) => Math.round(20_000 * Math.sin((at * (channel + 1)) / 17)),
  'the loudest square': at => (at % 2 === 0 ? 32_767 : -32_768),
  // A generator of Lehmer: white over all 16 bits.
  noise: (at, channel) =>
    (Number((BigInt(at * 8 + channel + 1) * 48_271n * 48_271n) % 2_147_483_647n) % 65_536) - 32_768,
  'a click in silence': at => (at === 5000 ? 32_767 : 0),
  'soft, then loud': at => Math.round(at < FRAME_SAMPLES / 2 ? at % 3 : 30_000 * Math.sin(at)),
}

function planesOf(wave: Wave, channels: number, frame: number): Int16Array[] {
  return Array.from({ length: channels }, (_, channel) =>
    Int16Array.from({ length: FRAME_SAMPLES }, (__, at) => wave(frame * FRAME_SAMPLES + at, channel)),
  )
}

/** What ffmpeg hears, interleaved; fails at its first complaint. */
function heard(stream: Uint8Array): Int16Array {
  const arguments_ = ['-v', 'warning', '-xerror', '-f', 'flac', '-i', '-', '-f', 's16le', '-']
  const { status, stdout, stderr } = spawnSync('ffmpeg', arguments_, { input: stream, maxBuffer: 2 ** 28 })
  assert.equal(status, 0, String(stderr))
  assert.equal(String(stderr), '')
  return new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length / 2)
}

describe('FLAC', { skip: needs('ffmpeg') }, () => {
  for (const [name, wave] of Object.entries(signals))
    for (const [rate, channels] of [
      [48_000, 2],
      [44_100, 6],
      [22_050, 1],
    ] as const)
      test(`${name}, ${channels} channels at ${rate} Hz`, () => {
        const frames = [0, 1, 2].map(frame => planesOf(wave, channels, frame))
        const encoded = frames.map((planes, number) => flacFrame(planes, rate, number))
        const got = heard(Buffer.concat([flacHead(rate, channels), ...encoded]))
        const due = frames.flatMap(planes =>
          Array.from(
            { length: FRAME_SAMPLES * channels },
            (_, at) => planes[at % channels]?.[Math.floor(at / channels)],
          ),
        )
        assert.deepEqual([...got], due)
      })

  test('numbers of frames of all lengths', () => {
    const planes = planesOf(() => 0, 1, 0)
    const frames = Array.from({ length: 2500 }, (_, number) => flacFrame(planes, 48_000, number))
    assert.equal(heard(Buffer.concat([flacHead(48_000, 1), ...frames])).length, 2500 * FRAME_SAMPLES)
    // The fifth and sixth byte of UTF-8 would take days of sound: their form alone.
    const numberOf = (number: number) => [...flacFrame(planes, 48_000, number).subarray(4, 10)]
    assert.deepEqual(numberOf(0x7f).slice(0, 1), [0x7f])
    assert.deepEqual(numberOf(0x80).slice(0, 2), [0xc2, 0x80])
    assert.deepEqual(numberOf(0x20ac).slice(0, 3), [0xe2, 0x82, 0xac])
    assert.deepEqual(numberOf(0x1_f600).slice(0, 4), [0xf0, 0x9f, 0x98, 0x80])
    assert.deepEqual(numberOf(0x20_0000).slice(0, 5), [0xf8, 0x88, 0x80, 0x80, 0x80])
  })

  test('a tone takes less than half of its bytes', () => {
    const planes = planesOf(at => Math.round(8000 * Math.sin(at / 50)), 2, 0)
    assert.ok(flacFrame(planes, 48_000, 0).length < FRAME_SAMPLES * 2)
  })
})
