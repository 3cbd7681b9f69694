// The matrix of `make interop`: what counts as passed, what is printed, and that src/docs/network.md shows it.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cell, type PassedCell } from '../kit/runners/interop-matrix.ts'
import { allCells, matrixMarkdown, missingCells, withMatrix } from '../kit/runners/matrix-markdown.ts'
import { projectRoot } from '../kit/project-root.ts'

const path = join(projectRoot, 'src/docs/network.md')

const but = (feature: string, peer: string): PassedCell[] =>
  allCells().filter(one => one.feature !== feature || one.peer !== peer)

test('the page shows what a whole run gives', () => {
  const page = readFileSync(path, 'utf8')
  const fresh = withMatrix(page)
  if (process.env['UPDATE_README'] === '1') writeFileSync(path, fresh)
  else assert.equal(page, fresh, 'run `make readme`')
})

test('a cell is passed by both directions, together or apart', () => {
  assert.deepEqual(missingCells(allCells()), [])
  assert.deepEqual(missingCells(but('MSE', 'libtorrent')), ['MSE x libtorrent'])
  const to = { feature: 'MSE', peer: 'libtorrent', note: 'to node' } as const
  assert.deepEqual(missingCells([...but('MSE', 'libtorrent'), to, to]), ['MSE x libtorrent (one direction only)'])
  assert.deepEqual(missingCells([...but('MSE', 'libtorrent'), to, { ...to, note: 'from node' }]), [])
})

test('nothing is printed as passed that was not', () => {
  const row = (cells: readonly PassedCell[]) =>
    matrixMarkdown(cells)
      .split('\n')
      .find(line => line.includes('BEP 29'))
  assert.equal(row([]), '| uTP (BEP 29) | · | · | – | – | · | · utp-native (libutp) |')
  assert.equal(
    row([{ feature: 'uTP', peer: 'webtorrent', note: '' }]),
    '| uTP (BEP 29) | · | · | – | – | ✓ | · utp-native (libutp) |',
  )
  assert.equal(row([{ feature: 'uTP', peer: 'Transmission', note: 'to node' }])?.split('|')[3], ' ½ ')
})

test('a cell of a peer that does not have the feature is refused', () => {
  assert.throws(() => cell('uTP', 'aria2'), /not implemented/)
})
