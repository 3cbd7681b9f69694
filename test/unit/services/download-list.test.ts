// The shared list: unchanged records keep their text, an answer is shared for a while, and a request's own change is
// never missing from it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DownloadList } from '../../../src/services/downloads/download-list.ts'
import { StandingClock } from '../../kit/doubles/store-rig.ts'

function rig(count: number) {
  const clock = new StandingClock()
  const values: (number | undefined)[] = Array.from({ length: count }, (_, i) => i)
  const limits = { maxDownloadRate: 0, maxUploadRate: 0 }
  let [asked, made] = [0, 0]
  const all = values.map((_, i) => {
    let told: number | undefined
    return {
      changed: () => {
        asked += 1
        return told !== values[i]
      },
      recordJson: () => {
        made += 1
        told = values[i]
        return JSON.stringify({ value: values[i] })
      },
    }
  })
  const downloads = () => all.filter((_, i) => values[i] !== undefined)
  const list = new DownloadList(clock, downloads, () => limits)
  const read = async () => {
    const text = Buffer.concat(await list.json()).toString()
    return (JSON.parse(text) as { downloads: { value: number }[] }).downloads.map(({ value }) => value)
  }
  return { clock, values, limits, list, read, asked: () => asked, made: () => made }
}

test('every record is there, in order, whatever the length', async () => {
  for (const count of [0, 1, 63, 64, 65, 1000]) {
    const { read, values } = rig(count)
    assert.deepEqual(await read(), values)
  }
})

test('a long list is shared for 100 ms, then holds what changed', async () => {
  const { clock, values, list, read, asked, made } = rig(1000)
  clock.nowMs = 5000
  const first = await list.json()
  values[700] = -1
  clock.nowMs += 100
  assert.equal(await list.json(), first)
  assert.equal(made(), 1000)
  clock.nowMs += 1
  assert.equal((await read())[700], -1)
  // One record was made again; all were looked at.
  assert.equal(made(), 1001)
  assert.equal(asked(), 1000)
})

test('a list that did not change is the same list of parts, also when it is made again', async () => {
  const { clock, values, list } = rig(1000)
  const first = await list.json()
  clock.nowMs += 500
  assert.equal(await list.json(), first)
  values[5] = -5
  clock.nowMs += 500
  assert.notEqual(await list.json(), first)
})

test('records that move to other places, or come and go, are not made again', async () => {
  const { values, list, read, made } = rig(1000)
  await read()
  values[3] = undefined
  values[640] = undefined
  list.changed()
  const rest = await read()
  assert.equal(rest.length, 998)
  assert.deepEqual(rest.slice(0, 4), [0, 1, 2, 4])
  assert.equal(rest.at(-1), 999)
  assert.equal(made(), 1000)
  values[3] = 3
  list.changed()
  assert.deepEqual((await read()).slice(0, 5), [0, 1, 2, 3, 4])
  // What was gone for a while is made again.
  assert.equal(made(), 1001)
})

test('other limits are in every record', async () => {
  const { clock, list, limits, made } = rig(100)
  await list.json()
  limits.maxUploadRate = 5
  clock.nowMs += 101
  await list.json()
  assert.equal(made(), 200)
})

test('who asks together is answered by one look at the records', async () => {
  const { list, made } = rig(1000)
  const answers = await Promise.all(Array.from({ length: 10 }, () => list.json()))
  assert.ok(answers.every(answer => answer === answers[0]))
  assert.equal(made(), 1000)
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
