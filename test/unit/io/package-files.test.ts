// Files of an installed package: found by plain names only.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PackageFiles } from '../../../src/io/package-files.ts'

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
