// Every route is judged: whether it makes the node contact others (test/kit/nodes/contacting-routes.ts).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeTable } from '../../kit/all-routes.ts'
import { CONTACTING, OF_CHANNELS, OF_MARKET, OF_WALLETS, SILENT } from '../../kit/nodes/contacting-routes.ts'

test('whoever adds a route says whether it contacts somebody, and by which way', () => {
  const judged = [...Object.keys(CONTACTING), ...OF_CHANNELS, ...OF_WALLETS, ...OF_MARKET, ...SILENT]
  assert.deepEqual(judged.sort(), routeTable.map(({ id }) => id).sort())
})
