// Reads of which only the newest counts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LatestRead } from '../../../src/web/model/latest-read.ts'

/** A read that ends when it is told to; it does not look at its signal. */
function slow() {
  let resolve: (text: string) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<string>((...ends) => {
    ;[resolve, reject] = ends
  })
  const signals: AbortSignal[] = []
  const read = (signal: AbortSignal) => {
    signals.push(signal)
    return promise
  }
  return { read, resolve, reject, ended: () => signals.map(({ aborted }) => aborted) }
}

test('a slower answer does not win, and its request is ended', async () => {
  const reads = new LatestRead()
  const [first, second] = [slow(), slow()]
  const answers = [reads.run(first.read), reads.run(second.read)]
  assert.deepEqual([first.ended(), second.ended()], [[true], [false]])
  second.resolve('second')
  first.resolve('first')
  assert.deepEqual(await Promise.all(answers), [null, { value: 'second' }])
})

test('a failure is told, but not of what nobody waits for any more', async () => {
  const reads = new LatestRead()
  const failed = slow()
  const answer = reads.run(failed.read)
  failed.reject(new Error('away'))
  await assert.rejects(answer, /away/)
  const left = slow()
  const none = reads.run(left.read)
  reads.end()
  assert.deepEqual(left.ended(), [true])
  left.reject(new Error('aborted'))
  assert.equal(await none, null)
})
