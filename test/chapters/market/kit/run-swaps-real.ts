// The table of swaps on real chains (litecoind, bcoin) where a node is killed with -9 at every step: `make swaps-real`,
// some minutes a row for those who stay away. Exit code 1 when a side lost more than fees. Arguments: words that a row
// must have, such as `initiator restart`.

import { type KillPlan, playKill } from './real-swap-kills.ts'

// Each node that is started listens for the end of this process.
process.setMaxListeners(100)

const STEPS: Readonly<Record<KillPlan['who'], readonly string[]>> = {
  initiator: ['paying', 'funding', 'funded', 'agreed', 'claiming', 'sweeping', 'watching'],
  participant: ['waiting', 'paying', 'funding', 'funded', 'claiming', 'sweeping', 'watching'],
}
const wanted = process.argv.slice(2)
const plans = Object.entries(STEPS).flatMap(([who, steps]) =>
  steps.flatMap(step =>
    (['restart', 'gone'] as const).map((afterwards): KillPlan => ({ who: who as KillPlan['who'], step, afterwards })),
  ),
)

console.log('| killed | at step | then | initiator | participant | loses more than fees |')
console.log('|---|---|---|---|---|---|')
for (const plan of plans.filter(each => wanted.every(word => Object.values(each).includes(word)))) {
  try {
    const { initiator, participant, seen, losses } = await playKill(plan)
    const step = seen ? plan.step : `${plan.step} (passed unseen)`
    const lost = losses.length === 0 ? 'nobody' : losses.join('; ')
    console.log(`| ${plan.who} | ${step} | ${plan.afterwards} | ${initiator} | ${participant} | ${lost} |`)
    if (losses.length > 0) process.exitCode = 1
  } catch (error) {
    console.log(`| ${plan.who} | ${plan.step} | ${plan.afterwards} | ? | ? | ${String(error).slice(0, 300)} |`)
    process.exitCode = 1
  }
}
