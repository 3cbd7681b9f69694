// The overview of a download: why it does not move, its pieces, its rates while the page is open, and its facts.

import { useMemo } from 'preact/hooks'
import type { Download } from '../../../client/core-routes.ts'
import { circuitsText } from '../../model/hops.ts'
import { bytes, counted, dateTime, eta, plainRate, ratio } from '../../model/format.ts'
import { explanation, magnetOf, saveTorrent } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FactList } from '../../parts/facts.tsx'
import { Graph } from '../../parts/graph.tsx'
import { Icon } from '../../parts/icons.tsx'
import { OverwriteButton } from '../../parts/overwrite-button.tsx'
import { PieceMap } from '../../parts/piece-map.tsx'
import { LEAST_RATE, rateLines } from '../../parts/rate-graph.tsx'

const EXPLAIN_MS = 3000

function Reasons({ record }: { record: Download }) {
  const { infohash, status } = record
  const answer = useAnswer(signal => explanation(infohash, signal), [infohash, status], EXPLAIN_MS)
  const reasons = answer.value?.reasons ?? []
  const foreign = reasons.find(({ code }) => code === 'foreign_file')
  const isTold = reasons.some(({ parameters }) => parameters?.error !== undefined)
  if (record.error === '' && reasons.length === 0) return null
  return (
    <div class={`reasons ${status === 'DLSTATUS_STOPPED_ON_ERROR' ? 'bad' : ''}`}>
      {record.error !== '' && !isTold && (
        <p class="fault">
          <Icon name="warn" size={16} /> <span dir="auto">{record.error}</span>
        </p>
      )}
      {reasons.map(({ code, message }) => (
        <p key={code} class="reason" data-code={code}>
          {message}
        </p>
      ))}
      {foreign !== undefined && <OverwriteButton infohash={infohash} message={foreign.message} />}
    </div>
  )
}

function OwnRates({ record }: { record: Download }) {
  const history = session.ratesOf(record.infohash)
  const version = session.rateVersion.value
  const data = useMemo(() => history.columns(), [version])
  return (
    <Graph
      name="Rates of this download"
      lines={rateLines}
      top={LEAST_RATE}
      data={data}
      height={130}
      format={plainRate}
    />
  )
}

/** Over how many hops, and what they are made of now. */
function anonymity({ hops, circuits }: Download): [string, string][] {
  if (hops === 0) return []
  return [
    ['Anonymity', counted(hops, 'hop')],
    ...(circuits === undefined ? [] : [['Circuits', circuitsText(circuits)] as [string, string]]),
  ]
}

function Facts({ record }: { record: Download }) {
  const facts: [string, string][] = [
    ['Down', plainRate(record.speed_down)],
    ['Up', plainRate(record.speed_up)],
    ['Left', record.progress < 1 ? eta(record.eta) || '–' : 'complete'],
    ['Size', record.size > 0 ? bytes(record.size) : '–'],
    ['Downloaded', bytes(record.total_down)],
    ['Uploaded', bytes(record.total_up)],
    ['Ratio', ratio(record.ratio)],
    ['Availability', record.availability.toFixed(2)],
    ['Peers', `${record.num_connected_peers} of ${record.num_peers}`],
    ['Seeds', `${record.num_connected_seeds} of ${record.num_seeds}`],
    ['Pieces', record.total_pieces.toLocaleString('en')],
    ['Added', dateTime(record.time_added)],
    ...anonymity(record),
  ]
  return <FactList facts={facts} />
}

/** The overview of a download: why it does not move, its pieces, its rates while the page is open, and its facts. */
export function DetailOverview({ record, pieces }: { record: Download; pieces: string }) {
  const { infohash, infohash_v2: v2 } = record
  return (
    <>
      <Reasons record={record} />
      {record.total_pieces > 0 && <PieceMap pieces={pieces} count={record.total_pieces} progress={record.progress} />}
      <OwnRates record={record} />
      <Facts record={record} />
      <dl class="long-facts">
        <dt>Folder</dt>
        <dd dir="auto">
          {record.moving_to === '' ? record.destination : `${record.destination} → ${record.moving_to}`}
        </dd>
        <dt>Info hash</dt>
        <dd class="mono">{infohash}</dd>
        {v2 !== null && (
          <>
            <dt>Info hash v2</dt>
            <dd class="mono">{v2}</dd>
          </>
        )}
      </dl>
      <div class="button-line">
        <CopyButton label="Copy magnet link" what="Magnet link" icon="link" text={() => magnetOf(infohash)} />
        <button type="button" onClick={() => void session.attempt(() => saveTorrent(infohash, record.name))}>
          <Icon name="save" /> Save torrent file
        </button>
      </div>
    </>
  )
}
