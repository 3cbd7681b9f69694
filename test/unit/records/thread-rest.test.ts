// What a database thread lets go of when a start is over.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { packMessage } from '../../../src/records/packer.ts'
import { restThread } from '../../../src/records/thread-rest.ts'
import { waitFor } from '../../kit/wait-for.ts'

test('the room that a long message was packed in is let go of', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held = (): number => {
    collect()
    return process.memoryUsage().arrayBuffers
  }
  const before = held()
  const long = 'a row of a list that a start reads '.repeat(100_000)
  assert.ok(packMessage({ kind: 'answers', answers: [long] }).bytes.length > long.length)
  assert.ok(held() > before + long.length, 'msgpackr keeps what it has packed in')
  // The machine code need not be there.
  restThread('/nowhere/tributary.node')
  // V8 frees it on a thread of its own.
  await waitFor('the room is free', () => held() < before + 2 ** 20, 5000)
})
