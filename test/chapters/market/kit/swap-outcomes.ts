// The table of outcomes: what becomes of a swap when something happens to one side at one of its calls (journal writes,
// sendings, wallet payments).

import type { SwapRole } from '../../../../src/chapters/market/wire/types.ts'
import type { KillPlan } from '../../../kit/doubles/mortal.ts'
import { FIRST_AMOUNT, type Pairing, type RigNode, SECOND_AMOUNT, SwapRig } from './swap-rig.ts'

/** What happens to the side. */
export const TROUBLES = [
  'killed for ever',
  'killed, back at once',
  'killed, back after hours',
  'mute for ever',
  'mute for hours',
] as const
/** One of them. */
export type Trouble = (typeof TROUBLES)[number]

/** One case of the table. */
export interface OutcomeCase {
  readonly pairing: Pairing
  readonly side: SwapRole
  readonly trouble: Trouble
  readonly plan: KillPlan
}

/** What became of it. */
export interface CaseResult {
  readonly case: OutcomeCase
  /** Name of the call. */
  readonly call: string
  /**
   * What each side has in the end: `swapped`, `kept` (what it had, less fees), `lost`, `won` (both coins); `stuck`:
   * what it gave waits for it, who is gone.
   */
  readonly initiator: string
  readonly participant: string
  /** '' = as it must be. */
  readonly problem: string
}

/**
 * Fees of one side on one chain are never more: deposit, funding, sweep, and a claim or refund with the highest fee.
 */
const FEES_BOUND = 2_000n
/** Longer than all locks: seconds. */
const LIMIT_S = 60_000
/** Hours: after both locks. */
const LATE_S = 30_000

/** What each side has in the end. */
export function stateOf(rig: SwapRig, role: SwapRole): string {
  const gains = rig.gain(role)
  const [give, take] = role === 'initiator' ? gains : [gains[1], gains[0]]
  const [gave, took] = role === 'initiator' ? [FIRST_AMOUNT, SECOND_AMOUNT] : [SECOND_AMOUNT, FIRST_AMOUNT]
  const near = (value: bigint, of: bigint): boolean => value <= of && value >= of - FEES_BOUND
  if (near(give, -gave) && near(take, took)) return 'swapped'
  if (near(give, 0n) && near(take, 0n)) return 'kept'
  if (near(give, 0n) && near(take, took)) return 'won'
  return near(give, -gave) && near(take, 0n) ? 'lost' : `strange ${give} ${take}`
}

/** Names of the calls of one side in a swap without trouble. */
export async function callsOf(pairing: Pairing, side: SwapRole): Promise<readonly string[]> {
  const rig = new SwapRig(pairing)
  await rig.start()
  await rig.begin(await rig.agree())
  await rig.run(LIMIT_S)
  rig.stop()
  return rig.node(side).process.calls
}

/** Plays one case. Wallets are locked as soon as both deposits are paid, and after each restart. */
export async function playCase(each: OutcomeCase): Promise<CaseResult> {
  const rig = new SwapRig(each.pairing)
  await rig.start()
  const node = rig.node(each.side)
  const agreement = await rig.agree()
  lockWhenPaid(rig)
  arm(rig, node, each)
  await rig.begin(agreement)
  const dead = (): boolean => !node.process.alive
  const mutes = each.trouble.startsWith('mute')
  await rig.clock.until('it happened', () => mutes || dead() || node.closed, LIMIT_S * 1_000)
  if (dead()) await comeBack(rig, node, each)
  await settled(rig, isCut(each) ? [each.side] : [])
  rig.stop()
  return judge(rig, each, node)
}

function isCut({ trouble }: OutcomeCase): boolean {
  return trouble.endsWith('for ever')
}

function arm(rig: SwapRig, node: RigNode, { trouble, plan }: OutcomeCase): void {
  if (trouble.startsWith('killed')) {
    node.process.plan = plan
    return
  }
  const setMute = (mute: boolean): void => {
    for (const server of node.servers) server.mute = mute
  }
  node.process.atCall = call => {
    if (call !== plan.call) return
    setMute(true)
    if (trouble === 'mute for hours') rig.clock.after(LATE_S * 1_000, () => setMute(false))
  }
}

