// By what the workers of a store hash: looked for once, told once where it is not what was asked for, and never the
// reason why nothing is hashed.

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { ChosenHash, HashChoice } from '../../../src/pools/hash-choice.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { makeRigTorrent, StoreRig } from '../../kit/doubles/store-rig.ts'

const KIB = 1024
/** Of four commits and a check of the four pieces. */
const OK = Array.from({ length: 8 }, () => 'ok')

function rigWith(t: TestContext, hash: HashChoice, chosen: ChosenHash) {
  const warnings: unknown[] = []
  const asked: HashChoice[] = []
  const log = { ...silentLog, warn: (message: string, fields: unknown) => void warnings.push([message, fields]) }
  const chooseHash = (choice: HashChoice): ChosenHash => {
    asked.push(choice)
    return chosen
  }
  const rig = new StoreRig(t, { hash, threads: 1, threadsOnly: true }, { log, chooseHash })
  return { rig, warnings, asked }
}

/** Writes a torrent and checks it: the verdicts. */
async function hashed(rig: StoreRig): Promise<readonly string[]> {
  const torrent = makeRigTorrent(rig.folder, [{ path: 'a', length: 200 * KIB }], 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  const verdicts: string[] = []
  for (let piece = 0; piece < torrent.layout.pieceCount; piece++)
    verdicts.push(await rig.withBlocks(torrent, piece, blocks => store.commit(piece, blocks)))
  return [...verdicts, ...(await store.check(0, 4))]
}

test('where it cannot be had the log says so once, and pieces are hashed', async t => {
  const { rig, warnings, asked } = rigWith(t, 'avx512', { path: null, missing: 'the processor lacks the instructions' })
  assert.deepEqual(await hashed(rig), OK)
  assert.equal(rig.stores.stats().hash, 'node')
  assert.deepEqual(asked, ['avx512'])
  assert.deepEqual(warnings, [
    ['pieces are hashed by node:crypto', { missing: 'the processor lacks the instructions' }],
  ])
})

test('machine code that has gone since then is no reason to hash nothing', async t => {
  const gone = { path: { file: '/nowhere/tributary.node', path: 'avx2' as const }, missing: '' }
  const { rig, warnings } = rigWith(t, 'auto', gone)
  assert.deepEqual(await hashed(rig), OK)
  assert.deepEqual(warnings, [])
})
