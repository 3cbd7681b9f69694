// The words of a filter: states as the dashboard and other clients name them, labels, and what must be in the name. A
// download that is looked through is a row of precomputed columns, so that a hundred thousand cost some milliseconds.
// Pure.

import { AppError } from '../../../base/errors.ts'
import type { DownloadRecord } from '../download-records-api.ts'
import { LIST_STATES, type ListState } from './list-query-api.ts'

/** Words of one filter, and characters. */
const MAX_WORDS = 32
const MAX_CHARS = 1000

type Shown = Pick<
  DownloadRecord,
  'status' | 'queued' | 'progress' | 'speed_down' | 'speed_up' | 'error' | 'moving_to'
> & {
  stalled_volume?: string | undefined
}

const stalls = ({ stalled_volume: volume, status }: Shown): boolean =>
  volume !== undefined && status !== 'DLSTATUS_STOPPED'
const isActive = ({ speed_down: down, speed_up: up }: Shown): boolean => down >= 1 || up >= 1
const halted = ['DLSTATUS_STOPPED', 'DLSTATUS_STOPPED_ON_ERROR']
const checks = ['DLSTATUS_WAITING4HASHCHECK', 'DLSTATUS_HASHCHECKING']

/** States by name. The groups of the dashboard mean the same (src/web/model/download-groups.ts). */
const states: Readonly<Record<ListState, (record: Shown, trouble: boolean) => boolean>> = {
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

/** A bit for each state that a record is in; `trouble`: its condition says so. */
export function stateBits(record: Shown, trouble: boolean): number {
  let bits = 0
  for (let at = 0; at < checksOfStates.length; at++) if (checksOfStates[at]?.(record, trouble)) bits |= 1 << at
  return bits
}

/** What is searched of a record: name, labels and infohash in lower case. */
export function searchText({ name, labels, infohash }: Pick<DownloadRecord, 'name' | 'labels' | 'infohash'>): string {
  return `${name}\n${labels.join('\n')}\n${infohash}`.toLowerCase()
}

/** The columns that a filter looks at. */
export interface FilteredRow {
  readonly bits: number
  readonly text: string
  readonly labels: readonly string[]
}

/** A filter that was read. */
export interface ListFilter {
  /** The same for filters that mean the same. */
  readonly key: string
  matches(row: FilteredRow): boolean
}

interface Word {
  /** `state`, `label`; null = anything else before a colon, or nothing. */
  readonly kind: 'state' | 'label' | null
  readonly text: string
  readonly quoted: boolean
}

/**
 * Reads `seeding films label:"my films" "active"`: states (any of them), labels (each), texts (each is in name, labels
 * or infohash). AppError InvalidParameter: too many words, or `state:` with a name that is none.
 */
export function readFilter(text: string): ListFilter {
  if (text.length > MAX_CHARS)
    throw new AppError('InvalidParameter', `The parameter filter is longer than ${MAX_CHARS}.`)
  const words = wordsOf(text)
  if (words.length > MAX_WORDS)
    throw new AppError('InvalidParameter', `The parameter filter has more than ${MAX_WORDS} words.`)
  let bits = 0
  const [labels, texts]: [string[], string[]] = [[], []]
  for (const word of words) {
    const state = stateBit(word)
    if (state !== null) bits |= state
    else if (word.kind === 'label') labels.push(word.text)
    else texts.push(word.text.toLowerCase())
  }
  return {
    key: JSON.stringify([bits, labels.toSorted(), texts.toSorted()]),
    matches: row =>
      (bits === 0 || (row.bits & bits) !== 0) &&
      texts.every(one => row.text.includes(one)) &&
      labels.every(one => row.labels.includes(one)),
  }
}

/** The bit of the state that a word names; null = it names none. AppError InvalidParameter. */
function stateBit({ kind, text, quoted }: Word): number | null {
  if (kind === 'label' || (kind === null && quoted)) return null
  const at = (LIST_STATES as readonly string[]).indexOf(text.toLowerCase())
  if (at !== -1) return 1 << at
  if (kind === null) return null
  throw new AppError(
    'InvalidParameter',
    `The parameter filter names no state: ${text}. States: ${LIST_STATES.join(', ')}.`,
  )
}

/** Words stand between blanks and commas; what is in quotes is one, whatever it holds. */
function wordsOf(text: string): Word[] {
  const found = text.matchAll(/(?:(state|status|label):)?(?:"([^"]*)(?:"|$)|([^\s,"]+))/gi)
  return [...found].flatMap(([, prefix = '', quoted, plain = '']): Word[] => {
    const kind = prefix === '' ? null : prefix.toLowerCase() === 'label' ? 'label' : 'state'
    const word = quoted ?? plain
    return word === '' ? [] : [{ kind, text: word, quoted: quoted !== undefined }]
  })
}
