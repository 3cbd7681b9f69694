// A destination whose folder above is swapped for a link between the judgement and the making: it is refused, and what was made behind
// the link goes again.

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError } from '../../src/base/errors.ts'
import { prepareFolder } from '../../src/io/local-paths.ts'
import type { OwnFiles } from '../../src/ports/own-files.ts'
import { noTurns } from '../../src/ports/volumes.ts'
import { makeTestFolder } from '../kit/content-on-disk.ts'

test('nothing stays where a swapped link led', async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const state = join(folder.path, 'state')
  const turn = join(folder.path, 'turn')
  for (const made of [state, turn]) mkdirSync(made)
  writeFileSync(join(state, 'keys.json'), 'keys')
  let asked = 0
  const own = {
    checkNames: () => undefined,
    check: (real: string) => {
      asked++
      if (asked === 1) {
        // Judged, and not made yet: now the link comes.
        rmdirSync(turn)
        symlinkSync(state, turn)
      }
      return real.startsWith(state) ? Promise.reject(new AppError('PathNotAllowed')) : Promise.resolve()
    },
  } as unknown as OwnFiles
  await assert.rejects(prepareFolder(join(turn, 'a/b'), { own, volumes: noTurns }), { code: 'PathNotAllowed' })
  assert.equal(asked, 2)
  assert.deepEqual(readdirSync(state), ['keys.json'])
})

test('a folder that may be made stays', async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const own = { checkNames: () => undefined, check: () => Promise.resolve() } as unknown as OwnFiles
  const made = await prepareFolder(join(folder.path, 'a/b'), { own, volumes: noTurns })
  assert.deepEqual([made, readdirSync(made)], [join(folder.path, 'a/b'), []])
})
