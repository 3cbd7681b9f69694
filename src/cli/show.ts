// What people read: sizes, rates, times, tables, bars. Texts of strangers are shown without anything that a terminal
// would take for a command. Pure.

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
const NEVER_SEC = 8_640_000

/** A text without control characters and changes of direction. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what must go
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}

/** Bytes, as `1.5 GB`. */
export function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

/** Bytes a second; '' = none. */
export function rateText(rate: number): string {
  return rate < 1 ? '' : `${sizeText(rate)}/s`
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

/** `DLSTATUS_SEEDING` as `seeding`. */
export function statusText(status: string, queued = false): string {
  return queued
    ? 'queued'
    : printable(status)
        .replace(/^DLSTATUS_/, '')
        .toLowerCase()
        .replaceAll('_', ' ')
}

/** A column: its head, and on which side it is flush. */
export interface Column {
  readonly head: string
  readonly right?: boolean
}

/** Lines of a table; the last column is cut where a line would be wider than `width` (Infinity = never). */
export function tableText(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string {
  const all = [columns.map(({ head }) => head), ...rows.map(row => row.map(printable))]
  const widths = columns.map((_, at) => Math.max(...all.map(row => [...(row[at] ?? '')].length)))
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
    const blank = ' '.repeat(Math.max(0, (widths[at] ?? 0) - [...cell].length))
    return right === true ? blank + cell : cell + blank
  })
  const line = [...cells.join('  ').trimEnd()]
  return line.length <= width ? line.join('') : `${line.slice(0, Math.max(1, width - 1)).join('')}…`
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
