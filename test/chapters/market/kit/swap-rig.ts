// Two traders on two fake chains: an initiator and a participant, each a process of its own that can be killed and
// started again.

import { Swaps } from '../../../../src/chapters/market/swap/swaps.ts'
import type { MarketPayment } from '../../../../src/chapters/wallets/ports/market-funds.ts'
import type { ChainPace } from '../../../../src/chapters/market/ports/swap-chain.ts'
import type { SwapHalf, SwapView, SwapRequest } from '../../../../src/chapters/market/ports/swap-engine.ts'
import type { Asset, CoinId } from '../../../../src/chapters/wallets/core/assets.ts'
import type { SwapAgreement, SwapRole } from '../../../../src/chapters/market/wire/types.ts'
import { FakeChain, makeTransaction, USUAL_FEE } from './fake-chain.ts'
import { FakeSwapChain } from './fake-swap-chain.ts'
import { MemoryMarketFiles, memorySeal } from './memory-market-files.ts'
import { MemoryMarketFunds, memoryWallet } from '../../wallets/kit/memory-market-funds.ts'
import { Mortal } from '../../../kit/doubles/mortal.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

/** Kinds of the first and of the second chain. */
export type Pairing = 'utxo-utxo' | 'utxo-evm' | 'evm-utxo'
/** All of them. */
export const PAIRINGS: readonly Pairing[] = ['utxo-utxo', 'utxo-evm', 'evm-utxo']
/** Who: the names of the rig's nodes. */
export const ROLES: readonly SwapRole[] = ['initiator', 'participant']

/** What the initiator gives, and what the participant gives. */
export const FIRST_AMOUNT = 50_000n
/** See above. */
export const SECOND_AMOUNT = 700_000n
/** In each wallet at the start. */
export const START = 1_000_000n
const ID = '0123456789abcdef0123456789abcdef'
const PACES: Readonly<Record<'utxo' | 'evm', ChainPace>> = {
  utxo: { blockS: 60, confirmations: 2, clockLagS: 400 },
  evm: { blockS: 30, confirmations: 4, clockLagS: 60 },
}

/** A wallet of a node on both chains. */
class RigFunds extends MemoryMarketFunds {
  readonly #owner: string

  constructor(owner: string, chains: readonly FakeChain[], pays: (payment: MarketPayment) => Promise<string>) {
    const wallets = chains.map(({ options }) => memoryWallet(options.asset, START, USUAL_FEE))
    super(wallets, async payment => ({ txid: await pays(payment), fee: USUAL_FEE }))
    this.#owner = owner
  }

  override receiveAddress(coin: CoinId): string {
    return `wallet-${this.#owner}-${coin.toLowerCase()}`
  }
}

/** One node: its files and wallets outlive its process. */
export class RigNode {
  readonly role: SwapRole
  readonly files = new MemoryMarketFiles()
  readonly funds: RigFunds
  /** Its servers: of the first chain, of the second. */
  readonly servers: readonly [FakeSwapChain, FakeSwapChain]
  process = new Mortal()
  swaps!: Swaps
  starts = 0
  readonly #clock: VirtualClock
  readonly #random: SeededRandom

  constructor(role: SwapRole, chains: readonly [FakeChain, FakeChain], clock: VirtualClock, random: SeededRandom) {
    this.role = role
    this.#clock = clock
    this.#random = random
    this.servers = [new FakeSwapChain(chains[0]), new FakeSwapChain(chains[1])]
    this.funds = new RigFunds(role, chains, payment => this.#pay(chains, payment))
    for (const chain of chains) chain.endow(this.funds.receiveAddress(chain.options.asset.coin), START)
  }

  /** Starts its process, again too: then its wallets are locked. */
  async start(): Promise<void> {
    const mortal = new Mortal()
    this.process = mortal
    if (this.starts++ > 0) this.funds.restart()
    const servers = this.servers.map(server => mortal.wrap<FakeSwapChain>(server, 'chain', ['send']))
    this.swaps = new Swaps({
      clock: mortal.clock(this.#clock),
      random: this.#random,
      files: mortal.wrap<MemoryMarketFiles>(this.files, 'files', ['write']),
      funds: mortal.wrap<RigFunds>(this.funds, 'funds', ['pay']),
      seal: memorySeal,
      log: silentLog,
      chain: asset => servers.find(server => server.asset.coin === asset.coin) ?? null,
    })
    await this.swaps.start()
  }

  get view(): SwapView | null {
    return this.swaps.list()[0] ?? null
  }

  /** The last that is durable: nothing is left to do. */
  get closed(): boolean {
    return this.files.texts.get(`swap-${ID}`)?.includes('"closed":true') ?? false
  }

  /** What it has in wallets of both chains, waiting payments counted. */
  get balances(): readonly [bigint, bigint] {
    const [first, second] = this.servers.map(({ chain }) => {
      const address = this.funds.receiveAddress(chain.options.asset.coin)
      let sum = 0n
      for (const output of chain.spendable(true).values()) if (output.address === address) sum += output.amount
      return sum
    })
    return [first ?? 0n, second ?? 0n]
  }

  /** Locks its wallets for good. */
  lockWallets(): void {
    for (const wallet of this.funds.wallets.values()) wallet.unlocked = false
  }

  async #pay(chains: readonly FakeChain[], { coin, amount, destination }: MarketPayment): Promise<string> {
    const chain = chains.find(each => each.options.asset.coin === coin) as FakeChain
    const own = this.funds.receiveAddress(coin)
    const coins = [...chain.spendable(true)].filter(([, output]) => output.address === own)
    const sum = coins.reduce((total, [, output]) => total + output.amount, 0n)
    const outputs = [
      { address: destination, terms: null, amount },
      { address: own, terms: null, amount: sum - amount - USUAL_FEE },
    ]
    const inputs = coins.map(([place]) => place)
    const made = makeTransaction({ inputs, outputs, signers: [own], secret: null, fee: USUAL_FEE })
    chain.sendOfWallet(made)
    return made.txid
  }
}

/**
 * Two traders on two fake chains: an initiator and a participant, each a process of its own that can be killed and
 * started again.
 */
export class SwapRig {
  readonly clock = new VirtualClock()
  readonly random: SeededRandom
  readonly chains: readonly [FakeChain, FakeChain]
  readonly initiator: RigNode
  readonly participant: RigNode
  readonly #totals: readonly bigint[]
  readonly #stops: readonly (() => void)[]

