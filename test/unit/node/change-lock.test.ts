// The lock file of changes: a young one stays, one that a kill left behind goes, and no process deletes the lock of
// another.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { withChangeLock } from '../../../src/node/state/change-lock.ts'

const TIMES = { limitMs: 60_000, waitMs: 100, paceMs: 10 }
const isConflict = (error: unknown) => error instanceof AppError && error.code === 'StateConflict'

function lockOf(t: TestContext): { path: string; left: () => string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-lock-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return { path: join(folder, 'x.lock'), left: () => readdirSync(folder) }
}

function age(path: string, seconds: number): void {
  const at = Date.now() / 1000 - seconds
  utimesSync(path, at, at)
}

test('a lock that another process holds and renews is not taken', async t => {
  // Before the folder goes: the other process goes on writing there.
  let end = async (): Promise<void> => undefined
  t.after(() => end())
  const { path, left } = lockOf(t)
  const script = `
    const { writeFileSync } = require('node:fs')
    const renew = () => writeFileSync(${JSON.stringify(path)}, 'held')
    renew()
    setInterval(renew, 100)
    console.log('held')`
  const holder = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  end = async () => {
    holder.kill('SIGKILL')
    if (holder.exitCode === null && holder.signalCode === null) await once(holder, 'exit')
  }
  await once(holder.stdout, 'data')
  let changed = false
  const change = async () => void (changed = true)
  // Waits longer than a lock that is not renewed would be good for.
  await assert.rejects(withChangeLock(path, change, { limitMs: 1_500, waitMs: 2_000, paceMs: 20 }), isConflict)
  assert.equal(changed, false)
  assert.deepEqual(left(), ['x.lock'])
})

test('a lock that is not renewed is left alone as long as it is young', async t => {
  const { path } = lockOf(t)
  writeFileSync(path, '')
  age(path, 30)
  await assert.rejects(
    withChangeLock(path, async () => undefined, TIMES),
    isConflict,
  )
  assert.ok(existsSync(path))
})

for (const seconds of [90, -90]) {
  test(`a lock of ${seconds} s ago was left behind: it is taken, and nothing stays`, async t => {
    const { path, left } = lockOf(t)
    writeFileSync(path, '')
    age(path, seconds)
    assert.equal(await withChangeLock(path, async () => left().join(), TIMES), 'x.lock')
    assert.deepEqual(left(), [])
  })
}

test('many who find an old lock get it one after the other', async t => {
  const { path, left } = lockOf(t)
  writeFileSync(path, '')
  age(path, 90)
  let inside = 0
  const change = async () => {
    inside += 1
    assert.equal(inside, 1)
    await new Promise(resolve => setImmediate(resolve))
    inside -= 1
  }
  await Promise.all(Array.from({ length: 20 }, () => withChangeLock(path, change, { ...TIMES, waitMs: 10_000 })))
  assert.deepEqual(left(), [])
})

test('who was held up for too long does not delete the lock of who came after', async t => {
  const { path } = lockOf(t)
  await withChangeLock(path, async () => {
    rmSync(path)
    writeFileSync(path, 'of another')
  })
  assert.ok(existsSync(path))
})
