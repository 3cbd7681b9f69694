// What the dashboard's catalogue of findings must say of a table of the doctor.

import type { FindingRow } from '../../src/node/doctor/finding.ts'

/** Texts by the keys of the catalogue: each code, and `<code>_advice` where there is something to do. */
export function catalogueOf(table: Readonly<Record<string, FindingRow>>): Record<string, string> {
  const inCatalogue = (text: string): string => text.replaceAll(/\{(\w+)\}/g, '{{$1}}')
  return Object.fromEntries(
    Object.entries(table).flatMap(([code, { text, advice }]) => [
      [code, inCatalogue(text)],
      ...(advice === '' ? [] : [[`${code}_advice`, inCatalogue(advice)]]),
    ]),
  )
}
