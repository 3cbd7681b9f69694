// Chains of swaps: of the wallets that are created, kept, and asked by the server that the settings name now.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SwapChains } from '../../../../../src/chapters/market/wiring/swap-chains.ts'
import { chainTag, type CoinId } from '../../../../../src/chapters/wallets/core/assets.ts'

function rig() {
  const names = new Map<CoinId, string>([
    ['TLTC', 'regtest'],
    ['TETH', '31337'],
  ])
  const servers = new Map<CoinId, string>([['TLTC', 'http://one']])
  const asked: string[] = []
  const closed: string[] = []
  const chains = new SwapChains({
    wallets: { chainName: coin => names.get(coin) ?? null },
    server: coin => servers.get(coin) ?? '',
    makeRpc: url => ({
      call: method => {
        asked.push(`${url} ${method}`)
        return Promise.reject(new Error('nobody'))
      },
      close: () => void closed.push(url),
    }),
  })
  return { names, servers, asked, closed, chains }
}

test('a chain is made once for the chain of a wallet, and there is none without a wallet', () => {
  const { chains, names } = rig()
  const litecoin = chains.of('TLTC')
  assert.deepEqual(litecoin?.asset, { coin: 'TLTC', chain: chainTag('TLTC', 'regtest') })
  assert.equal(chains.of('TLTC'), litecoin)
  assert.equal(chains.ofAsset({ coin: 'TLTC', chain: chainTag('TLTC', 'testnet') }), null)
  assert.equal(chains.ofAsset({ coin: 'TLTC', chain: chainTag('TLTC', 'regtest') }), litecoin)
  assert.deepEqual(chains.of('TETH')?.asset, { coin: 'TETH', chain: chainTag('TETH', '31337') })
  assert.equal(chains.of('BTC'), null)
  assert.throws(() => chains.demand('BTC'), { code: 'WalletNotCreated' })
  names.set('TLTC', 'testnet')
  assert.notEqual(chains.of('TLTC'), litecoin)
})

test('the server of the settings is asked; a change counts from the next question on, and the old one is let go', async () => {
  const { chains, servers, asked, closed } = rig()
  const litecoin = chains.demand('TLTC')
  await assert.rejects(litecoin.now())
  assert.match(asked.at(-1) ?? '', /^http:\/\/one /)
  servers.set('TLTC', 'http://two')
  await assert.rejects(litecoin.now())
  assert.match(asked.at(-1) ?? '', /^http:\/\/two /)
  assert.deepEqual(closed, ['http://one'])
  await assert.rejects(chains.demand('TETH').now(), { code: 'NoWalletServer' })
  const before = asked.length
  chains.close()
  assert.deepEqual(closed, ['http://one', 'http://two'])
  await assert.rejects(litecoin.now(), { code: 'Aborted' })
  assert.equal(asked.length, before)
})
