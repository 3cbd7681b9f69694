// Where a folder really is: through links and through mounts of parts of a file system, as the kernel makes them.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { identifyFolder } from '../../../../src/io/files/identify-folder.ts'
import { parseMounts, placeOnDevice } from '../../../../src/io/files/mounts.ts'
import { projectRoot } from '../../../kit/project-root.ts'
import { needs } from '../../../kit/requirements.ts'

const MOUNTS = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 8:1 /srv/my\\040data/films /films rw - ext4 /dev/sda1 rw
41 22 0:41 / /mnt rw - nfs4 nas:/vol rw
`

test('what a mount shows of a file system lies where that has it', () => {
  const mounts = parseMounts(MOUNTS)
  for (const [path, place] of [
    ['/', '8:1:/'],
    ['/films', '8:1:/srv/my data/films'],
    ['/films/a', '8:1:/srv/my data/films/a'],
    ['/srv/my data/films/a', '8:1:/srv/my data/films/a'],
    ['/filmsets', '8:1:/filmsets'],
    ['/mnt/a', '0:41:/a'],
  ] as const)
    assert.equal(placeOnDevice(path, mounts), place)
  assert.equal(placeOnDevice('/films', []), '/films')
})

test('links are followed; what is not there has no name', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-identify-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'real'))
  symlinkSync('real', join(folder, 'link'))
  writeFileSync(join(folder, 'file'), '')
  const real = await identifyFolder(join(folder, 'real'))
  assert.ok(real)
  assert.ok(real.path.endsWith('/real'))
  assert.deepEqual(await identifyFolder(join(folder, 'link')), real)
  assert.notEqual((await identifyFolder(folder))?.id, real.id)
  for (const name of ['none', 'file/below']) assert.equal(await identifyFolder(join(folder, name)), null)
})

test('a folder inside of another is seen to be so by whatever mount', { skip: needs('mounts') }, t => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-identify-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['data/films/old', 'films', 'old']) mkdirSync(join(folder, name), { recursive: true })
  const module = pathToFileURL(join(projectRoot, 'dist/src/io/files/identify-folder.js')).href
  const names = `const { identifyFolder } = await import(process.argv[2])
    const found = await Promise.all(['data', 'films', 'old', 'data/films/old'].map(name => identifyFolder(process.argv[1] + '/' + name)))
    console.log(JSON.stringify(found))`
  const script = `mount --bind "$0/data/films" "$0/films" && mount --bind "$0/data/films/old" "$0/old" &&
    exec "$1" --input-type=module -e "$2" "$0" "$3"`
  const args = ['--mount', 'bash', '-c', script, folder, process.execPath, names, module]
  const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' })
  assert.equal(stderr, '')
  const [data, films, old, direct] = JSON.parse(stdout) as { path: string; id: string }[]
  assert.equal(films?.path, `${data?.path}/films`)
  assert.equal(old?.path, `${data?.path}/films/old`)
  assert.deepEqual(old, direct)
})
