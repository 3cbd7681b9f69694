// What answers under way may hold together: an answer without room is refused, and its bytes are counted no more.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestMeter } from '../../../../src/http/request-meter.ts'
import { ListedJson } from '../../../../src/http/route.ts'
import { LongAnswers } from '../../../../src/http/uws/long-answers.ts'
import { type Reply, ReplyShare } from '../../../../src/http/uws/reply.ts'
import { SlowReaders } from '../../../../src/http/uws/slow-readers.ts'
import { StreamSchedule } from '../../../../src/http/uws/stream-schedule.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

const MIB = 1024 * 1024

function rig() {
  const clock = new VirtualClock()
  const share = new ReplyShare(
    () => undefined,
    () => undefined,
    { slow: new SlowReaders(new StreamSchedule(clock, 1000), clock), meter: new RequestMeter({ now: () => 0 }) },
  )
  const sent: number[] = []
  const gone: (() => void)[] = []
  const reply = {
    signal: new AbortController().signal,
    onAbort: (run: () => void) => gone.push(run),
  } as unknown as Reply
  const send = () => void sent.push(200)
  return { share, sent, gone, reply, send, answers: new LongAnswers(share) }
}

const megabytes = (count: number) => new ListedJson('l', () => Array.from({ length: count }, () => 'x'.repeat(MIB)))

test('bytes being made and bytes that wait for clients share one room', async () => {
  const { share, sent, reply, send, answers } = rig()
  const waiting = [Buffer.alloc(1)]
  share.wait(waiting)
  share.waitingBytes = 118 * MIB
  await assert.rejects(answers.answer(reply, megabytes(20), send), { code: 'TooManyRequests' })
  assert.equal(share.makingBytes, 0)
  await answers.answer(reply, megabytes(5), send)
  assert.equal(share.makingBytes, 0)
  share.makingBytes = 118 * MIB
  share.waitingBytes = 0
  await assert.rejects(answers.answer(reply, megabytes(20), send), { code: 'TooManyRequests' })
  assert.deepEqual(sent, [200])
})

test('no more than 256 wait for a place, and a place is free again after each end', async () => {
  const { share, sent, gone, reply, send, answers } = rig()
  const give: (() => void)[] = []
  const held = new ListedJson('l', async () => {
    await new Promise<void>(resolve => give.push(resolve))
    throw new Error('broken')
  })
  const all = Array.from({ length: 2 + 256 }, () =>
    answers.answer(reply, held, send).catch((error: Error) => error.message),
  )
  await assert.rejects(answers.answer(reply, held, send), { code: 'TooManyRequests' })
  assert.equal(give.length, 2)
  // The clients of the last 250 go.
  for (const run of gone.slice(6)) run()
  for (let done = 0; done < 8; done++) {
    while (give[done] === undefined) await new Promise(resolve => setImmediate(resolve))
    give[done]?.()
  }
  const ends = await Promise.all(all)
  assert.equal(ends.filter(end => end === 'broken').length, 8)
  assert.equal(share.makingBytes, 0)
  await answers.answer(reply, megabytes(1), send)
  assert.deepEqual(sent, [200])
})
