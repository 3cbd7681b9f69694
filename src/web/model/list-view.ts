// What the list shows, and its order: what was chosen beside it, and what is searched for. Pure.

import { LIST_STATES, type ListState } from '../../wire/list/list-states.ts'
import { type ListWord, MAX_FILTER_WORDS, readWords, type WordFault } from '../../wire/list/list-words.ts'
import type { Group } from './download-groups.ts'

/** Columns that the list can be sorted by. */
export type SortColumn =
  | 'name'
  | 'progress'
  | 'status'
  | 'size'
  | 'speed_down'
  | 'speed_up'
  | 'eta'
  | 'ratio'
  | 'num_peers'
  | 'num_seeds'
  | 'total_up'
  | 'destination'
  | 'availability'
  | 'labels'
  | 'trackers'
  | 'queue_order'
  | 'time_added'
  | 'time_finished'

/** What is shown, and its order. */
export interface View {
  readonly sort: SortColumn
  readonly descending: boolean
  readonly group: Group
  /** What was chosen of each, empty = those that have none; null: all. */
  readonly label: string | null
  readonly tracker: string | null
  readonly folder: string | null
  /** What is searched for: words as src/wire/list/list-words.ts reads them; empty = all. */
  readonly query: string
}

/** Kinds of values that the list is narrowed by. */
export type FacetKind = 'label' | 'tracker' | 'folder'

/** All downloads, the newest first. */
export const allDownloads: View = {
  sort: 'time_added',
  descending: true,
  group: 'all',
  label: null,
  tracker: null,
  folder: null,
  query: '',
}

const stateOf = (word: ListWord): ListState[] =>
  word.kind === 'state' ? LIST_STATES.filter(state => state === word.text) : []

/** The states that a view shows: those of its search, else the one that was chosen. */
export function statesOf({ group, query }: Pick<View, 'group' | 'query'>): readonly ListState[] {
  const searched = readWords(query, false).words.flatMap(stateOf)
  return searched.length > 0 ? searched : [group]
}

/** A view as the words of a filter. */
export function wordsOf(view: View): readonly ListWord[] {
  const { words } = readWords(view.query, false)
  const { label, tracker, folder } = view
  const states = statesOf(view).filter(state => state !== 'all')
  return [
    ...states.map((text): ListWord => ({ kind: 'state', text })),
    ...(label === null ? [] : [{ kind: 'label', text: label } as const]),
    ...(tracker === null ? [] : [{ kind: 'tracker', text: tracker, exact: true } as const]),
    ...(folder === null ? [] : [{ kind: 'folder', text: folder, exact: true } as const]),
    ...words.filter(word => word.kind !== 'state'),
  ].slice(0, MAX_FILTER_WORDS)
}

/** What of a search is passed over, since nobody can read it. */
export function faultsOf(query: string): readonly WordFault[] {
  return readWords(query, false).faults
}

/** The view with this state chosen: what the search says of states goes. */
export function withGroup(view: View, group: Group): View {
  const said = readWords(view.query, false).words.some(word => word.kind === 'state')
  const query = said
    ? view.query.replaceAll(/(?:state|status):(?:"(?:[^"]|"")*(?:"|$)|[^\s,"]+)/gi, '').trim()
    : view.query
  return { ...view, group, query }
}

/** The view with this value chosen; chosen once more: all again. */
export function withFacet(view: View, kind: FacetKind, value: string): View {
  return { ...view, [kind]: view[kind] === value ? null : value }
}

/** Whether a view shows less than all. */
export function isNarrowed(view: View): boolean {
  return wordsOf(view).length > 0
}
