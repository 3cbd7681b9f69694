// Folders that a person can choose from: never outside of what the caller may name, whatever lies there.

import assert from 'node:assert/strict'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError, type ErrorCode } from '../../../../src/base/errors.ts'
import { AllowedPaths } from '../../../../src/io/files/client-paths.ts'
import { ListedFolders } from '../../../../src/io/files/listed-folders.ts'
import { StateFiles } from '../../../../src/io/files/own-files.ts'
import { noTurns } from '../../../../src/ports/volumes.ts'
import { Folders } from '../../../../src/services/folders/folders.ts'
import { makeTestFolder } from '../../../kit/content/content-on-disk.ts'

const hasCode = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code
const OWNER = { anyPath: true, localFiles: true, spends: true }
const LIMITED = { anyPath: false, localFiles: false, spends: false }

interface Place {
  readonly at: (...names: string[]) => string
  readonly folders: Folders
}

/** `in` is allowed, `out` is not, `state` is the node's own. */
async function makePlace(t: TestContext): Promise<Place> {
  const made = await makeTestFolder()
  t.after(() => made.remove())
  const root = realpathSync(made.path)
  const at = (...names: string[]) => join(root, ...names)
  for (const name of ['in/Films/Old', 'in/E10', 'in/E2', 'in/.git', 'out/secret', 'in-not', 'state/downloads'])
    mkdirSync(at(name), { recursive: true })
  writeFileSync(at('in', 'file'), '')
  symlinkSync(at('out'), at('in', 'way-out'))
  symlinkSync(at('in', 'Films'), at('in', 'films-again'))
  const own = new StateFiles({ stateDir: at('state'), real: at('state') }, () => '')
  const allowed = () => [at('in'), at('state', 'downloads')]
  const paths = new AllowedPaths(allowed, own)
  return { at, folders: new Folders({ paths, looks: new ListedFolders(), usual: () => at('in'), allowed }) }
}

test('a folder shows the folders in it, the room, and where one may begin', async t => {
  const { at, folders } = await makePlace(t)
  const { free_bytes: free, ...shown } = await folders.list(undefined, LIMITED)
  assert.deepEqual(shown, {
    path: at('in'),
    exists: true,
    parent: null,
    folders: ['E2', 'E10', 'Films'],
    more: false,
    roots: [at('in'), at('state', 'downloads')],
  })
  assert.ok(typeof free === 'number' && free > 0)
  const inner = await folders.list(at('in', 'Films'), LIMITED)
  assert.deepEqual([inner.parent, inner.folders], [at('in'), ['Old']])
  const owner = await folders.list(at('in'), OWNER)
  assert.equal(owner.parent, at())
  assert.deepEqual(owner.roots.at(-1), '/')
  assert.equal((await folders.list('/', OWNER)).parent, null)
})

test('no path leads out of the allowed folders, and nothing is told of what lies elsewhere', async t => {
  const { at, folders } = await makePlace(t)
  const wrong = [
    at('out'),
    at('out', 'nothing'),
    at('in', 'way-out'),
    at('in', 'way-out', 'secret'),
    `${at('in')}/../out`,
    `${at('in')}/Films/../../out/secret`,
    `${at('in')}/nothing/../../out`,
    at('in-not'),
    at(),
    '/',
    '/proc/self/root',
    '/proc/self/cwd',
  ]
  for (const path of wrong) await assert.rejects(folders.list(path, LIMITED), hasCode('PathNotAllowed'), path)
  for (const path of ['', 'in', '../in', './in', `${at('in')}\0/x`])
    await assert.rejects(folders.list(path, LIMITED), hasCode('InvalidParameter'), JSON.stringify(path))
  // A link that stays inside leads where it leads.
  assert.equal((await folders.list(at('in', 'films-again'), LIMITED)).path, at('in', 'Films'))
})

test("the node's own files are shown to nobody, and no way leads up into them", async t => {
  const { at, folders } = await makePlace(t)
  await assert.rejects(folders.list(at('state'), OWNER), hasCode('PathNotAllowed'))
  assert.equal((await folders.list(at('state', 'downloads'), OWNER)).parent, null)
})

test('a folder that is not there yet has the room of the one above; a file is none', async t => {
  const { at, folders } = await makePlace(t)
  const shown = await folders.list(at('in', 'new', 'newer'), LIMITED)
  assert.deepEqual([shown.exists, shown.folders, shown.parent], [false, [], at('in', 'new')])
  assert.ok((shown.free_bytes ?? 0) > 0)
  await assert.rejects(folders.list(at('in', 'file'), LIMITED), hasCode('InvalidParameter'))
})

test('a folder that becomes a link after it was judged shows nothing of where that leads', async t => {
  const { at, folders } = await makePlace(t)
  // Swapped between the judgement and the look: its own turn is where both orders can be made.
  const turns = {
    ...noTurns,
    runInTime: async <T>(path: string, call: () => Promise<T>): Promise<T> => {
      if (path === at('in', 'Films', 'Old')) {
        await rm(at('in', 'Films'), { recursive: true })
        mkdirSync(at('out', 'Old', 'hidden'), { recursive: true })
        symlinkSync(at('out'), at('in', 'Films'))
      }
      return call()
    },
  }
  await assert.rejects(new ListedFolders(turns).look(at('in', 'Films', 'Old')), hasCode('PathNotAllowed'))
  await assert.rejects(folders.list(at('in', 'Films', 'Old'), LIMITED), hasCode('PathNotAllowed'))
})

test('an answer is bounded, and names of all kinds are names', async t => {
  const { at, folders } = await makePlace(t)
  for (let i = 0; i < 1005; i++) mkdirSync(at('in', 'E10', `n${i}`), { recursive: true })
  const many = await folders.list(at('in', 'E10'), LIMITED)
  assert.deepEqual([many.folders.length, many.more], [1000, true])
  const names = ['<b>x', 'שלום\u202e', '\u200b', 'n\nl', 'x'.repeat(255)]
  for (const name of names) mkdirSync(at('in', 'E2', name))
  mkdirSync(Buffer.concat([Buffer.from(`${at('in', 'E2')}/`), Buffer.from([0xff, 0xfe])]))
  const odd = await folders.list(at('in', 'E2'), LIMITED)
  assert.deepEqual(odd.folders.toSorted(), names.toSorted())
})
