// Random schedules: two traders that behave, while processes are killed and started, blocks are undone, servers fail,
// blocks come late and fees rise, at random times. In the end everybody is back, and both have swapped or both have
// what they had, less fees. SEEDS=from-to plays others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lockWhenPaid, problemOf, settled, stateOf } from '../kit/swap-outcomes.ts'
import { PAIRINGS, type Pairing, type RigNode, ROLES, SwapRig } from '../kit/swap-rig.ts'

const [FROM = 1, TO = 60] = (process.env['SEEDS'] ?? '').split('-').filter(Boolean).map(Number)
/** Events of a schedule, within so many ms. */
const EVENTS = 10
const WITHIN_MS = 6_000_000

/** Brings trouble to a rig at random times; answers what puts everything right again. */
function trouble(rig: SwapRig): () => Promise<void> {
  const { random, clock } = rig
  const later = (run: () => void): void => {
    clock.after(random.below(WITHIN_MS), run)
  }
  const events: ((place: 0 | 1, node: RigNode) => void)[] = [
    (_place, node) => node.process.kill(),
    (_place, node) => node.process.kill(),
    (_place, node) => void revive(node),
    (place, node) => {
      node.servers[place].down = true
    },
    (place, node) => {
      node.servers[place].down = false
    },
    place => rig.chains[place].reorganise(1 + random.below(6), random.below(2) === 0),
    place => {
      rig.chains[place].leastFee = 100n * BigInt(random.below(8))
    },
    place => {
      rig.chains[place].halted = random.below(2) === 0
    },
    (place, node) => {
      const chance = random.below(60)
      node.servers[place].fails = () => random.below(100) < chance
    },
  ]
  for (let count = 0; count < EVENTS; count++) {
    const event = events[random.below(events.length)] as (typeof events)[number]
    const node = rig.node(ROLES[random.below(2)] ?? 'initiator')
    later(() => event(random.below(2) as 0 | 1, node))
  }
  return () => putRight(rig)
}

async function revive(node: RigNode): Promise<void> {
  if (!node.process.alive) await node.start()
}

async function putRight(rig: SwapRig): Promise<void> {
  for (const chain of rig.chains) {
    chain.halted = false
    chain.leastFee = 0n
  }
  for (const node of rig.nodes) {
    for (const server of node.servers) {
      server.down = false
      server.fails = () => false
    }
    await revive(node)
  }
}

async function play(pairing: Pairing, seed: number): Promise<{ problem: string; end: string }> {
  const rig = new SwapRig(pairing, seed)
  await rig.start()
  const agreement = await rig.agree()
  lockWhenPaid(rig)
  const right = trouble(rig)
  await rig.begin(agreement)
  await rig.clock.advance(WITHIN_MS)
  await right()
  await settled(rig)
  rig.stop()
  return { problem: problemOf(rig), end: stateOf(rig, 'initiator') }
}

for (const pairing of PAIRINGS) {
  test(`${pairing}: random schedules of trouble, seeds ${FROM} to ${TO}`, async t => {
    const ends = new Map<string, number>()
    for (let seed = FROM; seed <= TO; seed++) {
      const { problem, end } = await play(pairing, seed)
      ends.set(end, (ends.get(end) ?? 0) + 1)
      assert.equal(problem, '', `seed ${seed}`)
    }
    t.diagnostic(JSON.stringify([...ends]))
    if (TO - FROM > 50) assert.ok((ends.get('swapped') ?? 0) > 5 && (ends.get('kept') ?? 0) > 5)
  })
}
