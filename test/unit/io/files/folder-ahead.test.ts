// The looks at a destination: side by side where none waits for another, each folder judged once, nothing made by them.

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, realpathSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { lookAtFolder } from '../../../../src/io/files/local-paths.ts'
import { StateFiles } from '../../../../src/io/files/own-files.ts'
import type { OwnFiles } from '../../../../src/ports/own-files.ts'
import { noTurns, type VolumeTurns } from '../../../../src/ports/volumes.ts'
import { makeTestFolder } from '../../../kit/content/content-on-disk.ts'

/** Turns that count how many are out at a time. */
class CountedTurns implements VolumeTurns {
  readonly refresh = noTurns.refresh
  readonly isOwn = noTurns.isOwn
  readonly stalledAt = noTurns.stalledAt
  most = 0
  #out = 0

  async runInTime<T>(_path: string, call: () => Promise<T>): Promise<T> {
    this.#out += 1
    this.most = Math.max(this.most, this.#out)
    try {
      return await call()
    } finally {
      this.#out -= 1
    }
  }
}

interface Rig {
  readonly folder: string
  readonly state: string
  readonly own: StateFiles
}

async function rigOf(t: TestContext): Promise<Rig> {
  const made = await makeTestFolder()
  t.after(() => made.remove())
  const folder = realpathSync(made.path)
  const state = join(folder, 'state')
  mkdirSync(state)
  return { folder, state, own: new StateFiles({ stateDir: state, real: state }, () => '') }
}

/** `own`, and which of its checks were made within a turn. */
function counted(own: StateFiles): { readonly own: OwnFiles; readonly inTurn: boolean[] } {
  const inTurn: boolean[] = []
  const checked: OwnFiles = {
    holds: real => own.holds(real),
    checkNames: (real, files) => own.checkNames(real, files),
    isBelow: real => own.isBelow(real),
    isRoot: identity => own.isRoot(identity),
    check: (real, turns) => {
      inTurn.push(turns === noTurns)
      return own.check(real, turns)
    },
  }
  return { own: checked, inTurn }
}

test('folders above a destination are looked at side by side, and it is judged once', async t => {
  const { folder, own } = await rigOf(t)
  const to = join(folder, 'a/b/to')
  mkdirSync(to, { recursive: true })
  const volumes = new CountedTurns()
  const checks = counted(own)
  assert.equal(await lookAtFolder(to, { own: checks.own, volumes }).prepare(), to)
  assert.ok(volumes.most >= 4, `${volumes.most} at a time`)
  assert.deepEqual(checks.inTurn, [false], 'the folder that was opened is the one that was judged')
})

test('one that is missing is judged again when it is made, and not made before', async t => {
  const { folder, own } = await rigOf(t)
  const to = join(folder, 'a/to')
  const checks = counted(own)
  const looked = lookAtFolder(to, { own: checks.own, volumes: new CountedTurns() })
  await own.check(folder)
  assert.equal(existsSync(join(folder, 'a')), false)
  assert.equal(await looked.prepare(), to)
  assert.deepEqual(checks.inTurn, [false, true])
})

test('one that is another folder by now is judged again', async t => {
  const { folder, state, own } = await rigOf(t)
  const to = join(folder, 'to')
  mkdirSync(to)
  const looked = lookAtFolder(to, { own, volumes: new CountedTurns() })
  assert.equal(await looked.prepare(), to)
  // The node's own folder has its name now.
  renameSync(to, join(folder, 'old'))
  renameSync(state, to)
  await assert.rejects(looked.prepare(), { code: 'PathNotAllowed' })
})

test('a path longer than any that there can be is refused at once, whatever it is made of', async t => {
  const { own } = await rigOf(t)
  const volumes = new CountedTurns()
  for (const part of ['/a', '/.', '/']) {
    const looked = lookAtFolder(`/tmp${part.repeat(500_000)}`, { own, volumes })
    await assert.rejects(looked.prepare(), { code: 'InvalidParameter' })
  }
  assert.equal(volumes.most, 0, 'nothing was looked at')
})

test('one that became the node its own since it was looked at is refused, the same folder as it is', async t => {
  const { folder, state } = await rigOf(t)
  const to = join(state, 'watched')
  mkdirSync(to)
  let watched = to
  const own = new StateFiles({ stateDir: state, real: join(folder, 'state') }, () => watched)
  const looked = lookAtFolder(to, { own, volumes: new CountedTurns() })
  await own.check(to)
  await new Promise(resolve => setImmediate(resolve))
  await lookAtFolder(to, { own, volumes: new CountedTurns() }).prepare()
  watched = ''
  await assert.rejects(looked.prepare(), { code: 'PathNotAllowed' })
})
