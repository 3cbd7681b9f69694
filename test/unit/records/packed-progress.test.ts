// Progress as it travels between threads, and long byte arrays beside their message.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packMessage, transferred, unpackMessage } from '../../../src/records/packer.ts'
import { packFacts, packResume, unpackFacts, unpackResume } from '../../../src/records/packed-progress.ts'
import { runSteps } from '../../../src/wire/steps.ts'

const facts = Array.from({ length: 10_000 }, (_, index) => ({
  index,
  exists: index % 3 > 0,
  sizeBytes: index * 1e9,
  mtimeMs: index + 0.25,
}))

test('facts of files come back as they were, in steps', () => {
  assert.deepEqual(runSteps(unpackFacts(packFacts(facts))), facts)
  assert.equal([...unpackFacts(packFacts(facts))].length, 2)
  assert.deepEqual(runSteps(unpackFacts(packFacts([]))), [])
})

test('what a torrent resumes from comes back, also out of a message that begins at an odd byte', () => {
  const resume = { have: Uint8Array.of(1, 2), suspect: [3, 70_000], files: facts.slice(0, 2), newestMs: 5 }
  for (const before of ['', 'a', 'ab', 'abc']) {
    const [, back] = unpackMessage(packMessage([before, packResume(resume)])) as [string, ReturnType<typeof packResume>]
    const found = runSteps(unpackResume(back))
    assert.deepEqual(found && { ...found, have: Uint8Array.from(found.have) }, resume)
  }
  assert.equal(runSteps(unpackResume(packResume(null))), null)
})

test('long byte arrays travel beside the message and come back in their places', () => {
  const [long, other] = [new Uint8Array(300_000).fill(7), Buffer.alloc(400_000, 9)]
  const message = { kind: 'batch', jobs: [{ name: 'x', args: ['id', long, { infoBytes: other, layers: null }] }] }
  const packed = packMessage(message)
  assert.ok(packed.bytes.length < 1000)
  assert.equal(transferred(packed).length, 3)
  const { jobs } = unpackMessage(packed) as typeof message
  const args = jobs[0]?.args as [string, Uint8Array, { infoBytes: Uint8Array }]
  assert.deepEqual(args[1], long)
  assert.ok(other.equals(args[2].infoBytes))
  // What is given away is a copy.
  assert.notEqual(packed.long[0]?.buffer, long.buffer)
})
