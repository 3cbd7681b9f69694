// What `top` draws: a head with totals, the downloads that are busiest, and the keys. Pure.

import type { CoreRoutes, Download } from '../client/core-routes.ts'
import type { ReplyOf } from '../client/routes.ts'
import { cutTo } from './cells.ts'
import type { ScreenSize } from './screen.ts'
import { plainRateText } from './units.ts'
import { watchLine } from './watch-lines.ts'

/** A key, the field that the node sorts by with it, and its word. */
export const SORTS = [
  { key: 'd', sort: '-speed_down', word: 'download' },
  { key: 'u', sort: '-speed_up', word: 'upload' },
  { key: 'p', sort: '-progress', word: 'progress' },
  { key: 'n', sort: 'name', word: 'name' },
  { key: 'a', sort: '-time_added', word: 'added' },
] as const

/** One of them. */
export type TopSort = (typeof SORTS)[number]

type Totals = NonNullable<ReplyOf<CoreRoutes, 'GET /downloads'>['totals']>

/** What is drawn. */
export interface TopView {
  readonly totals: Totals
  /** In the order that was asked for. */
  readonly rows: readonly Download[]
  readonly sort: TopSort
}

/** Lines above and below the downloads. */
const HEAD = 2
const FOOT = 1

/** How many downloads there is room for. */
export function topRoom({ rows }: Pick<ScreenSize, 'rows'>): number {
  return Math.max(1, rows - 1 - HEAD - FOOT)
}

/** Lines for a screen: none wider than it, no more than fit. */
export function topLines(view: TopView, { columns, rows }: ScreenSize): string[] {
  const cells = Math.max(1, columns - 1)
  const shown = view.rows.slice(0, topRoom({ rows }))
  const left = view.totals.count - shown.length
  const foot = `${left > 0 ? `and ${left} more  ` : ''}${keysText(view.sort)}`
  const body =
    shown.length === 0 ? ['No downloads yet: tributary add MAGNET|FILE'] : shown.map(row => watchLine(row, cells))
  const lines = [...headLines(view.totals), '', ...body, foot].slice(-Math.max(1, rows - 1))
  return lines.map(line => cutTo(line, cells))
}

function headLines({ count, speed_down: down, speed_up: up, states }: Totals): string[] {
  const counts = (['downloading', 'seeding', 'queued', 'stopped', 'trouble'] as const)
    .filter(state => states[state] > 0)
    .map(state => `${states[state]} ${state}`)
  const number = `${count} ${count === 1 ? 'download' : 'downloads'}`
  return [`↓ ${plainRateText(down)}  ↑ ${plainRateText(up)}  ${[number, ...counts].join(', ')}`]
}

function keysText(sort: TopSort): string {
  return `by ${sort.word}  q quit  ${SORTS.map(({ key, word }) => `${key} ${word}`).join('  ')}`
}
