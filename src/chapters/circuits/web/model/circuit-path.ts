// A circuit as a path of stations, from this node to where it leads, and its events, in words. Pure.

import type { OwnCircuit } from '../../client/routes.ts'
import type { Tone } from '../../../../web/model/download-groups.ts'
import { text } from '../texts/circuits.ts'

/** A station of a path. */
export interface Station {
  /** What it is: `Relay`, `Exit`. */
  readonly role: string
  /** Where it is or who it is; empty where there is nothing to tell. */
  readonly where: string
  /** Far: not a hop but where the circuit leads. Waiting: the hop has not answered yet. */
  readonly kind: 'here' | 'hop' | 'waiting' | 'far'
}

type Purpose = OwnCircuit['purpose']

/** The last hop, and what lies behind it. */
const ends: Readonly<Record<Purpose, readonly [last: string, behind: string]>> = {
  data: [text('exit'), text('internet')],
  'introduction-seeder': [text('introductionPoint'), text('anonymousDownloaders')],
  'rendezvous-seeder': [text('rendezvousPoint'), text('anonymousDownloader')],
  'rendezvous-downloader': [text('rendezvousPoint'), text('anonymousSeeder')],
}

/** What a circuit is for. */
export const purposes: Readonly<Record<Purpose, string>> = {
  data: text('purposeData'),
  'introduction-seeder': text('purposeIntroduction'),
  'rendezvous-seeder': text('purposeSeeding'),
  'rendezvous-downloader': text('purposeFetching'),
}

/** Digits of a key's hash by which people tell hops apart. */
const MEMBER_DIGITS = 8

/** This node, its hops, those that are still missing, and where it leads. */
export function pathOf({ hops, goal_hops: goal, purpose }: OwnCircuit): Station[] {
  const [last, behind] = ends[purpose]
  const roleAt = (at: number) => (at === goal - 1 ? last : text('relay'))
  const known = hops.map(
    ({ host, member }, at): Station => ({
      role: roleAt(at),
      where: host === 'unknown' ? member.slice(0, MEMBER_DIGITS) : host,
      kind: 'hop',
    }),
  )
  const missing = Array.from(
    { length: Math.max(0, goal - hops.length) },
    (_, at): Station => ({ role: roleAt(hops.length + at), where: text('noAnswerYet'), kind: 'waiting' }),
  )
  return [
    { role: text('thisNode'), where: '', kind: 'here' },
    ...known,
    ...missing,
    { role: behind, where: '', kind: 'far' },
  ]
}

/** The state in a word. */
export function circuitState(state: OwnCircuit['state']): string {
  return { EXTENDING: text('stateExtending'), READY: text('stateReady'), CLOSING: text('stateClosing') }[state]
}

/** How it is shown. */
export function circuitTone({ state }: Pick<OwnCircuit, 'state'>): Tone {
  return ({ EXTENDING: 'waiting', READY: 'done', CLOSING: 'stopped' } as const)[state]
}

/** Those that carry data first, then those on their way; the newest first among equals. */
export function inOrder(circuits: readonly OwnCircuit[]): OwnCircuit[] {
  const rank = { READY: 0, EXTENDING: 1, CLOSING: 2 }
  return circuits.toSorted((a, b) => rank[a.state] - rank[b.state] || b.created - a.created)
}

/** What an event of a circuit says: what the circuit was for, how long it was, why it went, how many were not told. */
export function circuitEventText(event: Readonly<Record<string, unknown>>): string {
  const { purpose, goal_hops: hops, reason, skipped } = event
  const known = Object.entries(purposes).find(([name]) => name === purpose)?.[1]
  const parts = [
    known ?? text('anyCircuit'),
    typeof hops === 'number' ? text('overHops', { count: hops }) : '',
    typeof reason === 'string' ? reason : '',
    typeof skipped === 'number' && skipped > 0 ? text('eventsBefore', { count: skipped }) : '',
  ]
  return parts.filter(part => part !== '').join(' · ')
}
