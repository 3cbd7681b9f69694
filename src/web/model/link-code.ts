// A link as a QR code (ISO/IEC 18004). Pure.

import { encode } from 'uqr'

/** A code as one path of squares whose sides are 1. */
export interface LinkCode {
  /** Its side, with the white around it. */
  readonly size: number
  /** Of an SVG: the dark squares. */
  readonly path: string
}

/** White around a code, squares: readers need four. */
const BORDER = 4
/** Characters of a link that a camera still reads off a screen. */
const MAX_LENGTH = 600

/** The code of a link; null: it is too long for one. */
export function linkCode(link: string): LinkCode | null {
  if (link.length > MAX_LENGTH) return null
  const { data, size } = encode(link, { ecc: 'M', border: BORDER })
  return { size, path: data.map((row, y) => runsOf(row, y)).join('') }
}

/** The dark runs of a row. */
function runsOf(row: readonly boolean[], y: number): string {
  let path = ''
  for (let x = 0; x < row.length; x += 1) {
    if (row[x] !== true) continue
    const start = x
    while (row[x + 1] === true) x += 1
    path += `M${start} ${y}h${x + 1 - start}v1H${start}z`
  }
  return path
}
