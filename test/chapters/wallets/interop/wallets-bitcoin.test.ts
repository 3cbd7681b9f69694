// A wallet of a built node on a chain of bcoin (regtest), another implementation than Bitcoin Core's: mined, spent
// after a hundred blocks, exact.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addressForBcoin, startBcoin } from '../kit/bcoin-chain.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import type { RpcChain } from '../kit/rpc-chain.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { codeOf, unitsOf, WalletClient } from '../kit/wallet-client.ts'

const options = { timeout: 180_000 }
/** BIP 173, example of a P2WPKH address, written for regtest. */
const THEIRS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const SCRIPT = '0014751e76e8199196d454941c45d1b3a323f1433bd6'

interface Block {
  readonly tx: readonly {
    readonly txid: string
    readonly vout: readonly { readonly value: number; readonly scriptPubKey: { hex: string } }[]
  }[]
}

let chain: RpcChain
let node: NodeProcess
let wallet: WalletClient

const mine = (blocks: number, address: string) =>
  chain.call<string[]>('generatetoaddress', blocks, addressForBcoin(address))
const synced = async () => {
  const height = await chain.call<number>('getblockcount')
  return wallet.until(record => record.height === height && record.problem === '')
}

before(async () => {
  chain = await startBcoin()
  await mine(450, THEIRS)
  node = await startNode()
  // Not as an argument, which would hold it against later changes.
  await node.request('POST', '/settings', { wallets: { tbtc_server: chain.url, tbtc_network: 'regtest' } })
  wallet = new WalletClient(node, 'TBTC')
})
after(async () => {
  await node?.stop()
  await chain?.stop()
})

test('rewards of blocks are pending for a hundred blocks, then available', options, async () => {
  await wallet.create()
  const { address } = await synced()
  assert.match(address, /^bcrt1q/)
  await mine(2, address)
  const fresh = await synced()
  assert.equal(fresh.balance.available_exact, '0')
  assert.ok(unitsOf(fresh.balance.pending_exact) > 0n)
  await mine(100, THEIRS)
  const ripe = await synced()
  assert.deepEqual([ripe.balance.available_exact, ripe.balance.pending_exact], [fresh.balance.pending_exact, '0'])
})

test('a transfer is taken, mined and exact', options, async () => {
  const before = unitsOf((await synced()).balance.available_exact)
  const { txid, fee_exact } = await wallet.transfer({ amount: '0.00012345', destination: THEIRS })
  // bcoin has answered before its pool holds what it was given.
  await waitFor('the transfer waits to be mined', async () =>
    (await chain.call<string[]>('getrawmempool')).includes(txid),
  )
  const [hash = ''] = await mine(1, THEIRS)
  const block = await chain.call<Block>('getblock', hash, true, true)
  const found = block.tx.find(each => each.txid === txid)
  assert.ok(found?.vout.some(({ value, scriptPubKey }) => value === 0.00012345 && scriptPubKey.hex === SCRIPT))
  await synced()
  const [line] = await wallet.history()
  assert.deepEqual([line?.id, line?.amount_exact, line?.confirmations], [txid, '0.00012345', 1])
  assert.equal(unitsOf((await wallet.record()).balance.available_exact), before - 12_345n - unitsOf(fee_exact))
})

test(
  'bcoin replaces nothing that waits: a raised fee is refused and says so, and the first transfer stays',
  options,
  async () => {
    const before = unitsOf((await synced()).balance.available_exact)
    const first = await wallet.transfer({ amount: '0.002', destination: THEIRS, fee_rate: 2 })
    const waits = async () => (await chain.call<string[]>('getrawmempool')).includes(first.txid)
    await waitFor('the transfer waits to be mined', waits)
    const after = unitsOf((await wallet.record()).balance.available_exact)
    assert.equal(after, before - 200_000n - unitsOf(first.fee_exact))
    const reply = await wallet.ask('POST', `/transactions/${first.txid}/fee`, { fee_rate: 50 })
    assert.equal(codeOf(reply, 409), 'TransferRefused')
    assert.match(reply.body.toString(), /keeps the one with the lower fee/)
    assert.deepEqual(await chain.call<string[]>('getrawmempool'), [first.txid])
    assert.equal(unitsOf((await wallet.record()).balance.available_exact), after)
    await mine(1, THEIRS)
    await synced()
    const [line] = await wallet.history()
    assert.deepEqual([line?.id, line?.confirmations, line?.fee_exact], [first.txid, 1, first.fee_exact])
  },
)

/** Gives the blocks of one node from a height on to another. */
async function give(from: RpcChain, to: RpcChain, first: number): Promise<void> {
  const last = await from.call<number>('getblockcount')
  for (let height = first; height <= last; height += 1) {
    const hash = await from.call<string>('getblockhash', height)
    await to.call('submitblock', await from.call<string>('getblock', hash, false))
  }
}

test('a reorganisation of six blocks is followed', options, async () => {
  const before = unitsOf((await synced()).balance.available_exact)
  const height = await chain.call<number>('getblockcount')
  const other = await startBcoin()
  try {
    await give(chain, other, 1)
    const { txid, fee_exact } = await wallet.transfer({ amount: 0.001, destination: THEIRS })
    await mine(6, THEIRS)
    await synced()
    assert.equal((await wallet.history())[0]?.confirmations, 6)
    await other.call('generatetoaddress', 7, addressForBcoin(THEIRS))
    await give(other, chain, height + 1)
    await synced()
    const line = (await wallet.history()).find(({ id }) => id === txid)
    assert.equal(line?.confirmations, 0)
    await waitFor('the transfer waits again', async () => (await chain.call<string[]>('getrawmempool')).includes(txid))
    await mine(1, THEIRS)
    await synced()
    assert.equal((await wallet.history()).find(({ id }) => id === txid)?.confirmations, 1)
    assert.equal(unitsOf((await wallet.record()).balance.available_exact), before - 100_000n - unitsOf(fee_exact))
  } finally {
    await other.stop()
  }
})

test('a server that suddenly has a wholly different chain is not believed', options, async () => {
  const before = await synced()
  const other = await startBcoin()
  try {
    await other.call('generatetoaddress', 700, addressForBcoin(THEIRS))
    await node.request('POST', '/settings', { wallets: { tbtc_server: other.url } })
    const record = await wallet.until(({ problem }) => problem !== '')
    assert.match(record.problem, /another chain than before/)
    assert.deepEqual(record.balance, before.balance)
    assert.equal(await wallet.refused({ amount: 0.001, destination: THEIRS }, 502), 'WalletServerFailed')
  } finally {
    await other.stop()
  }
})
