// How fast a download was in the last hour, day or month, as the node has kept it: a graph, the same in words, and as a
// table for who cannot see it.

import { useMemo, useState } from 'preact/hooks'
import type { DownloadRates } from '../../../client/core-routes.ts'
import {
  type KeptRange,
  keptRanges,
  rangeIn,
  type RateRange,
  rateColumns,
  rateRows,
  totalsOf,
} from '../../model/detail/rate-ranges.ts'
import { bytes, clock, dateTime, dayMonth, plainRate } from '../../model/format.ts'
import { keep, readKept } from '../../model/kept.ts'
import { ratesOf } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { Graph } from '../../parts/graph.tsx'
import { LEAST_RATE, rateLines } from '../../parts/rate-graph.tsx'
import { text } from '../../texts/downloads/rates.ts'

const KEPT = 'tributary.detail.range'
const TABLE_ROWS = 12
const NOTHING = [[], [], []]
/** The keys of what the graphs are called. */
const names = { live: 'liveName', hour: 'hourName', day: 'dayName', month: 'monthName' } as const
const ranges: readonly RateRange[] = ['live', 'hour', 'day', 'month']

function RangeChoice({ range, choose }: { range: RateRange; choose: (range: RateRange) => void }) {
  return (
    <div class="groups" role="group" aria-label={text('choose')}>
      {ranges.map(each => (
        <button key={each} type="button" class="group" aria-pressed={each === range} onClick={() => choose(each)}>
          {text(each)}
        </button>
      ))}
    </div>
  )
}

function RateTable({ rates }: { rates: DownloadRates }) {
  return (
    <details class="rate-table">
      <summary>{text('table')}</summary>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{text('since')}</th>
            <th scope="col" class="right">
              {text('down')}
            </th>
            <th scope="col" class="right">
              {text('up')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rateRows(rates, TABLE_ROWS).map(({ from, down, up }) => (
            <tr key={from}>
              <td>{dateTime(from)}</td>
              <td class="right">{plainRate(down)}</td>
              <td class="right">{plainRate(up)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

function Told({ rates }: { rates: DownloadRates }) {
  const [down, up] = [totalsOf(rates.speed_down, rates.step), totalsOf(rates.speed_up, rates.step)]
  if (down.bytes + up.bytes === 0) return <p class="help">{text('nothing')}</p>
  return (
    <>
      <p class="help">
        {text('came', { bytes: bytes(down.bytes), most: plainRate(down.most) })}{' '}
        {text('went', { bytes: bytes(up.bytes), most: plainRate(up.most) })}
      </p>
      <RateTable rates={rates} />
    </>
  )
}

/** The graph of one range. */
function RatesGraph({ range, data }: { range: RateRange; data: readonly (readonly number[])[] }) {
  const time = range === 'live' ? {} : { time: range === 'month' ? dayMonth : clock }
  return (
    <Graph
      key={range}
      name={text(names[range])}
      lines={rateLines}
      top={LEAST_RATE}
      data={data}
      height={130}
      format={plainRate}
      {...time}
    />
  )
}

/** A sample a second, as long as this page has been open. */
function LiveRates({ infohash }: { infohash: string }) {
  const history = session.ratesOf(infohash)
  const version = session.rateVersion.value
  const data = useMemo(() => history.columns(), [history, version])
  return <RatesGraph range="live" data={data} />
}

function KeptRates({ infohash, range }: { infohash: string; range: KeptRange }) {
  const { value, problem } = useAnswer(signal => ratesOf(infohash, range, signal), [infohash, range], keptRanges[range])
  const data = useMemo(() => (value === null ? NOTHING : rateColumns(value)), [value])
  return (
    <>
      <RatesGraph range={range} data={data} />
      {value !== null && <Told rates={value} />}
      {problem !== '' && <p class="help">{problem}</p>}
    </>
  )
}

/** How fast a download is, and was in the last hour, day or month. */
export function DetailRates({ infohash }: { infohash: string }) {
  const [range, setRange] = useState(() => rangeIn(readKept(localStorage, KEPT)))
  const choose = (next: RateRange) => {
    keep(localStorage, KEPT, next)
    setRange(next)
  }
  return (
    <section class="detail-rates" aria-label={text('section')}>
      <RangeChoice range={range} choose={choose} />
      {range === 'live' ? <LiveRates infohash={infohash} /> : <KeptRates infohash={infohash} range={range} />}
    </section>
  )
}
