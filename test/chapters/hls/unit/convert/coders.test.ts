// Decoder and encoder in the thread at hand: what they refuse, and what becomes of one that has failed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AacEncoding } from '../../../../../src/chapters/hls/convert/aac-encoding.ts'
import { CoderFailed } from '../../../../../src/chapters/hls/convert/coder-failed.ts'
import { Ac3Decoder } from '../../../../../src/chapters/hls/coders/ac3-decoder.ts'
import { callCoder, startCoder } from '../../../../../src/chapters/hls/coders/coder-module.ts'
import { SoundConverter } from '../../../../../src/chapters/hls/convert/sound-converter.ts'

const silence = new Float32Array(4 * 1024)

test('each has a memory of its own, and functions that are not there are named', async () => {
  const [one, other] = [await startCoder('ac3'), await startCoder('ac3')]
  assert.notEqual(one.HEAPU8.buffer, other.HEAPU8.buffer)
  assert.throws(() => callCoder(one, 'init_everything', 1), /no init_everything/)
})

test('bytes that are no frame are refused, and the decoder takes the next', async () => {
  const decoder = Ac3Decoder.open(await Ac3Decoder.start(), 'ac3')
  const converter = new SoundConverter()
  await converter.warm()
  for (const bytes of [Uint8Array.of(1, 2, 3), new Uint8Array(0), new Uint8Array(1792).fill(0x0b)])
    assert.equal(decoder.decode(bytes), null)
  decoder.close()
  converter.end()
})

test('a rate that no encoder has is said', async () => {
  await assert.rejects(AacEncoding.start(1234), CoderFailed)
})

test('frames are given one later than they were fed, each once', async () => {
  const encoding = await AacEncoding.start(48_000)
  assert.deepEqual([...encoding.config.subarray(0, 2)], [0x11, 0x90])
  for (let turn = 0; turn < 3; turn += 1) {
    const frames = encoding.encode(silence, silence, () => undefined)
    assert.equal(frames.length, 2)
    for (const frame of frames) assert.ok(frame.length > 0)
  }
  encoding.end()
})
