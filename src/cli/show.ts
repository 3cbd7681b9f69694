// What people read: times, tables, bars; sizes and rates are units.ts. Texts of strangers are shown without anything
// that a terminal would take for a command. Pure.

import { conditionName } from '../client/condition-names.ts'
import type { Download } from '../client/core-routes.ts'
import { cellsOf, cutTo, fitTo } from './cells.ts'

const NEVER_SEC = 8_640_000

/** What a terminal obeys, what turns the direction of others, what is unseen: two names may look the same by it. */
const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** Joiners and forms of letters belong to names of some languages: without them these can still be read. */
const JOINERS = /\u200c|\u200d|\p{Variation_Selector}/gu
/** More marks on one letter than any language has would be drawn over other lines. */
const MARKS = /(\p{M}{4})\p{M}+/gu

/** A text in which nothing is left that a terminal obeys, that turns the direction of others, or that is unseen. */
export function printable(text: string): string {
  return text.replace(JOINERS, '').replace(HARMFUL, '\ufffd').replace(MARKS, '$1')
}

/** Seconds as the two largest units. */
export function timeText(seconds: number): string {
  if (seconds >= NEVER_SEC) return '∞'
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [Math.floor(seconds) % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  if (first === -1) return '0s'
  return parts
    .slice(first, first + 2)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ')
}

/** 0 to 1 as `12.3%`, and 100% only when it is all. */
export function percentText(part: number): string {
  return part >= 1 ? '100%' : `${(Math.floor(part * 1000) / 10).toFixed(1)}%`
}

/** A bar of so many characters. */
export function barText(part: number, width: number): string {
  const full = Math.floor(Math.max(0, Math.min(1, part)) * width)
  return '█'.repeat(full) + '░'.repeat(width - full)
}

const STATUS: Readonly<Record<string, string>> = {
  DLSTATUS_ALLOCATING_DISKSPACE: 'allocating',
  DLSTATUS_WAITING4HASHCHECK: 'to be checked',
  DLSTATUS_HASHCHECKING: 'checking',
  DLSTATUS_STOPPED_ON_ERROR: 'error',
}

/** `DLSTATUS_SEEDING` as `seeding`. */
export function statusText(status: string, queued = false): string {
  if (queued) return 'queued'
  return (
    STATUS[status] ??
    printable(status)
      .replace(/^DLSTATUS_/, '')
      .toLowerCase()
      .replaceAll('_', ' ')
  )
}

type Shown = Pick<Download, 'status' | 'queued'> & { readonly condition?: Download['condition'] }

/** What a download does, or what keeps it from that: `seeding`, `refused by tracker`. */
export function stateText({ status, queued, condition }: Shown): string {
  const name = conditionName(condition)
  return name === null ? statusText(status, queued) : name.toLowerCase()
}

/** A column: its head, and on which side it is flush. */
export interface Column {
  readonly head: string
  readonly right?: boolean
}

/** Lines of a table; the last column is cut where a line would be wider than `width` (Infinity = never). */
export function tableText(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string {
  const all = [columns.map(({ head }) => head), ...rows.map(row => row.map(printable))]
  const widths = columns.map((_, at) => Math.max(...all.map(row => cellsOf(row[at] ?? ''))))
  return all.map(row => `${lineText(columns, row, widths, width)}\n`).join('')
}

function lineText(
  columns: readonly Column[],
  row: readonly string[],
  widths: readonly number[],
  width: number,
): string {
  const cells = columns.map(({ right }, at) => {
    const cell = row[at] ?? ''
    if (at === columns.length - 1 && right !== true) return cell
    return fitTo(cell, widths[at] ?? 0, right)
  })
  return cutTo(cells.join('  ').trimEnd(), width)
}

/** Any JSON value as indented lines of `name: value`. */
export function plainText(value: unknown, indent = ''): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return `${indent}(none)\n`
    return value.map(item => listItem(item, indent)).join('')
  }
  if (typeof value !== 'object' || value === null) return `${indent}${scalarText(value)}\n`
  return Object.entries(value)
    .map(([name, member]) => {
      const nested = typeof member === 'object' && member !== null && Object.keys(member).length > 0
      const label = `${indent}${printable(name)}:`
      return nested ? `${label}\n${plainText(member, `${indent}  `)}` : `${label} ${scalarText(member)}\n`
    })
    .join('')
}

function listItem(item: unknown, indent: string): string {
  if (typeof item !== 'object' || item === null) return `${indent}- ${scalarText(item)}\n`
  return `${indent}- ${plainText(item, `${indent}  `).slice(indent.length + 2)}`
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return printable(value)
  if (Array.isArray(value)) return '(none)'
  return value === undefined ? '' : JSON.stringify(value)
}
