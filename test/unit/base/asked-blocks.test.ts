// The requests of a peer: in typed arrays they behave as the Map that they took the place of.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AskedBlocks } from '../../../src/base/asked-blocks.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

test('any order of asking and answering: what is left, how many, the oldest and the times are those of a Map', () => {
  const random = new SeededRandom(22)
  const asked = new AskedBlocks()
  const model = new Map<number, number>()
  let next = 0
  for (let step = 0; step < 50_000; step++) {
    const most = step % 10_000 < 5000 ? 500 : 40
    if (model.size < most && random.below(2) === 0) {
      // Numbers of the last blocks of a torrent of 2^50 bytes do not fit 32 bits.
      const id = 2 ** 36 - next++
      asked.add(id, step)
      model.set(id, step)
    } else if (model.size > 0) {
      const ids = [...model.keys()]
      const id = ids[random.below(Math.min(ids.length, 90))] as number
      assert.equal(asked.take(id), model.get(id))
      assert.equal(asked.take(id), -1, 'it is over')
      model.delete(id)
    }
    assert.equal(asked.size, model.size)
    if (step % 97 === 0) assert.deepEqual(asked.ids(), [...model.keys()])
    const [id = -1, askedMs = -1] = [...(model.entries().next().value ?? [])]
    assert.deepEqual(asked.oldest(), { id, askedMs })
  }
  for (const id of model.keys()) assert.ok(asked.has(id))
  asked.clear()
  assert.deepEqual([asked.size, asked.ids(), asked.has(2 ** 36)], [0, [], false])
})
