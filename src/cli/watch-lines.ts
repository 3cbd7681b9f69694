// Lines of `watch`: what of a download there is room for, in columns that stay where they are. Pure.

import type { Download } from '../client/core-routes.ts'
import { cutTo, fitTo } from './cells.ts'
import type { ScreenSize } from './screen.ts'
import { barText, percentText, printable, stateText, timeText } from './show.ts'
import { rateText, sizeText } from './units.ts'

/** Where there is no terminal: room for all of it. */
const NO_TERMINAL = { name: 40, bar: 24 }
const MAX_NAME = 60
const MAX_BAR = 30
const MIN_BAR = 8

interface Field {
  readonly cells: number
  readonly right?: boolean
  /** Left out where a line has fewer cells than this. */
  readonly from: number
  readonly text: (row: Download) => string
}

const isMoving = ({ progress, speed_down: down }: Download): boolean => progress < 1 && down >= 1

/** Behind name, bar and percent, in their order. */
const FIELDS: readonly Field[] = [
  { cells: 8, right: true, from: 110, text: ({ size }) => (size > 0 ? sizeText(size) : '') },
  { cells: 10, right: true, from: 56, text: row => rateText(row.speed_down) },
  { cells: 10, right: true, from: 130, text: row => rateText(row.speed_up) },
  { cells: 7, right: true, from: 56, text: row => (isMoving(row) ? timeText(row.eta) : '') },
  { cells: 9, right: true, from: 92, text: row => peersText(row.num_connected_peers) },
  { cells: 13, from: 56, text: stateText },
]
/** On less than those: how quick and how long while it moves, what it does while it does not. */
const NARROW: Field = {
  cells: 17,
  right: true,
  from: 0,
  text: row => (isMoving(row) ? `${rateText(row.speed_down)} ${timeText(row.eta)}` : stateText(row)),
}

function peersText(count: number): string {
  return `${count} ${count === 1 ? 'peer' : 'peers'}`
}

/** A download on a line of at most so many cells. */
export function watchLine(row: Download, cells: number): string {
  const wide = FIELDS.filter(({ from }) => cells >= from)
  const fields = wide.length > 0 ? wide : [NARROW]
  const taken = fields.reduce((sum, field) => sum + 2 + field.cells, 0)
  // A percentage of six, and two blanks before it.
  const room = Math.max(0, cells - taken - 8)
  // The bar has a third of what is left, the name the rest.
  const third = Math.min(MAX_BAR, Math.floor((room - 1) / 3))
  const bar = third >= MIN_BAR && wide.length > 0 ? third : 0
  const name = Math.min(MAX_NAME, bar === 0 ? room : room - bar - 1)
  const parts = [
    `${fitTo(printable(row.name), name)} ${bar === 0 ? '' : `${barText(row.progress, bar)} `}${percentText(row.progress).padStart(6)}`,
    ...fields.map(field => fitTo(field.text(row), field.cells, field.right)),
  ]
  return cutTo(parts.join('  ').trimEnd(), cells)
}

/** The same where there is no terminal: a line that programs and files take. */
export function plainLine(row: Download): string {
  const name = fitTo(printable(row.name), NO_TERMINAL.name)
  const facts = FIELDS.map(field => field.text(row)).filter(fact => fact !== '')
  return `${name} ${barText(row.progress, NO_TERMINAL.bar)} ${percentText(row.progress).padStart(6)}  ${facts.join('  ')}`
}

/** What is drawn: no more lines than there is room for, those that move first, and how many are left out. */
export function screenLines(rows: readonly Download[], { columns, rows: height }: ScreenSize): string[] {
  const room = Math.max(1, height - 1)
  const whole = rows.length <= room
  const shown = whole ? rows : rows.toSorted((a, b) => weight(b) - weight(a)).slice(0, Math.max(1, room - 1))
  const cells = Math.max(1, columns - 1)
  const lines = shown.map(row => watchLine(row, cells))
  if (!whole && room > 1) lines.push(cutTo(`and ${rows.length - shown.length} more`, cells))
  return lines
}

function weight(row: Download): number {
  return (isThere(row) ? 0 : 1) + row.speed_down + row.speed_up
}

/** Whether a download is complete, and nothing more is to come of it. */
export function isThere({ progress, status, total_pieces: pieces }: Download): boolean {
  return pieces > 0 && progress >= 1 && (status === 'DLSTATUS_SEEDING' || status === 'DLSTATUS_STOPPED')
}
