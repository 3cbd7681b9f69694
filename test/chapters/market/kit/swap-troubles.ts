// Plays swaps whose chains and servers are in trouble, once for each step of either side and each chain.

import type { ChainNow } from '../../../../src/chapters/market/ports/swap-chain.ts'
import type { SwapRole } from '../../../../src/chapters/market/wire/types.ts'
import { callsOf, lockWhenPaid, problemOf, settled, stateOf } from './swap-outcomes.ts'
import { type Pairing, ROLES, SwapRig } from './swap-rig.ts'

/** Something that happens to a chain at one call of one side. */
type Event = (rig: SwapRig, place: 0 | 1) => void

/** How often swaps ended so, and what was wrong. */
export interface Played {
  readonly ends: Map<string, number>
  readonly problems: string[]
}

/**
 * Plays a swap for each call of each side and each chain, where what `trouble` names in TROUBLES_OF_CHAINS happens at
 * that call.
 */
export async function playTrouble(pairing: Pairing, trouble: string): Promise<Played> {
  const event = EVENTS[trouble]
  if (event === undefined) throw new Error(`there is no trouble ${trouble}`)
  const played: Played = { ends: new Map(), problems: [] }
  for (const side of ROLES) {
    const calls = await callsOf(pairing, side)
    for (let call = 0; call < calls.length; call++) {
      for (const place of [0, 1] as const) {
        const rig = await playOne(pairing, side, call, place, event)
        const end = stateOf(rig, 'initiator')
        played.ends.set(end, (played.ends.get(end) ?? 0) + 1)
        const problem = problemOf(rig)
        if (problem !== '') played.problems.push(`${side} call ${call} ${calls[call]} chain ${place}: ${problem}`)
      }
    }
  }
  return played
}

async function playOne(pairing: Pairing, side: SwapRole, call: number, place: 0 | 1, event: Event): Promise<SwapRig> {
  const rig = new SwapRig(pairing)
  await rig.start()
  const agreement = await rig.agree()
  lockWhenPaid(rig)
  rig.node(side).process.atCall = now => {
    if (now === call) event(rig, place)
  }
  await rig.begin(agreement)
  await settled(rig)
  rig.stop()
  return rig
}

/** Does the same to the servers of all nodes for a while. */
const servers =
  (seconds: number, set: (server: SwapRig['initiator']['servers'][number], on: boolean) => void): Event =>
  (rig, place) => {
    const all = rig.nodes.map(node => node.servers[place])
    for (const server of all) set(server, true)
    rig.clock.after(seconds * 1_000, () => {
      for (const server of all) set(server, false)
    })
  }

const lying = (seconds: number, lie: (now: ChainNow) => ChainNow): Event =>
  servers(seconds, (server, on) => {
    server.lie = on ? lie : now => now
  })

const down = (seconds: number): Event =>
  servers(seconds, (server, on) => {
    server.down = on
  })

/** For `seconds` blocks of a chain take only fees of six times the usual. */
const congested =
  (seconds: number): Event =>
  (rig, place) => {
    rig.chains[place].leastFee = 600n
    rig.clock.after(seconds * 1_000, () => {
      rig.chains[place].leastFee = 0n
    })
  }

const EVENTS: Readonly<Record<string, Event>> = {
  'six blocks are undone': (rig, place) => rig.chains[place].reorganise(6, false),
  'six blocks are undone and what was in them is forgotten': (rig, place) => rig.chains[place].reorganise(6, true),
  'its servers are down for a quarter of an hour': down(900),
  'its servers are down for hours': down(20_000),
  'it is congested until both locks are over': congested(9_000),
  'its servers say that it is two hours later': lying(9_000, now => ({ ...now, timeS: now.timeS + 7_200 })),
  'its servers say that it is two hours earlier': lying(9_000, now => ({ ...now, timeS: now.timeS - 7_200 })),
  'its servers tell a height of a year from now': lying(900, now => ({ ...now, height: now.height + 50_000 })),
  'its servers tell a height that falls by ten': lying(900, now => ({ ...now, height: now.height - 10 })),
}

/** What may happen to a chain. */
export const TROUBLES_OF_CHAINS: readonly string[] = Object.keys(EVENTS)
