// A destination whose folder above is swapped for a link between the judgement and the making: it is refused, and at no
// moment is anything made where the link leads. (Made, and taken away again after a second look, it stayed when the
// link was swapped back.)

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { prepareFolder } from '../../../src/io/files/local-paths.ts'
import type { OwnFiles } from '../../../src/ports/own-files.ts'
import { noTurns } from '../../../src/ports/volumes.ts'
import { makeTestFolder } from '../../kit/content/content-on-disk.ts'

/** Where the link comes: above all that is missing, or above a folder of a name that is there, too. */
for (const [below, times] of [
  ['a/b', 1],
  ['log/a/b', 2],
] as const) {
  test(`nothing is made where a swapped link leads: ${below}`, async t => {
    const folder = await makeTestFolder()
    t.after(() => folder.remove())
    const state = join(folder.path, 'state')
    const turn = join(folder.path, 'turn')
    for (const made of [state, turn]) mkdirSync(join(made, 'log'), { recursive: true })
    let asked = 0
    const own = {
      holds: () => false,
      checkNames: () => undefined,
      check: (real: string) => {
        asked++
        if (asked === 1) {
          // Judged, and not made yet: now the link comes.
          rmSync(turn, { recursive: true })
          symlinkSync(state, turn)
        }
        assert.deepEqual(readdirSync(state, { recursive: true }), ['log'])
        return real.startsWith(state) ? Promise.reject(new AppError('PathNotAllowed')) : Promise.resolve()
      },
    } as unknown as OwnFiles
    await assert.rejects(prepareFolder(join(turn, below), { own, volumes: noTurns }), {
      code: times === 1 ? 'InvalidParameter' : 'PathNotAllowed',
    })
    assert.equal(asked, times)
    assert.deepEqual(readdirSync(state, { recursive: true }), ['log'])
  })
}

test('a folder that may be made stays', async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const own = { holds: () => false, checkNames: () => undefined, check: () => Promise.resolve() } as unknown as OwnFiles
  const made = await prepareFolder(join(folder.path, 'a/b'), { own, volumes: noTurns })
  assert.deepEqual([made, readdirSync(made)], [join(folder.path, 'a/b'), []])
})
