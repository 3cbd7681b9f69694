// Values of settings written as plain text: lists by commas or as JSON, and what only looks like JSON.

import { settingsTable } from '../../kit/all-settings.ts'
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

test('first addresses of the overlay are host:port with commas between, and a colon means nobody', () => {
  const spec = settingsTable['ipv8']?.['bootstrap_override'] as OptionSpec
  for (const text of ['', ':', '127.0.0.1:8000', 'a.example:1, 192.0.2.1:65535'])
    assert.deepEqual(checkOptionText(spec, text), { value: text })
  for (const text of ['a.example', 'a.example:0', 'a.example:1,', ',', '::1:5'])
    assert.ok('problem' in checkOptionText(spec, text), text)
  const id = settingsTable['tunnel_community']?.['community_id'] as OptionSpec
  assert.ok('problem' in checkOptionText(id, 'a3591a'))
  assert.ok('value' in checkOptionText(id, 'A3591A6BD89BBACA0974062A1287AFCFBC6FD6BC'))
})
