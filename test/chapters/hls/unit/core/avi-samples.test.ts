// Segments of AVI: every frame of the picture and of sound that lies across its chunks is there once, at its time.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aviSamples, aviTrack, readAviFilm } from '../../../../../src/chapters/hls/core/avi/avi-samples.ts'
import type { SegmentSamples } from '../../../../../src/chapters/hls/core/samples.ts'
import { orderOf, planOf, type SegmentPlan } from '../../../../../src/chapters/hls/core/segment-plan.ts'
import { readFacts } from '../../../../../src/chapters/media/probe/read-facts.ts'
import { madeAvi, soundStream, videoStream } from '../../../media/kit/made-avi.ts'
import { MemorySource } from '../../../media/kit/memory-source.ts'

const abilities = { sound: true, picture: true, without: '' }
const FRAMES = 250
const SOUNDS = Math.floor(FRAMES / 25 / 0.024)
/** MP3 of 128 kbit/s and 48 kHz: 384 bytes, 24 ms. */
const SOUND_BYTES = 384

/** A frame of MP3 with a number in it. */
function mp3(number: number): Buffer {
  const frame = Buffer.alloc(SOUND_BYTES, 1)
  frame.set([0xff, 0xfb, 0x94, 0x00])
  frame.writeUInt32LE(number, 4)
  return frame
}

/** Ten seconds, a key frame each 4.4 s, sound in chunks of 641 bytes, or of a frame. */
function film(unitBytes: number): { readonly source: MemorySource; readonly plan: Promise<SegmentPlan> } {
  const sound = Buffer.concat(Array.from({ length: SOUNDS }, (_, number) => mp3(number)))
  const chunks = Array.from({ length: FRAMES }, (_, number) => {
    const body = Buffer.alloc(8, 2)
    body.writeUInt32LE(number)
    return { type: '00dc', body, isKey: number % 110 === 0 }
  })
  const size = unitBytes === 0 ? SOUND_BYTES : 641
  const interleaved = chunks.flatMap((chunk, at) => {
    const begin = Math.floor((at * sound.length) / FRAMES / size)
    const end =
      at === FRAMES - 1 ? Math.ceil(sound.length / size) : Math.floor(((at + 1) * sound.length) / FRAMES / size)
    const sounds = Array.from({ length: end - begin }, (_, part) =>
      sound.subarray((begin + part) * size, (begin + part + 1) * size),
    )
    return [chunk, ...sounds.map(body => ({ type: '01wb', body, isKey: true }))]
  })
  const { bytes } = madeAvi([videoStream(25, 1), soundStream(unitBytes)], interleaved, 'list')
  if (unitBytes === 0) {
    // 1,152 samples at 48 kHz.
    const at = bytes.indexOf('auds')
    bytes.writeUInt32LE(48_000, at + 24)
  }
  const source = new MemorySource(bytes)
  const plan = readFacts(source).then(outcome => {
    const facts = outcome.kind === 'read' ? outcome.reading.facts : null
    assert.ok(facts !== null, JSON.stringify(outcome))
    return planOf(facts, bytes.length, null, { abilities, wantsH264: false })
  })
  return { source, plan }
}

const numberOf = (bytes: Uint8Array, at: number): number => Buffer.from(bytes).readUInt32LE(at)

describe('segments of AVI', () => {
  for (const unitBytes of [1, 0])
    test(unitBytes === 1 ? 'sound that lies across its chunks' : 'sound of a frame a chunk', async () => {
      const { source, plan: planned } = film(unitBytes)
      const plan = await planned
      assert.deepEqual(
        [plan.container, plan.packing, plan.byProgram, plan.cuts.length],
        ['avi', 'ts', { picture: 'mpeg4', sound: null }, 3],
      )
      const read = readAviFilm(source)
      const segments: SegmentSamples[] = plan.cuts.map((_, number) => {
        const order = orderOf(plan, `${number}.ts`)
        assert.ok(order !== null)
        return aviSamples(source, read, order)
      })
      const sounds = segments.flatMap(({ sound }) => sound?.samples ?? [])
      assert.deepEqual(
        sounds.map(({ bytes }) => numberOf(bytes, 4)),
        Array.from({ length: SOUNDS }, (_, number) => number),
      )
      for (const [number, { time }] of sounds.entries())
        assert.ok(Math.abs(time - number * 0.024) < 1e-6, `${number} at ${time}`)
      const pictures = segments.map(({ video }) => video.samples.map(({ bytes }) => numberOf(bytes, 0)))
      // Each from its key frame, which lies before its start, to what may be shown before its end.
      assert.deepEqual(
        pictures.map(numbers => [numbers[0], numbers.at(-1)]),
        [
          [0, 127],
          [110, 237],
          [220, 249],
        ],
      )
      assert.equal(segments[1]?.video.samples[0]?.time, 4.4)
      assert.deepEqual(
        plan.cuts.map(({ start }) => start),
        [0, 4.75, 9.15],
      )
      const track = aviTrack(read, 1, 'mpeg4')
      assert.deepEqual(
        [track.codecId, track.width, track.height, track.config?.length],
        ['V_MS/VFW/FOURCC', 320, 180, 40],
      )
      assert.equal(aviTrack(read, 2, 'mp3').codecId, 'A_MPEG/L3')
      assert.throws(() => aviTrack(read, 2, 'aac'), /not converted out of AVI/)
      assert.throws(() => aviTrack(read, 3, 'mp3'), /no track 3/)
    })
})
