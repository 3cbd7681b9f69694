// What a download is doing, in the words of the dashboard, and the groups its list can be narrowed to. Pure.

import type { Download } from '../../client/core-routes.ts'
import { bitOfState, type ListState, stateBits } from '../../wire/list/list-states.ts'
import { conditionWords } from './node-words.ts'

/** The tone of a state: which colour and sign it is shown with. */
export type Tone = 'moving' | 'done' | 'waiting' | 'stopped' | 'trouble'

/** Groups of the list. */
export type Group = ListState

/** Those that stand above the list, in the order they are shown. */
export const groups = [
  'all',
  'active',
  'downloading',
  'seeding',
  'stopped',
  'trouble',
] as const satisfies readonly Group[]

type StateFields = Pick<Download, 'status' | 'queued' | 'moving_to' | 'progress' | 'stalled_volume' | 'condition'>

/** The state of a download in a word or two. */
export function stateText(record: StateFields): string {
  if (stalls(record)) return 'Disk stalled'
  if (record.moving_to !== '') return 'Moving files'
  const named = conditionWords(record.condition)
  if (named !== null) return named
  switch (record.status) {
    case 'DLSTATUS_ALLOCATING_DISKSPACE':
      return 'Allocating'
    case 'DLSTATUS_WAITING4HASHCHECK':
      return 'Waiting for check'
    case 'DLSTATUS_HASHCHECKING':
      return 'Checking'
    case 'DLSTATUS_DOWNLOADING':
      return 'Downloading'
    case 'DLSTATUS_SEEDING':
      return 'Seeding'
    case 'DLSTATUS_STOPPED':
      return record.queued ? 'Queued' : record.progress >= 1 ? 'Complete' : 'Stopped'
    case 'DLSTATUS_STOPPED_ON_ERROR':
      return 'Error'
    case 'DLSTATUS_METADATA':
      return 'Waiting for metadata'
    case 'DLSTATUS_CIRCUITS':
      return 'Waiting for circuits'
  }
}

function stalls({ status, stalled_volume: volume }: StateFields): boolean {
  return volume !== undefined && status !== 'DLSTATUS_STOPPED'
}

/** How it is shown. */
export function toneOf(record: StateFields): Tone {
  if (stalls(record) || record.condition?.trouble === true) return 'trouble'
  switch (record.status) {
    case 'DLSTATUS_STOPPED_ON_ERROR':
      return 'trouble'
    case 'DLSTATUS_SEEDING':
      return 'done'
    case 'DLSTATUS_STOPPED':
      return record.queued ? 'waiting' : 'stopped'
    case 'DLSTATUS_DOWNLOADING':
      return record.condition === undefined ? 'moving' : 'waiting'
    default:
      return 'waiting'
  }
}

/** Whether a download belongs to a group. */
export function isIn(group: Group, record: Download): boolean {
  return (stateBits(record, record.condition?.trouble === true) & (bitOfState(group) ?? 0)) !== 0
}

/** Whether it can be started: it stands still by itself or by its user. */
export function canResume({ status, queued }: Pick<Download, 'status' | 'queued'>): boolean {
  return (status === 'DLSTATUS_STOPPED' && !queued) || status === 'DLSTATUS_STOPPED_ON_ERROR'
}
