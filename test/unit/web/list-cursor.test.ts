// The cursor of the list over rows that are here and rows that are on their way: what the user does next ends what
// waits, and a command reaches the row that the cursor went to, not the one where it was.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Deferred, makeDeferred } from '../../../src/base/deferred.ts'
import { ListCursor } from '../../../src/web/model/list-cursor.ts'
import type { ListedRow, Names, ShownList } from '../../../src/web/model/shown-list.ts'
import { download } from '../../contract/http/sample-records.ts'

/** Rows `n0`, `n1` and so on, of which some are here; the others are told when a test says so. */
class SlowList implements ShownList {
  length = 1000
  held: readonly [from: number, end: number] = [0, 50]
  readonly asked: { from: number; end: number; signal: AbortSignal; answer: Deferred<readonly string[]> }[] = []

  at(index: number): ListedRow | null {
    const [from, end] = this.held
    return index >= from && index < end ? { ...download, infohash: `n${index}` } : null
  }

  indexOf(infohash: string): number {
    const index = Number(infohash.slice(1))
    return infohash !== '' && this.at(index) !== null ? index : -1
  }

  names(from: number, end: number, signal: AbortSignal): Names {
    const names = Array.from({ length: end - from }, (_, at) => `n${from + at}`)
    if (this.at(from) !== null && this.at(end - 1) !== null) return names
    const answer = makeDeferred<readonly string[]>()
    this.asked.push({ from, end, signal, answer })
    return answer.promise
  }

  /** The node tells what was asked for. */
  async tell(): Promise<void> {
    for (const { from, end, answer } of this.asked.splice(0))
      answer.resolve(Array.from({ length: end - from }, (_, at) => `n${from + at}`))
    await nextTurn()
  }
}

function rig() {
  const list = new SlowList()
  const selections: string[][] = []
  const done: string[] = []
  const failures: unknown[] = []
  const cursor = new ListCursor(list, '', {
    moved: () => undefined,
    select: selected => void selections.push([...selected]),
    failed: error => void failures.push(error),
  })
  const act = () => cursor.act(infohash => void done.push(infohash))
  return { list, cursor, selections, done, failures, act }
}

test('among rows that are here everything is done at once', () => {
  const { cursor, selections, done, act } = rig()
  cursor.go(3, 'move')
  assert.deepEqual([cursor.active, cursor.index], ['n3', 3])
  cursor.go(5, 'range')
  assert.deepEqual(selections, [['n3', 'n4', 'n5']])
  cursor.go(1, 'range')
  assert.deepEqual(selections.at(-1), ['n1', 'n2', 'n3'])
  act()
  assert.deepEqual(done, ['n1'])
})

test('a command waits for the row that the cursor went to, and never reaches the one of before', async () => {
  const { list, cursor, done, act } = rig()
  cursor.go(3, 'move')
  cursor.go(999, 'move')
  assert.deepEqual([cursor.active, cursor.index], ['', 999])
  act()
  assert.deepEqual(done, [])
  await list.tell()
  assert.deepEqual(done, ['n999'])
  assert.equal(cursor.active, 'n999')
})

test('quick steps go on from where the cursor went, known or not; only the last row counts', async () => {
  const { list, cursor, done, act } = rig()
  for (const index of [100, 130, 160]) cursor.go(index, 'move')
  assert.equal(cursor.index, 160)
  assert.deepEqual(
    list.asked.map(({ signal }) => signal.aborted),
    [true, true, false],
  )
  act()
  await list.tell()
  assert.deepEqual([cursor.active, done], ['n160', ['n160']])
})

test('what is given up does not come later: a selection, a command', async () => {
  const { list, cursor, selections, done, act } = rig()
  cursor.all()
  assert.deepEqual([list.asked[0]?.from, list.asked[0]?.end], [0, 1000])
  cursor.cancel()
  await list.tell()
  assert.deepEqual(selections, [])
  cursor.go(600, 'move')
  act()
  cursor.cancel()
  await list.tell()
  assert.deepEqual([done, cursor.active], [[], ''])
})

test('a range to a row that is not here is selected when it is told, from where the last one began', async () => {
  const { list, cursor, selections } = rig()
  cursor.go(10, 'move')
  cursor.go(400, 'range')
  await list.tell()
  assert.equal(selections.at(-1)?.length, 391)
  assert.deepEqual([selections.at(-1)?.[0], selections.at(-1)?.at(-1)], ['n10', 'n400'])
  // The first row has left the window; the range still begins there.
  list.held = [380, 450]
  cursor.follow(list)
  cursor.go(402, 'range')
  await list.tell()
  assert.equal(selections.at(-1)?.length, 393)
})

test('removing waits for what is being selected; without a selection it is the row of the cursor', async () => {
  const { list, cursor } = rig()
  const removed: (readonly string[])[] = []
  const remove = (selected: readonly string[] = []) =>
    cursor.actOnAll(new Set(selected), infohashes => void removed.push(infohashes))
  cursor.go(3, 'move')
  remove()
  assert.deepEqual(removed.splice(0), [['n3']])
  remove(['a', 'b'])
  assert.deepEqual(removed.splice(0), [['a', 'b']])
  cursor.all()
  remove()
  assert.equal(removed.length, 0)
  await list.tell()
  assert.equal(removed[0]?.length, 1000)
})

test('rows that move take the cursor along; one that is not here stays where it was', () => {
  const { list, cursor } = rig()
  cursor.go(20, 'move')
  list.held = [500, 550]
  cursor.follow(list)
  assert.deepEqual([cursor.active, cursor.index], ['n20', 20])
  cursor.set('n510')
  assert.equal(cursor.index, 510)
  cursor.set('n2')
  assert.equal(cursor.index, -1)
})

test('a failure is told, and nothing is left that waits', async () => {
  const { list, cursor, failures, done, act } = rig()
  cursor.go(700, 'move')
  list.asked[0]?.answer.reject(new Error('no'))
  await nextTurn()
  assert.equal(failures.length, 1)
  act()
  assert.deepEqual(done, [])
  cursor.all()
  cursor.cancel()
  list.asked[1]?.answer.reject(new Error('given up'))
  await nextTurn()
  assert.equal(failures.length, 1, 'nobody waits for it any more')
})
