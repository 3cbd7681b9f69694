// Settings of the overlay as plain text.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkOptionText, type OptionSpec } from '../../../../../src/node/settings/settings-option.ts'
import { settingsTable } from '../../../../kit/all-settings.ts'

test('first addresses of the overlay are host:port with commas between, and a colon means nobody', () => {
  const spec = settingsTable['ipv8']?.['bootstrap_override'] as OptionSpec
  for (const text of ['', ':', '127.0.0.1:8000', 'a.example:1, 192.0.2.1:65535'])
    assert.deepEqual(checkOptionText(spec, text), { value: text })
  for (const text of ['a.example', 'a.example:0', 'a.example:1,', ',', '::1:5'])
    assert.ok('problem' in checkOptionText(spec, text), text)
})
