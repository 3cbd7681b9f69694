// What circuits add to the tables of the specification: parts 2.11 and 2.12, and their rows of 4.11.

import type { SpecRoute } from '../../../contract/spec/routes.ts'
import type { RecordShape } from '../../../contract/spec/shapes.ts'
import type { SpecPart } from '../../../contract/spec/spec-parts.ts'

const CIRCUIT: RecordShape = {
  fields: {
    id: 'integer',
    state: 'string',
    goal_hops: 'integer',
    bytes_up: 'integer',
    bytes_down: 'integer',
    created: 'integer',
    hops: { list: { fields: { host: 'string' }, extra: { member: 'string' } } },
  },
  // 0395.
  extra: {
    purpose: 'string',
    speed_up: 'integer',
    speed_down: 'integer',
    rtt: { nullable: 'number' },
    loss: 'number',
    reason: 'string',
  },
}
const SLOTS: RecordShape = { fields: { competing: 'integer', random: 'integer' } }

const list = (path: string, name: string, record: RecordShape): SpecRoute => ({
  part: '4.11',
  method: 'GET',
  path,
  parameters: {},
  answer: { json: { fields: { [name]: { list: record } } } },
  status: 200,
  failures: [],
  asks: () => [{}],
})

export const specPart: SpecPart = {
  routes: [list('/debug/circuits', 'circuits', CIRCUIT), list('/debug/circuits/slots', 'slots', SLOTS)],
}
