// A wallet of Bitcoin's kind over a chain in memory: what a transfer costs at the rate that was asked for.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Wallets } from '../../../../../src/chapters/wallets/service/wallets.ts'
import { addressOfScript, scriptOfAddress } from '../../../../../src/chapters/wallets/core/addresses.ts'
import { depositScript, spendDeposit } from '../../../../../src/chapters/market/chains/htlc-spend.ts'
import { drawnKey } from '../../../../kit/sim/drawn-key.ts'
import { memoryCoin, MemoryUtxoServer } from '../../../wallets/kit/memory-utxo-server.ts'
import { MemoryWalletFiles } from '../../../wallets/kit/memory-wallet-files.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const COIN = 'TBTC'
/** Virtual bytes of a transfer with one coin, to one address and change: 140.25 to 141, by its signature. */
const SIZES = [140n, 142n] as const

test('a transfer pays the rate for a virtual byte that was asked for', async () => {
  const { network } = memoryCoin()
  const server = new MemoryUtxoServer()
  server.mine(200)
  const settings = {
    server: () => 'http://127.0.0.1:1',
    network: () => 'regtest',
    chainId: () => 0,
    transferLimits: [] as string[],
    dayLimits: [] as string[],
  }
  const deps = { clock: new VirtualClock(), random: new SeededRandom(7), log: silentLog, makeRpc: () => server }
  const wallets = new Wallets(
    { ...deps, files: new MemoryWalletFiles(), settings: () => settings },
    { N: 2, r: 1, p: 1 },
  )
  await wallets.start()
  await wallets.create(COIN, 'password', null)
  const script = scriptOfAddress(wallets.market.receiveAddress(COIN), network)
  const input = { txid: '01'.repeat(32), index: 0, value: 10_000_000n, script: '' }
  server.mine(1, { transactions: [spendDeposit(drawnKey(1), [input], [{ script, value: 9_000_000n }]).raw] })
  server.mine(10)
  const destination = addressOfScript(depositScript(drawnKey(5)), network)
  for (const rate of [7, 20]) {
    const { fee_exact: fee } = await wallets.transfer(COIN, { amount: '0.001', destination, fee_rate: rate })
    const units = BigInt(Math.round(Number(fee) * 1e8))
    const [least, most] = SIZES.map(size => size * BigInt(rate))
    assert.ok(least !== undefined && most !== undefined && units >= least && units <= most, `${units} at ${rate}`)
    assert.equal(units % BigInt(rate), 0n, 'of whole virtual bytes')
    server.mine(1)
  }
  await assert.rejects(wallets.transfer(COIN, { amount: '0.001', destination, fee_rate: 0 }), {
    code: 'InvalidParameter',
  })
})
