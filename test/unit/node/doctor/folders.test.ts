// What the doctor says of the room of a folder, in megabytes that are true.

import assert from 'node:assert/strict'
import { statfs } from 'node:fs/promises'
import { test } from 'node:test'
import { checkFolder, type NamedFolder } from '../../../../src/node/doctor/folders.ts'
import { makeTestFolder } from '../../../kit/content/content-on-disk.ts'

async function findingsOf(path: string, minFreeBytes: number) {
  const folder: NamedFolder = { path, named: '--state-dir', kind: 'state', minFreeBytes }
  return (await checkFolder(folder, [])).filter(({ check }) => check === 'mounts')
}

test('free room is shown in megabytes of a million bytes, rounded down', async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const free = async () => {
    const { bavail, bsize } = await statfs(folder.path)
    return (bavail * bsize) / 1024 / 1024
  }
  const before = await free()
  const [found] = await findingsOf(folder.path, 0)
  const after = await free()
  const told = Number(/^(\d+) MiB are free/.exec(found?.text ?? '')?.[1])
  // Others write meanwhile.
  assert.ok(told >= Math.min(before, after) - 100 && told <= Math.max(before, after) + 100, `${told} of ${before}`)

  const [wanted] = await findingsOf(folder.path, 999_999_999_999_999)
  assert.match(wanted?.advice ?? '', /asks for 953674316 MiB/)
})
