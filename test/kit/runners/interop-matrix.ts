// What the interop tests write down for the matrix of `make interop`: one line a passed cell, appended to the file that
// INTEROP_MATRIX names. Without the variable nothing is written.

import { appendFileSync } from 'node:fs'
import { FEATURES, type Feature, lackOf, type Peer } from './interop-features.ts'

/** One line of the file. */
export interface PassedCell {
  readonly feature: Feature
  readonly peer: Peer
  /** `to node` and `from node` are one direction each, and both are needed; anything else, or nothing, is both. */
  readonly note: string
}

/**
 * To be called at the end of a test that has passed: `feature` was shown with `peer` by a real transfer or exchange, in
 * both directions unless `note` is `to node` or `from node`.
 */
export function cell(feature: Feature, peer: Peer, note = ''): void {
  const lack = lackOf(FEATURES[feature], peer)
  if (lack !== null) throw new Error(`${feature} x ${peer} is no cell of the matrix: ${lack}`)
  const path = process.env['INTEROP_MATRIX']
  if (path === undefined || path === '') return
  appendFileSync(path, `${JSON.stringify({ feature, peer, note } satisfies PassedCell)}\n`)
}
