// What of the downloads is shown, and when it is looked at again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { MediaLibrary } from '../../../../../src/chapters/dlna/service/media-library.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { hashOf, type MadeDownload, madeDownload, MadeDownloads } from '../../kit/made-downloads.ts'

function rig(...all: MadeDownload[]): {
  library: MediaLibrary
  made: MadeDownloads
  clock: VirtualClock
  changes: () => number
  titles: () => Promise<string[]>
} {
  const made = new MadeDownloads(all)
  const clock = new VirtualClock()
  let changes = 0
  const library = new MediaLibrary({
    clock,
    downloads: made.service,
    keyOf: infohash => infohash.slice(-16),
    changed: () => {
      changes += 1
    },
  })
  const titles = async (): Promise<string[]> => {
    await clock.advance(3000)
    return ((await library.current()).children('f') ?? []).map(({ title }) => title)
  }
  return { library, made, clock, changes: () => changes, titles }
}

test('shown is what has films, is known and runs or is complete; never what goes over circuits', async () => {
  const { titles } = rig(
    madeDownload(1),
    madeDownload(2, { hops: 1 }),
    madeDownload(3, { total_pieces: 0 }),
    madeDownload(4, { progress: 0.5, status: 'DLSTATUS_DOWNLOADING' }),
    madeDownload(5, { progress: 0.5, status: 'DLSTATUS_STOPPED' }),
    madeDownload(6, { progress: 0.5, status: 'DLSTATUS_STOPPED', queued: true }),
    madeDownload(7, { status: 'DLSTATUS_STOPPED' }),
    madeDownload(8, { progress: 0.9, status: 'DLSTATUS_STOPPED_ON_ERROR' }),
    madeDownload(9, { files: [{ name: 'a.iso', size: 1, included: true }] }),
    madeDownload(10, { files: [{ name: 'film 10.mkv', size: 1, included: false }] }),
  )
  assert.deepEqual(await titles(), ['film 1', 'film 4', 'film 6', 'film 7'])
})

test('the number of the state stays while nothing changes, whatever is asked, and is another after a change', async () => {
  const { library, made, changes, titles } = rig(madeDownload(1), madeDownload(2))
  await titles()
  const before = library.latest
  assert.equal(changes(), 1)
  for (let at = 0; at < 5; at += 1) await titles()
  assert.equal(library.latest, before)
  assert.equal(changes(), 1)
  ;(made.all[0] as MadeDownload).name = 'renamed'
  await titles()
  assert.notEqual(library.latest.updateId, before.updateId)
  assert.equal(changes(), 2)
  made.all.pop()
  assert.deepEqual(await titles(), ['film 1'])
  assert.equal(changes(), 3)
})

test('progress alone changes nothing; the end of a download does', async () => {
  const { library, made, titles } = rig(madeDownload(1, { progress: 0.1, status: 'DLSTATUS_DOWNLOADING' }))
  await titles()
  const { updateId } = library.latest
  const [download] = made.all as [MadeDownload]
  download.progress = 0.7
  await titles()
  assert.equal(library.latest.updateId, updateId)
  download.progress = 1
  await titles()
  assert.notEqual(library.latest.updateId, updateId)
  assert.deepEqual(library.latest.children('p'), [])
})

test('downloads are looked at once in a while however often somebody asks, files of complete ones seldom', async () => {
  const { library, made, clock, titles } = rig(madeDownload(1), madeDownload(2))
  await titles()
  const [{ looks }, fileLooks] = [made, made.fileLooks]
  await Promise.all(Array.from({ length: 50 }, () => library.current()))
  assert.equal(made.looks, looks)
  await clock.advance(50_000)
  await Promise.all(Array.from({ length: 50 }, () => library.current()))
  assert.equal(made.looks, looks + 1)
  assert.equal(made.fileLooks, fileLooks)
})

test('files of complete downloads that are selected or deselected come and go; a look takes some of many', async () => {
  const all = Array.from({ length: 200 }, (_, at) =>
    madeDownload(at + 1, {
      files: [
        { name: 'a.mkv', size: 1, included: true },
        { name: 'b.mkv', size: 1, included: at % 2 === 0 },
      ],
    }),
  )
  const { library, made, clock, titles } = rig(...all)
  await titles()
  for (const { files } of all) (files[1] as { included: boolean }).included = false
  await clock.advance(120_000)
  const before = made.fileLooks
  await titles()
  assert.equal(made.fileLooks - before, 50)
  for (let at = 0; at < 3; at += 1) await titles()
  assert.equal(made.fileLooks - before, 200)
  assert.ok((library.latest.children('f') ?? []).every(({ title }) => title === 'a'))
})

test('files that are selected later come after a while', async () => {
  const { made, clock, titles } = rig(
    madeDownload(1, {
      progress: 0.5,
      status: 'DLSTATUS_DOWNLOADING',
      files: [
        { name: 'a.mkv', size: 1, included: true },
        { name: 'b.mkv', size: 1, included: false },
      ],
    }),
  )
  assert.deepEqual(await titles(), ['a'])
  ;((made.all[0] as MadeDownload).files[1] as { included: boolean }).included = true
  await clock.advance(61_000)
  assert.deepEqual(await titles(), ['film 1'])
})

test('a download that cannot be read now is passed over, and found later', async () => {
  const { made, titles } = rig(madeDownload(1))
  const late = madeDownload(2)
  const { files } = late
  Object.defineProperty(late, 'files', {
    configurable: true,
    get: () => {
      throw new AppError('NotReady')
    },
  })
  made.all.push(late)
  assert.deepEqual(await titles(), ['film 1'])
  Object.defineProperty(late, 'files', { value: files })
  assert.deepEqual(await titles(), ['film 1', 'film 2'])
})

test('a look that hangs is waited for a while, then what was seen last is answered', async () => {
  const { library, made, clock, titles } = rig(madeDownload(1))
  await titles()
  const { list } = made.service
  let goOn: () => void = () => undefined
  const gate = new Promise<void>(resolve => {
    goOn = resolve
  })
  const slow = {
    ...made.service,
    list: async function* () {
      await gate
      yield* list({ peers: false, pieces: false, files: false })
    },
  }
  const hanging = new MediaLibrary({ clock, downloads: slow, keyOf: one => one.slice(-16), changed: () => undefined })
  const asked = hanging.current()
  await clock.advance(8001)
  assert.deepEqual((await asked).children('f'), [])
  goOn()
  await clock.advance(1)
  await clock.advance(3000)
  assert.equal((await hanging.current()).children('f')?.length, 1)
  assert.equal(library.latest.children('f')?.length, 1)
})

test('whether something may be played is asked of the download as it is now', async () => {
  const { library, made } = rig(madeDownload(1))
  assert.equal(await library.mayPlay(hashOf(1), 0), true)
  assert.equal(await library.mayPlay(hashOf(1), 1), false)
  assert.equal(await library.mayPlay(hashOf(2), 0), false)
  const [file] = (made.all[0] as MadeDownload).files
  assert.ok(file !== undefined)
  file.included = false
  assert.equal(await library.mayPlay(hashOf(1), 0), false)
  file.included = true
  ;(made.all[0] as MadeDownload).hops = 2
  assert.equal(await library.mayPlay(hashOf(1), 0), false)
})
