// A backup holds wallets and the market: the seed, what was transferred, journals of swaps and the key that opens them;
// readable by their owner alone.

import { allKept } from '../../../../kit/all-kept.ts'
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MarketFolder } from '../../../../../src/chapters/market/io/market-folder.ts'
import { openNodeKey } from '../../../../../src/chapters/market/io/node-key.ts'
import { WalletFolder } from '../../../../../src/chapters/wallets/io/wallet-files.ts'
import { backUp, restore } from '../../../../../src/node/state/backup.ts'
import { Wallets } from '../../../../../src/chapters/wallets/service/wallets.ts'
import { MemoryEvmServer } from '../../../wallets/kit/memory-evm-server.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { temporaryFolder } from '../../../../unit/records/records-kit.ts'

const THEIRS = '0x52908400098527886E0F7030069857D2E4169EE7'

async function open(folder: string, server: MemoryEvmServer): Promise<Wallets> {
  const lists = { transferLimits: [], dayLimits: [] }
  const settings = { server: () => 'http://127.0.0.1:1', network: () => 'regtest', chainId: () => 31337, ...lists }
  const files = new WalletFolder(join(folder, 'wallets'))
  const common = { clock: new VirtualClock(), random: new SeededRandom(3), log: silentLog, files }
  const wallets = new Wallets({ ...common, makeRpc: () => server, settings: () => settings }, { N: 2, r: 1, p: 1 })
  await wallets.start()
  return wallets
}

test('what was backed up pays with the same seed, knows what was paid, and opens secrets of swaps', async t => {
  const [here, there] = [temporaryFolder(t), temporaryFolder(t)]
  const [copy, server] = [join(temporaryFolder(t), 'backup'), new MemoryEvmServer()]
  writeFileSync(join(here, 'tributary.yaml'), '')
  const wallets = await open(here, server)
  const made = await wallets.create('TETH', 'password', null)
  server.give(wallets.market.receiveAddress('TETH'), 10n ** 19n)
  const order = { amount: 1, destination: THEIRS, idempotency_key: 'once' }
  const paid = await wallets.transfer('TETH', order)
  server.mine()
  const market = join(here, 'market')
  const sealed = (await openNodeKey(market)).seal(Buffer.from('secret of a swap'))
  await new MarketFolder(market).write('swap-1.json', sealed)
  writeFileSync(join(market, 'swap-1.json.new'), 'half of it')

  const names = await backUp(here, copy, allKept)
  assert.deepEqual(
    names.toSorted(),
    ['market/node.key', 'market/swap-1.json', 'tributary.yaml', 'wallets/audit.log', 'wallets/seed.json'].concat(
      'wallets/teth.json',
    ),
  )
  assert.deepEqual((await restore(there, copy, allKept)).toSorted(), names.toSorted())
  for (const root of [copy, there]) {
    for (const name of ['wallets', 'market']) {
      assert.equal(statSync(join(root, name)).mode & 0o777, 0o700, name)
      for (const file of readdirSync(join(root, name)))
        assert.equal(statSync(join(root, name, file)).mode & 0o777, 0o600, file)
    }
  }
  const again = await open(there, server)
  assert.deepEqual(await again.exportSeed({ password: 'password' }), { seed_words: made.seed_words })
  assert.equal((await again.transfer('TETH', order)).txid, paid.txid)
  await again.unlock('TETH', { password: 'password', seconds: 9 })
  await again.transfer('TETH', { ...order, idempotency_key: 'twice' })
  assert.deepEqual([server.sent.length, (await again.transactions('TETH')).length], [2, 2])
  const seal = await openNodeKey(join(there, 'market'))
  const text = await new MarketFolder(join(there, 'market')).read('swap-1.json')
  assert.equal(Buffer.from(seal.open(text ?? '')).toString(), 'secret of a swap')
  await Promise.all([wallets.stop(), again.stop()])
})

test('nothing of a wallet that is there already is overwritten', async t => {
  const [here, there, copy] = [temporaryFolder(t), temporaryFolder(t), join(temporaryFolder(t), 'backup')]
  writeFileSync(join(here, 'tributary.yaml'), '')
  mkdirSync(join(here, 'wallets'), { mode: 0o700 })
  mkdirSync(join(there, 'wallets'), { mode: 0o700 })
  writeFileSync(join(here, 'wallets/seed.json'), 'one')
  writeFileSync(join(there, 'wallets/seed.json'), 'another')
  chmodSync(join(here, 'wallets/seed.json'), 0o600)
  await backUp(here, copy, allKept)
  await assert.rejects(restore(there, copy, allKept), { code: 'StateConflict', message: /seed\.json is there already/ })
})
