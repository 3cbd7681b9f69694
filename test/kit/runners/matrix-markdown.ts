// The matrix of features and peers as Markdown: for the print of `make interop` from the cells that were passed, for
// the page src/docs/network.md with all that must be passed.

import { FEATURES, type Feature, type FeatureRow, lackOf, NOT_SHOWN, type Peer, PEERS } from './interop-features.ts'
import type { PassedCell } from './interop-matrix.ts'

const OPEN = '<!-- matrix: proved by `make interop`; `make readme` rewrites it -->'
const CLOSE = '<!-- /matrix -->'
const PLAIN_LACK = 'not implemented'

const rows = Object.entries(FEATURES) as [Feature, FeatureRow][]

function halves(note: string): readonly string[] {
  return note === 'to node' || note === 'from node' ? [note] : ['to node', 'from node']
}

/** How a cell stands: shown in both directions, in one, or not at all. */
function standing(cells: readonly PassedCell[], feature: Feature, peer: Peer): 'both' | 'half' | 'none' {
  const shown = new Set(
    cells.filter(cell => cell.feature === feature && cell.peer === peer).flatMap(cell => halves(cell.note)),
  )
  return shown.size === 2 ? 'both' : shown.size === 1 ? 'half' : 'none'
}

function isDue(feature: Feature, row: FeatureRow, peer: Peer): boolean {
  return lackOf(row, peer) === null && !NOT_SHOWN.includes(`${feature} x ${peer}`)
}

/** Every cell that must be passed and was not, as `feature x peer`. */
export function missingCells(cells: readonly PassedCell[]): string[] {
  return rows.flatMap(([feature, row]) =>
    PEERS.filter(peer => isDue(feature, row, peer))
      .filter(peer => standing(cells, feature, peer) !== 'both')
      .map(peer => `${feature} x ${peer}${standing(cells, feature, peer) === 'half' ? ' (one direction only)' : ''}`),
  )
}

/** Cells that are listed as not shown, and were passed. */
export function unlistedCells(cells: readonly PassedCell[]): string[] {
  return NOT_SHOWN.filter(name => cells.some(one => `${one.feature} x ${one.peer}` === name))
}

/** The cells of a run in which everything passed that must be. */
export function allCells(): PassedCell[] {
  return rows.flatMap(([feature, row]) =>
    PEERS.filter(peer => isDue(feature, row, peer)).map(peer => ({ feature, peer, note: '' })),
  )
}

/** Remarks under the table, numbered in the order they are first needed. */
class Remarks {
  readonly #texts: string[] = []

  mark(text: string | undefined): string {
    if (text === undefined || text === PLAIN_LACK) return ''
    if (!this.#texts.includes(text)) this.#texts.push(text)
    return ` <sup>${this.#texts.indexOf(text) + 1}</sup>`
  }

  lines(): string[] {
    return this.#texts.map((text, index) => `${index + 1}. ${text}`)
  }
}

function shownCell(
  cells: readonly PassedCell[],
  feature: Feature,
  row: FeatureRow,
  peer: Peer,
  remarks: Remarks,
): string {
  const lack = lackOf(row, peer)
  if (lack !== null) return peer === 'other' ? '' : `–${remarks.mark(lack)}`
  const mark = { both: '✓', half: '½', none: '·' }[standing(cells, feature, peer)]
  if (peer !== 'other') return mark + remarks.mark(row.oneSide?.[peer])
  return `${mark} ${row.other}`
}

/** The table with its remarks. ✓ = passed, ½ = in one direction, · = not passed, – = the peer does not have it. */
export function matrixMarkdown(cells: readonly PassedCell[]): string {
  const remarks = new Remarks()
  const lines = rows.map(([feature, row]) => {
    const shown = PEERS.map(peer => shownCell(cells, feature, row, peer, remarks))
    return `| ${[row.title, ...shown].join(' | ')} |`
  })
  const head = [`| feature | ${PEERS.join(' | ')} |`, `|---|${PEERS.map(() => '---').join('|')}|`]
  return [...head, ...lines, '', ...remarks.lines()].join('\n')
}

/** `page` with its matrix replaced by the one that a whole run gives. Throws when the marks are missing. */
export function withMatrix(page: string): string {
  const from = page.indexOf(OPEN)
  const to = page.indexOf(CLOSE)
  if (from < 0 || to < from) throw new Error('the page has no marks for the matrix')
  return `${page.slice(0, from + OPEN.length)}\n${matrixMarkdown(allCells())}\n${page.slice(to)}`
}
