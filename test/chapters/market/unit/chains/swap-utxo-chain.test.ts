// Swaps on a chain of Bitcoin's kind against a server in memory: what is read once and what again, what a server that
// lies, stalls or goes back can do, and what fees and deposits come to. Real chains:
// test/chapters/market/interop/swap-litecoin.test.ts, swap-bitcoin.test.ts.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { RpcRefusal } from '../../../../../src/chapters/wallets/ports/json-rpc.ts'
import { raisedFee, utxoPace } from '../../../../../src/chapters/market/chains/swap-utxo-pace.ts'
import { SwapUtxoChain } from '../../../../../src/chapters/market/chains/swap-utxo-chain.ts'
import { addressOfScript } from '../../../../../src/chapters/wallets/core/addresses.ts'
import { COINS } from '../../../../../src/chapters/wallets/core/coins.ts'
import { htlcOutput } from '../../../../../src/chapters/market/chains/htlc-script.ts'
import {
  publicKeyOf,
  depositScript,
  spendContract,
  spendDeposit,
} from '../../../../../src/chapters/market/chains/htlc-spend.ts'
import { readEnding, readTransaction } from '../../../../../src/chapters/wallets/core/tx-reader.ts'
import type { Payment } from '../../../../../src/chapters/wallets/core/utxo-signing.ts'
import type { LegTerms } from '../../../../../src/chapters/market/wire/types.ts'
import { drawnKey } from '../../../../kit/sim/drawn-key.ts'
import { memoryCoin, MemoryUtxoServer } from '../../../wallets/kit/memory-utxo-server.ts'

const { coin, network } = memoryCoin()
const [CLAIMER, FUNDER, STRANGER] = [drawnKey(1), drawnKey(2), drawnKey(3)]
const SECRET = Buffer.from(drawnKey(4))
const HOME = addressOfScript(depositScript(drawnKey(5)), network)
const coded =
  (code: string, text = /./) =>
  (error: unknown): boolean =>
    error instanceof AppError && error.code === code && text.test(error.message)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function rig() {
  const server = new MemoryUtxoServer()
  server.mine(20)
  const swaps = new SwapUtxoChain(coin, network, { rpc: () => server })
  const terms: LegTerms = {
    asset: swaps.asset,
    hash: createHash('sha256').update(SECRET).digest('hex'),
    amount: 100_000n,
    lockS: 1_800_000_000,
    claimKey: hex(publicKeyOf(CLAIMER)),
    refundKey: hex(publicKeyOf(FUNDER)),
  }
  return { server, swaps, terms }
}

let payments = 0
/** A transaction of a stranger that pays these. */
function payment(...paid: Payment[]): string {
  payments += 1
  const txid = payments.toString(16).padStart(64, '0')
  return spendDeposit(STRANGER, [{ txid, index: 0, value: 10_000_000n, script: '' }], paid).raw
}
const contractOf = (terms: LegTerms, value = terms.amount): Payment => ({ script: htlcOutput(terms), value })
const asked = (server: MemoryUtxoServer, method: string): number => server.asked.get(method) ?? 0

test('the clock is the median of eleven headers, whatever order their times have', async () => {
  const { server, swaps } = rig()
  for (const time of [50, 10, 90, 20, 80, 30, 70, 40, 60, 5, 1]) server.mine(1, { time: 1_800_000_000 + time })
  assert.deepEqual(await swaps.now(), { height: 31, timeS: 1_800_000_040 })
  const young = new MemoryUtxoServer()
  young.mine(3)
  const few = new SwapUtxoChain(coin, network, { rpc: () => young })
  assert.deepEqual(await few.now(), { height: 3, timeS: 1_700_000_020 }, 'of four headers the third')
})

test('blocks are read once for all that is watched; later only those that may say something', async () => {
  const { server, swaps, terms } = rig()
  server.mine(1, { transactions: [payment(contractOf(terms))] })
  server.mine(10)
  await swaps.now()
  assert.equal(asked(server, 'getblock'), 0, 'nothing is watched')
  assert.equal((await swaps.findFunding(terms, 1, null))?.height, 21)
  const read = asked(server, 'getblock')
  assert.equal(read, 31)
  const others = [2, 3, 4, 5].map(more => ({ ...terms, lockS: terms.lockS + more }))
  for (const other of others) assert.equal(await swaps.findFunding(other, 1, null), null)
  assert.equal(await swaps.confirmations('ab'.repeat(32), 1), null)
  assert.equal(asked(server, 'getblock'), read, 'marks say that they are in no block')
  server.mine(1, { transactions: [payment(contractOf(terms, 7_000n))] })
  await swaps.now()
  assert.equal(asked(server, 'getblock'), read + 1)
  const other = { ...terms, amount: 7_000n }
  assert.equal((await swaps.findFunding(other, 1, null))?.confirmations, 1)
})

