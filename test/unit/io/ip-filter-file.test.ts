// Lists in files: plain and packed, read again when they change, never half of one, and the old one kept when a new one
// cannot be had.

import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { AppError } from '../../../src/base/errors.ts'
import { IpFilterFiles } from '../../../src/io/files/ip-filter-file.ts'
import { encodeFilterList, type FilterRanges } from '../../../src/wire/net/ip-filter.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../kit/wait-for.ts'

const LOOK_MS = 1000

function rig(t: TestContext, names: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-filter-'))
  const paths = names.map(name => join(folder, name))
  const clock = new VirtualClock()
  const taken: string[] = []
  const hooks = { take: (): Promise<void> => Promise.resolve() }
  const files = new IpFilterFiles(
    { files: paths, lookMs: LOOK_MS },
    {
      clock,
      log: silentLog,
      take: async (ranges: FilterRanges) => {
        await hooks.take()
        taken.push(encodeFilterList(ranges))
      },
    },
  )
  t.after(async () => {
    await files.stop()
    rmSync(folder, { recursive: true })
  })
  // Two looks see that a file changed and that nobody writes it any more; between them the disk needs real time.
  const looks = async (done: () => boolean): Promise<void> => {
    await waitFor('the list', async () => {
      await clock.advance(LOOK_MS)
      return done()
    })
  }
  return { folder, paths, files, taken, hooks, looks, clock, path: (at: number) => paths[at] ?? '' }
}

const refused = (error: unknown): boolean => error instanceof AppError && error.code === 'BadConfiguration'

test('plain and packed lists together are one filter', async t => {
  const { files, taken, path } = rig(t, ['a.p2p', 'b.dat.gz'])
  writeFileSync(path(0), 'x:1.0.0.0-1.0.0.1\nbroken\n')
  // Two members, as appending to a packed file makes them.
  writeFileSync(path(1), Buffer.concat([gzipSync('2.0.0.0 - 2.0.0.1 , 000 , x\n'), gzipSync('3.0.0.0/31\n')]))
  await files.start()
  assert.deepEqual(taken, ['1.0.0.0-1.0.0.1\n2.0.0.0-2.0.0.1\n3.0.0.0-3.0.0.1\n'])
  assert.deepEqual(files.state, { ranges: 3, lines: 4, broken: 1, problem: null })
})

test('a changed file is read again, once', async t => {
  const { files, taken, path, looks, clock } = rig(t, ['a'])
  writeFileSync(path(0), '1.0.0.0\n')
  await files.start()
  writeFileSync(path(0), '2.0.0.0\n3.0.0.0\n')
  await looks(() => taken.length === 2)
  assert.equal(taken[1], '2.0.0.0-2.0.0.0\n3.0.0.0-3.0.0.0\n')
  for (let look = 0; look < 5; look++) await clock.advance(LOOK_MS)
  assert.equal(taken.length, 2)
})

test('a file put in place of another is read', async t => {
  const { folder, files, taken, path, looks } = rig(t, ['a'])
  writeFileSync(path(0), '1.0.0.0\n')
  await files.start()
  writeFileSync(join(folder, 'new'), '4.0.0.0\n')
  renameSync(join(folder, 'new'), path(0))
  await looks(() => taken.length === 2)
  assert.equal(taken[1], '4.0.0.0-4.0.0.0\n')
})

test('a missing or damaged file leaves the old list in force, and its return is seen', async t => {
  const { files, taken, path, looks } = rig(t, ['a'])
  writeFileSync(path(0), '1.0.0.0\n')
  await files.start()
  rmSync(path(0))
  await looks(() => files.state.problem !== null)
  const whole = gzipSync('5.0.0.0\n'.repeat(1000))
  writeFileSync(path(0), whole.subarray(0, whole.length - 9))
  await looks(() => files.state.problem?.includes('unexpected end') === true)
  assert.equal(taken.length, 1)
  writeFileSync(path(0), '6.0.0.0\n')
  await looks(() => taken.length === 2)
  assert.equal(files.state.problem, null)
})

test('a list that cannot be put in force is a problem, and the next one is taken', async t => {
  const { files, taken, path, hooks, looks } = rig(t, ['a', 'b'])
  writeFileSync(path(0), '1.0.0.0\n')
  writeFileSync(path(1), '2.0.0.0\n')
  let changes = 0
  hooks.take = () => {
    changes += 1
    return Promise.reject(new Error('no room'))
  }
  await assert.rejects(files.start(), refused)
  assert.deepEqual([changes, taken.length], [1, 0], 'what cannot be put in force is a problem')
  hooks.take = () => Promise.resolve()
  writeFileSync(path(0), '3.0.0.0\n3.0.0.1\n')
  await looks(() => taken.length === 1)
  assert.equal(taken[0], '3.0.0.0-3.0.0.0\n3.0.0.1-3.0.0.1\n2.0.0.0-2.0.0.0\n')
})

test('a list that is not there at the start is an error; a folder is one too', async t => {
  await assert.rejects(rig(t, ['none']).files.start(), refused)
  const { folder, files } = rig(t, [])
  await files.start()
  await files.setFiles([folder])
  assert.match(files.state.problem ?? '', /no regular file/)
})

test('other files take the place of the old ones at once', async t => {
  const { folder, files, taken, path } = rig(t, ['a'])
  writeFileSync(path(0), '1.0.0.0\n')
  await files.start()
  writeFileSync(join(folder, 'b'), '7.0.0.0\n')
  await files.setFiles([join(folder, 'b')])
  assert.equal(taken[1], '7.0.0.0-7.0.0.0\n')
  await files.setFiles([])
  assert.equal(taken[2], '')
})