/** Locks the wallets of each side as soon as its deposits are paid: nothing after that may need them. */
export function lockWhenPaid(rig: SwapRig, nodes: readonly RigNode[] = rig.nodes): void {
  for (const node of nodes) {
    const take = node.servers[node.role === 'initiator' ? 1 : 0]
    const deposits = take.chain.options.kind === 'evm' ? 2 : 1
    node.funds.watch(() => {
      if (node.funds.paid.size >= deposits) node.lockWallets()
    })
  }
}

async function comeBack(rig: SwapRig, node: RigNode, { trouble }: OutcomeCase): Promise<void> {
  if (trouble === 'killed for ever') return
  if (trouble === 'killed, back after hours') await rig.clock.advance(LATE_S * 1_000)
  await node.start()
}

/** Until nothing more can happen: all that live have closed their swaps, but those in `without`. */
export async function settled(rig: SwapRig, without: readonly SwapRole[] = []): Promise<void> {
  const done = (node: RigNode): boolean => without.includes(node.role) || node.view === null || node.closed
  await rig.clock.until('every side that lives has closed', () => rig.nodes.every(done), 2 * LIMIT_S * 1_000)
  // What was sent last is in a block.
  await rig.clock.advance(600_000)
}

/** What is wrong when both sides have behaved and live: '' = nothing. */
export function problemOf(rig: SwapRig): string {
  const [initiator, participant] = [stateOf(rig, 'initiator'), stateOf(rig, 'participant')]
  const problems: string[] = []
  if (rig.missing !== 0n) problems.push(`${rig.missing} are missing`)
  if (initiator !== participant || !['swapped', 'kept'].includes(initiator))
    problems.push(`${initiator}/${participant}`)
  if (rig.chains.some(chain => chain.underLocks() > 0n)) problems.push('money is left under a lock')
  return problems.join('; ')
}

function judge(rig: SwapRig, each: OutcomeCase, node: RigNode): CaseResult {
  const call = node.process.calls[each.plan.call] ?? '(none)'
  const states = { initiator: stateOf(rig, 'initiator'), participant: stateOf(rig, 'participant') }
  if (!isCut(each)) return { case: each, call, ...states, problem: problemOf(rig) }
  const other = each.side === 'initiator' ? 'participant' : 'initiator'
  const harmed = !['swapped', 'kept'].includes(states[other])
  const problem = harmed || rig.missing !== 0n ? `${other} ${states[other]}, ${rig.missing} are missing` : ''
  if (states[each.side] === 'lost') states[each.side] = 'stuck'
  return { case: each, call, ...states, problem }
}

/** One line of the table: cases of one pairing, side and trouble. */
export interface OutcomeRow {
  readonly pairing: Pairing
  readonly side: SwapRole
  readonly trouble: Trouble
  readonly cases: number
  /** Cases by what the two sides had in the end, `initiator/participant`. */
  readonly ends: ReadonlyMap<string, number>
  readonly problems: readonly string[]
}

/** All cases of one row, before and after each call. */
export async function playRow(pairing: Pairing, side: SwapRole, trouble: Trouble): Promise<OutcomeRow> {
  const calls = await callsOf(pairing, side)
  const ends = new Map<string, number>()
  const problems: string[] = []
  let cases = 0
  for (let call = 0; call < calls.length; call++) {
    const times: readonly KillPlan['when'][] = trouble.startsWith('mute') ? ['before'] : ['before', 'after']
    for (const when of times) {
      const result = await playCase({ pairing, side, trouble, plan: { call, when } })
      const end = `${result.initiator}/${result.participant}`
      ends.set(end, (ends.get(end) ?? 0) + 1)
      cases++
      if (result.problem !== '') problems.push(`${when} call ${call} ${calls[call]}: ${result.problem}`)
    }
  }
  return { pairing, side, trouble, cases, ends, problems }
}

/** The head of the table in Markdown. */
export const TABLE_HEAD =
  '| chains | side | what happens to it at each step | cases | in the end, initiator/participant | losses beyond fees |\n|---|---|---|---|---|---|'

/** A line of it. */
export function rowText({ pairing, side, trouble, cases, ends, problems }: OutcomeRow): string {
  const shown = [...ends].map(([end, count]) => `${end} ${count}`).join(', ')
  return `| ${pairing} | ${side} | ${trouble} | ${cases} | ${shown} | ${problems.length} |`
}
