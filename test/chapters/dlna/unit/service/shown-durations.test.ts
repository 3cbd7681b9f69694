// How long the films of a page play: who is looked at, how many at a time, and how long a page waits for it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MediaItem } from '../../../../../src/chapters/dlna/core/media-objects.ts'
import { ShownDurations } from '../../../../../src/chapters/dlna/service/shown-durations.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { hashOf } from '../../kit/made-downloads.ts'

interface Look {
  readonly infohash: string
  readonly asker: { readonly signal: AbortSignal }
  found(seconds: number | null): void
  fail(error: Error): void
}

function item(number: number, complete = true): MediaItem {
  const file = { index: 0, name: `${number}.mkv`, size: 1000, mime: 'video/x-matroska', subtitles: [] }
  const download = { infohash: hashOf(number), key: `k${number}`, name: file.name, labels: [], addedSec: 0, complete }
  const made = { ...download, files: [] }
  return {
    kind: 'item',
    id: `f${number}`,
    parentId: 'f',
    title: file.name,
    download: made,
    file,
  }
}

function rig(): {
  clock: VirtualClock
  looks: Look[]
  shown: ShownDurations
  page(items: MediaItem[]): Promise<number>
} {
  const clock = new VirtualClock()
  const looks: Look[] = []
  const shown = new ShownDurations({
    clock,
    durations: (infohash, _index, asker) =>
      new Promise((found, fail) => void looks.push({ infohash, asker, found, fail })),
  })
  /** Asks for a page and lets time go until it is there; answers how long that took. */
  const page = async (items: MediaItem[]): Promise<number> => {
    let over = false
    void shown.look(items).then(() => {
      over = true
    })
    return clock.until('the page', () => over)
  }
  return { clock, looks, shown, page }
}

test('films of complete downloads are looked at once, two at a time, and then known', async () => {
  const { clock, looks, shown, page } = rig()
  const items = [item(1), item(2), item(3), item(4, false)]
  const first = page(items)
  await clock.advance(10)
  assert.deepEqual(
    looks.map(({ infohash }) => infohash),
    [hashOf(1), hashOf(2)],
  )
  looks[0]?.found(61.5)
  await clock.advance(10)
  assert.equal(looks[2]?.infohash, hashOf(3))
  looks[1]?.found(null)
  looks[2]?.found(7)
  assert.ok((await first) < 100)
  assert.deepEqual(
    items.map(one => shown.of(one)),
    [61_500, null, 7000, null],
  )
  assert.equal(await page(items), 0)
  assert.equal(looks.length, 3)
  assert.equal(clock.pending, 0)
})

test('a page waits a moment; what is found later is in the next one', async () => {
  const { looks, shown, page } = rig()
  const items = [item(1)]
  assert.equal(await page(items), 700)
  assert.equal(shown.of(item(1)), null)
  assert.equal(await page(items), 700)
  assert.equal(looks.length, 1)
  looks[0]?.found(3)
  assert.equal(await page(items), 0)
  assert.equal(shown.of(item(1)), 3000)
})

test('what could not be known is looked at again after ten minutes', async () => {
  const { clock, looks, shown, page } = rig()
  const asked = page([item(1)])
  await clock.advance(1)
  looks[0]?.found(null)
  await asked
  await clock.advance(599_000)
  assert.equal(await page([item(1)]), 0)
  assert.equal(looks.length, 1)
  await clock.advance(1000)
  const again = page([item(1)])
  await clock.advance(1)
  looks[1]?.found(5)
  await again
  assert.equal(shown.of(item(1)), 5000)
})

test('one that cannot be looked at now is tried again after half a minute', async () => {
  const { clock, looks, shown, page } = rig()
  const asked = page([item(1)])
  await clock.advance(1)
  looks[0]?.fail(new Error('TooManyRequests'))
  await asked
  await clock.advance(29_000)
  assert.equal(await page([item(1)]), 0)
  await clock.advance(1000)
  const again = page([item(1)])
  await clock.advance(1)
  looks[1]?.found(5)
  await again
  assert.equal(shown.of(item(1)), 5000)
})

test('a length that is no time is not told', async () => {
  const { clock, looks, shown, page } = rig()
  for (const [at, seconds] of [1e306, -1, 0, Number.NaN, 2_592_000].entries()) {
    const asked = page([item(at + 1)])
    await clock.advance(1)
    looks[at]?.found(seconds)
    await asked
    assert.equal(shown.of(item(at + 1)), null)
  }
})

test('two pages wait at a time; more are answered with what is known', async () => {
  const { clock, shown } = rig()
  const answered: number[] = []
  for (const number of [1, 2, 3]) void shown.look([item(number)]).then(() => answered.push(number))
  await clock.advance(699)
  assert.deepEqual(answered, [3])
  await clock.advance(1)
  assert.deepEqual(answered, [3, 1, 2])
})

test('looks that wait and what is remembered are bounded', async () => {
  const { clock, looks, shown, page } = rig()
  const items = Array.from({ length: 9000 }, (_, number) => item(number + 1))
  const all = page(items)
  await clock.advance(1)
  assert.equal(shown.looks, 258)
  let told = 0
  for (let pages = 0; looks.length < items.length && pages < 100; pages += 1) {
    const asked = page(items)
    for (let at = 0; at < 200; at += 1) {
      for (; told < looks.length; told += 1) looks[told]?.found(1)
      await clock.advance(0)
    }
    await asked
    if (shown.of(items.at(-1) as MediaItem) !== null) break
  }
  await all
  assert.equal(items.filter(one => shown.of(one) !== null).length, 8192)
})

test('its end ends the looks; nothing is remembered of them, and no page waits', async () => {
  const { clock, looks, shown, page } = rig()
  const asked = page([item(1), item(2), item(3)])
  await clock.advance(1)
  shown.stop()
  assert.ok(looks.every(({ asker }) => asker.signal.aborted))
  for (const { found } of looks) found(9)
  await asked
  assert.equal(shown.of(item(1)), null)
  assert.equal(looks.length, 2)
  await page([item(4)])
  assert.equal(looks.length, 2)
})
