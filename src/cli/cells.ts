// How many cells of a terminal a text takes: letters of East Asia and pictures take two, marks that stand on another
// letter none. Pure.

/** Two cells wide: East Asian Width W and F (Unicode 15), and pictures that are drawn as such. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u
const NO_CELL = /[\p{Mn}\p{Me}\p{Cf}]/u
/** Most names are of these alone. */
const NARROW = /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u02ff\u2500-\u259f\u2026\ufffd]*$/

function cellsOfPoint(point: string): number {
  if (NO_CELL.test(point)) return 0
  return WIDE.test(point) ? 2 : 1
}

/** Cells of a text without control characters. */
export function cellsOf(text: string): number {
  if (NARROW.test(text)) return text.length
  let cells = 0
  for (const point of text) cells += cellsOfPoint(point)
  return cells
}

/** At most so many cells of a text; where something is left out it ends with `…`. */
export function cutTo(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text
  let [cut, left] = ['', Math.max(0, cells - 1)]
  for (const point of text) {
    left -= cellsOfPoint(point)
    if (left < 0) break
    cut += point
  }
  return cells < 1 ? '' : `${cut}…`
}

/** Exactly so many cells: cut, or filled with blanks; `right`: flush right. */
export function fitTo(text: string, cells: number, right = false): string {
  const cut = cutTo(text, cells)
  const blank = ' '.repeat(Math.max(0, cells - cellsOf(cut)))
  return right ? blank + cut : cut + blank
}
