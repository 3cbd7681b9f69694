// Settings of circuits as plain text.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkOptionText, type OptionSpec } from '../../../../../src/node/settings/settings-option.ts'
import { settingsTable } from '../../../../kit/all-settings.ts'

test('the id of the community of circuits is 20 bytes in hex', () => {
  const id = settingsTable['tunnel_community']?.['community_id'] as OptionSpec
  assert.ok('problem' in checkOptionText(id, 'a3591a'))
  assert.ok('value' in checkOptionText(id, 'A3591A6BD89BBACA0974062A1287AFCFBC6FD6BC'))
})
