// Nothing secret is seen while swaps run between built nodes on real chains: neither the seed, its words, its password
// and the keys of unlocked wallets, nor the keys and secrets of swaps: not in heap snapshots, logs, answers, databases
// or files, at any step of a swap, also after a restart.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { openNodeKey } from '../../../../src/chapters/market/io/node-key.ts'
import { withoutAnvil } from '../../wallets/kit/anvil-chain.ts'
import { makeTestFolder } from '../../../kit/content/content-on-disk.ts'
import { MarketChains, MarketNode } from '../kit/market-nodes.ts'
import { needs } from '../../../kit/requirements.ts'
import { assertNowhere, heapOf, writtenBy } from '../../../kit/nodes/secret-search.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { PASSWORD } from '../../wallets/kit/wallet-client.ts'

const skip = needs('litecoind') || withoutAnvil
const options = { skip, timeout: 300_000 }
const WHOLE = 100_000_000n
const ETHER = 10n ** 18n

let folder: Awaited<ReturnType<typeof makeTestFolder>>
let chains: MarketChains
let alice: MarketNode
let bob: MarketNode
const secrets = new Map<string, string | Uint8Array>([['the password', PASSWORD]])

/** What the words of a seed stand for. */
async function noteSeed(name: string, words: string): Promise<void> {
  const { HDKey } = await import('@scure/bip32')
  const { mnemonicToEntropy, mnemonicToSeedSync } = await import('@scure/bip39')
  const { wordlist } = await import('@scure/bip39/wordlists/english.js')
  const seed = mnemonicToSeedSync(words)
  secrets.set(`the words of ${name}`, words)
  secrets.set(`the entropy of ${name}`, mnemonicToEntropy(words, wordlist))
  secrets.set(`the seed of ${name}`, seed)
  const master = HDKey.fromMasterSeed(seed)
  for (const at of ["m/84'/1'/0'", "m/84'/1'/0'/0/0", "m/84'/1'/0'/1/0", "m/44'/60'/0'/0/0"]) {
    const key = master.derive(at)
    secrets.set(`the key ${at} of ${name}`, key.privateKey ?? Buffer.alloc(0))
    if (at.length < 12) secrets.set(`the extended key ${at} of ${name}`, key.privateExtendedKey)
  }
}

/** Keys and secrets of the swaps that run, out of the journals; how many there are. */
async function noteSwaps({ node, name }: MarketNode): Promise<{ keys: number; secrets: number }> {
  const market = path.join(node.stateDir, 'market')
  secrets.set(`the key of the node of ${name}`, await readFile(path.join(market, 'node.key')))
  const seal = await openNodeKey(market)
  const found = { keys: 0, secrets: 0 }
  // A journal that is just being written has a second file for a moment.
  const isJournal = (each: string): boolean => each.startsWith('swap-') && !each.endsWith('.new')
  for (const file of (await readdir(market)).filter(isJournal)) {
    const { key, secret } = JSON.parse(await readFile(path.join(market, file), 'utf8')) as Record<string, string>
    secrets.set(`the key of ${file} of ${name}`, seal.open(key ?? ''))
    found.keys += 1
    if (secret === '') continue
    secrets.set(`the secret of ${file} of ${name}`, seal.open(secret ?? ''))
    found.secrets += 1
  }
  return found
}

/** Looks everywhere, in both nodes. */
async function nowhere(hidden = secrets): Promise<void> {
  for (const { node, name } of [alice, bob]) {
    const places = new Map([[`the heap of ${name}`, await heapOf(node)]])
    for (const [file, bytes] of await writtenBy(node))
      if (file !== 'market/node.key') places.set(`${name}: ${file}`, bytes)
    for (const asked of ['/market/orders', '/market/transactions', '/wallets', '/settings', '/wallets/audit'])
      places.set(`${name}: ${asked}`, (await node.request('GET', asked)).body)
    assertNowhere(hidden, places)
  }
}

before(async () => {
  if (skip !== false) return
  folder = await makeTestFolder()
  chains = await MarketChains.start()
  alice = await MarketNode.start(chains, 'alice', path.join(folder.path, 'alice'), null)
  bob = await MarketNode.start(chains, 'bob', path.join(folder.path, 'bob'), await alice.overlayAddress())
  await alice.createWallets({ TLTC: 20n * WHOLE, TETH: ETHER })
  await bob.createWallets({ TBTC: 2n * WHOLE, TETH: 5n * ETHER })
  for (const { node, name } of [alice, bob]) {
    const reply = await node.request('POST', '/wallets/seed/export', { password: PASSWORD })
    await noteSeed(name, reply.json<{ seed_words: string }>().seed_words)
  }
  await Promise.all([alice.hasPeers(), bob.hasPeers()])
})
after(async () => {
  await Promise.all([alice?.stop(), bob?.stop()])
  await chains?.stop()
  await folder?.remove()
})

test('while two swaps wait for blocks, nothing of them and of the wallets is seen', options, async () => {
  const bitcoin = { price_exact: '0.0125', quantity_exact: '2', price_type: 'TBTC', quantity_type: 'TLTC' } as const
  const ether = { price_exact: '0.25', quantity_exact: '1.5', price_type: 'TETH', quantity_type: 'TLTC' } as const
  await alice.place('ask', bitcoin)
  await bob.place('bid', bitcoin)
  await bob.place('bid', ether)
  // The newer order is hers here: each of them knows a secret.
  await alice.place('ask', ether)
  for (const node of [alice, bob]) {
    await waitFor(`swaps of ${node.name} are funded`, async () => {
      const trades = await node.trades()
      const kinds = await Promise.all(trades.map(async trade => (await node.payments(trade)).map(({ kind }) => kind)))
      return kinds.length === 2 && kinds.some(made => made.includes('purse'))
    })
  }
  // Each of them began one.
  assert.deepEqual(await noteSwaps(alice), { keys: 2, secrets: 1 })
  assert.deepEqual(await noteSwaps(bob), { keys: 2, secrets: 1 })
  await nowhere()
})

test('after a restart in the middle, with everything locked, and unlocked again', options, async () => {
  await bob.kill()
  await bob.restart()
  await nowhere()
  await bob.unlock()
  await nowhere()
})
