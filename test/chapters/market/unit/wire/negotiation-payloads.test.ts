// Messages of the market as packets: each kind of negotiation comes back as it was, keys and transactions of both kinds
// of chains, and no packet is larger than a datagram that every way carries.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { DecodeError } from '../../../../../src/base/errors.ts'
import { DECLINE_REASONS, type NegotiationMessage } from '../../../../../src/chapters/market/wire/negotiation.ts'
import {
  type Envelope,
  negotiationOf,
  negotiationPayload,
} from '../../../../../src/chapters/market/wire/negotiation-payloads.ts'
import { STATEMENT_BYTES } from '../../../../../src/chapters/market/wire/order-codec.ts'
import { COMMUNITY_IDS } from '../../../../../src/chapters/overlay/wire/community-ids.ts'
import * as market from '../../../../../src/chapters/market/wire/market-messages.ts'
import { decodePayload, encodePayload } from '../../../../../src/chapters/overlay/wire/message.ts'
import { encodePacket, prefixOf } from '../../../../../src/chapters/overlay/wire/packet.ts'
import { TestTrader } from '../../kit/market-orders.ts'

const trader = new TestTrader('one')
const statement = trader.order()
const order = { trader: 'ab'.repeat(20), number: 7 }
const envelope: Envelope = { to: 'cd'.repeat(20), nonce: '0123456789abcdef', saidMs: 1_700_000_000_123 }
const id = '00ff'.repeat(8)
const likeBitcoin = { claimKey: `02${'11'.repeat(32)}`, refundKey: `03${'22'.repeat(32)}` }
const likeEthereum = { claimKey: `0x${'33'.repeat(20)}`, refundKey: likeBitcoin.refundKey }
const proposal = {
  ...({ kind: 'propose', id, statement, order, quantity: (1n << 128n) - 1n, price: 30n * 10n ** 18n } as const),
  timeMs: 1_700_000_000_000,
  hash: '5a'.repeat(32),
  firstLockS: 1_700_086_400,
  secondLockS: 1_700_043_200,
}
const all: readonly NegotiationMessage[] = [
  { kind: 'match', order, statement },
  { ...proposal, ...likeBitcoin },
  { ...proposal, ...likeEthereum },
  { kind: 'accept', id, ...likeEthereum },
  { kind: 'counter', id, quantity: 1n },
  ...DECLINE_REASONS.map(reason => ({ kind: 'decline', id, reason }) as const),
  { kind: 'funded', id, txid: '77'.repeat(32) },
  { kind: 'funded', id, txid: `0x${'77'.repeat(32)}` },
]

describe('messages of the market', () => {
  it('between traders come back as they were', () => {
    for (const said of all) {
      const { message, values } = negotiationPayload(said, envelope)
      const read = decodePayload(message, encodePayload(message, values))
      assert.deepEqual(negotiationOf(said.kind, read), { said, envelope })
      assert.equal(message.signed, true)
    }
  })

  it('refuse what no field holds', () => {
    const { message, values } = negotiationPayload({ kind: 'decline', id, reason: 'other' }, envelope)
    const unknown = { ...values, reason: DECLINE_REASONS.length }
    assert.throws(
      () => negotiationOf('decline', decodePayload(message, encodePayload(message, unknown))),
      new DecodeError('a reason that is not known'),
    )
    for (const wrong of [
      { claimKey: 'zz', refundKey: '' },
      { claimKey: `0x${'33'.repeat(19)}`, refundKey: '' },
    ]) {
      const bad = negotiationPayload({ kind: 'accept', id, ...wrong }, envelope)
      assert.throws(() => encodePayload(bad.message, bad.values), RangeError)
    }
    const forged = encodePayload(market.match, { ...envelope, order, statement })
    // A byte of the statement's version.
    forged[forged.length - STATEMENT_BYTES] = 9
    assert.throws(() => decodePayload(market.match, forged), DecodeError)
  })

  it('fit into 1,300 bytes', () => {
    const prefix = prefixOf(Buffer.from(COMMUNITY_IDS.market, 'hex'))
    const size = (message: Parameters<typeof encodePacket>[1], values: Record<string, unknown>): number =>
      encodePacket(prefix, message, values, trader.identity).length
    const bytes = Array.from({ length: market.MAX_TOLD_STATEMENTS }, () => statement.bytes)
    const hashes = Array.from({ length: market.MAX_LISTED }, () => statement.hash)
    const longest = { prefix: '0123', count: 1, digest: 'ab'.repeat(8) }
    const branches = Array.from({ length: market.DIGEST_BRANCHES }, () => longest)
    const nodes = Array.from({ length: market.MAX_ASKED_DIGESTS }, () => ({ ...longest, branches }))
    const sizes = [
      size(market.tell, { statements: bytes }),
      size(market.statements, { identifier: 1, part: 0, parts: 1, statements: bytes }),
      size(market.askStatements, { identifier: 1, hashes }),
      size(market.list, { identifier: 1, more: true, hashes }),
      size(market.askDigests, { identifier: 1, nodes }),
      size(market.digests, { identifier: 1, nodes }),
      ...all.map(said => {
        const { message, values } = negotiationPayload(said, envelope)
        return size(message, values)
      }),
    ]
    for (const bytesOfPacket of sizes) assert.ok(bytesOfPacket < 1300, `${bytesOfPacket} bytes`)
  })

  it('belong to the overlay whose name says what it is', () => {
    assert.equal(COMMUNITY_IDS.market, createHash('sha1').update('tributary market 1').digest('hex'))
  })
})
