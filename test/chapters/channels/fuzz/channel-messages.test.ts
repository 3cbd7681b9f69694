// Messages between channels' nodes: any bytes are read or refused, and answers in parts come together whatever the
// order.

import assert from 'node:assert/strict'
import { ComingAnswer, partsOf } from '../../../../src/chapters/channels/wire/answer-parts.ts'
import * as channels from '../../../../src/chapters/channels/wire/channel-messages.ts'
import { decodePayload, encodePayload } from '../../../../src/chapters/overlay/wire/message.ts'
import { fuzz } from '../../../kit/sim/fuzz.ts'
import { attempt, fuzzMessages } from '../../overlay/kit/fuzz-messages.ts'

fuzzMessages([channels])

fuzz('answers of channels in parts, out of order, twice and spoilt', 0.2, source => {
  const items = Array.from({ length: source.below(40) }, () => (source.below(9) === 0 ? null : source.bytes(3000)))
  const parts = partsOf(7, items)
  const coming = new ComingAnswer(items.length)
  const left = [...parts, ...parts.slice(0, source.below(4))]
  while (left.length > 0) {
    const [part] = left.splice(source.below(left.length), 1)
    assert.ok(part !== undefined)
    assert.ok(encodePayload(channels.answerPart, part).length <= 1200)
    coming.add(part)
  }
  assert.ok(coming.complete)
  for (const [at, item] of items.entries()) assert.deepEqual(coming.items.get(at) ?? null, item)
  const spoilt = new ComingAnswer(source.below(20))
  for (const part of parts) {
    const values = attempt(() =>
      decodePayload(channels.answerPart, source.mutate(encodePayload(channels.answerPart, part))),
    )
    if (values !== null) spoilt.add(values)
  }
  for (const [at, item] of spoilt.items) assert.ok(at < 20 && item.length <= 8193)
})
