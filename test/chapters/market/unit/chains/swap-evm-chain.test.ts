// Swaps on a chain of Ethereum's kind before a server in memory: what is believed, what is asked, fees and numbers of
// transactions. The real chain: test/chapters/market/interop/swap-ether.test.ts.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { RpcRefusal } from '../../../../../src/chapters/wallets/ports/json-rpc.ts'
import { EvmSwapChain } from '../../../../../src/chapters/market/chains/swap-evm-chain.ts'
import { SWAP_GAS } from '../../../../../src/chapters/market/chains/swap-evm-fees.ts'
import { LOCK_ADDRESS, lockId } from '../../../../../src/chapters/market/chains/evm-contract.ts'
import { readEvmTransfer } from '../../../../../src/chapters/wallets/core/evm-signing.ts'
import type { LegTerms } from '../../../../../src/chapters/market/wire/types.ts'
import { blockHash, FakeEvmServer, txidAt } from '../../kit/fake-evm-server.ts'
import { refusalOf } from '../../kit/swap-ether-rig.ts'

const asset = { coin: 'TETH', chain: '00000000' } as const
const KEY = Buffer.alloc(32, 7)
const SECRET = '5e'.repeat(32)
const PAY_TO = `0x${'ab'.repeat(20)}`
const GWEI = 1_000_000_000n
const terms: LegTerms = {
  asset,
  hash: createHash('sha256').update(Buffer.from(SECRET, 'hex')).digest('hex'),
  amount: 10n ** 18n,
  lockS: 1_700_003_600,
  claimKey: PAY_TO,
  refundKey: `0x${'cd'.repeat(20)}`,
}
const funding = { place: lockId(terms), txid: txidAt(90), confirmations: 11, height: 90 }

function rig() {
  const server = new FakeEvmServer()
  return { server, swaps: new EvmSwapChain({ asset, chainId: 31_337n }, { rpc: () => server }) }
}

test('terms that the chain cannot hold are refused', () => {
  const { swaps } = rig()
  swaps.checkTerms(terms)
  const bad: Partial<LegTerms>[] = [
    { asset: { coin: 'TETH', chain: '00000001' } },
    { asset: { coin: 'ETH', chain: '00000000' } },
    { hash: 'ab' },
    { hash: terms.hash.toUpperCase() },
    { amount: 0n },
    { amount: -1n },
    { amount: 10n ** 31n },
    { lockS: 0 },
    { lockS: 1.5 },
    { lockS: 2 ** 32 },
    { claimKey: `0x${'0'.repeat(40)}` },
    { claimKey: `0x${'0'.repeat(39)}9` },
    { claimKey: PAY_TO.toUpperCase().replace('X', 'x') },
    { refundKey: PAY_TO.slice(2) },
    { refundKey: `02${'ab'.repeat(32)}` },
    { refundKey: LOCK_ADDRESS },
  ]
  const code = (error: unknown): boolean => error instanceof AppError && error.code === 'InvalidParameter'
  for (const changed of bad)
    assert.throws(() => swaps.checkTerms({ ...terms, ...changed }), code, Object.keys(changed).join())
  assert.equal(
    swaps.termsKey(KEY, '0x52908400098527886E0F7030069857D2E4169EE7'),
    '0x52908400098527886e0f7030069857d2e4169ee7',
  )
})

test('a funding is found with its block, and how it ended; both count from the newest block', async () => {
  const { server, swaps } = rig()
  assert.equal(await swaps.findFunding(terms, 0, null), null)
  server.event('Funded', terms, 90)
  assert.deepEqual(await swaps.findFunding(terms, 80, null), funding)
  assert.equal(await swaps.findEnd(terms, funding, 80), null)
  server.event('Claimed', terms, 95, SECRET)
  const claimed = { kind: 'claimed', txid: txidAt(95), confirmations: 6, secret: SECRET }
  assert.deepEqual(await swaps.findEnd(terms, funding, 80), claimed)
  server.states.set(lockId(terms), 3)
  server.event('Refunded', terms, 97)
  assert.equal((await swaps.findEnd(terms, funding, 80))?.kind, 'refunded')
  assert.equal((await swaps.findFunding(terms, 80, null))?.confirmations, 11)
})

