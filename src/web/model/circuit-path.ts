// A circuit as a path of stations, from this node to where it leads, and what hops cost, in words. Pure.

import type { DownloadRecord } from '../../services/api.ts'
import type { CircuitRecord } from '../../chapters/circuits/service/circuits-api.ts'
import type { Tone } from './download-groups.ts'
import { counted } from './format.ts'

/** A station of a path. */
export interface Station {
  /** What it is: `Relay`, `Exit`. */
  readonly role: string
  /** Where it is or who it is; empty where there is nothing to tell. */
  readonly where: string
  /** Far: not a hop but where the circuit leads. Waiting: the hop has not answered yet. */
  readonly kind: 'here' | 'hop' | 'waiting' | 'far'
}

type CircuitsRecord = NonNullable<DownloadRecord['circuits']>
type Purpose = CircuitRecord['purpose']

/** The last hop, and what lies behind it. */
const ends: Readonly<Record<Purpose, readonly [last: string, behind: string]>> = {
  data: ['Exit', 'Internet'],
  'introduction-seeder': ['Introduction point', 'Anonymous downloaders'],
  'rendezvous-seeder': ['Rendezvous point', 'Anonymous downloader'],
  'rendezvous-downloader': ['Rendezvous point', 'Anonymous seeder'],
}

/** What a circuit is for. */
export const purposes: Readonly<Record<Purpose, string>> = {
  data: 'Downloads and trackers',
  'introduction-seeder': 'Being found by anonymous downloaders',
  'rendezvous-seeder': 'Seeding to an anonymous downloader',
  'rendezvous-downloader': 'Fetching from an anonymous seeder',
}

/** Digits of a key's hash by which people tell hops apart. */
const MEMBER_DIGITS = 8

/** This node, its hops, those that are still missing, and where it leads. */
export function pathOf({ hops, goal_hops: goal, purpose }: CircuitRecord): Station[] {
  const [last, behind] = ends[purpose]
  const roleAt = (at: number) => (at === goal - 1 ? last : 'Relay')
  const known = hops.map(
    ({ host, member }, at): Station => ({
      role: roleAt(at),
      where: host === 'unknown' ? member.slice(0, MEMBER_DIGITS) : host,
      kind: 'hop',
    }),
  )
  const missing = Array.from(
    { length: Math.max(0, goal - hops.length) },
    (_, at): Station => ({ role: roleAt(hops.length + at), where: 'no answer yet', kind: 'waiting' }),
  )
  return [
    { role: 'This node', where: '', kind: 'here' },
    ...known,
    ...missing,
    { role: behind, where: '', kind: 'far' },
  ]
}

/** The state in a word. */
export function circuitState(state: CircuitRecord['state']): string {
  return { EXTENDING: 'Being built', READY: 'Ready', CLOSING: 'Closing' }[state]
}

/** How it is shown. */
export function circuitTone({ state }: Pick<CircuitRecord, 'state'>): Tone {
  return ({ EXTENDING: 'waiting', READY: 'done', CLOSING: 'stopped' } as const)[state]
}

/** Those that carry data first, then those on their way; the newest first among equals. */
export function inOrder(circuits: readonly CircuitRecord[]): CircuitRecord[] {
  const rank = { READY: 0, EXTENDING: 1, CLOSING: 2 }
  return circuits.toSorted((a, b) => rank[a.state] - rank[b.state] || b.created - a.created)
}

/** What an event of a circuit says: what the circuit was for, how long it was, why it went, how many were not told. */
export function circuitEventText(event: Readonly<Record<string, unknown>>): string {
  const { purpose, goal_hops: hops, reason, skipped } = event
  const known = Object.entries(purposes).find(([name]) => name === purpose)?.[1]
  const parts = [
    known ?? 'Circuit',
    typeof hops === 'number' ? `over ${counted(hops, 'hop')}` : '',
    typeof reason === 'string' ? reason : '',
    typeof skipped === 'number' && skipped > 0 ? `${counted(skipped, 'more event')} before it` : '',
  ]
  return parts.filter(part => part !== '').join(' · ')
}

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
