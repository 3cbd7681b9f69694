// Every route is judged: whether it makes the node contact others (test/kit/nodes/contacting-routes.ts).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeTable } from '../../kit/all-routes.ts'
import { judgedRoutes } from '../../kit/nodes/contacting-routes.ts'

test('whoever adds a route says whether it contacts somebody, and by which way', () => {
  assert.deepEqual([...judgedRoutes].sort(), routeTable.map(({ id }) => id).sort())
})