test('logs are asked for in ranges that servers take, from a little before, and so often at most', async () => {
  const { server, swaps } = rig()
  server.height = 1_000_000
  server.event('Funded', terms, 999_500)
  const ranges = (): [number, number][] =>
    server.asked
      .filter(({ method }) => method === 'eth_getLogs')
      .map(({ parameters: [filter] }) => filter as { fromBlock: string; toBlock: string })
      .map(({ fromBlock, toBlock }) => [Number(fromBlock), Number(toBlock)])
  assert.equal((await swaps.findFunding(terms, 998_000, null))?.height, 999_500)
  assert.deepEqual(ranges(), [
    [997_936, 998_935],
    [998_936, 999_935],
  ])
  server.asked.length = 0
  assert.equal((await swaps.findFunding(terms, 0, null))?.height, 999_500)
  assert.equal(ranges().length, 200)
  assert.equal(ranges()[0]?.[0], 800_000)
})

test('a server that lies about the contract is not believed', async () => {
  type Log = Record<string, unknown>
  const change = (changed: Log) => (_: unknown, honest: unknown) =>
    (honest as Log[]).map(log => ({ ...log, ...changed }))
  const receipt = (changed: Log) => (_: unknown, honest: unknown) => ({ ...(honest as Log), ...changed })
  const lies: [string, string, (parameters: readonly unknown[], honest: unknown) => unknown][] = [
    ['of another contract', 'eth_getLogs', change({ address: PAY_TO })],
    ['of another id', 'eth_getLogs', (_, honest) => (honest as Log[]).map(log => ({ ...log, topics: [] }))],
    [
      'other terms',
      'eth_getLogs',
      (_, honest) => (honest as { data: string }[]).map(log => ({ ...log, data: log.data.replace(/.$/, '1') })),
    ],
    ['no hash', 'eth_getLogs', change({ transactionHash: 'x' })],
    ['no block', 'eth_getLogs', change({ blockHash: null })],
    ['of a block that was not asked for', 'eth_getLogs', change({ blockNumber: '0xffff' })],
    ['of another block', 'eth_getLogs', change({ blockNumber: '0x5b' })],
    ['of a block that is not in the chain', 'eth_getLogs', change({ blockHash: blockHash(4) })],
    ['twice', 'eth_getLogs', (_, honest) => [...(honest as Log[]), ...(honest as Log[])]],
    ['taken back', 'eth_getLogs', change({ removed: true })],
    ['none', 'eth_getLogs', () => []],
    ['no list', 'eth_getLogs', () => 'nothing'],
    ['of a transaction that failed', 'eth_getTransactionReceipt', receipt({ status: '0x0' })],
    ['of a transaction elsewhere', 'eth_getTransactionReceipt', receipt({ blockNumber: '0x1' })],
    ['of another transaction', 'eth_getTransactionReceipt', receipt({ transactionHash: txidAt(1) })],
    ['of a transaction in another block', 'eth_getTransactionReceipt', receipt({ blockHash: blockHash(4) })],
    ['of a transaction in no block', 'eth_getTransactionReceipt', () => null],
    ['a state that there is not', 'eth_call', () => `0x${'4'.padStart(64, '0')}`],
    ['no state', 'eth_call', () => '0x'],
    ['other code', 'eth_getCode', () => '0x6000'],
    ['no code', 'eth_getCode', () => null],
    ['another chain', 'eth_chainId', () => '0x1'],
    ['no head', 'eth_getBlockByNumber', () => null],
  ]
  for (const [what, method, lie] of lies) {
    const { server, swaps } = rig()
    server.event('Funded', terms, 90)
    server.lies.set(method, lie)
    assert.equal(await refusalOf(swaps.findFunding(terms, 80, null)), 'WalletServerFailed', what)
  }
  const gone = rig()
  gone.server.event('Funded', terms, 90)
  gone.server.lies.set('eth_getLogs', change({ blockHash: blockHash(4) }))
  gone.server.lies.set('eth_getTransactionReceipt', receipt({ blockHash: blockHash(4) }))
  assert.equal(
    await refusalOf(gone.swaps.findFunding(terms, 80, null)),
    'WalletServerFailed',
    'of no block of the chain',
  )
  const { server, swaps } = rig()
  server.event('Funded', terms, 90)
  server.event('Claimed', terms, 95, '5f'.repeat(32))
  assert.equal(await refusalOf(swaps.findEnd(terms, funding, 80)), 'WalletServerFailed', 'a secret that opens nothing')
})

