// A wallet of a built node on a real chain of litecoind (regtest): paid, paying, exact to the smallest unit; fees
// raised; blocks taken back; locked after a restart; the seed restored elsewhere. And nothing secret anywhere.

import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { makeTestFolder } from '../../../kit/content/content-on-disk.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { needs } from '../../../kit/requirements.ts'
import { type RpcChain, startLitecoind } from '../kit/rpc-chain.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { codeOf, PASSWORD, unitsOf, WalletClient } from '../kit/wallet-client.ts'

const skip = needs('litecoind')
const options = { skip, timeout: 180_000 }

let folder: Awaited<ReturnType<typeof makeTestFolder>>
let chain: RpcChain
let node: NodeProcess
let wallet: WalletClient
let words = ''
let theirs = ''

const settings = () => ({ 'wallets.tltc_server': chain.url, 'wallets.tltc_network': 'regtest' })
const mine = async (blocks: number) => chain.call<string[]>('generatetoaddress', blocks, theirs)
const synced = async (client: WalletClient) => {
  const height = await chain.call<number>('getblockcount')
  return client.until(record => record.height === height && record.problem === '')
}
const units = async () => unitsOf((await wallet.record()).balance.available_exact)

before(async () => {
  if (skip !== false) return
  folder = await makeTestFolder()
  chain = await startLitecoind(450)
  theirs = await chain.call<string>('getnewaddress', '', 'bech32')
  node = await startNode({ stateDir: path.join(folder.path, 'state'), settings: settings() })
  wallet = new WalletClient(node, 'TLTC')
})
after(async () => {
  await node?.stop()
  await chain?.stop()
  await folder?.remove()
})

test('it is created with words, and paid: pending, then available', options, async () => {
  const before = await wallet.record()
  assert.deepEqual([before.created, before.address], [false, ''])
  assert.equal(await wallet.refused({ amount: 1, destination: theirs }, 400), 'WalletNotCreated')
  words = (await wallet.create()) ?? ''
  assert.equal(words.split(' ').length, 24)
  const { address } = await synced(wallet)
  assert.match(address, /^rltc1q/)
  await chain.call('sendtoaddress', address, 2.5)
  assert.equal((await wallet.until(({ balance }) => balance.pending_exact === '2.5')).balance.available_exact, '0')
  await mine(1)
  const paid = await wallet.until(({ balance }) => balance.available_exact === '2.5')
  assert.notEqual(paid.address, address, 'an address is shown until it is paid')
  await chain.call('sendtoaddress', paid.address, 0.7)
  await mine(1)
  await wallet.until(({ balance }) => balance.available_exact === '3.2')
})

test('a transfer arrives exactly, and costs what it said', options, async () => {
  const before = await units()
  const { txid, fee_exact, sent } = await wallet.transfer({ amount: 0.12345678, destination: theirs })
  assert.equal(sent, true)
  assert.equal(await units(), before - 12_345_678n - unitsOf(fee_exact))
  assert.deepEqual(await chain.call<string[]>('getrawmempool'), [txid])
  await mine(1)
  await synced(wallet)
  const found = await chain.call<{ amount: number; confirmations: number }>('gettransaction', txid)
  assert.deepEqual([found.amount, found.confirmations], [0.12345678, 1])
  const [line] = await wallet.history()
  assert.deepEqual(
    [line?.id, line?.outgoing, line?.amount_exact, line?.fee_exact, line?.to],
    [txid, true, '0.12345678', fee_exact, theirs],
  )
  assert.equal(await units(), before - 12_345_678n - unitsOf(fee_exact))
})

