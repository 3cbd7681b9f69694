// Messages of the market: any bytes are read or refused, those of negotiations with faults too.

import * as market from '../../../../src/chapters/market/wire/market-messages.ts'
import {
  NEGOTIATION_MESSAGES,
  negotiationOf,
  negotiationPayload,
} from '../../../../src/chapters/market/wire/negotiation-payloads.ts'
import type { NegotiationMessage } from '../../../../src/chapters/market/wire/negotiation.ts'
import { decodePayload, encodePayload } from '../../../../src/chapters/overlay/wire/message.ts'
import { fuzz } from '../../../kit/sim/fuzz.ts'
import { attempt, fuzzMessages } from '../../overlay/kit/fuzz-messages.ts'
import { TestTrader } from '../kit/market-orders.ts'

const said = { to: 'cd'.repeat(20), nonce: '0123456789abcdef', saidMs: 1_700_000_000_123 }
const id = '00ff'.repeat(8)
const saidByTraders: readonly NegotiationMessage[] = [
  { kind: 'match', order: { trader: 'ab'.repeat(20), number: 7 }, statement: new TestTrader('one').order() },
  { kind: 'accept', id, claimKey: `0x${'33'.repeat(20)}`, refundKey: `03${'22'.repeat(32)}` },
  { kind: 'decline', id, reason: 'busy' },
  { kind: 'funded', id, txid: `0x${'77'.repeat(32)}` },
]

fuzzMessages([market])

fuzz('messages of the market with faults', 0.2, source => {
  const { message, values } = negotiationPayload(source.pick(saidByTraders), said)
  const read = attempt(() => decodePayload(message, source.mutate(encodePayload(message, values))))
  if (read === null) return
  const kind = source.pick(saidByTraders).kind
  if (NEGOTIATION_MESSAGES[kind] === message) attempt(() => negotiationOf(kind, read))
})
