// What followers of the list get: first everything, then differences, one for all that happened while they had no room.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDeferred } from '../../../src/base/deferred.ts'
import { DownloadDeltas } from '../../../src/services/downloads/download-deltas.ts'
import { DownloadList, type ListedDownload } from '../../../src/services/downloads/download-list.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../kit/wait-for.ts'

class Entry implements ListedDownload {
  readonly infohash: string
  #speed = 0
  #told = -1

  constructor(number: number) {
    this.infohash = String(number).padStart(40, '0')
  }

  set speed(speed: number) {
    this.#speed = speed
  }

  changed(): boolean {
    return this.#told !== this.#speed
  }

  recordJson(): string {
    this.#told = this.#speed
    return JSON.stringify({ infohash: this.infohash, speed: this.#speed })
  }
}

interface Part {
  readonly downloads: readonly { readonly infohash: string; readonly speed: number }[]
  readonly removed: readonly string[]
  readonly complete: boolean
}

function rig(count: number) {
  const clock = new VirtualClock()
  const entries = Array.from({ length: count }, (_, i) => new Entry(i))
  const list = new DownloadList(
    clock,
    () => entries,
    () => ({ maxDownloadRate: 0, maxUploadRate: 0 }),
  )
  const deltas = new DownloadDeltas(list, { clock, log: silentLog })
  const parts: Part[] = []
  const room: { full: Promise<void> | undefined } = { full: undefined }
  const listed = makeDeferred<void>()
  const subscription = deltas.follow(
    listed.promise,
    line => {
      const text = Buffer.from(line).toString()
      assert.ok(text.endsWith('\n'))
      const { type, event } = JSON.parse(text) as { type: string; event: Part }
      assert.equal(type, 'downloads_changed')
      parts.push(event)
      return true
    },
    () => room.full,
  )
  /** Time goes on until the condition holds. */
  const until = (what: string, holds: () => boolean) =>
    waitFor(what, async () => {
      await clock.advance(250)
      return holds()
    })
  return { clock, entries, list, parts, room, listed, subscription, until }
}

test('the whole list comes first, in parts, once it is known; an empty one too', async () => {
  const { parts, listed, until } = rig(150)
  await until('turns', () => true)
  assert.equal(parts.length, 0)
  listed.resolve()
  await until('the list', () => parts.at(-1)?.complete === true)
  assert.deepEqual(
    parts.map(part => [part.downloads.length, part.complete]),
    [
      [64, false],
      [64, false],
      [22, true],
    ],
  )
  const empty = rig(0)
  empty.listed.resolve()
  await empty.until('the empty list', () => empty.parts.length === 1)
  assert.deepEqual(empty.parts, [{ downloads: [], removed: [], complete: true }])
})

test('then only what changed, came or went', async () => {
  const { entries, list, parts, listed, until } = rig(200)
  listed.resolve()
  await until('the list', () => parts.at(-1)?.complete === true)
  parts.length = 0
  for (const at of [3, 70, 199]) (entries[at] as Entry).speed = 5
  await until('changes', () => parts.length > 0)
  assert.deepEqual(
    parts.flatMap(part => part.downloads.map(each => [Number(each.infohash), each.speed])),
    [
      [3, 5],
      [70, 5],
      [199, 5],
    ],
  )
  parts.length = 0
  const [gone] = entries.splice(10, 1)
  entries.push(new Entry(777))
  list.changed()
  await until('one more and one less', () => parts.length > 0)
  assert.deepEqual(parts[0]?.removed, [gone?.infohash])
  assert.deepEqual(
    parts.flatMap(part => part.downloads.map(each => Number(each.infohash))),
    [777],
  )
})

test('what is removed and added again is there', async () => {
  const { entries, list, parts, listed, until } = rig(3)
  listed.resolve()
  await until('the list', () => parts.length === 1)
  entries[1] = new Entry(1)
  list.changed()
  ;(entries[2] as Entry).speed = 1
  await until('a difference', () => parts.length === 2)
  assert.deepEqual(parts[1]?.removed, [])
  assert.deepEqual(
    parts[1]?.downloads.map(each => Number(each.infohash)),
    [1, 2],
  )
})

test('nothing is sent to a follower without room, and then one difference for all', async () => {
  const { clock, entries, parts, listed, room, until } = rig(5)
  listed.resolve()
  await until('the list', () => parts.length === 1)
  const space = makeDeferred<void>()
  room.full = space.promise
  for (let speed = 1; speed <= 20; speed++) {
    ;(entries[0] as Entry).speed = speed
    await clock.advance(1000)
  }
  assert.equal(parts.length, 1)
  room.full = undefined
  space.resolve()
  await until('the newest state', () => parts.at(-1)?.downloads[0]?.speed === 20)
  assert.ok(parts.length <= 3, `${parts.length} parts`)
})

test('after close() nothing is sent and no timer is left', async () => {
  const { clock, entries, parts, listed, subscription, until } = rig(5)
  listed.resolve()
  await until('the list', () => parts.length === 1)
  subscription.close()
  ;(entries[0] as Entry).speed = 9
  await clock.advance(20_000)
  assert.equal(parts.length, 1)
  assert.equal(clock.pending, 0)
})