test('whatever a server answers, there is a result or an AppError', async () => {
  const rubbish = [null, 0, 'x', '0x', `0x${'f'.repeat(64)}`, [null], {}, '0x1']
  const methods = ['eth_chainId', 'eth_getBlockByNumber', 'eth_maxPriorityFeePerGas', 'eth_getBalance']
  methods.push('eth_getTransactionCount', 'eth_getCode', 'eth_call', 'eth_getLogs', 'eth_getTransactionReceipt')
  methods.push('eth_getTransactionByHash', 'eth_sendRawTransaction')
  const refusal = (): never => {
    throw new RpcRefusal(-32_005, 'limit exceeded')
  }
  const [made] = (await rig().swaps.makeFunding(terms, KEY, terms.refundKey)).funding
  assert.ok(made)
  const codes = new Set<string>()
  for (const method of methods) {
    for (const answer of [...rubbish.map(each => () => each), refusal]) {
      const { server, swaps } = rig()
      server.event('Funded', terms, 90)
      server.event('Claimed', terms, 95, SECRET)
      server.lies.set(method, answer)
      const all = [
        () => swaps.now(),
        () => swaps.deposit(KEY),
        () => swaps.depositNeed('fund', terms.amount),
        () => swaps.findFunding(terms, 80, null),
        () => swaps.findEnd(terms, funding, 80),
        () => swaps.makeClaim(terms, funding, SECRET, KEY, PAY_TO, 3),
        () => swaps.makeSweep(KEY, PAY_TO),
        () => swaps.feePaid(txidAt(90)),
        () => swaps.confirmations(txidAt(90)),
        () => swaps.send(made),
      ]
      for (const each of all) codes.add(await refusalOf(each()))
    }
  }
  assert.deepEqual([...codes].toSorted(), ['', 'InsufficientFunds', 'WalletServerFailed'])
})

test('a deposit is given enough for fees that rise, and funds nothing that it could not take back', async () => {
  const { server, swaps } = rig()
  const maxFee = 3n * GWEI
  const need = await swaps.depositNeed('fund', terms.amount)
  assert.equal(need, terms.amount + (SWAP_GAS.fund * 2n + SWAP_GAS.refund * 4n + 21_000n) * maxFee)
  assert.equal(await swaps.depositNeed('claim', terms.amount), (SWAP_GAS.claim * 4n + 21_000n) * maxFee)
  server.madeAt = server.height - 1
  const whole = (SWAP_GAS.fund + SWAP_GAS.make) * 2n + SWAP_GAS.refund * 4n + 21_000n
  assert.equal(await swaps.depositNeed('fund', terms.amount), terms.amount + whole * maxFee, 'made one block ago')
  server.madeAt = 0
  server.balance = terms.amount + (SWAP_GAS.fund + SWAP_GAS.refund) * maxFee - 1n
  assert.equal(await refusalOf(swaps.makeFunding(terms, KEY, terms.refundKey)), 'InsufficientFunds')
  server.balance += 1n
  const [made] = (await swaps.makeFunding(terms, KEY, terms.refundKey)).funding
  const { to, value, gasLimit, nonce, chainId } = readEvmTransfer(made?.raw ?? '')
  assert.deepEqual([to, value, gasLimit, nonce, chainId], [null, terms.amount, SWAP_GAS.fund, 0, 31_337n])
  assert.equal(made?.fee, SWAP_GAS.fund * maxFee)
})

test('where old states are forgotten, the contract is made once more rather than missed', async () => {
  const { server, swaps } = rig()
  server.lies.set('eth_getCode', ([, at], honest) => {
    if (Number(at) < server.height) throw new RpcRefusal(-32_000, 'missing trie node')
    return honest
  })
  const [made] = (await swaps.makeFunding(terms, KEY, terms.refundKey)).funding
  assert.equal(readEvmTransfer(made?.raw ?? '').gasLimit, SWAP_GAS.fund + SWAP_GAS.make)
})

