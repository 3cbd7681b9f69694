// The states of downloads that a filter of the list can name. The node and the dashboard mean the same by them. Pure.

/** By name. The first six are the groups of the dashboard. */
export const LIST_STATES = [
  ...(['all', 'active', 'downloading', 'seeding', 'stopped', 'trouble', 'inactive', 'completed', 'paused'] as const),
  ...(['queued', 'checking', 'errored', 'moving', 'stalled', 'allocating', 'metadata', 'circuits'] as const),
] as const

/** One of them. */
export type ListState = (typeof LIST_STATES)[number]

/** What of a download's record its states follow from. */
export interface StatedRecord {
  readonly status: string
  readonly queued: boolean
  readonly progress: number
  readonly speed_down: number
  readonly speed_up: number
  readonly error: string
  readonly moving_to: string
  readonly stalled_volume?: string | undefined
}

const stalls = ({ stalled_volume: volume, status }: StatedRecord): boolean =>
  volume !== undefined && status !== 'DLSTATUS_STOPPED'
const isActive = ({ speed_down: down, speed_up: up }: StatedRecord): boolean => down >= 1 || up >= 1
const halted = ['DLSTATUS_STOPPED', 'DLSTATUS_STOPPED_ON_ERROR']
const checks = ['DLSTATUS_WAITING4HASHCHECK', 'DLSTATUS_HASHCHECKING']

const states: Readonly<Record<ListState, (record: StatedRecord, trouble: boolean) => boolean>> = {
  all: () => true,
  active: isActive,
  downloading: ({ progress, status }) => progress < 1 && !halted.includes(status),
  seeding: ({ status }) => status === 'DLSTATUS_SEEDING',
  stopped: ({ status }) => status === 'DLSTATUS_STOPPED',
  trouble: (record, trouble) =>
    trouble || record.status === 'DLSTATUS_STOPPED_ON_ERROR' || record.error !== '' || stalls(record),
  inactive: record => !isActive(record),
  completed: ({ progress, status }) => progress >= 1 && !checks.includes(status),
  paused: ({ status, queued }) => status === 'DLSTATUS_STOPPED' && !queued,
  queued: ({ queued }) => queued,
  checking: ({ status }) => checks.includes(status),
  errored: ({ status }) => status === 'DLSTATUS_STOPPED_ON_ERROR',
  moving: ({ moving_to: to }) => to !== '',
  stalled: stalls,
  allocating: ({ status }) => status === 'DLSTATUS_ALLOCATING_DISKSPACE',
  metadata: ({ status }) => status === 'DLSTATUS_METADATA',
  circuits: ({ status }) => status === 'DLSTATUS_CIRCUITS',
}

const checksOfStates = LIST_STATES.map(name => states[name])

/** A bit for each state that a record is in, 1 << its place in the list; `trouble`: its condition says so. */
export function stateBits(record: StatedRecord, trouble: boolean): number {
  let bits = 0
  for (let at = 0; at < checksOfStates.length; at++) if (checksOfStates[at]?.(record, trouble)) bits |= 1 << at
  return bits
}

/** The bit of a state's name, in any case; null = it is none. */
export function bitOfState(name: string): number | null {
  const at = (LIST_STATES as readonly string[]).indexOf(name.toLowerCase())
  return at === -1 ? null : 1 << at
}
