// What is said of the hops that a download goes over.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circuitsText, hopChoices } from '../../../src/web/model/hops.ts'

test('why a download waits, in numbers', () => {
  const none = { candidates: 0, exits: 0, ready: 0, building: 0, last_failure: '' }
  assert.equal(circuitsText(none), '0 relays known, 0 exits known, 0 circuits being built')
  assert.equal(
    circuitsText({ candidates: 21, exits: 1, ready: 0, building: 1, last_failure: 'No answer.' }),
    '21 relays known, 1 exit known, 1 circuit being built, last failure: No answer.',
  )
  assert.equal(circuitsText({ ...none, ready: 3 }), '3 circuits ready')
  assert.equal(circuitsText({ ...none, ready: 1, building: 2 }), '1 circuit ready, 2 being built')
})

test('every number of hops that the interface takes is offered, and says what it costs', () => {
  assert.deepEqual(
    hopChoices.map(({ hops }) => hops),
    [0, 1, 2, 3],
  )
  for (const { cost } of hopChoices) assert.match(cost, /\.$/)
})