test('urgency raises the fee by a quarter each, as far as the deposit goes and reason allows', async () => {
  const { server, swaps } = rig()
  const claim = async (urgency: number, by = swaps) =>
    readEvmTransfer((await by.makeClaim(terms, funding, SECRET, KEY, PAY_TO, urgency)).raw)
  const fees: bigint[] = []
  for (const urgency of [0, 1, 2, 2]) {
    const { maxFee, tip, nonce } = await claim(urgency)
    assert.equal(nonce, 0)
    assert.ok((tip ?? 0n) <= maxFee)
    fees.push(maxFee)
  }
  const [usual = 0n, once = 0n, twice = 0n] = fees
  assert.equal(usual, 3n * GWEI)
  assert.ok(once * 4n >= usual * 5n && twice * 4n >= once * 5n)
  assert.equal(fees[3], twice)
  assert.equal((await claim(1_000)).maxFee, (await claim(24)).maxFee)
  server.balance = SWAP_GAS.claim * 4n * GWEI
  const fresh = (): EvmSwapChain => new EvmSwapChain({ asset, chainId: 31_337n }, { rpc: () => server })
  assert.equal((await claim(20, fresh())).maxFee, 4n * GWEI, 'all that is there')
  server.balance = SWAP_GAS.claim * GWEI - 1n
  const made = fresh().makeClaim(terms, funding, SECRET, KEY, PAY_TO, 0)
  assert.equal(await refusalOf(made), 'InsufficientFunds', 'less than the block asks for')
})

test('what replaces pays an eighth more than what waits, although the chain has become cheaper, and although the process is new', async () => {
  const { server, swaps } = rig()
  const first = await swaps.makeClaim(terms, funding, SECRET, KEY, PAY_TO, 0)
  server.baseFee = GWEI / 100n
  server.tip = 1n
  const fresh = new EvmSwapChain({ asset, chainId: 31_337n }, { rpc: () => server })
  await fresh.send(first)
  for (const by of [swaps, fresh]) {
    const second = readEvmTransfer((await by.makeClaim(terms, funding, SECRET, KEY, PAY_TO, 1)).raw)
    const before = readEvmTransfer(first.raw)
    assert.ok(second.maxFee * 8n > before.maxFee * 9n && (second.tip ?? 0n) * 8n > (before.tip ?? 0n) * 9n)
  }
  server.balance = SWAP_GAS.claim * readEvmTransfer(first.raw).maxFee
  const made = swaps.makeClaim(terms, funding, SECRET, KEY, PAY_TO, 2)
  assert.equal(await refusalOf(made), 'InsufficientFunds', 'nothing that would replace')
})

test('the number is that of the newest block, whatever waits: of one step only one can be mined', async () => {
  const { server, swaps } = rig()
  server.nonce = 3
  server.pending = 5
  const { nonce } = readEvmTransfer((await swaps.makeRefund(terms, funding, KEY, PAY_TO, 0)).raw)
  assert.equal(nonce, 3)
  const order = server.asked.map(({ method }) => method)
  assert.ok(order.indexOf('eth_getTransactionCount') < order.indexOf('eth_maxPriorityFeePerGas'))
})

test('the rest is given back to the last wei, not while something waits, and not for less than it costs', async () => {
  const { server, swaps } = rig()
  const price = (server.baseFee * 3n) / 2n + server.tip
  const sweep = await swaps.makeSweep(KEY, PAY_TO)
  const { value, gasLimit, maxFee, tip, to } = readEvmTransfer(sweep?.raw ?? '')
  assert.deepEqual([gasLimit, maxFee, tip, to], [21_000n, price, null, PAY_TO])
  assert.equal(value + gasLimit * maxFee, server.balance)
  server.balance = 2n * 21_000n * price - 1n
  assert.equal(await swaps.makeSweep(KEY, PAY_TO), null)
  server.balance += 1n
  assert.ok(await swaps.makeSweep(KEY, PAY_TO))
  server.balance = 10n ** 19n
  server.nonce = 7
  server.pending = 8
  for (const made of [
    await swaps.makeClaim(terms, funding, SECRET, KEY, PAY_TO, 0),
    await swaps.makeRefund(terms, funding, KEY, PAY_TO, 1),
  ]) {
    const fresh = new EvmSwapChain({ asset, chainId: 31_337n }, { rpc: () => server })
    await fresh.send(made)
    for (const by of [swaps, fresh]) assert.equal(await refusalOf(by.makeSweep(KEY, PAY_TO)), 'TransferRefused')
  }
})

