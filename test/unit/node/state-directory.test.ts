// The state directory: its lock within a process and between processes, and what is refused.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { AppError } from '../../../src/base/errors.ts'
import { defaultStateDirectory, StateDirectory } from '../../../src/node/state/state-directory.ts'

const HOLDER = fileURLToPath(new URL('./state-holder.js', import.meta.url))

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-state-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a process that opens `path`; its first line: `held`, or the code of the refusal. */
async function startHolder(t: TestContext, path: string): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [HOLDER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return { child, said: line.toString().trim() }
}

function refusal(path: string): AppError {
  try {
    StateDirectory.open(path).release()
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    return error
  }
  return assert.fail('it was opened')
}

test('the directory is made for its owner alone', t => {
  const path = join(temporaryFolder(t), 'a', 'b')
  const directory = StateDirectory.open(path)
  assert.equal(directory.path, path)
  assert.equal(statSync(path).mode & 0o777, 0o700)
  directory.release()
  directory.release()
  StateDirectory.open(path).release()
})

test('a second opening in the same process is refused, and does not loosen the first', async t => {
  const path = join(temporaryFolder(t), 'state')
  const directory = StateDirectory.open(path)
  assert.equal(refusal(path).code, 'StateLocked')
  assert.equal((await startHolder(t, path)).said, 'StateLocked')
  directory.release()
})

test('another process is refused by name, and kill -9 of the holder frees the directory', async t => {
  const path = join(temporaryFolder(t), 'state')
  const { child, said } = await startHolder(t, path)
  assert.equal(said, 'held')
  const error = refusal(path)
  assert.equal(error.code, 'StateLocked')
  assert.equal(error.message, `The state directory ${path} is used by another node (process ${child.pid}).`)
  child.kill('SIGKILL')
  await once(child, 'exit')
  StateDirectory.open(path).release()
})

test('a directory that nobody refers to any more stays held', t => {
  const path = join(temporaryFolder(t), 'state')
  const collect = collector()
  StateDirectory.open(path)
  for (let round = 0; round < 3; round++) collect()
  assert.equal(refusal(path).code, 'StateLocked')
})

/** The collector of garbage of this process. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

test('of several starts at once exactly one wins', async t => {
  for (let round = 0; round < 2; round++) {
    const path = join(temporaryFolder(t), 'state')
    const holders = await Promise.all([1, 2, 3, 4].map(() => startHolder(t, path)))
    assert.deepEqual(holders.map(({ said }) => said).sort(), ['StateLocked', 'StateLocked', 'StateLocked', 'held'])
  }
})

test('what cannot be a state directory is refused with one sentence', t => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'file'), '')
  const sentence = (path: string): string => {
    const error = refusal(path)
    assert.equal(error.code, 'StateUnreadable')
    return error.message.replace(`The state directory ${path} cannot be used: `, '')
  }
  assert.equal(sentence(join(folder, 'file')), 'it is not a directory.')
  assert.equal(sentence(join(folder, 'file', 'below')), 'a part of its path is not a directory.')
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'))
  assert.match(sentence(join(folder, 'dangling')), /\.$/)
  assert.match(sentence('/proc/tributary'), /\.$/)
  StateDirectory.open(join(folder, 'noise')).release()
  writeFileSync(join(folder, 'noise', 'lock.db'), Buffer.alloc(4096, 'noise'))
  assert.equal(sentence(join(folder, 'noise')), 'its file lock.db is damaged; delete that file.')
})

test('a folder without permission is refused', () => {
  const isRoot = process.getuid?.() === 0
  // Root may write anywhere: the user nobody may not.
  if (isRoot) process.seteuid?.(65534)
  try {
    assert.equal(
      refusal('/tributary-state').message,
      'The state directory /tributary-state cannot be used: this user may not write there; change its owner or choose another --state-dir.',
    )
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
})

test('the default lies where the system keeps data of users', () => {
  assert.equal(defaultStateDirectory({}, '/home/u'), '/home/u/.local/state/tributary')
  assert.equal(defaultStateDirectory({ XDG_STATE_HOME: '/d' }, '/home/u'), '/d/tributary')
  assert.equal(defaultStateDirectory({ XDG_STATE_HOME: 'relative' }, '/home/u'), '/home/u/.local/state/tributary')
})
