// What a journal holds: nothing secret that is not sealed, nothing at all of it once the swap is over; payments into
// deposits are asked for once, by key.

import assert from 'node:assert/strict'
import { createCipheriv } from 'node:crypto'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import {
  decodeJournal,
  encodeJournal,
  keep,
  type SwapJournal,
  wiped,
} from '../../../../../src/chapters/market/swap/swap-journal.ts'
import { payDeposit, type SwapTools } from '../../../../../src/chapters/market/swap/swap-work.ts'
import type { MarketPayment } from '../../../../../src/chapters/wallets/ports/market-funds.ts'
import type { SecretSeal } from '../../../../../src/chapters/market/ports/market-files.ts'
import type { SwapChain } from '../../../../../src/chapters/market/ports/swap-chain.ts'
import { memorySeal } from '../../kit/memory-market-files.ts'
import { MemoryMarketFunds } from '../../../wallets/kit/memory-market-funds.ts'
import { sampleAgreement } from '../../kit/sample-swap.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const KEY = Buffer.alloc(32, 0x71)
const SECRET = Buffer.alloc(32, 0x72)
const RAW = '02000000deadbeef'

/** A seal that hides: nothing of what it sealed can be read in its text. */
const seal: SecretSeal = {
  seal: bytes => createCipheriv('aes-256-ctr', Buffer.alloc(32, 9), Buffer.alloc(16)).update(bytes).toString('base64'),
  open: () => {
    throw new AppError('StateUnreadable', 'not here')
  },
}

function journal(more: Partial<SwapJournal> = {}, by: SecretSeal = seal): SwapJournal {
  const facts = { kind: 'claim', side: 'take', amount: 10n ** 30n, urgency: 0, madeMs: 5 } as const
  return {
    version: 1,
    agreement: sampleAgreement(),
    role: 'initiator',
    reservation: 'order-1',
    payTo: { give: 'g', take: 't' },
    fromHeight: { give: 1, take: 2 },
    beganMs: 3,
    key: by.seal(KEY),
    secret: by.seal(SECRET),
    deposits: { give: null, take: null },
    transactions: [keep(by, { raw: RAW, txid: 'ab', fee: 7n }, facts)],
    theirs: [],
    given: false,
    taken: false,
    outcome: null,
    endedMs: 0,
    closed: false,
    ...more,
  }
}

test('a journal comes back as it was, whole numbers of any size too', () => {
  const before = journal()
  assert.deepEqual(decodeJournal(encodeJournal(before)), before)
})

test('its deposits have the name on the disk that older versions read', () => {
  const give = { amount: 10n, fee: 1n, txid: 'ef', timeMs: 1, counted: true, nothingWorth: 0n }
  const text = encodeJournal(journal({ deposits: { give, take: null } }))
  assert.match(text, /"purses":\{"give":\{"amount":\{"\$":"10"\}/)
  assert.ok(!text.includes('deposits'))
  assert.deepEqual(decodeJournal(text).deposits, { give, take: null })
})

test('neither key, secret nor a signed transaction can be read in its text', () => {
  const text = encodeJournal(journal())
  for (const secret of [KEY, SECRET])
    for (const form of ['hex', 'base64', 'latin1'] as const) assert.ok(!text.includes(secret.toString(form)), form)
  assert.ok(!text.includes(RAW))
})

test('the journal of a swap that is over has none of them, sealed or not', () => {
  const closed = wiped(journal({}, memorySeal))
  assert.deepEqual([closed.key, closed.secret, closed.closed], ['', '', true])
  assert.ok(closed.transactions.every(({ raw }) => raw === ''))
  assert.ok(!encodeJournal(closed).includes('sealed:'))
})

test('what is no journal is refused, and not repeated in the error', () => {
  for (const text of ['', 'null', '{}', '{"version":2}', 'key=7171', `${' '.repeat(10)}[]`]) {
    assert.throws(() => decodeJournal(text), {
      code: 'StateUnreadable',
      message: 'The journal of a swap cannot be read.',
    })
  }
})

/** Tools whose wallet is open, and counts what it is asked for. */
function tools(payments: MarketPayment[], fails: { times: number }): { tools: SwapTools; written: SwapJournal[] } {
  const written: SwapJournal[] = []
  const funds = new MemoryMarketFunds([], () => Promise.reject(new Error('not asked')))
  funds.pay = payment => {
    payments.push(payment)
    if (fails.times-- > 0) return Promise.reject(new AppError('WalletServerFailed', 'gone'))
    return Promise.resolve({ txid: 'paid', fee: 3n })
  }
  let need = 100n
  const chain = {
    depositNeed: () => Promise.resolve(need++),
    depositAddress: () => 'deposit',
  } as unknown as SwapChain
  const write = (each: SwapJournal) => {
    written.push(each)
    return Promise.resolve()
  }
  return {
    tools: {
      clock: new VirtualClock(),
      seal: memorySeal,
      funds,
      chains: { give: chain, take: chain },
      key: KEY,
      write,
    },
    written,
  }
}

test('a deposit is paid by one key and one amount for ever, however often it is tried and whatever fees do meanwhile', async () => {
  const payments: MarketPayment[] = []
  const rig = tools(payments, { times: 2 })
  let now = journal({}, memorySeal)
  for (let tries = 0; tries < 2; tries++) {
    await assert.rejects(payDeposit(rig.tools, now, 'give'), { code: 'WalletServerFailed' })
    // As after a kill: what goes on is what was durable last.
    now = rig.written.at(-1) as SwapJournal
  }
  const paid = await payDeposit(rig.tools, now, 'give')
  assert.equal(paid.deposits.give?.txid, 'paid')
  assert.equal(payments.length, 3)
  assert.deepEqual(new Set(payments.map(({ key, amount }) => `${key} ${amount}`)).size, 1)
  assert.match(payments[0]?.key ?? '', /^swap-[0-9a-f]{32}-purse$/)
  assert.equal(rig.written[0]?.deposits.give?.txid, '', 'it was kept before it was asked for')
})

test('both deposits have keys of their own', async () => {
  const payments: MarketPayment[] = []
  const rig = tools(payments, { times: 0 })
  const first = await payDeposit(rig.tools, journal({}, memorySeal), 'give')
  await payDeposit(rig.tools, first, 'take')
  assert.equal(new Set(payments.map(({ key }) => key)).size, 2)
  assert.deepEqual(
    payments.map(({ reservation }) => reservation),
    ['order-1', 'order-1-gas'],
  )
})