test('what is watched later is found in blocks that were read before, and its end in them', async () => {
  const { server, swaps, terms } = rig()
  const unknown = { ...terms, lockS: terms.lockS + 77 }
  const fund = payment(contractOf(unknown))
  await swaps.findFunding(terms, 1, null)
  server.mine(1, { transactions: [fund] })
  await swaps.now()
  const { txid } = (await swaps.findFunding(unknown, 1, null)) ?? { txid: '' }
  const place = { txid, index: 0, amount: terms.amount, payTo: depositScript(CLAIMER), fee: 1_000n }
  const claim = spendContract(CLAIMER, { ...place, terms: unknown, secret: SECRET.toString('hex') })
  server.mine(5)
  server.mine(1, { transactions: [claim.raw] })
  const later = new SwapUtxoChain(coin, network, { rpc: () => server })
  await later.findFunding(terms, 1, null)
  const found = await later.findFunding(unknown, 1, null)
  assert.ok(found !== null)
  const read = asked(server, 'getblock')
  const end = { kind: 'claimed', txid: claim.txid, confirmations: 1, secret: SECRET.toString('hex') }
  assert.deepEqual(await later.findEnd(unknown, found, 1), end)
  assert.equal(asked(server, 'getblock'), read, 'its funding brought its end')
})

test('funded and spent in one block', async () => {
  const { server, swaps, terms } = rig()
  const fund = payment(contractOf(terms))
  const txid = server.wait(fund)
  const place = { txid, index: 0, amount: terms.amount, payTo: depositScript(CLAIMER), fee: 1_000n }
  server.wait(spendContract(CLAIMER, { ...place, terms, secret: SECRET.toString('hex') }).raw)
  server.mine(1)
  const found = await swaps.findFunding(terms, 1, null)
  assert.equal((await swaps.findEnd(terms, found ?? assert.fail(), 1))?.kind, 'claimed')
})

test('a hundred blocks taken back are followed; more are not believed, and nothing changes', async () => {
  const { server, swaps, terms } = rig()
  const fund = payment(contractOf(terms))
  server.mine(130)
  server.mine(1, { transactions: [fund] })
  server.mine(99)
  assert.equal((await swaps.findFunding(terms, 1, null))?.confirmations, 100)
  server.drop(100)
  server.mine(101)
  assert.equal(await swaps.findFunding(terms, 1, null), null)
  server.mine(1, { transactions: [fund] })
  assert.equal((await swaps.findFunding(terms, 1, null))?.confirmations, 1)
  server.drop(103)
  server.mine(110)
  await assert.rejects(swaps.findFunding(terms, 1, null), coded('WalletServerFailed', /another chain than before/))
})

test('money that cannot be spent yet is no funding: that of miners', async () => {
  const { server, swaps, terms } = rig()
  const reward = { ...terms, amount: 5_000_000_000n }
  server.mine(1, { minerPays: htlcOutput(reward) })
  assert.equal(await swaps.findFunding(reward, 1, null), null)
  const deposit = depositScript(FUNDER)
  server.mine(1, { minerPays: deposit })
  assert.equal((await swaps.deposit(FUNDER, { fromHeight: 1, paidBy: null })).balance, 0n)
  server.mine(1, { transactions: [payment({ script: deposit, value: 9_000n })] })
  assert.equal((await swaps.deposit(FUNDER, { fromHeight: 1, paidBy: null })).balance, 9_000n)
})

test('what goes into a block between two questions is not missed', async () => {
  const { server, swaps, terms } = rig()
  const deposit = depositScript(FUNDER)
  const txid = server.wait(payment({ script: deposit, value: 9_000n }, contractOf(terms)))
  await swaps.findFunding(terms, 1, null)
  const mineAt = (method: string): void => {
    server.lie = asking => {
      if (asking !== method) return undefined
      server.lie = () => undefined
      server.mine(1)
      return undefined
    }
  }
  mineAt('getrawmempool')
  assert.equal((await swaps.findFunding(terms, 1, null))?.txid, txid)
  server.drop(1)
  server.wait(payment({ script: deposit, value: 9_000n }))
  mineAt('getrawtransaction')
  assert.notEqual(await swaps.confirmations([...server.pool.keys()][0] ?? '', 1), null)
  server.drop(1)
  server.wait(payment({ script: deposit, value: 8_000n }))
  mineAt('getrawmempool')
  assert.equal((await swaps.deposit(FUNDER, { fromHeight: 1, paidBy: null })).balance, 8_000n)
})

