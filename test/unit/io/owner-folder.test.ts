// Lines of a log that only grows, on a real disk that fills up: whole lines or none.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { OwnerFolder } from '../../../src/io/files/owner-folder.ts'
import { makeTestFolder } from '../../kit/content/content-on-disk.ts'
import { needs } from '../../kit/requirements.ts'

const open = (folder: string) => new OwnerFolder(folder, 'A log', 1_000_000)

test('a disk that fills up takes whole lines or none, and goes on when there is room', {
  skip: needs('root'),
}, async t => {
  const folder = await makeTestFolder()
  const disk = await folder.sub('small')
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
  t.after(async () => {
    execFileSync('umount', [disk])
    await folder.remove()
  })
  const files = open(disk)
  await files.append('audit.log', 'first')
  await writeFile(path.join(disk, 'ballast'), Buffer.alloc(40 * 1024))
  const lines = ['first']
  const fill = async (): Promise<void> => {
    for (let number = 0; number < 100; number += 1) {
      const line = `${number} `.repeat(300)
      await files.append('audit.log', line)
      lines.push(line)
    }
  }
  await assert.rejects(fill(), { code: 'DiskFull' })
  await assert.rejects(files.write('big.json', 'x'.repeat(100_000)), { code: 'DiskFull' })
  assert.deepEqual(await readdir(disk), ['audit.log', 'ballast'])
  const text = () => readFile(path.join(disk, 'audit.log'), 'utf8')
  assert.equal(await text(), `${lines.join('\n')}\n`)
  await rm(path.join(disk, 'ballast'))
  await files.append('audit.log', 'last')
  assert.equal(await text(), `${lines.join('\n')}\nlast\n`)
})

test('what a lost machine left of a line is ended, and the next one stands alone', async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const files = open(folder.path)
  const log = path.join(folder.path, 'audit.log')
  await files.append('audit.log', 'one')
  await appendFile(log, 'half of')
  await files.append('audit.log', 'two')
  assert.equal(await readFile(log, 'utf8'), 'one\nhalf of\ntwo\n')
  await truncate(log)
  await files.append('audit.log', 'new')
  assert.equal(await readFile(log, 'utf8'), 'new\n')
})
