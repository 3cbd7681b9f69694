// Names on disk as names in a torrent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameProblems } from '../../../src/wire/metainfo/content-names.ts'
import { runSteps } from '../../../src/wire/steps.ts'

const problems = (...paths: string[]) => runSteps(nameProblems(paths.map(path => path.split('/'))))
const none = { padding: null, renamed: null }

test('ordinary names are no problem, whatever their script', () => {
  assert.deepEqual(problems('f/a.txt', 'f/Füße/日本語 🐞.bin', 'f/.hidden', 'f/sub/.pad', 'f/pad/12'), none)
  assert.deepEqual(problems('single file.iso'), none)
})

test('names of padding are found', () => {
  assert.equal(problems('f/a', 'f/.pad/123').padding, 'f/.pad/123')
  assert.equal(problems('f/sub/_____padding_file_0_').padding, 'f/sub/_____padding_file_0_')
  assert.equal(problems('f/sub/.pad/123').padding, null)
})

test('names that would be written otherwise are found: reserved, ends in a dot, equal but for case', () => {
  assert.equal(problems('f/a', 'f/con.txt').renamed, 'f/con.txt')
  assert.equal(problems('f/a.').renamed, 'f/a.')
  assert.equal(problems('f/a\\b').renamed, 'f/a\\b')
  assert.equal(problems('f/Readme', 'f/readme').renamed, 'f/readme')
  assert.equal(problems('f/A/x', 'f/a/y').renamed, null)
})
