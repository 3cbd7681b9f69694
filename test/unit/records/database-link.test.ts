// The link to a database thread that dies, hangs or reports damage.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InfoHash } from '../../../src/base/ids.ts'
import { DatabaseLink } from '../../../src/records/database-link.ts'
import type { LazyTotals } from '../../../src/records/lazy-totals.ts'
import { RecordsLink } from '../../../src/records/records-link.ts'
import { DatabaseProgress } from '../../../src/records/small-records.ts'
import { codeOf } from './records-kit.ts'

const DYING_WORKER = new URL('./dying-worker.js', import.meta.url)

function startLink(fatal: string[], worker = DYING_WORKER): RecordsLink {
  return new RecordsLink(worker, { path: '', bootId: null, nowMs: 0 }, { onFatal: error => fatal.push(error.code) })
}

test('when the thread dies every promise settles and the node hears of it once', async () => {
  const fatal: string[] = []
  const link = startLink(fatal)
  await link.opened()
  const first = codeOf(link.run('node.get', 'answer'))
  assert.equal(await first, 'none')
  const lost = Array.from({ length: 2000 }, () => codeOf(link.run('node.get', 'die')))
  assert.deepEqual(new Set(await Promise.all(lost)), new Set(['WorkerLost']))
  assert.equal(await codeOf(link.run('node.get', 'late')), 'WorkerLost')
  assert.equal(await link.close(1000), false)
  assert.deepEqual(fatal, ['WorkerLost'])
})

test('a link that is closed at once closes its thread in order', async () => {
  const fatal: string[] = []
  const link = startLink(fatal)
  const opened = link.opened()
  assert.equal(await link.close(5000), true)
  await opened
  assert.deepEqual(fatal, [])
})

test('pieces that are verified close together share a batch, and go along with what hurries', async () => {
  const link = startLink([])
  await link.opened()
  const verified = (): Promise<unknown> => link.run('progress.verified', 'size' as InfoHash, [1], 0)
  const start = performance.now()
  assert.equal(await verified(), 1, 'the first one goes at once')
  const spread: Promise<unknown>[] = []
  for (let i = 0; i < 5; i++) {
    spread.push(verified())
    await new Promise(setImmediate)
  }
  const early = performance.now() - start
  const sizes = await Promise.all(spread)
  // On a machine that stood still for longer than they are gathered there is nothing to see.
  if (early < 15) assert.deepEqual(sizes, [5, 5, 5, 5, 5])
  const along = verified()
  assert.equal(await link.run('node.get', 'size'), 2)
  assert.equal(await along, 2)
  const last = verified()
  const closed = link.close(1000)
  assert.equal(await last, 1)
  await closed
})

test('a piece that somebody waits for is not gathered with those that come after it', async () => {
  const link = startLink([])
  await link.opened()
  const verified = (): Promise<unknown> => link.run('progress.verified', 'size' as InfoHash, [1], 0)
  await verified()
  link.hasten()
  const awaited = verified()
  link.hasten()
  const later: Promise<unknown>[] = []
  for (let i = 0; i < 5; i++) {
    await new Promise(setImmediate)
    later.push(verified())
  }
  assert.equal(await awaited, 1)
  await Promise.all(later)
  await link.close(1000)
})

test('progress hurries the database only for pieces that somebody waits for', async () => {
  const calls: string[] = []
  const link = {
    join: async (name: string, _: unknown, _hash: InfoHash, pieces: number[]) => calls.push(`${name} ${pieces}`),
    hasten: () => calls.push('hasten'),
  }
  const progress = new DatabaseProgress(link as unknown as RecordsLink, {} as LazyTotals, () => 0)
  await progress.pieceVerified('' as InfoHash, 1, false)
  await progress.pieceVerified('' as InfoHash, 2, true)
  assert.deepEqual(calls, ['progress.verified 1', 'progress.verified 2', 'hasten'])
})

