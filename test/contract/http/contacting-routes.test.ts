// Every route is judged: whether it makes the node contact others (test/kit/nodes/contacting-routes.ts).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeTable } from '../../kit/all-routes.ts'
import { judgedRoutes } from '../../kit/nodes/contacting-routes.ts'

test('whoever adds a route says whether it contacts somebody, and by which way', () => {
  const judged = new Set(judgedRoutes)
  const ids = routeTable.map(({ id }) => id)
  const where = 'test/kit/nodes/contacting-routes.ts, or kit/judged-routes.ts of the tests of their chapter'
  assert.deepEqual(
    ids.filter(id => !judged.has(id)),
    [],
    `not judged: ${where}`,
  )
  assert.deepEqual([...judgedRoutes].sort(), ids.sort())
})
