// Versions: what is one, and which is newer (the order of semver.org, part 11).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareVersions, parseVersion, type Version } from '../../../src/wire/version-text.ts'

const version = (text: string): Version => {
  const found = parseVersion(text)
  assert.ok(found, text)
  return found
}

test('each is older than the next', () => {
  const rising =
    '0.9 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 v1.0.0 1.0.1 1.2 1.10.0 2.0.0.1'
  const versions = rising.split(' ').map(version)
  for (const [at, one] of versions.entries())
    for (const [other, two] of versions.entries())
      assert.equal(Math.sign(compareVersions(one, two)), Math.sign(at - other), `${one.text} ${two.text}`)
})

test('a v, missing numbers and build marks make no difference', () => {
  assert.equal(compareVersions(version('v1.2'), version('1.2.0+build.5')), 0)
  assert.equal(version(' v1.2.3-rc.1\n').text, '1.2.3-rc.1')
})

test('other texts are no versions', () => {
  for (const text of ['', 'x', '1', 'v', '1.', '1.2.3.4.5', '1.2 3', '<html>', '1.2.3-', '9'.repeat(50), '1.-2'])
    assert.equal(parseVersion(text), null, text)
})