test('the fee of a stuck transfer is raised, and its recipient gets the same', options, async () => {
  const before = await units()
  const first = await wallet.transfer({ amount: '0.5', destination: theirs, fee_rate: 1 })
  const reply = await wallet.ask('POST', `/transactions/${first.txid}/fee`, { fee_rate: 30 })
  assert.equal(reply.status, 200, reply.body.toString())
  const second = reply.json<{ txid: string; fee_exact: string }>()
  assert.ok(unitsOf(second.fee_exact) > unitsOf(first.fee_exact))
  assert.deepEqual(await chain.call<string[]>('getrawmempool'), [second.txid])
  await mine(1)
  await synced(wallet)
  assert.equal(await units(), before - 50_000_000n - unitsOf(second.fee_exact))
  const ids = (await wallet.history()).map(({ id }) => id)
  assert.ok(ids.includes(second.txid) && !ids.includes(first.txid))
  assert.equal(codeOf(await wallet.ask('POST', `/transactions/${second.txid}/fee`), 409), 'StateConflict')
  assert.equal(codeOf(await wallet.ask('POST', `/transactions/${'ab'.repeat(32)}/fee`), 404), 'TransferNotFound')
})

test('the same idempotency key pays once', options, async () => {
  const order = { amount: 0.01, destination: theirs, idempotency_key: 'order 7' }
  const both = await Promise.all([wallet.transfer(order), wallet.transfer(order)])
  assert.equal(both[0].txid, both[1].txid)
  assert.equal((await chain.call<string[]>('getrawmempool')).length, 1)
  assert.equal(await wallet.refused({ ...order, amount: 0.02 }, 409), 'StateConflict')
  await mine(1)
  await synced(wallet)
})

