// Counters of what was refused, by reason.

import type { Sql } from './sql.ts'

/** Adds to a counter. */
export function countRefusal(sql: Sql, reason: string, count: number): void {
  const text =
    'INSERT INTO refusals (reason, count) VALUES (?, ?) ON CONFLICT(reason) DO UPDATE SET count = count + excluded.count'
  if (count > 0) sql.run(text, reason, count)
}

/** All counters. */
export function refusals(sql: Sql): Record<string, number> {
  const rows = sql.all<{ reason: string; count: number }>('SELECT reason, count FROM refusals')
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]))
}
