// Figures of a benchmark as a table for people and one JSON line for programs.

import { cpus, loadavg, totalmem } from 'node:os'

export type Row = Record<string, string | number>

/** Rounds to `digits` decimals. */
export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}

/** The middle of `values`; the mean of the middle two when even. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}

/** Rows as a Markdown table; the columns are those of all rows together. */
export function markdownTable(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const cells = [columns, ...rows.map(row => columns.map(column => String(row[column] ?? '')))]
  const widths = columns.map((_, at) => Math.max(...cells.map(line => line[at]?.length ?? 0)))
  const lines = cells.map(line => `| ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`)
  const rule = `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

/** What the figures were measured on. */
export function machineRecord(): object {
  return {
    node: process.version,
    cpus: cpus().length,
    model: cpus()[0]?.model,
    memoryGiB: round(totalmem() / 2 ** 30),
    load: loadavg()[0],
  }
}

/** Prints the table and a JSON line with the machine's record. */
export function report(name: string, rows: readonly Row[]): void {
  console.log(`\n## ${name}`)
  console.log(markdownTable(rows))
  console.log(JSON.stringify({ bench: name, machine: machineRecord(), rows }))
}
