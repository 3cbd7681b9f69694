// The shared list: unchanged records keep their text, an answer is shared for a while, and a request's own change is
// never missing from it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DownloadList } from '../../../src/services/download-list.ts'
import { StandingClock } from '../../kit/store-rig.ts'

const LIMITS = { maxDownloadRate: 0, maxUploadRate: 0 }

function rig(count: number) {
  const clock = new StandingClock()
  const values = Array.from({ length: count }, (_, i) => i)
  let asked = 0
  const downloads = () =>
    values.map((_, i) => ({
      recordJson: () => {
        asked += 1
        return JSON.stringify({ value: values[i] })
      },
    }))
  const list = new DownloadList(clock, downloads, () => LIMITS)
  const read = async () => {
    const text = Buffer.from(await list.json()).toString()
    return (JSON.parse(text) as { downloads: { value: number }[] }).downloads.map(({ value }) => value)
  }
  return { clock, values, list, read, asked: () => asked }
}

test('every record is there, in order, whatever the length', async () => {
  for (const count of [0, 1, 63, 64, 65, 1000]) {
    const { read, values } = rig(count)
    assert.deepEqual(await read(), values)
  }
})

test('a long list is shared for 100 ms, then holds what changed', async () => {
  const { clock, values, list, read, asked } = rig(1000)
  clock.nowMs = 5000
  const first = await list.json()
  values[700] = -1
  clock.nowMs += 100
  assert.equal(await list.json(), first)
  assert.equal(asked(), 1000)
  clock.nowMs += 1
  assert.equal((await read())[700], -1)
  assert.equal(asked(), 2000)
})

test('who asks together is answered by one look at the records', async () => {
  const { list, asked } = rig(1000)
  const answers = await Promise.all(Array.from({ length: 10 }, () => list.json()))
  assert.ok(answers.every(answer => answer === answers[0]))
  assert.equal(asked(), 1000)
})

test('the change of an answered request is in the next answer, also while one is being made', async () => {
  const { values, list, read } = rig(1000)
  const early = list.json()
  values[3] = -3
  values[990] = -990
  list.changed()
  const late = await read()
  assert.equal(late[3], -3)
  assert.equal(late[990], -990)
  await early
  values.pop()
  list.changed()
  assert.equal((await read()).length, 999)
})

test('a short list is never late', async () => {
  const { values, read } = rig(10)
  await read()
  values[0] = 77
  assert.equal((await read())[0], 77)
})
