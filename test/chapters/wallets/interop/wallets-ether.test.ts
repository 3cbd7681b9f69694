// A wallet of a built node on a real chain of anvil: paid, paying, exact to the wei; fees raised; blocks taken back;
// bad addresses.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startAnvil, withoutAnvil } from '../kit/anvil-chain.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import type { RpcChain } from '../kit/rpc-chain.ts'
import { codeOf, unitsOf, WalletClient } from '../kit/wallet-client.ts'

const options = { skip: withoutAnvil, timeout: 120_000 }
const THEIRS = '0x52908400098527886E0F7030069857D2E4169EE7'
const ETHER = 10n ** 18n

let chain: RpcChain
let node: NodeProcess
let wallet: WalletClient
let rich = ''

const wei = (text: string) => unitsOf(text, 18)
const balanceOf = async (address: string) => BigInt(await chain.call<string>('eth_getBalance', address, 'latest'))
const pay = (to: string, value: bigint) =>
  chain.call<string>('eth_sendTransaction', { from: rich, to, value: `0x${value.toString(16)}` })
const mine = (blocks: number) => chain.call('anvil_mine', `0x${blocks.toString(16)}`)
const synced = async () => {
  const height = Number(await chain.call<string>('eth_blockNumber'))
  return wallet.until(record => record.height === height && record.problem === '')
}

before(async () => {
  if (withoutAnvil !== false) return
  chain = await startAnvil()
  rich = (await chain.call<string[]>('eth_accounts'))[0] ?? ''
  node = await startNode({ settings: { 'wallets.teth_server': chain.url, 'wallets.teth_chain_id': 31_337 } })
  wallet = new WalletClient(node, 'TETH')
})
after(async () => {
  await node?.stop()
  await chain?.stop()
})

test('it is created and paid, and the payment stands in its history', options, async () => {
  await wallet.create()
  const { address } = await synced()
  await mine(20)
  const hash = await pay(address, 3n * ETHER + 7n)
  await mine(150)
  const paid = await wallet.until(({ balance }) => balance.available_exact === '3.000000000000000007')
  assert.equal(paid.balance.available, 3)
  const [line] = await wallet.history()
  assert.deepEqual([line?.id, line?.outgoing, line?.amount_exact], [hash, false, '3.000000000000000007'])
})

test('a transfer arrives exactly to the wei', options, async () => {
  const before = wei((await synced()).balance.available_exact)
  const theirs = await balanceOf(THEIRS)
  const { txid } = await wallet.transfer({ amount_exact: '0.100000000000000001', destination: THEIRS })
  const { address } = await synced()
  assert.equal(await balanceOf(THEIRS), theirs + ETHER / 10n + 1n)
  const line = (await wallet.history()).find(({ id }) => id === txid)
  assert.equal(line?.confirmations, 1)
  const left = wei((await synced()).balance.available_exact)
  assert.equal(left, await balanceOf(address))
  assert.equal(left, before - ETHER / 10n - 1n - wei(line?.fee_exact ?? ''))
})

test('the fee of a stuck transfer is raised; only one of both is paid', options, async () => {
  await chain.call('evm_setAutomine', false)
  const theirs = await balanceOf(THEIRS)
  const first = await wallet.transfer({ amount: 0.2, destination: THEIRS })
  const waiting = await wallet.record()
  assert.ok(wei(waiting.balance.available_exact) < 2_700_000_000_000_000_000n, 'what is on its way cannot be spent')
  const reply = await wallet.ask('POST', `/transactions/${first.txid}/fee`)
  assert.equal(reply.status, 200, reply.body.toString())
  const second = reply.json<{ txid: string; fee_exact: string }>()
  assert.ok(wei(second.fee_exact) > wei(first.fee_exact))
  const [line] = await wallet.history()
  assert.deepEqual([line?.id, line?.confirmations], [second.txid, 0])
  await mine(1)
  await synced()
  assert.equal(await balanceOf(THEIRS), theirs + ETHER / 5n)
  assert.equal(codeOf(await wallet.ask('POST', `/transactions/${second.txid}/fee`), 409), 'StateConflict')
  await chain.call('evm_setAutomine', true)
})

test('a reorganisation of six blocks is followed: what is taken back no longer counts', options, async () => {
  const { address, balance } = await synced()
  const before = wei(balance.available_exact)
  const state = await chain.call<string>('evm_snapshot')
  await pay(address, ETHER)
  await mine(5)
  await wallet.until(record => wei(record.balance.available_exact) === before + ETHER)
  assert.equal((await wallet.history())[0]?.amount_exact, '1')
  await chain.call('evm_revert', state)
  await chain.call('evm_increaseTime', 60)
  await mine(7)
  await wallet.until(record => wei(record.balance.available_exact) === before && record.problem === '')
  assert.notEqual((await wallet.history())[0]?.amount_exact, '1')
})

test('bad input is refused, and nothing is sent', options, async () => {
  const refusals: [Record<string, unknown>, string][] = [
    [{ amount: 0.1, destination: THEIRS.replace('E', 'e') }, 'InvalidAddress'],
    [{ amount: 0.1, destination: `0x${'0'.repeat(40)}` }, 'InvalidAddress'],
    [{ amount: 0.1, destination: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' }, 'InvalidAddress'],
    [{ amount_exact: '0.1234567890123456789', destination: THEIRS }, 'InvalidParameter'],
    [{ amount: 1 / 3, destination: THEIRS }, 'InvalidParameter'],
    [{ amount: 1e9, destination: THEIRS }, 'InsufficientFunds'],
    [{ amount_exact: (await wallet.record()).balance.available_exact, destination: THEIRS }, 'InsufficientFunds'],
  ]
  const { address } = await synced()
  const count = await chain.call<string>('eth_getTransactionCount', address, 'pending')
  for (const [order, code] of refusals) assert.equal(await wallet.refused(order, 400), code, JSON.stringify(order))
  assert.equal(await chain.call<string>('eth_getTransactionCount', address, 'pending'), count)
})

test('a server of another chain is not used', options, async () => {
  await node.request('POST', '/settings', { wallets: { eth_server: chain.url } })
  const real = new WalletClient(node, 'ETH')
  await real.create()
  assert.match((await real.record()).problem, /chain 31337, not 1/)
  assert.equal(await real.refused({ amount: 1, destination: THEIRS }, 502), 'WalletServerFailed')
})