  constructor(pairing: Pairing, seed = 1) {
    this.random = new SeededRandom(seed)
    const [first, second] = pairing.split('-') as ['utxo' | 'evm', 'utxo' | 'evm']
    const chain = (kind: 'utxo' | 'evm', asset: Asset): FakeChain =>
      new FakeChain({ asset, kind, pace: PACES[kind], clock: this.clock })
    this.chains = [
      chain(first, { coin: first === 'evm' ? 'TETH' : 'TBTC', chain: '0000000a' }),
      chain(second, { coin: second === 'evm' ? 'TETH' : 'TLTC', chain: '0000000b' }),
    ]
    this.initiator = new RigNode('initiator', this.chains, this.clock, this.random)
    this.participant = new RigNode('participant', this.chains, this.clock, this.random)
    this.#totals = this.chains.map(each => each.total())
    this.#stops = this.chains.map(each => each.run())
  }

  get nodes(): readonly [RigNode, RigNode] {
    return [this.initiator, this.participant]
  }

  node(role: SwapRole): RigNode {
    return role === 'initiator' ? this.initiator : this.participant
  }

  /** Starts both nodes, after a few blocks. */
  async start(): Promise<void> {
    await this.clock.advance(15 * 60_000)
    await this.initiator.start()
    await this.participant.start()
  }

  /** Prepares both halves. */
  async agree(): Promise<SwapAgreement> {
    const first = await this.initiator.swaps.prepare(this.request('initiator'))
    const second = await this.participant.swaps.prepare(this.request('participant'))
    return this.agreementOf(first, second)
  }

  /** What both would sign. */
  agreementOf(first: SwapHalf, second: SwapHalf): SwapAgreement {
    const [a, b] = this.chains.map(each => each.options.asset) as [Asset, Asset]
    const { hash, firstLockS, secondLockS } = first
    return {
      id: ID,
      ask: { trader: 'aa'.repeat(20), number: 1 },
      bid: { trader: 'bb'.repeat(20), number: 2 },
      quantity: FIRST_AMOUNT,
      price: 14n,
      timeMs: this.clock.wallMs(),
      first: {
        asset: a,
        hash,
        amount: FIRST_AMOUNT,
        lockS: firstLockS,
        claimKey: second.claimKey,
        refundKey: first.refundKey,
      },
      second: {
        asset: b,
        hash,
        amount: SECOND_AMOUNT,
        lockS: secondLockS,
        claimKey: first.claimKey,
        refundKey: second.refundKey,
      },
    }
  }

  request(role: SwapRole): SwapRequest {
    const [first, second] = this.chains.map(each => each.options.asset) as [Asset, Asset]
    const initiates = role === 'initiator'
    return {
      id: ID,
      role,
      reservation: 'order-1',
      give: initiates ? first : second,
      take: initiates ? second : first,
      giveAmount: initiates ? FIRST_AMOUNT : SECOND_AMOUNT,
      takeAmount: initiates ? SECOND_AMOUNT : FIRST_AMOUNT,
    }
  }

  /**
   * Begins on both sides, the participant first, as when it accepts; a side that dies in it is not waited for. Answers
   * whether both have begun.
   */
  async begin(agreement: SwapAgreement): Promise<boolean> {
    this.participant.swaps.checkLocks(agreement)
    for (const node of [this.participant, this.initiator]) {
      let begun = false
      const done = node.swaps.begin(agreement).then(() => {
        begun = true
      })
      done.catch(() => undefined)
      await this.clock.until('begun or dead', () => begun || !node.process.alive, 1_000)
      if (!begun) return false
    }
    return true
  }

  /** Until both have closed, or `limitS`; nodes in `without` are not waited for. */
  async run(limitS: number, without: readonly SwapRole[] = []): Promise<void> {
    const done = (): boolean => this.nodes.every(node => node.closed || without.includes(node.role))
    await this.clock.until('both sides closed', done, limitS * 1_000)
  }

  /** What a role has more now than at the start: of the first coin, of the second. */
  gain(role: SwapRole): readonly [bigint, bigint] {
    const [first, second] = this.node(role).balances
    return [first - START, second - START]
  }

  /** Money that came out of nothing, or went into it: always 0. */
  get missing(): bigint {
    return this.chains.reduce((sum, chain, place) => sum + (this.#totals[place] ?? 0n) - chain.total(), 0n)
  }

  stop(): void {
    for (const stop of this.#stops) stop()
    for (const node of this.nodes) node.swaps.stop()
  }
}
