// The key of the interface: how it is made, read and left out.

import assert from 'node:assert/strict'
import { Secret } from '../../../src/base/secret.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLoopback, keyProblem, makeApiKey, readApiKeyFile } from '../../../src/node/state/api-key.ts'

test('made keys have 64 hexadecimal digits and differ', () => {
  assert.match(makeApiKey(), /^[0-9a-f]{64}$/)
  assert.notEqual(makeApiKey(), makeApiKey())
})

test('a key file gives its first line', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-key-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'key')
  writeFileSync(path, ' secret \r\nmore\n')
  assert.equal((await readApiKeyFile(path)).reveal(), 'secret')
  writeFileSync(path, '\nsecret')
  await assert.rejects(readApiKeyFile(path), { code: 'BadConfiguration', message: /has no key/ })
  await assert.rejects(readApiKeyFile(join(folder, 'none')), { code: 'BadConfiguration', message: /cannot be read/ })
})

test('an empty key needs a loopback address', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) assert.ok(isLoopback(host), host)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'localhost', '']) {
    assert.equal(isLoopback(host), false, host)
    assert.match(keyProblem(Secret.none, host) ?? '', /loopback/)
    assert.equal(keyProblem(new Secret('k'), host), null)
  }
})
