// Rows of downloads on their way from the database thread.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredDownload } from '../../../src/ports/records.ts'
import { packPage, packRows, RowTexts } from '../../../src/records/row-texts.ts'
import { runSteps } from '../../../src/wire/steps.ts'
import { bitsOf, makeDownload } from './records-kit.ts'

function rowOf(n: number, change: Partial<StoredDownload> = {}): StoredDownload {
  const { infoBytes: _bytes, notes: _notes, ...row } = makeDownload(n)
  const more = {
    totalUp: 0,
    totalDown: 0,
    finishedAtMs: null,
    error: '',
    position: n,
    seededSec: 0,
    goalReached: false,
  }
  return { ...row, ...more, controls: null, movingTo: null, movedFrom: null, ...change }
}

test('rows come as they were, and what many of them have in common is one object', () => {
  const texts = new RowTexts()
  const rows = [rowOf(1), rowOf(2, { peers: [], webSeeds: ['http://w/'] }), rowOf(3, { announceTiers: [], peers: [] })]
  const [one, two, three] = texts.unpack(packRows(rows))
  assert.deepEqual([one, two, three], rows)
  assert.equal(one?.announceTiers, two?.announceTiers)
  assert.equal(two?.peers, three?.peers)
  const [later] = texts.unpack(packRows([rowOf(4)]))
  assert.equal(later?.announceTiers, one?.announceTiers)
})

test('trackers in other tiers are not the same', () => {
  const tiers = [[['http://a/', 'http://b/']], [['http://a/'], ['http://b/']]]
  const rows = tiers.map((announceTiers, n) => rowOf(n + 1, { announceTiers }))
  assert.deepEqual(
    new RowTexts().unpack(packRows(rows)).map(row => row.announceTiers),
    tiers,
  )
})

test('a page brings what is kept of each row', () => {
  const resume = { have: bitsOf(20, [1, 2]), suspect: [3], files: [], newestMs: 5 }
  const stored = { infoBytes: Uint8Array.of(1), pieceLayers: null, notes: makeDownload(1).notes as never }
  const page = [
    { download: rowOf(7), stored, resume },
    { download: rowOf(9), stored: null, resume: null },
  ]
  const packed = packPage(page)
  assert.equal(packed.last, 9)
  assert.deepEqual(runSteps(new RowTexts().page(packed)), page)
  assert.equal(packPage([]).last, null)
})
