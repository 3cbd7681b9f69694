// Transactions: the example of BIP 143, blocks and their work, signatures that others accept, coins chosen, and the
// ledger's conflicts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Transaction as EvmTransaction } from 'ethers'
import fc from 'fast-check'
import type { AppError } from '../../../../../src/base/errors.ts'
import { showsWork, targetOf } from '../../../../../src/chapters/wallets/core/block-work.ts'
import { chooseCoins, feeOf, sizeOf } from '../../../../../src/chapters/wallets/core/coin-selection.ts'
import { signEvmTransfer } from '../../../../../src/chapters/wallets/core/evm-signing.ts'
import { evmKey, seedOfWords, utxoAccount } from '../../../../../src/chapters/wallets/core/seed-words.ts'
import { doubleSha256, readBlock, readTransaction } from '../../../../../src/chapters/wallets/core/tx-reader.ts'
import { UtxoLedger } from '../../../../../src/chapters/wallets/core/utxo-ledger.ts'
import {
  type KeyPlace,
  type OwnCoin,
  scriptOfPlace,
  signTransfer,
} from '../../../../../src/chapters/wallets/core/utxo-signing.ts'

/** BIP 143, native P2WPKH: the signed transaction. */
const BIP143 =
  '01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee635711000000'
/** The first blocks of Bitcoin and Litecoin: their headers. */
const BITCOIN_HEADER =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c'
const LITECOIN_HEADER =
  '010000000000000000000000000000000000000000000000000000000000000000000000d9ced4ed1130f7b7faad9be25323ffafa33232a17c3edf6cfd97bee6bafbdd97b9aa8e4ef0ff0f1ecd513f7c'
const COINBASE =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000'

const bytes = (hex: string) => Buffer.from(hex, 'hex')
const WORDS = `${'abandon '.repeat(11)}about`
const fails = (code: string) => (error: AppError) => error.code === code

async function account() {
  return utxoAccount((await seedOfWords(WORDS)).seed, 1)
}

function coin(index: number, value: bigint, script = '0014'): OwnCoin {
  return { txid: index.toString(16).padStart(64, '0'), index: 0, value, script, place: { chain: 0, index: 0 } }
}

test('the example of BIP 143 is read as it is written, and nothing cut off or added', () => {
  const { inputs, outputs } = readTransaction(bytes(BIP143))
  assert.equal(inputs[1]?.txid, '8ac60eb9575db5b2d987e29f301b5b819ea83a5c6579d282d189cc04b8e151ef')
  assert.deepEqual(
    outputs.map(({ value }) => value),
    [112_340_000n, 223_450_000n],
  )
  for (const cut of [1, 40, 200]) assert.throws(() => readTransaction(bytes(BIP143).subarray(0, -cut)))
  assert.throws(() => readTransaction(Buffer.concat([bytes(BIP143), Buffer.from([0])])))
})

test('a block is read when its header covers what it holds', () => {
  const block = Buffer.concat([bytes(BITCOIN_HEADER), Buffer.from([1]), bytes(COINBASE)])
  const { hash, transactions, time } = readBlock(block)
  assert.equal(hash, '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f')
  assert.deepEqual([transactions[0]?.coinbase, time], [true, 1_231_006_505])
  const changed = Buffer.from(block)
  changed[block.length - 60] = 0
  assert.throws(() => readBlock(changed), /does not hold/)
  assert.throws(() =>
    readBlock(Buffer.concat([bytes(BITCOIN_HEADER), Buffer.from([2]), bytes(COINBASE), bytes(COINBASE)])),
  )
})

test('work is shown by the first blocks of Bitcoin and Litecoin, and not by one of another target', async () => {
  const bitcoin = { work: 'sha256d', easiest: 0x1d00ffff } as const
  const litecoin = { work: 'scrypt', easiest: 0x1e0ffff0 } as const
  assert.equal(await showsWork(bytes(BITCOIN_HEADER), 0x1d00ffff, null, bitcoin), true)
  assert.equal(await showsWork(bytes(LITECOIN_HEADER), 0x1e0ffff0, null, litecoin), true)
  assert.equal(await showsWork(bytes(LITECOIN_HEADER), 0x1d00ffff, null, bitcoin), false)
  assert.equal(await showsWork(bytes(BITCOIN_HEADER), 0x207fffff, null, bitcoin), false, 'easier than the chain allows')
  assert.equal(await showsWork(bytes(BITCOIN_HEADER), 0x1d00ffff, 0x1b0404cb, bitcoin), false, 'easier than four times')
  const nonce = bytes(BITCOIN_HEADER)
  nonce[79] = 0
  assert.equal(await showsWork(nonce, 0x1d00ffff, null, bitcoin), false)
  assert.deepEqual([targetOf(0x01003456), targetOf(0x00000000), targetOf(0x04923456)], [0n, null, null])
})

test('what is signed spends our coins and pays what it says', async () => {
  const own = await account()
  const place: KeyPlace = { chain: 0, index: 3 }
  const script = scriptOfPlace(own, place)
  const coins = [{ ...coin(1, 70_000n), script: Buffer.from(script).toString('hex'), place }]
  const tx = readTransaction(signTransfer(own, coins, [{ script, value: 60_000n }]))
  assert.deepEqual(
    [tx.inputs[0]?.txid, tx.inputs[0]?.sequence, tx.outputs[0]?.value],
    [coins[0]?.txid, 0xfffffffd, 60_000n],
  )
  assert.throws(() => signTransfer(own, coins, [{ script, value: 70_001n }]), fails('InsufficientFunds'))
  // No larger than what is paid for: 82 bytes beside the witness count four times (BIP 141).
  assert.ok(Math.ceil((82 * 3 + tx.raw.length) / 4) <= sizeOf(1, [22]))
  own.wipePrivateData()
  assert.throws(() => signTransfer(own, coins, [{ script, value: 1n }]), fails('WalletLocked'))
})