test('a server that lies is not believed: blocks, headers, work, chain', async () => {
  const lies: [string, (answer: string) => unknown][] = [
    ['getblock', block => block.slice(0, 300) + (block[300] === '0' ? '1' : '0') + block.slice(301)],
    ['getblock', () => 'zz'],
    ['getblockheader', header => header.slice(0, 150) + (header[150] === '0' ? '1' : '0') + header.slice(151)],
    ['getblockheader', header => header.slice(2)],
    ['getblockhash', () => 'cd'.repeat(32)],
    ['getblockcount', () => -1],
    ['getrawmempool', () => ({})],
  ]
  for (const [method, change] of lies) {
    const { server, swaps, terms } = rig()
    const honest = new MemoryUtxoServer()
    honest.blocks.splice(0, 1, ...server.blocks)
    server.lie = (asking, parameters) => {
      if (asking !== method) return undefined
      return honest.call(asking, parameters).then(answer => change(String(answer)))
    }
    await assert.rejects(swaps.findFunding(terms, 1, null), coded('WalletServerFailed'), method)
  }
  const { server, swaps } = rig()
  // A header that follows, and whose hash is above its target.
  server.blocks.push(noWork(server))
  await assert.rejects(swaps.now(), coded('WalletServerFailed', /shows no work/))
})

function noWork(server: MemoryUtxoServer): string {
  server.mine(1)
  const block = Buffer.from(server.blocks.pop() ?? '', 'hex')
  for (let nonce = 0; ; nonce += 1) {
    block.writeUInt32LE(nonce, 76)
    const first = createHash('sha256').update(block.subarray(0, 80)).digest()
    if ((createHash('sha256').update(first).digest()[31] ?? 0) >= 0x80) return block.toString('hex')
  }
}

test('an end that no chain would take is not believed, in blocks or waiting', async () => {
  const { server, swaps, terms } = rig()
  server.mine(1, { transactions: [payment(contractOf(terms))] })
  const found = (await swaps.findFunding(terms, 1, null)) ?? assert.fail()
  const place = { txid: found.txid, index: 0, amount: terms.amount, payTo: depositScript(CLAIMER), fee: 1_000n }
  const { raw } = spendContract(CLAIMER, { ...place, terms, secret: SECRET.toString('hex') })
  const changed = raw.replace(SECRET.toString('hex'), SECRET.toString('hex').replace(/^../, '00'))
  const txid = server.wait(changed)
  await assert.rejects(swaps.findEnd(terms, found, 1), coded('WalletServerFailed', /no chain would take/))
  // The same id with another witness: the claim said to be a refund, which its lock time cannot be.
  const [signature, , , script] = readEnding(readTransaction(Buffer.from(raw, 'hex'))).witnesses[0] ?? []
  const push = (item: Uint8Array = new Uint8Array()): string => item.length.toString(16).padStart(2, '0') + hex(item)
  const asRefund = `${raw.slice(0, 160)}03${push(signature)}00${push(script)}00000000`
  assert.equal(server.wait(asRefund), txid)
  await assert.rejects(swaps.findEnd(terms, found, 1), coded('WalletServerFailed', /no chain would take/))
  server.pool.clear()
  server.mine(1, { transactions: [changed] })
  await assert.rejects(swaps.findEnd(terms, found, 1), coded('WalletServerFailed', /no chain would take/))
})

test('a long chain is read in parts, and each question goes on', async () => {
  const { server, swaps, terms } = rig()
  server.mine(1, { transactions: [payment(contractOf(terms))] })
  server.mine(4_100)
  const { length } = server.blocks
  const hashes = server.blocks.map((_block, height) => server.hash(height))
  const byHash = new Map(hashes.map((hash, height) => [hash, server.blocks[height] ?? '']))
  server.lie = (method, [first]) => {
    if (method === 'getblockhash') return hashes[first as number]
    if (method === 'getblock') return byHash.get(first as string)
    return method === 'getblockheader' ? byHash.get(first as string)?.slice(0, 160) : undefined
  }
  await assert.rejects(swaps.findFunding(terms, 1, null), coded('WalletServerFailed', /\d+ blocks are left/))
  assert.equal((await swaps.findFunding(terms, 1, null))?.confirmations, length - 21)
})

