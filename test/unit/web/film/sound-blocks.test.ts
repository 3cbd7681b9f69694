// Decoded sound in blocks of one length: nothing is lost, doubled or moved.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SoundBlocks } from '../../../../src/web/model/film/sound-blocks.ts'

const RATE = 1000
const ramp = (from: number, count: number) => Float32Array.from({ length: count }, (_, at) => (from + at) / 32_767)

/** All samples of the first channel, and where each block begins. */
function taken(blocks: SoundBlocks) {
  const all = blocks.take()
  return { at: all.map(({ at }) => at), samples: all.flatMap(({ planes }) => [...(planes[0] ?? [])]) }
}
const upTo = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)

test('samples that follow each other are cut into blocks, wherever they were cut before', () => {
  const blocks = new SoundBlocks(RATE, 2, 100)
  for (let at = 0; at < 350; at += 70) blocks.add([ramp(at, 70), ramp(0, 70)], 5 + at / RATE)
  assert.deepEqual(taken(blocks), { at: [5000, 5100, 5200], samples: upTo(0, 300) })
  blocks.finish()
  assert.deepEqual(taken(blocks), { at: [5300], samples: [...upTo(300, 50), ...upTo(0, 50).fill(0)] })
  blocks.finish()
  assert.deepEqual(taken(blocks).at, [], 'nothing is left')
})

test('times that are rounded move nothing', () => {
  const blocks = new SoundBlocks(RATE, 1, 100)
  for (const [at, error] of [0.004, -0.009, 0.012, 0].entries()) blocks.add([ramp(at * 50, 50)], at * 0.05 + error)
  assert.deepEqual(taken(blocks), { at: [4, 104], samples: upTo(0, 200) })
})

test('a gap is silence, what is said twice is left out', () => {
  const blocks = new SoundBlocks(RATE, 1, 100)
  blocks.add([ramp(1, 50)], 0)
  blocks.add([ramp(1, 50)], 0.08)
  assert.deepEqual(taken(blocks).samples, [...upTo(1, 50), ...upTo(0, 30).fill(0), ...upTo(1, 20)])
  blocks.add([ramp(500, 100)], 0.1)
  blocks.finish()
  assert.deepEqual(taken(blocks).samples.slice(0, 100), [...upTo(21, 30), ...upTo(530, 70)])
})

test('a long gap is left: the next block begins behind it', () => {
  const blocks = new SoundBlocks(RATE, 1, 100)
  blocks.add([ramp(1, 50)], 0)
  blocks.add([ramp(1, 100)], 60)
  const { at, samples } = taken(blocks)
  assert.deepEqual(at, [0, 60_000])
  assert.deepEqual(samples.slice(50), [...upTo(0, 50).fill(0), ...upTo(1, 100)])
})

test('too loud is as loud as it gets; a channel that goes away is silent', () => {
  const blocks = new SoundBlocks(RATE, 2, 2)
  blocks.add([Float32Array.of(2, -2)], 0)
  assert.deepEqual(
    blocks.take()[0]?.planes.map(plane => [...plane]),
    [
      [32_767, -32_768],
      [0, 0],
    ],
  )
})
