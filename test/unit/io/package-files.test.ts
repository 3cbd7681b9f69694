// Files of an installed package: found by plain names only.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { PackageFiles } from '../../../src/io/files/package-files.ts'

test('a file of the package is read, and read once', async () => {
  const files = new PackageFiles('swagger-ui-dist')
  const bytes = await files.read('swagger-ui.css')
  assert.ok(bytes !== null && bytes.length > 1000)
  assert.equal(await files.read('swagger-ui.css'), bytes)
})

test('what is not a plain name of a file there is null', async () => {
  const files = new PackageFiles('swagger-ui-dist')
  for (const name of ['../mime/package.json', '/etc/hostname', '..', '.', '', 'a/b', 'nothing.js', '.hidden', 'x\0']) {
    assert.equal(await files.read(name), null, name)
  }
  assert.equal(await new PackageFiles('no-such-package').read('package.json'), null)
})

test('copies beside the program go first, the package has the rest', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-copies-'))
  try {
    await writeFile(join(folder, 'swagger-ui.css'), 'a copy')
    const files = new PackageFiles('swagger-ui-dist', pathToFileURL(`${folder}/`))
    assert.equal(Buffer.from((await files.read('swagger-ui.css')) ?? []).toString(), 'a copy')
    assert.ok(((await files.read('swagger-ui-bundle.js'))?.length ?? 0) > 1000)
    const copies = new PackageFiles('no-such-package', pathToFileURL(`${folder}/`))
    assert.equal(Buffer.from((await copies.read('swagger-ui.css')) ?? []).toString(), 'a copy')
    assert.equal(await copies.read('../swagger-ui.css'), null)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