test('refusals of the chain, silence, and servers that are not ready', async () => {
  const { server, swaps, terms } = rig()
  const raw = payment(contractOf(terms))
  const sent = { raw, txid: server.wait(raw), fee: 0n }
  server.pool.clear()
  const refuse = (code: number): void => {
    server.lie = method => {
      if (method === 'sendrawtransaction') throw new RpcRefusal(code, 'non-final')
      return undefined
    }
  }
  refuse(-26)
  await assert.rejects(swaps.send(sent), coded('TransferRefused', /non-final/))
  refuse(-28)
  await assert.rejects(swaps.send(sent), coded('WalletServerFailed'))
  refuse(-27)
  server.wait(raw)
  await swaps.send(sent)
  server.pool.clear()
  server.lie = method => (method === 'sendrawtransaction' ? sent.txid : undefined)
  await assert.rejects(swaps.send(sent), coded('TransferRefused', /has not kept it/))
  server.mine(1, { transactions: [raw] })
  await swaps.findFunding(terms, 1, null)
  refuse(-25)
  await swaps.send(sent)
})

test('a deposit is given enough for twice the fees, and what is over comes home', async () => {
  for (const rate of [0.00001, 0.0001, 0.003]) {
    const { server, swaps, terms } = rig()
    server.rate = rate
    const need = await swaps.depositNeed('fund', terms.amount)
    assert.equal(await swaps.depositNeed('claim', terms.amount), 0n)
    server.mine(1, { transactions: [payment({ script: depositScript(FUNDER), value: need })] })
    const trace = { fromHeight: 1, paidBy: null }
    for (const factor of [0.5, 1, 2, 2.25]) {
      server.rate = Number((rate * factor).toFixed(8))
      const { funding, refund } = await swaps.makeFunding(terms, FUNDER, HOME, trace)
      assert.equal(funding.length, 1)
      assert.ok((refund?.fee ?? 0n) > 0n)
    }
    // As much as the rate may have risen, and what is over can still be given back at that.
    server.rate = Number((rate * 2.25).toFixed(8))
    const { funding } = await swaps.makeFunding(terms, FUNDER, HOME, trace)
    await swaps.send(funding[0] ?? assert.fail())
    server.mine(1)
    const left = need - terms.amount - (funding[0]?.fee ?? 0n)
    assert.equal((await swaps.deposit(FUNDER, trace)).balance, left)
    const sweep = await swaps.makeSweep(FUNDER, HOME, trace)
    assert.ok(sweep !== null && sweep.fee < left)
  }
})

test('dust of strangers in a deposit costs nothing', async () => {
  const { server, swaps, terms } = rig()
  const deposit = depositScript(FUNDER)
  const need = await swaps.depositNeed('fund', terms.amount)
  const dust = Array.from({ length: 40 }, () => ({ script: deposit, value: 330n }))
  server.mine(1, { transactions: [payment({ script: deposit, value: need }), payment(...dust), payment(...dust)] })
  const trace = { fromHeight: 1, paidBy: null }
  assert.equal((await swaps.deposit(FUNDER, trace)).balance, need + 80n * 330n)
  const { funding } = await swaps.makeFunding(terms, FUNDER, HOME, trace)
  assert.ok((funding[0]?.raw.length ?? 0) < 600, 'one coin was spent')
})

test('fees: half as much again a step, at least the step above what waits, never more than there is', () => {
  const of = { size: 140, rate: 10_000n, urgency: 0, waiting: null, most: 90_000n }
  assert.equal(raisedFee(of, coin), 1_400n)
  assert.deepEqual(
    [1, 2, 3].map(urgency => raisedFee({ ...of, urgency }, coin)),
    [2_100n, 3_150n, 4_725n],
  )
  assert.equal(raisedFee({ ...of, waiting: 1_400n }, coin), 1_400n, 'the same again')
  assert.equal(raisedFee({ ...of, waiting: 1_399n }, coin), 1_539n)
  assert.equal(raisedFee({ ...of, urgency: 1, waiting: 5_000n }, coin), 5_140n)
  assert.equal(raisedFee({ ...of, urgency: 99 }, coin), raisedFee({ ...of, urgency: 10 }, coin))
  assert.equal(raisedFee({ ...of, rate: 1_000_000n, urgency: 9 }, coin), 90_000n)
  assert.equal(raisedFee({ ...of, urgency: -3 }, coin), 1_400n)
})

test('paces of the chains', () => {
  const paces = Object.values(COINS).flatMap(each =>
    each.family === 'utxo' ? Object.values(each.networks).map(net => [each.id, net.name, utxoPace(net)] as const) : [],
  )
  const told = new Map(paces.map(([id, name, pace]) => [`${id} ${name}`, Object.values(pace)]))
  assert.deepEqual(told.get('BTC main'), [600, 3, 7_200])
  assert.deepEqual(told.get('TBTC signet'), [600, 3, 7_200])
  assert.deepEqual(told.get('LTC main'), [150, 6, 1_800])
  assert.deepEqual(told.get('TLTC regtest'), [1, 1, 12])
})
