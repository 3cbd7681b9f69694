// Prints the table of outcomes of swaps in Markdown (`make swaps-table`); exit code 1 when a side lost more than fees.

import { playRow, rowText, TABLE_HEAD, TROUBLES } from './swap-outcomes.ts'
import { PAIRINGS, ROLES } from './swap-rig.ts'

console.log(TABLE_HEAD)
for (const pairing of PAIRINGS) {
  for (const side of ROLES) {
    for (const trouble of TROUBLES) {
      const row = await playRow(pairing, side, trouble)
      console.log(rowText(row))
      for (const problem of row.problems) console.error(`  ${problem}`)
      if (row.problems.length > 0) process.exitCode = 1
    }
  }
}
