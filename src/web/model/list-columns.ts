// The columns of the list: what they are called, what they sort by, and those that somebody has chosen for this device,
// in their order and with their widths. Pure.

import type { SortColumn } from './list-view.ts'
import { WIDE_FIELDS, type WideField } from './shown-list.ts'

/** A column of the list. */
export interface ListColumn {
  readonly sort: SortColumn
  /** The key of its text. */
  readonly heading:
    | 'name'
    | 'progress'
    | 'state'
    | 'size'
    | 'downRate'
    | 'upRate'
    | 'left'
    | 'peers'
    | 'ratio'
    | 'added'
    | 'seeds'
    | 'uploaded'
    | 'folder'
    | 'finished'
    | 'tracker'
    | 'label'
    | 'availability'
    | 'queue'
  /** Its class in the style sheet. */
  readonly place: string
  /** Pixels, where its width was not chosen. */
  readonly width: number
  /** People look for its large values first. */
  readonly largeFirst: boolean
}

const column = (
  sort: SortColumn,
  heading: ListColumn['heading'],
  place: string,
  width: number,
  largeFirst = false,
): ListColumn => ({ sort, heading, place, width, largeFirst })

/** Those that are shown where nothing was chosen, in their order. */
export const listColumns: readonly ListColumn[] = [
  column('name', 'name', 'name', 160),
  column('progress', 'progress', 'progress', 140, true),
  column('status', 'state', 'state', 136),
  column('size', 'size', 'size', 80, true),
  column('speed_down', 'downRate', 'down', 92, true),
  column('speed_up', 'upRate', 'up', 92, true),
  column('eta', 'left', 'eta', 104),
  column('num_peers', 'peers', 'peers', 60, true),
  column('ratio', 'ratio', 'ratio', 60, true),
  column('time_added', 'added', 'added', 94, true),
]

/** The order of the queue, which phones sort by too. */
export const queueColumn = column('queue_order', 'queue', 'queue', 72)

/** All that can be chosen. */
export const allColumns: readonly ListColumn[] = [
  ...listColumns,
  column('num_seeds', 'seeds', 'seeds', 64, true),
  column('total_up', 'uploaded', 'uploaded', 92, true),
  column('time_finished', 'finished', 'finished', 96, true),
  column('destination', 'folder', 'folder', 180),
  column('trackers', 'tracker', 'tracker', 160),
  column('labels', 'label', 'labelled', 120),
  column('availability', 'availability', 'availability', 92, true),
  queueColumn,
]

/** Columns that were chosen, in their order, each with its width; that of the name is its least. */
export type ColumnChoice = readonly ListColumn[]

const [LEAST_WIDTH, MOST_WIDTH, SIGN_WIDTH, EDGES] = [48, 640, 34, 16]
/** How much wider or narrower a column becomes at once. */
const STEP = 16

const widthWithin = (width: number) => Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, Math.round(width)))

/** What this device has kept; null: nothing was chosen, or nobody can read it. The name is always among them. */
export function columnsIn(kept: unknown): ColumnChoice | null {
  if (!Array.isArray(kept)) return null
  const found = new Map<SortColumn, ListColumn>()
  for (const one of kept.slice(0, 100) as unknown[]) {
    const { sort, width } = (one ?? {}) as { sort?: unknown; width?: unknown }
    const known = allColumns.find(each => each.sort === sort)
    if (known === undefined || found.has(known.sort)) continue
    found.set(known.sort, {
      ...known,
      width: typeof width === 'number' ? widthWithin(width) || known.width : known.width,
    })
  }
  if (found.size === 0) return null
  const [name] = listColumns
  return found.has('name') || name === undefined ? [...found.values()] : [name, ...found.values()]
}

/** What is kept of a choice. */
export function keptColumns(choice: ColumnChoice): readonly { readonly sort: SortColumn; readonly width: number }[] {
  return choice.map(({ sort, width }) => ({ sort, width }))
}

/** With a column that was not shown at its end, or without one that was; the name stays. */
export function withToggled(choice: ColumnChoice, sort: SortColumn): ColumnChoice {
  if (sort === 'name') return choice
  if (choice.some(each => each.sort === sort)) return choice.filter(each => each.sort !== sort)
  return [...choice, ...allColumns.filter(each => each.sort === sort)]
}

/** With a column one place further to the front (-1) or the end (1). */
export function withMoved(choice: ColumnChoice, sort: SortColumn, by: -1 | 1): ColumnChoice {
  const at = choice.findIndex(each => each.sort === sort)
  const moved = choice[at]
  if (moved === undefined || at + by < 0 || at + by >= choice.length) return choice
  return choice.filter(each => each !== moved).toSpliced(at + by, 0, moved)
}

/** With a column before the one that stands at `index` now; behind the last one at the end. */
export function withPlaced(choice: ColumnChoice, sort: SortColumn, index: number): ColumnChoice {
  const at = choice.findIndex(each => each.sort === sort)
  const moved = choice[at]
  if (moved === undefined || index === at || index === at + 1) return choice
  return choice.toSpliced(at, 1).toSpliced(index > at ? index - 1 : index, 0, moved)
}

/** With a column a step wider (1) or narrower (-1). */
export function withWidth(choice: ColumnChoice, sort: SortColumn, by: -1 | 1): ColumnChoice {
  return choice.map(each => (each.sort === sort ? { ...each, width: widthWithin(each.width + by * STEP) } : each))
}

/** The tracks of a row's grid: the name has what the others leave. */
export function tracksOf(choice: ColumnChoice): string {
  const tracks = choice.map(({ sort, width }) => (sort === 'name' ? `minmax(${width}px, 1fr)` : `${width}px`))
  return [`${SIGN_WIDTH}px`, ...tracks].join(' ')
}

/** Pixels that a row needs: where the list has less, it is scrolled sideways. */
export function leastWidthOf(choice: ColumnChoice): number {
  return choice.reduce((sum, { width }) => sum + width, SIGN_WIDTH + EDGES)
}

/** What the columns show beyond the fields that every row has; null: nothing was chosen. */
export function wideFieldsOf(choice: ColumnChoice | null): readonly WideField[] {
  return choice === null ? [] : WIDE_FIELDS.filter(field => choice.some(({ sort }) => sort === field))
}
