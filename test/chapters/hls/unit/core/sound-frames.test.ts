// Frames of sound found in a stream without borders: by real heads alone, from any byte on.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { soundFrames } from '../../../../../src/chapters/hls/core/avi/sound-frames.ts'
import { MAX_SAMPLES } from '../../../../../src/chapters/hls/core/samples.ts'

/** MP3 of 128 kbit/s and 44.1 kHz: 417 bytes. */
function mp3(fill: number): Buffer {
  const frame = Buffer.alloc(417, fill)
  frame.set([0xff, 0xfb, 0x90, 0x00])
  return frame
}

function ac3(): Buffer {
  const frame = Buffer.alloc(768, 7)
  // 192 kbit/s at 48 kHz.
  frame.set([0x0b, 0x77, 0, 0, 0x14])
  return frame
}

describe('frames of sound', () => {
  test('MP3 and AC-3, from the middle of a frame on, without the one that is cut', () => {
    const sound = Buffer.concat([mp3(1), mp3(2), mp3(3)])
    assert.deepEqual(soundFrames('mp3', sound), [
      { at: 0, length: 417 },
      { at: 417, length: 417 },
      { at: 834, length: 417 },
    ])
    assert.deepEqual(soundFrames('mp3', sound.subarray(100, 1200)), [{ at: 317, length: 417 }])
    const both = Buffer.concat([ac3(), ac3()])
    assert.deepEqual(soundFrames('ac3', both), [
      { at: 0, length: 768 },
      { at: 768, length: 768 },
    ])
  })

  test('what looks like a head within a frame is none', () => {
    const odd = mp3(1)
    odd.set([0xff, 0xfb, 0x90, 0x00], 200)
    assert.deepEqual(
      soundFrames('mp3', Buffer.concat([odd, mp3(2)]).subarray(10))?.map(({ at }) => at),
      [407],
    )
  })

  test('bytes that hold nothing, heads that say no length, and codecs without frames', () => {
    assert.deepEqual(soundFrames('mp3', new Uint8Array(0)), [])
    assert.deepEqual(soundFrames('mp3', new Uint8Array(5000).fill(0xff)), [])
    assert.deepEqual(soundFrames('ac3', Buffer.from([0x0b, 0x77, 0, 0, 0xff])), [])
    assert.equal(soundFrames('pcm', new Uint8Array(100)), null)
  })

  test('no more frames than a segment may have: megabytes of the shortest ones', () => {
    // MPEG-2 layer 3 of 8 kbit/s and 24 kHz: 24 bytes.
    const frame = Buffer.alloc(24)
    frame.set([0xff, 0xf3, 0x14, 0x00])
    const most = Buffer.concat(Array.from({ length: MAX_SAMPLES }, () => frame))
    assert.equal(soundFrames('mp3', most)?.length, MAX_SAMPLES)
    assert.throws(() => soundFrames('mp3', Buffer.concat([most, frame])), { name: 'DecodeError' })
  })
})