test('bad input is refused, and nothing is sent', options, async () => {
  const refusals: [Record<string, unknown>, string][] = [
    [{ amount: 0.1, destination: `${theirs.slice(0, -1)}${theirs.endsWith('q') ? 'p' : 'q'}` }, 'InvalidAddress'],
    [{ amount: 0.1, destination: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' }, 'InvalidAddress'],
    [{ amount: 0.1, destination: '0x52908400098527886E0F7030069857D2E4169EE7' }, 'InvalidAddress'],
    [{ amount: 0.000001, destination: theirs }, 'InvalidParameter'],
    [{ amount: '0.123456789', destination: theirs }, 'InvalidParameter'],
    [{ amount: -1, destination: theirs }, 'InvalidParameter'],
    [{ amount: 0, destination: theirs }, 'InvalidParameter'],
    [{ amount: 'NaN', destination: theirs }, 'InvalidParameter'],
    [{ amount_exact: 'Infinity', destination: theirs }, 'InvalidParameter'],
    [{ destination: theirs }, 'MissingParameter'],
    [{ amount: 1_000_000, destination: theirs }, 'InsufficientFunds'],
    [{ amount_exact: (await wallet.record()).balance.available_exact, destination: theirs }, 'InsufficientFunds'],
  ]
  for (const [order, code] of refusals) assert.equal(await wallet.refused(order, 400), code, JSON.stringify(order))
  assert.deepEqual(await chain.call<string[]>('getrawmempool'), [])
})

test('a reorganisation of six blocks is followed', options, async () => {
  const { address } = await synced(wallet)
  const before = await units()
  await chain.call('sendtoaddress', address, 1)
  const [first = ''] = await mine(6)
  await wallet.until(({ balance }) => unitsOf(balance.available_exact) === before + 100_000_000n)
  const { txid } = await wallet.transfer({ amount: 0.3, destination: theirs })
  await chain.call('invalidateblock', first)
  // What the wallet was paid waits again, until other blocks take it.
  await wallet.until(
    ({ balance, problem }) => problem === '' && unitsOf(balance.available_exact) < before + 100_000_000n,
  )
  await mine(7)
  await synced(wallet)
  const line = (await wallet.history()).find(({ id }) => id === txid)
  assert.equal(line?.confirmations, 7)
  assert.equal(await units(), before + 70_000_000n - unitsOf(line?.fee_exact ?? ''))
})

test(
  'after a restart it is locked; a wrong password does not unlock it, the right one for a time',
  options,
  async () => {
    const before = await units()
    await node.stop()
    node = await startNode({ stateDir: path.join(folder.path, 'state'), settings: settings() })
    wallet = new WalletClient(node, 'TLTC')
    const record = await synced(wallet)
    assert.deepEqual([record.created, record.unlocked, unitsOf(record.balance.available_exact)], [true, false, before])
    assert.equal(await wallet.refused({ amount: 0.1, destination: theirs }, 403), 'WalletLocked')
    assert.equal(codeOf(await wallet.ask('POST', '/unlock', { password: 'wrong' }), 403), 'WrongPassword')
    assert.equal((await wallet.ask('POST', '/unlock', { password: PASSWORD, seconds: 1 })).status, 200)
    await wallet.until(({ unlocked }) => !unlocked)
    assert.equal((await wallet.ask('POST', '/unlock', { password: PASSWORD })).status, 200)
    await wallet.transfer({ amount: 0.1, destination: theirs })
    assert.equal((await wallet.ask('POST', '/lock')).status, 200)
    assert.equal(await wallet.refused({ amount: 0.1, destination: theirs }, 403), 'WalletLocked')
    await mine(1)
    await synced(wallet)
  },
)

test('limits hold for one transfer and for a day', options, async () => {
  await wallet.ask('POST', '/unlock', { password: PASSWORD })
  const limit = (limits: object) => node.request('POST', '/settings', { wallets: limits })
  assert.equal((await limit({ transfer_limits: ['TLTC=0.2', 'BTC=0.0001'] })).status, 200)
  assert.equal(await wallet.refused({ amount: 0.2, destination: theirs }, 403), 'SpendLimitReached')
  await wallet.transfer({ amount: 0.19, destination: theirs })
  assert.equal((await limit({ day_limits: ['TLTC=0.2'] })).status, 200)
  assert.equal(await wallet.refused({ amount: 0.01, destination: theirs }, 403), 'SpendLimitReached')
  assert.equal((await limit({ transfer_limits: [], day_limits: [] })).status, 200)
  await mine(1)
  await synced(wallet)
})

test('a spend key is demanded beside the API key', options, async () => {
  const spendKey = 'a spend key of the owner'
  const set = (body: object) => node.request('PUT', '/wallets/seed/spendkey', body)
  assert.equal(codeOf(await set({ password: 'wrong', new_key: spendKey }), 403), 'WrongPassword')
  assert.equal((await set({ password: PASSWORD, new_key: spendKey })).status, 200)
  const order = { amount: 0.05, destination: theirs }
  assert.equal(await wallet.refused(order, 403), 'SpendKeyMissing')
  assert.equal(await wallet.refused({ ...order, spend_key: 'another' }, 403), 'SpendKeyMissing')
  assert.equal(codeOf(await wallet.ask('POST', '/unlock', { password: PASSWORD }), 403), 'SpendKeyMissing')
  assert.equal(
    codeOf(await node.request('POST', '/wallets/seed/export', { password: PASSWORD }), 403),
    'SpendKeyMissing',
  )
  await wallet.transfer({ ...order, spend_key: spendKey })
  const removed = await node.request('DELETE', '/wallets/seed/spendkey', { password: PASSWORD, spend_key: spendKey })
  assert.deepEqual(removed.json(), { required: false })
  await mine(1)
  await synced(wallet)
})

test('the audit log tells what was done and refused, each line bound to the one before', options, async () => {
  const { audit } = await node.get<{ audit: { action: string; outcome: string; previous: string }[] }>(
    '/wallets/audit?limit=1000',
  )
  const told = new Set(audit.map(({ action, outcome }) => `${action} ${outcome}`))
  for (const line of [
    'create done',
    'transfer signed',
    'transfer done',
    'transfer WalletLocked',
    'unlock WrongPassword',
    'unlock done',
  ]) {
    assert.ok(told.has(line), line)
  }
  for (const line of ['raise fee done', 'lock time is over', 'transfer SpendLimitReached', 'set spend key done'])
    assert.ok(told.has(line), line)
  const { createHash } = await import('node:crypto')
  const lines = (await readFile(path.join(node.stateDir, 'wallets/audit.log'), 'utf8')).trimEnd().split('\n')
  let previous = '0'.repeat(64)
  for (const line of lines) {
    assert.equal((JSON.parse(line) as { previous: string }).previous, previous)
    previous = createHash('sha256').update(line).digest('hex')
  }
})

test('the words restore the same money elsewhere', options, async () => {
  const exported = await node.request('POST', '/wallets/seed/export', { password: PASSWORD })
  assert.deepEqual(exported.json(), { seed_words: words })
  const other = await startNode({ settings: settings() })
  try {
    const wrong = { seed_words: `${words.slice(0, words.lastIndexOf(' '))} zoo zoo`, password: 'other' }
    assert.equal(codeOf(await other.request('POST', '/wallets/seed/restore', wrong), 400), 'InvalidParameter')
    assert.equal(
      (await other.request('POST', '/wallets/seed/restore', { seed_words: words, password: PASSWORD })).status,
      200,
    )
    const again = new WalletClient(other, 'TLTC')
    assert.equal(await again.create({ from_height: 0 }), undefined)
    const restored = await synced(again)
    assert.equal(restored.balance.available_exact, (await wallet.record()).balance.available_exact)
    const histories = [await wallet.history(), await again.history()].map(all =>
      all.map(({ id, amount_exact }) => `${id} ${amount_exact}`),
    )
    assert.deepEqual(histories[0]?.sort(), histories[1]?.sort())
  } finally {
    await other.stop()
  }
})

test('nothing secret stands in the log, the database or the heap of an unlocked wallet', options, async () => {
  await wallet.ask('POST', '/unlock', { password: PASSWORD })
  await wallet.transfer({ amount: 0.05, destination: theirs })
  const { HDKey } = await import('@scure/bip32')
  const { mnemonicToEntropy, mnemonicToSeedSync } = await import('@scure/bip39')
  const { wordlist } = await import('@scure/bip39/wordlists/english.js')
  const seed = mnemonicToSeedSync(words)
  const account = HDKey.fromMasterSeed(seed).derive("m/84'/1'/0'")
  const keys = [account, account.derive('m/0/0'), account.derive('m/1/0'), account.derive('m/0/1')].map(
    ({ privateKey }) => privateKey,
  )
  const secrets = [seed, mnemonicToEntropy(words, wordlist), ...keys].map(bytes =>
    Buffer.from(bytes ?? []).toString('hex'),
  )
  const texts = [words, account.privateExtendedKey, ...secrets]
  const dump = await node.request('GET', '/debug/memory/dump')
  assert.equal(dump.status, 200)
  const places = new Map([['the heap', dump.body]])
  for (const name of await readdir(node.stateDir, { recursive: true })) {
    const at = path.join(node.stateDir, name)
    if ((await stat(at)).isFile()) places.set(name, await readFile(at))
  }
  const { stdout, stderr } = node.logs()
  places.set('output', Buffer.from(stdout + stderr))
  for (const [place, bytes] of places) {
    for (const [index, secret] of texts.entries())
      assert.ok(!bytes.includes(secret), `secret ${index} stands in ${place}`)
    for (const secret of secrets)
      assert.ok(!bytes.includes(Buffer.from(secret, 'hex')), `bytes of a key stand in ${place}`)
    assert.ok(place === 'the heap' || !bytes.includes(PASSWORD), `the password stands in ${place}`)
  }
  for (const name of await readdir(path.join(node.stateDir, 'wallets'))) {
    assert.equal((await stat(path.join(node.stateDir, 'wallets', name))).mode & 0o777, 0o600, name)
  }
  await waitFor('the transfer', async () => (await chain.call<string[]>('getrawmempool')).length > 0)
})
