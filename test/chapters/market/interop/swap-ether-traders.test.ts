// Whole swaps of two traders between real chains of anvil: completed, ended by the locks when the other side is gone,
// and gone on with by processes that are killed again and again, before and after whatever they write, pay and send;
// balances exact to the wei with what the chains say of fees.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { SystemClock } from '../../../../src/io/clock.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import { Swaps } from '../../../../src/chapters/market/swap/swaps.ts'
import type { MarketPayment } from '../../../../src/chapters/wallets/ports/market-funds.ts'
import type { SwapView } from '../../../../src/chapters/market/ports/swap-engine.ts'
import { EvmSwapChain } from '../../../../src/chapters/market/chains/swap-evm-chain.ts'
import { type Asset, type CoinId, chainTag } from '../../../../src/chapters/wallets/core/assets.ts'
import type { SwapRole } from '../../../../src/chapters/market/wire/types.ts'
import { withoutAnvil } from '../../wallets/kit/anvil-chain.ts'
import { MemoryMarketFiles, memorySeal } from '../kit/memory-market-files.ts'
import { MemoryMarketFunds, memoryWallet } from '../../wallets/kit/memory-market-funds.ts'
import { Mortal } from '../../../kit/doubles/mortal.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { newAddress, rpcOf, SwapEtherRig } from '../kit/swap-ether-rig.ts'
import { waitFor } from '../../../kit/wait-for.ts'

const options = { skip: withoutAnvil, timeout: 120_000 }
const ETHER = 10n ** 18n
const FIRST: Asset = { coin: 'TETH', chain: chainTag('TETH', '31337') }
const SECOND: Asset = { coin: 'ETH', chain: chainTag('ETH', '31337') }
/** What the initiator gives, and what the participant gives. */
const AMOUNTS = { first: ETHER + 1n, second: 3n * ETHER + 3n } as const

let rigs: ReadonlyMap<CoinId, SwapEtherRig> = new Map()
const sides: Side[] = []

class ChainFunds extends MemoryMarketFunds {
  readonly addresses: Readonly<Record<string, string>> = { TETH: newAddress(), ETH: newAddress() }

  constructor() {
    super([memoryWallet(FIRST, 100n * ETHER), memoryWallet(SECOND, 100n * ETHER)], payment => this.#send(payment))
  }

  override receiveAddress(coin: CoinId): string {
    return this.addresses[coin] ?? ''
  }

  async #send({ coin, destination, amount }: MarketPayment): Promise<{ txid: string; fee: bigint }> {
    const txid = (await rigs.get(coin)?.callLater(destination, '0x', amount)) ?? ''
    return { txid, fee: 0n }
  }
}

/** One who swaps; its files and wallets outlive its swaps. */
class Side {
  readonly role: SwapRole
  readonly files = new MemoryMarketFiles()
  readonly funds = new ChainFunds()
  swaps!: Swaps
  process = new Mortal()
  deaths = 0

  constructor(role: SwapRole) {
    this.role = role
    sides.push(this)
  }

  /** Begins anew; its wallets are locked once they have paid both deposits. */
  async start(): Promise<this> {
    const process = new Mortal()
    this.process = process
    if (this.funds.paid.size === 2) for (const { coin } of [FIRST, SECOND]) this.funds.setUnlocked(coin, false)
    const chains = [FIRST, SECOND].map(asset => {
      const rpc = rpcOf((rigs.get(asset.coin) as SwapEtherRig).chain)
      const chain = new EvmSwapChain({ asset, chainId: 31_337n }, { rpc: () => rpc })
      return process.wrap<EvmSwapChain>(chain, 'chain', ['send'])
    })
    this.swaps = new Swaps({
      clock: process.clock(new SystemClock()),
      random: new SystemRandom(),
      seal: memorySeal,
      log: silentLog,
      files: process.wrap<MemoryMarketFiles>(this.files, 'files', ['write']),
      funds: process.wrap<ChainFunds>(this.funds, 'funds', ['pay']),
      chain: ({ coin }) => chains.find(each => each.asset.coin === coin) ?? null,
    })
    await this.swaps.start()
    return this
  }

  /** Is killed at one of its next calls and begins again, so many times or until it has ended. */
  async suffer(kills: number): Promise<void> {
    const { process } = this
    process.plan = { call: process.calls.length + 1 + (kills % 2), when: kills % 3 === 0 ? 'before' : 'after' }
    await waitFor('killed, or done', () => !process.alive || this.view?.outcome !== null, 60_000)
    if (process.alive) return
    this.deaths += 1
    await this.start()
    if (kills > 0) await this.suffer(kills - 1)
  }

  get view(): SwapView | undefined {
    return this.swaps.list()[0]
  }