test('a funding that waits is made void by the sweep, also where nobody remembers what it pays', async () => {
  const { server, swaps } = rig()
  const [fund] = (await swaps.makeFunding(terms, KEY, terms.refundKey)).funding
  assert.ok(fund)
  await swaps.send(fund)
  server.pending = 1
  const waits = readEvmTransfer(fund.raw)
  for (const by of [swaps, new EvmSwapChain({ asset, chainId: 31_337n }, { rpc: () => server })]) {
    const { nonce, maxFee, value } = readEvmTransfer((await by.makeSweep(KEY, PAY_TO))?.raw ?? '')
    assert.equal(nonce, waits.nonce)
    assert.ok(maxFee * 8n > waits.maxFee * 9n)
    assert.equal(value + 21_000n * maxFee, server.balance)
  }
})

test('a sweep that waits is replaced by a dearer one', async () => {
  const { server, swaps } = rig()
  const first = await swaps.makeSweep(KEY, PAY_TO)
  assert.ok(first)
  await swaps.send(first)
  server.pending = 1
  const second = await swaps.makeSweep(KEY, PAY_TO)
  assert.ok(second && second.fee * 8n > first.fee * 9n)
  assert.equal(readEvmTransfer(second.raw).nonce, 0)
})

test('what the chain would refuse is not sent; a server that is tired is no refusal', async () => {
  const { server, swaps } = rig()
  const claim = await swaps.makeClaim(terms, funding, SECRET, KEY, PAY_TO, 0)
  const refuse = (code: number, message: string): void => {
    server.lies.set('eth_call', () => {
      throw new RpcRefusal(code, message)
    })
  }
  refuse(3, 'execution reverted')
  assert.equal(await refusalOf(swaps.send(claim)), 'TransferRefused')
  refuse(-32_000, 'insufficient funds for transfer')
  assert.equal(await refusalOf(swaps.send(claim)), 'TransferRefused')
  refuse(-32_005, 'daily limit exceeded')
  assert.equal(await refusalOf(swaps.send(claim)), 'WalletServerFailed')
  assert.equal(server.sent.length, 0)
  server.lies.clear()
  await swaps.send(claim)
  await swaps.send(claim)
  assert.equal(server.sent.length, 1, 'it is known')
})

test('a transaction that is in a block already is sent again without a word; another with its number is refused', async () => {
  const { server, swaps } = rig()
  const claim = await swaps.makeClaim(terms, funding, SECRET, KEY, PAY_TO, 0)
  let known = false
  server.lies.set('eth_sendRawTransaction', () => {
    throw new RpcRefusal(-32_000, 'nonce too low')
  })
  server.lies.set('eth_getTransactionByHash', () => (known ? {} : null))
  assert.equal(await refusalOf(swaps.send(claim)), 'TransferRefused')
  server.lies.set('eth_sendRawTransaction', () => {
    known = true
    throw new RpcRefusal(-32_000, 'nonce too low')
  })
  await swaps.send(claim)
})

test('confirmations are those of a block that is in the chain', async () => {
  const { server, swaps } = rig()
  server.event('Funded', terms, 90)
  assert.equal(await swaps.confirmations(txidAt(90)), 11)
  assert.equal(await swaps.confirmations(txidAt(91)), null)
  server.lies.set('eth_getTransactionReceipt', (_, honest) => ({ ...(honest as object), blockHash: blockHash(1) }))
  assert.equal(await refusalOf(swaps.confirmations(txidAt(90))), 'WalletServerFailed')
  server.lies.set('eth_getTransactionReceipt', (_, honest) => ({ ...(honest as object), status: '0x0' }))
  assert.equal(await swaps.confirmations(txidAt(90)), null)
})
