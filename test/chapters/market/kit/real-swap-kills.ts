// A swap on real chains, where one of two built nodes is killed with -9 at a step: it starts again with its wallets
// locked, or it is gone for good (until the other one has ended). Answers what each side lost. Used by `make
// swaps-real`.

import path from 'node:path'
import { makeTestFolder } from '../../../kit/content/content-on-disk.ts'
import {
  COINS_OF_TESTS,
  MarketChains,
  MarketNode,
  PLACES,
  type Payment,
  type Trade,
  type Units,
} from './market-nodes.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { unitsOf } from '../../wallets/kit/wallet-client.ts'

/** One row of the table. Bob's order is the newer one: he is the initiator. */
export interface KillPlan {
  readonly who: 'initiator' | 'participant'
  /** Of SwapView.step. */
  readonly step: string
  readonly afterwards: 'restart' | 'gone'
}

/** What came of it. */
export interface KillOutcome {
  readonly initiator: string
  readonly participant: string
  /** The step was seen; otherwise the swap had passed it before anybody could look. */
  readonly seen: boolean
  /** Empty: nobody lost more than fees. */
  readonly losses: readonly string[]
}

const WHOLE = 100_000_000n
const ORDER = { price_exact: '0.0125', quantity_exact: '1', price_type: 'TBTC', quantity_type: 'TLTC' } as const
const COST = 1_250_000n
const HOUR_S = 3_600
/** Both locks are over long before. */
const MAX_HOURS = 60
/** No swap of tests costs so much in a coin. */
const MOST_FEES = 100_000n

/** Plays one row on chains of its own. */
export async function playKill(plan: KillPlan): Promise<KillOutcome> {
  const folder = await makeTestFolder()
  const chains = await MarketChains.start()
  const nodes: MarketNode[] = []
  try {
    const participant = await MarketNode.start(chains, 'participant', path.join(folder.path, 'a'), null)
    nodes.push(participant)
    const at = await participant.overlayAddress()
    const initiator = await MarketNode.start(chains, 'initiator', path.join(folder.path, 'b'), at)
    nodes.push(initiator)
    await participant.createWallets({ TLTC: 5n * WHOLE })
    await initiator.createWallets({ TBTC: WHOLE })
    await Promise.all(nodes.map(node => node.hasPeers()))
    return await play(plan, { chains, participant, initiator })
  } finally {
    await Promise.all(nodes.map(node => node.stop()))
    await chains.stop()
    await folder.remove()
  }
}

interface Scene {
  readonly chains: MarketChains
  readonly participant: MarketNode
  readonly initiator: MarketNode
}

async function play(plan: KillPlan, scene: Scene): Promise<KillOutcome> {
  const { chains, participant, initiator } = scene
  const before = { participant: await participant.units(), initiator: await initiator.units() }
  const orders = { participant: await participant.place('ask', ORDER), initiator: await initiator.place('bid', ORDER) }
  const victim = scene[plan.who]
  const seen = await reaches(victim, orders[plan.who], plan.step, chains)
  await victim.kill()
  const other = plan.who === 'initiator' ? 'participant' : 'initiator'
  if (plan.afterwards === 'gone') await untilEnded(scene[other], orders[other], chains)
  await victim.restart()
  await untilEnded(victim, orders[plan.who], chains)
  await untilEnded(scene[other], orders[other], chains)
  const outcomes = { participant: '', initiator: '' }
  const losses: string[] = []
  for (const who of ['participant', 'initiator'] as const) {
    const trade = await tradeOf(scene[who], orders[who])
    outcomes[who] = trade?.status ?? 'none'
    losses.push(
      ...lossOf(
        who,
        trade,
        before[who],
        await scene[who].units(),
        trade === null ? [] : await scene[who].payments(trade),
      ),
    )
  }
  return { ...outcomes, seen, losses }
}

async function tradeOf(node: MarketNode, order: number): Promise<Trade | null> {
  return (await node.trades()).findLast(({ order_number }) => order_number === order) ?? null
}

/** Mines until the node is at a step; false: its swap ended before that was seen. */
async function reaches(node: MarketNode, order: number, step: string, chains: MarketChains): Promise<boolean> {
  let seen = false
  await waitFor(
    `${node.name} at ${step}`,
    async () => {
      const trade = await tradeOf(node, order)
      seen = trade?.step === step
      if (seen || (trade !== null && trade.status !== 'pending')) return true
      await chains.mineSometimes()
      return false
    },
    180_000,
  )
  return seen
}

/**
 * Mines, and has hours pass when nothing moves any more, until the trade of an order has ended. A node that knows of no
 * trade has none to end.
 */
async function untilEnded(node: MarketNode, order: number, chains: MarketChains): Promise<void> {
  const ended = async (): Promise<boolean> => {
    const trade = await tradeOf(node, order)
    if (trade === null || (trade.status !== 'pending' && trade.waits_for === '')) return true
    await chains.mineSometimes()
    return false
  }
  for (let hours = 0; hours < MAX_HOURS; hours++) {
    try {
      await waitFor(`the end of the trade of ${node.name}`, ended, hours === 0 ? 20_000 : 3_000)
      return
    } catch (error) {
      if (hours + 1 === MAX_HOURS) throw error
      await chains.pass(HOUR_S)
    }
  }
}

/** A coin that was given must have been paid for; what is gone beyond that are fees. */
function lossOf(
  who: 'participant' | 'initiator',
  trade: Trade | null,
  before: Units,
  after: Units,
  payments: readonly Payment[],
): string[] {
  const done = trade?.status === 'completed'
  const gives =
    who === 'participant' ? ({ TLTC: -WHOLE, TBTC: COST } as const) : ({ TLTC: WHOLE, TBTC: -COST } as const)
  return COINS_OF_TESTS.flatMap(coin => {
    const moved = done && coin !== 'TETH' ? gives[coin] : 0n
    const missing = before[coin] + moved - after[coin]
    const own = payments.filter(({ theirs, currency }) => !theirs && currency === coin)
    const fees = own.reduce((sum, { fee_exact }) => sum + unitsOf(fee_exact, PLACES[coin]), 0n)
    if (missing <= fees && missing <= MOST_FEES) return []
    return [`${who} (${trade?.status ?? 'no trade'}): ${missing} of ${coin} are missing, fees are ${fees}`]
  })
}
