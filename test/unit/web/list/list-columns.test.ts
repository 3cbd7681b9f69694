// Columns that a device has chosen: what is kept may be anybody's; the name is always there.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  allColumns,
  columnsIn,
  keptColumns,
  leastWidthOf,
  listColumns,
  tracksOf,
  withMoved,
  withPlaced,
  withToggled,
  withWidth,
} from '../../../../src/web/model/list-columns.ts'

const sorts = (choice: readonly { sort: string }[] | null) => choice?.map(({ sort }) => sort)

test('what is kept is read again; what nobody can read is passed over', () => {
  assert.deepEqual(columnsIn(keptColumns(allColumns)), allColumns)
  for (const kept of [null, 'name', 7, {}, [], [null, 3, { sort: 'password' }, { sort: ['name'] }]])
    assert.equal(columnsIn(kept), null)
  const kept = [
    { sort: 'size', width: 1e9 },
    { sort: 'size' },
    { sort: 'eta', width: -4 },
    { sort: 'ratio', width: 'x' },
  ]
  const read = columnsIn([...kept, { sort: 'status', width: Number.NaN }])
  assert.deepEqual(sorts(read), ['name', 'size', 'eta', 'ratio', 'status'])
  assert.deepEqual(
    read?.map(({ width }) => width),
    [160, 640, 48, 60, 136],
  )
  assert.equal(columnsIn(Array.from({ length: 100_000 }, () => ({ sort: 'size' })))?.length, 2)
})

test('shown and put away, moved within the ends, wider and narrower within bounds', () => {
  const [name, progress, state] = listColumns
  assert.ok(name !== undefined && progress !== undefined && state !== undefined)
  const three = [name, progress, state]
  assert.deepEqual(sorts(withToggled(three, 'progress')), ['name', 'status'])
  assert.deepEqual(sorts(withToggled(three, 'destination')), ['name', 'progress', 'status', 'destination'])
  assert.deepEqual(sorts(withToggled(three, 'name')), ['name', 'progress', 'status'])
  assert.deepEqual(sorts(withMoved(three, 'status', -1)), ['name', 'status', 'progress'])
  for (const [sort, by] of [
    ['name', -1],
    ['status', 1],
    ['ratio', 1],
  ] as const)
    assert.deepEqual(withMoved(three, sort, by), three)
  let choice = withWidth(three, 'progress', 1)
  assert.equal(choice[1]?.width, 156)
  for (let step = 0; step < 100; step++) choice = withWidth(choice, 'progress', -1)
  assert.equal(choice[1]?.width, 48)
  assert.equal(tracksOf(choice), '34px minmax(160px, 1fr) 48px 136px')
  assert.equal(leastWidthOf(choice), 34 + 16 + 160 + 48 + 136)
})

test('dropped before a column, behind the last one, and where it was', () => {
  const five = allColumns.slice(0, 5)
  const after = (sort: 'name' | 'progress' | 'speed_down' | 'ratio', index: number) =>
    sorts(withPlaced(five, sort, index))
  assert.deepEqual(after('name', 5), ['progress', 'status', 'size', 'speed_down', 'name'])
  assert.deepEqual(after('name', 2), ['progress', 'name', 'status', 'size', 'speed_down'])
  assert.deepEqual(after('speed_down', 0), ['speed_down', 'name', 'progress', 'status', 'size'])
  assert.deepEqual(after('speed_down', 3), ['name', 'progress', 'status', 'speed_down', 'size'])
  for (const index of [1, 2]) assert.equal(withPlaced(five, 'progress', index), five)
  assert.equal(withPlaced(five, 'ratio', 0), five)
})