  /** What it has on a chain now, less than nothing for what its wallet paid into deposits. */
  async gain(coin: CoinId): Promise<bigint> {
    const paid = [...this.funds.paid.values()].filter(({ payment }) => payment.coin === coin)
    const out = paid.reduce((sum, { payment }) => sum + payment.amount, 0n)
    return ((await rigs.get(coin)?.balance(this.funds.receiveAddress(coin))) ?? 0n) - out
  }

  fees(coin: CoinId): bigint {
    const ours = (this.view?.payments ?? []).filter(each => each.coin === coin && !each.theirs && each.kind !== 'purse')
    return ours.reduce((sum, { fee }) => sum + fee, 0n)
  }

  ended(): Promise<string> {
    const told = (): unknown => [this.view?.step, this.view?.waitsFor]
    return waitFor(`the ${this.role} ends`, () => this.view?.outcome ?? null, 90_000, told)
  }
}

async function begun(): Promise<[Side, Side]> {
  const [initiator, participant] = [await new Side('initiator').start(), await new Side('participant').start()]
  const id = randomBytes(16).toString('hex')
  const base = { id, reservation: 'order-1' }
  const [giveAmount, takeAmount] = [AMOUNTS.first, AMOUNTS.second]
  const first = await initiator.swaps.prepare({
    ...base,
    role: 'initiator',
    give: FIRST,
    take: SECOND,
    giveAmount,
    takeAmount,
  })
  const second = await participant.swaps.prepare({
    ...base,
    role: 'participant',
    give: SECOND,
    take: FIRST,
    giveAmount: takeAmount,
    takeAmount: giveAmount,
  })
  const { hash, firstLockS, secondLockS } = first
  const keys = (claim: string, refund: string) => ({ hash, claimKey: claim, refundKey: refund })
  const agreement = {
    id,
    quantity: AMOUNTS.first,
    price: 1n,
    timeMs: Date.now(),
    ask: { trader: 'aa'.repeat(20), number: 1 },
    bid: { trader: 'bb'.repeat(20), number: 2 },
    first: { asset: FIRST, amount: AMOUNTS.first, lockS: firstLockS, ...keys(second.claimKey, first.refundKey) },
    second: { asset: SECOND, amount: AMOUNTS.second, lockS: secondLockS, ...keys(first.claimKey, second.refundKey) },
  }
  await participant.swaps.begin(agreement)
  await initiator.swaps.begin(agreement)
  return [initiator, participant]
}

async function assertGains(side: Side, gains: Partial<Record<CoinId, bigint>>): Promise<void> {
  for (const coin of ['TETH', 'ETH'] as const)
    assert.equal(await side.gain(coin), (gains[coin] ?? 0n) - side.fees(coin), `${side.role}: ${coin}`)
}

const funded = (side: Side): Promise<unknown> =>
  waitFor(`the ${side.role} has funded`, () =>
    side.view?.payments.some(({ kind, theirs, confirmed }) => kind === 'fund' && !theirs && confirmed),
  )
const skip = async (seconds: number): Promise<void> => {
  for (const rig of rigs.values()) await rig.chain.call('evm_increaseTime', seconds)
}

before(async () => {
  if (withoutAnvil !== false) return
  rigs = new Map([
    ['TETH', await SwapEtherRig.start()],
    ['ETH', await SwapEtherRig.start()],
  ])
  for (const rig of rigs.values()) await rig.chain.call('evm_setIntervalMining', 1)
})
afterEach(() => {
  for (const side of sides.splice(0)) side.swaps.stop()
})
after(async () => {
  for (const rig of rigs.values()) await rig.stop()
})

test('both sides have what they agreed on, less the fees that the chains took', options, async () => {
  const [initiator, participant] = await begun()
  assert.deepEqual([await initiator.ended(), await participant.ended()], ['completed', 'completed'])
  await assertGains(initiator, { TETH: -AMOUNTS.first, ETH: AMOUNTS.second })
  await assertGains(participant, { TETH: AMOUNTS.first, ETH: -AMOUNTS.second })
})

test(
  'processes that are killed at every second call, with locked wallets, complete it all the same',
  options,
  async () => {
    const [initiator, participant] = await begun()
    await Promise.all([initiator.suffer(40), participant.suffer(40)])
    assert.ok(initiator.deaths > 5 && participant.deaths > 5)
    assert.deepEqual([await initiator.ended(), await participant.ended()], ['completed', 'completed'])
    await assertGains(initiator, { TETH: -AMOUNTS.first, ETH: AMOUNTS.second })
    await assertGains(participant, { TETH: AMOUNTS.first, ETH: -AMOUNTS.second })
  },
)

test('the other side is gone: each has its own back after its lock, less fees', options, async () => {
  const [initiator, participant] = await begun()
  await funded(initiator)
  initiator.swaps.stop()
  await funded(participant)
  await skip(400)
  assert.equal(await participant.ended(), 'refunded')
  await initiator.start()
  assert.equal(await initiator.ended(), 'refunded')
  await assertGains(initiator, {})
  await assertGains(participant, {})
})
