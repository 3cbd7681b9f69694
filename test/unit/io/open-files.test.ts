// OpenFiles: the bound, sharing, waiting, checking again, and closing exactly once.

import assert from 'node:assert/strict'
import { closeSync, fstatSync, mkdtempSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { type FileSource, OpenFiles } from '../../../src/io/files/open-files.ts'
import { StandingClock } from '../../kit/doubles/store-rig.ts'

interface Rig {
  readonly folder: string
  readonly source: FileSource
  readonly files: OpenFiles
  readonly clock: StandingClock
  readonly opened: number[]
  looks: number
}

function makeRig(t: TestContext, capacity: number): Rig {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-open-'))
  const path = (index: number): string => join(folder, String(index))
  for (let i = 0; i < 20; i++) writeFileSync(path(i), 'x')
  const clock = new StandingClock()
  const files = new OpenFiles({ capacity }, { clock })
  const rig: Rig = {
    folder,
    files,
    clock,
    looks: 0,
    opened: [],
    source: {
      open: index => {
        const fd = openSync(path(index), 'r+')
        rig.opened.push(fd)
        const { dev, ino } = fstatSync(fd, { bigint: true })
        return Promise.resolve({ fd, dev, ino, atOnce: 'none' as const })
      },
      identify: index => {
        rig.looks++
        const { dev, ino } = statSync(path(index), { bigint: true })
        return Promise.resolve({ dev, ino })
      },
      pathOf: path,
      place: folder,
    },
  }
  t.after(async () => {
    await files.close()
    for (const fd of new Set(rig.opened)) assert.throws(() => closeSync(fd), /EBADF/, `descriptor ${fd} stayed open`)
    rmSync(folder, { recursive: true })
  })
  return rig
}

test('a descriptor is shared, kept, and closed when its place is needed, oldest first', async t => {
  const rig = makeRig(t, 2)
  const [a] = await rig.files.acquire(rig.source, [0], true)
  const [b] = await rig.files.acquire(rig.source, [0], false)
  assert.equal(a?.fd, b?.fd)
  rig.files.release([a!, b!])
  for (const index of [1, 0, 2]) rig.files.release(await rig.files.acquire(rig.source, [index], true))
  assert.equal(rig.files.size, 2)
  const before = rig.opened.length
  rig.files.release(await rig.files.acquire(rig.source, [0], true))
  assert.equal(rig.opened.length, before, 'the newest was closed instead of the oldest')
  rig.files.release(await rig.files.acquire(rig.source, [1], true))
  assert.equal(rig.opened.length, before + 1)
})

test('never more than the bound is lent: others wait their turn', async t => {
  const rig = makeRig(t, 3)
  const two = await rig.files.acquire(rig.source, [0, 1], true)
  let third = false
  const waiting = rig.files.acquire(rig.source, [2, 3], true).then(files => ((third = true), files))
  const after = rig.files.acquire(rig.source, [4], true)
  await new Promise(setImmediate)
  assert.ok(!third)
  assert.ok(rig.files.size <= 3)
  rig.files.release(two)
  rig.files.release(await waiting)
  rig.files.release(await after)
  await assert.rejects(rig.files.acquire(rig.source, [0, 1, 2, 3], true), RangeError)
})

test('many at once under a small bound: all served, never more open than the bound', async t => {
  const rig = makeRig(t, 4)
  const use = async (index: number): Promise<void> => {
    const lent = await rig.files.acquire(
      rig.source,
      [index % 20, (index * 7 + 1) % 20].filter((x, i, all) => all.indexOf(x) === i),
      index % 2 === 0,
    )
    for (const { fd } of lent) assert.ok(fstatSync(fd).isFile())
    assert.ok(rig.files.size <= 4, `${rig.files.size} open`)
    await new Promise(setImmediate)
    rig.files.release(lent)
  }
  await Promise.all(Array.from({ length: 200 }, (_, i) => use(i)))
})

test('after a while the path is looked at again; a replaced file is not used any more', async t => {
  const rig = makeRig(t, 4)
  const again = async (): Promise<void> => rig.files.release(await rig.files.acquire(rig.source, [0], true))
  await again()
  await again()
  assert.equal(rig.looks, 0)
  rig.clock.nowMs += 1001
  await Promise.all([again(), again(), again()])
  assert.equal(rig.looks, 1)
  writeFileSync(join(rig.folder, 'new'), 'y')
  renameSync(join(rig.folder, 'new'), join(rig.folder, '0'))
  rig.clock.nowMs += 1001
  const outcomes = await Promise.allSettled([again(), again()])
  for (const outcome of outcomes)
    assert.ok(
      outcome.status === 'rejected' && outcome.reason instanceof AppError && outcome.reason.code === 'FileMissing',
    )
  await again()
})

test('drop closes idle descriptors at once and lent ones when they come back', async t => {
  const rig = makeRig(t, 4)
  const lent = await rig.files.acquire(rig.source, [0], true)
  rig.files.release(await rig.files.acquire(rig.source, [1], true))
  await rig.files.drop(rig.source)
  assert.equal(rig.files.size, 0)
  assert.ok(fstatSync(lent[0]!.fd).isFile())
  rig.files.release(lent)
  assert.throws(() => rig.files.release(lent), RangeError)
})

test('a file that cannot be opened: the others are given back', async t => {
  const rig = makeRig(t, 2)
  rmSync(join(rig.folder, '5'))
  await assert.rejects(
    rig.files.acquire({ ...rig.source, open: async index => rig.source.open(index, true) }, [1, 5], true),
    /ENOENT/,
  )
  const both = await rig.files.acquire(rig.source, [1, 2], true)
  rig.files.release(both)
})
