// What the doctor finds of it has a text in the dashboard's catalogue for each code, and none is left over.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overlayFindings } from '../../../../../src/chapters/overlay/wiring/overlay-doctor.ts'
import { english } from '../../../../../src/web/texts/node/findings.ts'
import { catalogueOf } from '../../../../kit/finding-catalogue.ts'

test('the catalogue says what the table says', () => {
  const ours = Object.entries(english).filter(([key]) => key.startsWith('overlay_'))
  assert.deepEqual(Object.fromEntries(ours), catalogueOf(overlayFindings))
})
