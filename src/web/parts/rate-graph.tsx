// The node's rates over the last minutes, as long as this page has been open.

import { useMemo } from 'preact/hooks'
import { plainRate } from '../model/format.ts'
import { session } from '../node/context.ts'
import { Graph, type Line } from './graph.tsx'
import { text } from '../texts/parts.ts'

/** Both directions, in the colours they have everywhere. */
export const rateLines: readonly Line[] = [
  { label: text('down'), color: 'flow-down' },
  { label: text('up'), color: 'flow-up' },
]

/** What a graph of rates reaches at least. */
export const LEAST_RATE = 4096

/** All downloads together. */
export function RateGraph({ height, bare = false }: { height: number; bare?: boolean }) {
  const version = session.rateVersion.value
  const data = useMemo(() => session.rates.columns(), [version])
  return (
    <Graph name={text('lastRates')} lines={rateLines} top={LEAST_RATE} {...{ data, height, bare }} format={plainRate} />
  )
}