test('chosen coins pay amount and fee exactly, whatever there is', () => {
  const target = { scriptBytes: [22], amount: 50_000n, rate: 5_000n, dust: 294n }
  fc.assert(
    fc.property(fc.array(fc.bigInt(1n, 60_000n), { maxLength: 40 }), fc.bigInt(1000n, 50_000n), (values, rate) => {
      const coins = values.map((value, index) => coin(index + 1, value))
      let choice: ReturnType<typeof chooseCoins>
      try {
        choice = chooseCoins(coins, { ...target, rate })
      } catch (error) {
        return (error as AppError).code === 'InsufficientFunds'
      }
      const sum = choice.coins.reduce((total, { value }) => total + value, 0n)
      const scripts = choice.change > 0n ? [22, 22] : [22]
      assert.equal(sum, target.amount + choice.fee + choice.change)
      assert.ok(choice.fee >= feeOf(sizeOf(choice.coins.length, scripts), rate))
      assert.ok(choice.change === 0n || choice.change >= target.dust)
      return new Set(choice.coins.map(({ txid }) => txid)).size === choice.coins.length
    }),
  )
  const fitting = 50_000n + feeOf(sizeOf(1, [22]), 5_000n)
  const exact = chooseCoins([coin(1, 90_000n), coin(2, fitting), coin(3, 70_000n)], target)
  assert.deepEqual([exact.coins.map(({ value }) => value), exact.change], [[fitting], 0n])
})

test('a transfer of Ethereum is signed so that others find our address in it', async () => {
  const key = evmKey((await seedOfWords('test test test test test test test test test test test junk')).seed)
  const order = {
    chainId: 31_337n,
    nonce: 7,
    to: '0x52908400098527886E0F7030069857D2E4169EE7',
    value: 5n,
    gasLimit: 21_000n,
  }
  for (const fees of [
    { maxFee: 9n, tip: 2n },
    { maxFee: 9n, tip: null },
  ]) {
    const { hash, raw } = signEvmTransfer(key, { ...order, ...fees })
    const read = EvmTransaction.from(raw)
    assert.deepEqual(
      [read.from, read.hash, read.chainId],
      ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', hash, 31_337n],
    )
    assert.deepEqual([read.nonce, read.value, read.to], [7, 5n, order.to])
  }
})

/** A legacy transaction of these inputs and outputs. */
function plain(inputs: readonly [string, number][], outputs: readonly [Uint8Array, bigint][]) {
  const parts = [Buffer.from([2, 0, 0, 0, inputs.length])]
  for (const [txid, index] of inputs) {
    const point = Buffer.alloc(4)
    point.writeUInt32LE(index)
    parts.push(bytes(txid).reverse(), point, Buffer.from([0, 0xfd, 0xff, 0xff, 0xff]))
  }
  parts.push(Buffer.from([outputs.length]))
  for (const [script, value] of outputs) {
    const amount = Buffer.alloc(8)
    amount.writeBigUInt64LE(value)
    parts.push(amount, Buffer.from([script.length]), Buffer.from(script))
  }
  return readTransaction(Buffer.concat([...parts, Buffer.alloc(4)]))
}

test('of two that spend the same the newer counts, until a block has the other; blocks are taken back', async () => {
  const own = await account()
  const scriptOf = (place: KeyPlace) => scriptOfPlace(own, place)
  const ledger = new UtxoLedger(scriptOf)
  const mine = scriptOf({ chain: 0, index: 0 })
  const change = scriptOf({ chain: 1, index: 0 })
  const foreign = Buffer.from(`0014${'11'.repeat(20)}`, 'hex')
  const block = (hash: string, ...transactions: ReturnType<typeof plain>[]) => {
    return { header: Buffer.alloc(80), hash, previous: '', time: 7, bits: 0x207fffff, transactions }
  }
  const paid = plain([['ab'.repeat(32), 0]], [[mine, 1000n]])
  ledger.begin({ height: 9, hash: 'nine', bits: 0 })
  ledger.connect(10, block('ten', paid))
  assert.equal(ledger.view().available, 1000n)
  const first = plain(
    [[paid.txid, 0]],
    [
      [foreign, 300n],
      [change, 690n],
    ],
  )
  const second = plain(
    [[paid.txid, 0]],
    [
      [foreign, 300n],
      [change, 600n],
    ],
  )
  ledger.seen(first, 8, true)
  assert.deepEqual([ledger.view().available, ledger.waiting().length], [690n, 1])
  ledger.seen(second, 9, true)
  assert.deepEqual([ledger.view().available, ledger.waiting().map(({ txid }) => txid)], [600n, [second.txid]])
  ledger.connect(11, block('eleven', first))
  assert.deepEqual([ledger.view().available, ledger.waiting().length], [690n, 0])
  const [entry] = ledger.view().entries
  assert.deepEqual([entry?.txid, entry?.amount, entry?.fee, entry?.outgoing], [first.txid, 300n, 10n, true])
  ledger.disconnectAbove(9)
  assert.deepEqual([ledger.view().available, ledger.view().pending, ledger.tip?.height], [600n, 0n, 9])
  const again = new UtxoLedger(
    scriptOf,
    JSON.parse(JSON.stringify(ledger.stored())) as ReturnType<typeof ledger.stored>,
  )
  assert.deepEqual(again.view(), ledger.view())
  // The id is that of the bytes.
  assert.equal(paid.txid, Buffer.from(doubleSha256(paid.raw)).reverse().toString('hex'))
})
