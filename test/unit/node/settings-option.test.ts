// Values of settings written as plain text: lists by commas or as JSON, and what only looks like JSON.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkOptionText, type OptionSpec } from '../../../src/node/settings/settings-option.ts'
import { settingsSchema } from '../../../src/node/settings/settings-schema.ts'

const bootstrap: OptionSpec = settingsSchema.libtorrent.dht_bootstrap

test('lists are JSON or separated by commas; an IPv6 address in front is no JSON', () => {
  const both = ['[2a01::1]:6881', 'router.example:25401']
  assert.deepEqual(checkOptionText(bootstrap, both.join(', ')), { value: both })
  assert.deepEqual(checkOptionText(bootstrap, JSON.stringify(both)), { value: both })
  assert.deepEqual(checkOptionText(bootstrap, '[]'), { value: [] })
  for (const text of ['["a.example:1"', '[a.example:1]', '[2a01::1]']) {
    assert.ok('problem' in checkOptionText(bootstrap, text), text)
  }
})
