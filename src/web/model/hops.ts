// What downloads say of the hops they go over: what each number of them hides and costs, and what they wait for. Pure.

import type { Download } from '../../client/core-routes.ts'
import { counted } from './format.ts'

type CircuitsRecord = NonNullable<Download['circuits']>

/** Why an anonymous download waits, or what it goes through. */
export function circuitsText({ candidates, exits, ready, building, last_failure: failure }: CircuitsRecord): string {
  if (ready > 0) return `${counted(ready, 'circuit')} ready${building > 0 ? `, ${building} being built` : ''}`
  const parts = [
    `${counted(candidates, 'relay')} known`,
    `${counted(exits, 'exit')} known`,
    `${counted(building, 'circuit')} being built`,
    failure === '' ? '' : `last failure: ${failure}`,
  ]
  return parts.filter(part => part !== '').join(', ')
}

/** Choices of how many hops a download takes, with what each hides and costs. */
export const hopChoices: readonly { readonly hops: number; readonly name: string; readonly cost: string }[] = [
  { hops: 0, name: 'In the open', cost: 'Fastest. Everybody in the swarm sees the address of this node.' },
  {
    hops: 1,
    name: '1 hop',
    cost: 'Peers see the address of an exit. That exit knows the address of this node and what it fetches.',
  },
  {
    hops: 2,
    name: '2 hops',
    cost: 'Slower. No single hop knows both this node and what it fetches; two that work together do.',
  },
  {
    hops: 3,
    name: '3 hops',
    cost: 'Slowest. The first and the last hop have one between them that knows neither.',
  },
]
