// One download in the list. Drawn again only when its record, its place or its marks changed.

import { memo } from 'preact/compat'
import { circuitsText } from '../../model/hops.ts'
import { stateText, type Tone, toneOf } from '../../model/download-groups.ts'
import type { ListColumn } from '../../model/list-columns.ts'
import type { SortColumn } from '../../model/list-view.ts'
import type { ListedRow } from '../../model/shown-list.ts'
import { bytes, dateTime, eta, percent, rate, ratio, readable } from '../../model/format.ts'
import { trackerHosts } from '../../../wire/list/tracker-hosts.ts'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { ProgressBar } from '../../parts/progress-bar.tsx'
import { text } from '../../texts/downloads/list.ts'

interface DownloadRowProps {
  readonly record: ListedRow
  /** Place in the list, from 0. */
  readonly index: number
  readonly selected: boolean
  readonly active: boolean
  readonly open: boolean
  readonly narrow: boolean
  /** It will be removed. */
  readonly leaving: boolean
  /** Its place in the queue, from 1; null: the list is not in that order. */
  readonly place: number | null
  readonly columns: readonly ListColumn[]
}

const signs: Record<ReturnType<typeof toneOf>, IconName> = {
  moving: 'down',
  done: 'up',
  waiting: 'clock',
  stopped: 'pause',
  trouble: 'warn',
}

function signOf(record: ListedRow): IconName {
  return record.status === 'DLSTATUS_STOPPED' && record.progress >= 1 ? 'check' : signs[toneOf(record)]
}

/** Words of others that say why it does not move. */
function waitingFor({ status, circuits, condition }: ListedRow): string {
  const words = condition?.parameters?.words ?? ''
  if (words !== '') return words
  return status === 'DLSTATUS_CIRCUITS' && circuits !== undefined ? circuitsText(circuits) : ''
}

/** What stands under the name on a phone. */
function summary(record: ListedRow): string {
  const parts = [
    stateText(record),
    record.progress < 1 ? percent(record.progress) : '',
    record.speed_down >= 1 ? `↓ ${rate(record.speed_down)}` : '',
    record.speed_up >= 1 ? `↑ ${rate(record.speed_up)}` : '',
    record.progress < 1 && record.speed_down >= 1 ? eta(record.eta) : '',
    record.size > 0 ? bytes(record.size) : '',
  ]
  return parts.filter(part => part !== '').join(' · ')
}

function Name({ record }: { record: ListedRow }) {
  return (
    <>
      <bdi class="name-text" title={record.name}>
        {record.name === '' ? record.infohash : record.name}
      </bdi>
      {record.hops > 0 && (
        <span class="hops" title={text('hopsTold', { count: record.hops })}>
          <Icon name="circuit" size={14} />
          <span aria-hidden="true">{record.hops}</span>
          <span class="visually-hidden">{text('hopsTold', { count: record.hops })}</span>
        </span>
      )}
      {record.labels.length > 0 && (
        <span class="labels">
          {record.labels.map(label => (
            <bdi key={label} class="label" title={label} data-label={label}>
              {readable(label)}
            </bdi>
          ))}
        </span>
      )}
    </>
  )
}

/** What stands in a column of words and numbers. */
const plainCells: Partial<Record<SortColumn, (record: ListedRow) => string | number>> = {
  size: record => (record.size > 0 ? bytes(record.size) : ''),
  speed_down: record => rate(record.speed_down),
  speed_up: record => rate(record.speed_up),
  eta: record => (record.status === 'DLSTATUS_DOWNLOADING' ? eta(record.eta) : ''),
  num_peers: record => (record.num_connected_peers > 0 ? record.num_connected_peers : ''),
  ratio: record => ratio(record.ratio),
  time_added: record => dateTime(record.time_added).slice(0, 10),
  num_seeds: record => (record.num_connected_seeds > 0 ? record.num_connected_seeds : ''),
  availability: record => (record.progress < 1 && record.size > 0 ? ratio(record.availability) : ''),
  total_up: record => (record.total_up > 0 ? bytes(record.total_up) : ''),
  time_finished: record => (record.time_finished > 0 ? dateTime(record.time_finished).slice(0, 10) : ''),
}

