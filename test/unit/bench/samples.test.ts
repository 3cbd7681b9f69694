// What runs of a case say: ratios of the same round, how far runs lie apart, and what targets make of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CaseResult, ratioByRounds, spreadOf, tableOf } from '../../../bench/lib/samples.ts'
import { judge } from '../../../bench/lib/targets.ts'
import { takeTurns } from '../../../bench/lib/turns.ts'

/** Another program slowed the second round down for both. */
const disturbed: CaseResult = {
  id: 'recheck',
  primary: 'MB/s',
  results: [
    { client: 'tributary', runs: [{ 'MB/s': 3200 }, { 'MB/s': 1000 }, { 'MB/s': 3100 }], rounds: [0, 1, 2] },
    { client: 'libtorrent', runs: [{ 'MB/s': 1000 }, { 'MB/s': 310 }], rounds: [0, 1] },
  ],
}

test('a ratio is the median of rounds in which both ran', () => {
  assert.equal(ratioByRounds(disturbed, 'MB/s', 'libtorrent')?.toFixed(2), '3.21')
  assert.equal(ratioByRounds(disturbed, 'MB/s', 'aria2'), null)
  const row = judge([disturbed]).find(({ case: id }) => id === 'recheck')
  assert.equal(row?.reached, 'yes')
  assert.match(row?.rival ?? '', /x3\.21$/)
})

test('the table says how far the runs lie apart', () => {
  const [ours] = disturbed.results
  assert.ok(ours)
  assert.equal(Math.round(spreadOf(ours, 'MB/s') ?? 0), 71)
  assert.equal(spreadOf({ client: 'aria2', runs: [{ 'MB/s': 1 }] }, 'MB/s'), null)
  const rows = tableOf(disturbed)
  assert.deepEqual(
    rows.map(row => row['spread %'] ?? ''),
    [71, 105, ''],
  )
})

test('each run is of a round, and says what else the machine did', async () => {
  const run = () => Promise.resolve({ 'MB/s': 1 })
  const failures: string[] = []
  const broken = () => Promise.reject(new Error('gone'))
  const turns = [
    { client: 'tributary', run },
    { client: 'slow', run: broken },
  ]
  const { results } = await takeTurns('case', 'MB/s', turns, { rounds: 3, everyone: true }, failures)
  assert.deepEqual(results[0]?.rounds, [0, 1, 2])
  assert.ok((results[0]?.runs[0]?.['busy elsewhere'] ?? -1) >= 0)
  assert.deepEqual(failures, ['FAILED case: slow: gone'])
})

test('targets name figures that flows measure: creation by the best rival, others in themselves', () => {
  const made: CaseResult = {
    id: 'create 1 GiB, v1',
    primary: 'MB/s',
    results: [
      { client: 'tributary', runs: [{ 'MB/s': 3000 }] },
      { client: 'libtorrent', runs: [{ 'MB/s': 1000 }] },
      { client: 'mktorrent', runs: [{ 'MB/s': 2100 }] },
    ],
  }
  const started: CaseResult = {
    id: 'start with 0',
    primary: 'first answer ms',
    results: [{ client: 'tributary', runs: [{ 'first answer ms': 120, 'x node -e 0': 2.1 }] }],
  }
  const read: CaseResult = {
    id: '1000 readers of 64 KiB',
    primary: 'MB/s',
    results: [{ client: 'tributary', runs: [{ 'loop p99 ms': 19, 'peak RSS MiB': 201 }] }],
  }
  const sent: CaseResult = {
    id: 'written for 1 GiB downloaded',
    primary: 'written MiB',
    results: [{ client: 'tributary', runs: [{ 'written MiB': 1026 }] }],
  }
  const rows = judge([made, started, read, sent]).filter(row => row.reached !== 'not measured')
  assert.deepEqual(
    rows.map(({ case: id, figure, reached }) => [id, figure, reached]),
    [
      ['create 1 GiB, v1', 'MB/s', 'NO'],
      ['1000 readers of 64 KiB', 'loop p99 ms', 'yes'],
      ['1000 readers of 64 KiB', 'peak RSS MiB', 'NO'],
      ['written for 1 GiB downloaded', 'written MiB', 'yes'],
      ['start with 0', 'x node -e 0', 'NO'],
    ],
  )
})
