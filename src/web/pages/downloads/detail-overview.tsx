// The overview of a download: why it does not move, its pieces, its rates while the page is open, and its facts.

import type { Download } from '../../../client/core-routes.ts'
import { doingNow } from '../../model/detail/doing-now.ts'
import { circuitsText, hopChoices } from '../../model/hops.ts'
import { bytes, dateTime, eta, plainRate, ratio, whole } from '../../model/format.ts'
import { explanation, magnetOf, saveTorrent } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FactList } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icons.tsx'
import { OverwriteButton } from '../../parts/overwrite-button.tsx'
import { LaterPage } from '../../parts/later-page.tsx'
import { PieceMap } from '../../parts/piece-map.tsx'
import { text } from '../../texts/downloads/detail.ts'

const EXPLAIN_MS = 3000

// With the library that draws: the rest of the page does not wait for it.
const loadRates = async () => (await import('./detail-rates.tsx')).DetailRates

/** What it is doing, where nothing is in its way. */
function Doing({ record }: { record: Download }) {
  const sentence = doingNow(record)
  return sentence === '' ? null : <p class="doing">{sentence}</p>
}

function Reasons({ record }: { record: Download }) {
  const { infohash, status } = record
  const answer = useAnswer(signal => explanation(infohash, signal), [infohash, status], EXPLAIN_MS)
  const reasons = answer.value?.reasons ?? []
  const foreign = reasons.find(({ code }) => code === 'foreign_file')
  const isTold = reasons.some(({ parameters }) => parameters?.error !== undefined)
  if (record.error === '' && reasons.length === 0) return <Doing record={record} />
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

/** Over how many hops, and what they are made of now. */
function anonymity({ hops, circuits }: Download): [string, string][] {
  if (hops === 0) return []
  return [
    [text('anonymity'), hopChoices[hops]?.name ?? String(hops)],
    ...(circuits === undefined ? [] : [[text('circuits'), circuitsText(circuits)] as [string, string]]),
  ]
}

function Facts({ record }: { record: Download }) {
  const facts: [string, string][] = [
    [text('down'), plainRate(record.speed_down)],
    [text('up'), plainRate(record.speed_up)],
    [text('left'), record.progress < 1 ? eta(record.eta) || '–' : text('complete')],
    [text('size'), record.size > 0 ? bytes(record.size) : '–'],
    [text('downloaded'), bytes(record.total_down)],
    [text('uploaded'), bytes(record.total_up)],
    [text('ratio'), ratio(record.ratio)],
    [text('availability'), record.availability.toFixed(2)],
    [text('peers'), text('ofKnown', { connected: record.num_connected_peers, known: record.num_peers })],
    [text('seeds'), text('ofKnown', { connected: record.num_connected_seeds, known: record.num_seeds })],
    [text('pieces'), whole(record.total_pieces)],
    [text('added'), dateTime(record.time_added)],
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
      <LaterPage load={loadRates} shown={{ infohash }} />
      <Facts record={record} />
      <dl class="long-facts">
        <dt>{text('folder')}</dt>
        <dd dir="auto">
          {record.moving_to === ''
            ? record.destination
            : text('movingTo', { from: record.destination, to: record.moving_to })}
        </dd>
        <dt>{text('infohash')}</dt>
        <dd class="mono">{infohash}</dd>
        {v2 !== null && (
          <>
            <dt>{text('infohashV2')}</dt>
            <dd class="mono">{v2}</dd>
          </>
        )}
      </dl>
      <div class="button-line">
        <CopyButton label={text('copyMagnet')} what={text('magnetLink')} icon="link" text={() => magnetOf(infohash)} />
        <button type="button" onClick={() => void session.attempt(() => saveTorrent(infohash, record.name))}>
          <Icon name="save" /> {text('saveTorrent')}
        </button>
      </div>
    </>
  )
}
