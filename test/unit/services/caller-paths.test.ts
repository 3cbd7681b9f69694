// Who may name which path.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import { CallerPaths } from '../../../src/services/caller-paths.ts'

const hasCode = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code
const OWNER = { anyPath: true, localFiles: true, spends: true }
const ADMIN = { anyPath: false, localFiles: true, spends: false }
const LIMITED = { anyPath: false, localFiles: false, spends: false }

const check = async (path: string): Promise<string> => {
  if (!path.startsWith('/in')) throw new AppError('PathNotAllowed')
  return `${path}!`
}
const paths = new CallerPaths({ resolve: check, resolveNew: check })
const admit = async (request: { uri?: string; destination?: string }, caller: typeof OWNER): Promise<object> =>
  paths.admit(request, caller)

test('the first key may name anything; nothing is touched', async () => {
  const request = { uri: 'file:///etc/x', destination: '/out' }
  assert.equal(await admit(request, OWNER), request)
})

test('other keys name folders that are allowed only, and files of this machine with scope admin only', async () => {
  const magnet = 'magnet:?xt=urn:btih:1'
  assert.deepEqual(await admit({ uri: magnet }, LIMITED), { uri: magnet })
  assert.deepEqual(await admit({ uri: magnet, destination: '/in/x' }, LIMITED), {
    uri: magnet,
    destination: '/in/x!',
    linkless: true,
  })
  await assert.rejects(admit({ uri: magnet, destination: '/out' }, LIMITED), hasCode('PathNotAllowed'))
  await assert.rejects(admit({ destination: '/out' }, ADMIN), hasCode('PathNotAllowed'))
  for (const uri of ['/in/a.torrent', 'file:///in/a.torrent', 'FILE:/in/a', 'file:relative'])
    await assert.rejects(admit({ uri }, LIMITED), hasCode('ScopeMissing'), uri)
  assert.deepEqual(await admit({ uri: 'file:///in/a%20b' }, ADMIN), { uri: '/in/a b!' })
  await assert.rejects(admit({ uri: '/etc/passwd' }, ADMIN), hasCode('PathNotAllowed'))
  await assert.rejects(admit({ uri: 'file://elsewhere/in/a' }, ADMIN), hasCode('TorrentUnreadable'))
})
