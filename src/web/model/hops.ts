// What downloads say of the hops they go over: what each number of them hides and costs, and what they wait for. Pure.

import type { Download } from '../../client/core-routes.ts'
import { text } from '../texts/downloads/hops.ts'

type CircuitsRecord = NonNullable<Download['circuits']>

/** Why an anonymous download waits, or what it goes through. */
export function circuitsText({ candidates, exits, ready, building, last_failure: failure }: CircuitsRecord): string {
  if (ready > 0)
    return building > 0 ? text('readyAndMore', { count: ready, building }) : text('ready', { count: ready })
  const parts = [
    text('relays', { count: candidates }),
    text('exits', { count: exits }),
    text('building', { count: building }),
    failure === '' ? '' : text('lastFailure', { failure }),
  ]
  return parts.filter(part => part !== '').join(', ')
}

/** Choices of how many hops a download takes, with what each hides and costs. */
export const hopChoices: readonly { readonly hops: number; readonly name: string; readonly cost: string }[] = [
  { hops: 0, name: text('open'), cost: text('openCost') },
  { hops: 1, name: text('overHops', { count: 1 }), cost: text('oneCost') },
  { hops: 2, name: text('overHops', { count: 2 }), cost: text('twoCost') },
  { hops: 3, name: text('overHops', { count: 3 }), cost: text('threeCost') },
]