test('pieces of a torrent that wait for a batch are one job, but for those with another job between', async () => {
  const link = startLink([])
  await link.opened()
  let now = 0
  const progress = new DatabaseProgress(link, {} as LazyTotals, () => ++now)
  const settled: number[] = []
  const verified = (hash: string, piece: number): Promise<unknown> =>
    progress.pieceVerified(hash as InfoHash, piece, false).then(() => settled.push(piece))
  const all = [verified('size', 1), verified('size', 2), verified('size', 3)]
  all.push(link.run('progress.reset', 'size' as InfoHash))
  all.push(verified('size', 4), verified('other', 5), verified('other', 6))
  assert.equal(link.waiting, 4, 'what is verified after a reset is no part of what was before it')
  await Promise.all(all)
  assert.deepEqual(settled.toSorted(), [1, 2, 3, 4, 5, 6])
  const later = verified('size', 7)
  assert.equal(link.waiting, 1, 'a job that was sent takes nothing up')
  await later
  await link.close(1000)
})

test('pieces that are one job are journalled with the time of the last', async () => {
  const jobs: unknown[][] = []
  const link = {
    join: (_: string, into: (args: unknown[]) => boolean, ...args: unknown[]) => {
      if (jobs.length === 0 || !into(jobs[0] as unknown[])) jobs.push(args)
      return Promise.resolve()
    },
    hasten: () => undefined,
  }
  let now = 0
  const progress = new DatabaseProgress(link as unknown as RecordsLink, {} as LazyTotals, () => ++now)
  for (let piece = 0; piece < 513; piece++) await progress.pieceVerified('a' as InfoHash, piece, false)
  await progress.pieceVerified('b' as InfoHash, 0, false)
  // What was written after the time in the journal would count as a change by another program.
  assert.deepEqual(
    jobs.map(([hash, pieces, atMs]) => [hash, (pieces as number[]).length, atMs]),
    [
      ['a', 512, 512],
      ['a', 1, 513],
      ['b', 1, 514],
    ],
  )
})

test('damage found while running rejects the job and tells the node', async () => {
  const fatal: string[] = []
  const link = startLink(fatal)
  assert.equal(await codeOf(link.run('node.get', 'damaged')), 'StateUnreadable')
  assert.equal(await codeOf(link.run('node.get', 'damaged')), 'StateUnreadable')
  assert.deepEqual(fatal, ['StateUnreadable'])
  await link.close(1000)
})

test('a thread that hangs is given up at the deadline', async () => {
  const fatal: string[] = []
  const link = startLink(fatal)
  await link.opened()
  const hanging = codeOf(link.run('node.get', 'hang'))
  assert.equal(await link.close(100), false)
  assert.equal(await hanging, 'Aborted')
  assert.deepEqual(fatal, [])
})

test('a thread that dies before it opens rejects opened() and tells nobody else', async () => {
  const fatal: string[] = []
  const link = startLink(fatal, new URL('./no-such-file.js', import.meta.url))
  assert.equal(await codeOf(link.opened()), 'WorkerLost')
  assert.deepEqual(fatal, [])
})

interface SmallJobs {
  look: { args: [what: string]; reply: number }
  offer: { args: [what: string]; reply: number }
}

test('jobs of the background go when nothing else waits, in their order and in smaller batches', async () => {
  const background = new Set(['offer'] as const)
  const kind = { what: 'things', patient: new Set<keyof SmallJobs>(), background, backgroundBytes: 1000 }
  const link = new DatabaseLink<SmallJobs, unknown>(DYING_WORKER, {}, kind, { onFatal: () => undefined })
  const order: string[] = []
  const note = (name: string, size: Promise<number>): Promise<unknown> => size.then(n => order.push(`${name} of ${n}`))
  const offers = [1, 2, 3, 4, 5].map(n => note(`offer ${n}`, link.run('offer', 'size')))
  const looks = [1, 2].map(n => note(`look ${n}`, link.run('look', 'size')))
  await Promise.all([...offers, ...looks])
  assert.deepEqual(order, [
    'look 1 of 2',
    'look 2 of 2',
    ...[1, 2, 3].map(n => `offer ${n} of 3`),
    'offer 4 of 2',
    'offer 5 of 2',
  ])
  await link.close(1000)
})
