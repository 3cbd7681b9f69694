// Which hash the workers go by, on processors that can run everything, something and nothing, and without the library.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseHash, type HashChoice, hashChoices } from '../../../src/pools/hash-choice.ts'
import { openHash } from '../../../src/pools/jobs/native-hash.ts'
import { checkHash } from '../../../src/node/doctor/hash.ts'

/** A processor with these paths. */
function processor(...names: string[]) {
  const all = ['portable', 'sha-ni', 'avx2', 'avx512', 'avx2-alone', 'avx512-alone']
  return () => ({ paths: () => all.map(name => (names.includes(name) ? name : null)) })
}

const everything = processor('portable', 'sha-ni', 'avx2', 'avx512')
const pathOf = (choice: HashChoice, load = everything) => chooseHash(choice, load).path?.path ?? null

test('auto is the quickest that the processor can run; every other choice is itself', () => {
  assert.deepEqual(
    hashChoices.map(choice => pathOf(choice)),
    ['avx512', 'avx512', 'avx2', 'sha-ni', null],
  )
  assert.equal(pathOf('auto', processor('portable', 'sha-ni', 'avx2')), 'avx2')
  assert.equal(pathOf('auto', processor('portable', 'sha-ni')), 'sha-ni')
})

test('what the processor cannot run, and a library that cannot be loaded, are said and replaced', () => {
  assert.deepEqual(chooseHash('avx512', processor('portable', 'avx2')), {
    path: null,
    missing: 'the processor lacks the instructions',
  })
  assert.equal(pathOf('auto', processor('portable')), null)
  const broken = (): never => {
    throw new Error('it is for another machine\nRequire stack: ...')
  }
  assert.deepEqual(chooseHash('auto', broken), { path: null, missing: 'it is for another machine' })
  assert.deepEqual(chooseHash('node', broken), { path: null, missing: '' })
})

test('a thread that cannot load it goes by node:crypto', () => {
  assert.equal(openHash(null), null)
  assert.equal(openHash({ file: '/nowhere/tributary.node', path: 'avx2' }), null)
})

test('the doctor says by what pieces are hashed, and warns where another was asked for by name', () => {
  const found = (choice: HashChoice, load = everything) => checkHash(choice, asked => chooseHash(asked, load))
  assert.deepEqual([found('auto').state, found('auto').text], ['ok', 'Pieces are hashed by avx512.'])
  assert.equal(found('node').text, 'Pieces are hashed by the hash of Node.')
  assert.equal(found('auto', processor('portable')).state, 'ok')
  const asked = found('avx512', processor('portable'))
  assert.deepEqual([asked.state, asked.advice], ['warning', 'Set disk.hash to auto.'])
  assert.match(asked.text, /lacks the instructions/)
})