function wordsOf(
  { destination, labels, trackers = [] }: ListedRow,
  sort: 'destination' | 'labels' | 'trackers',
): string {
  if (sort === 'destination') return destination
  return (sort === 'labels' ? labels : trackerHosts(trackers.map(({ url }) => url))).join(', ')
}

/** The whole of it is its title: columns are narrow. Drawn again only when it says something else. */
const WordsCell = memo(({ place, words }: { place: string; words: string }) => (
  <span role="gridcell" class={`cell ${place}`} title={words}>
    <bdi>{words}</bdi>
  </span>
))

/** A number, or a few words. Drawn again only when it says something else: of twenty columns two change at a time. */
const NumberCell = memo(({ place, shown }: { place: string; shown: string | number }) => (
  <span role="gridcell" class={`cell number ${place}`}>
    {shown}
  </span>
))

interface CellProps extends Pick<DownloadRowProps, 'record' | 'leaving' | 'place'> {
  readonly column: ListColumn
  readonly tone: Tone
}

function cellOf({ record, leaving, place, column, tone }: CellProps) {
  switch (column.sort) {
    case 'progress':
      return (
        <span key={column.sort} role="gridcell" class="cell progress">
          <ProgressBar value={record.progress} tone={tone} label={null} />
          <span class="number">{percent(record.progress)}</span>
        </span>
      )
    case 'status':
      return (
        <span key={column.sort} role="gridcell" class={`cell state ${tone}`} title={record.error || waitingFor(record)}>
          {leaving ? text('leaving') : stateText(record)}
        </span>
      )
    case 'destination':
    case 'labels':
    case 'trackers':
      return <WordsCell key={column.sort} place={column.place} words={readable(wordsOf(record, column.sort))} />
    default: {
      const shown = column.sort === 'queue_order' ? place : plainCells[column.sort]?.(record)
      return <NumberCell key={column.sort} place={column.place} shown={shown ?? ''} />
    }
  }
}

function NameCell({ record, narrow, leaving }: Pick<DownloadRowProps, 'record' | 'narrow' | 'leaving'>) {
  return (
    <span role="gridcell" class="cell name">
      <span class="name-line">
        <Name record={record} />
      </span>
      {narrow && (
        <>
          <span class="summary">{leaving ? text('leaving') : summary(record)}</span>
          <ProgressBar value={record.progress} tone={toneOf(record)} label={null} />
        </>
      )}
    </span>
  )
}

function PlainDownloadRow(props: DownloadRowProps) {
  const { record, index, selected, active, open, narrow, leaving, place, columns } = props
  const tone = toneOf(record)
  const marks = `${selected ? ' selected' : ''}${active ? ' active' : ''}${open ? ' open' : ''}${leaving ? ' leaving' : ''}`
  return (
    <div
      id={`row-${record.infohash}`}
      role="row"
      class={`row${marks}`}
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-infohash={record.infohash}
    >
      <span role="gridcell" class={`cell sign ${tone}`}>
        <Icon name={selected ? 'check' : signOf(record)} size={16} />
        <span class="visually-hidden">{leaving ? text('leaving') : stateText(record)}</span>
      </span>
      {columns.map(column =>
        column.sort === 'name' ? (
          <NameCell key="name" record={record} narrow={narrow} leaving={leaving} />
        ) : (
          cellOf({ record, leaving, place, column, tone })
        ),
      )}
    </div>
  )
}

/** One download in the list. */
export const DownloadRow = memo(PlainDownloadRow)

/** The place of a download that is on its way. */
export function ComingRow({ index }: { index: number }) {
  return (
    <div role="row" class="row coming" aria-rowindex={index + 2} aria-busy="true">
      <span role="gridcell" class="cell sign" />
      <span role="gridcell" class="cell name">
        <span class="name-line muted">…</span>
      </span>
    </div>
  )
}
