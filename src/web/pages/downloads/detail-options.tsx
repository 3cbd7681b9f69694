// What can be asked of one download: limits, goals of seeding, labels, order of pieces, its folder, sent together as
// far as they were changed; and, by themselves, the hops it goes over.

import { useState } from 'preact/hooks'
import type { Download, DownloadChange } from '../../../client/core-routes.ts'
import { typedLimit } from '../../model/format.ts'
import { change } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { Check, Field } from '../../parts/field.tsx'
import { HopChoice } from '../../parts/hop-choice.tsx'

interface Fields {
  readonly down: string
  readonly up: string
  readonly ratio: string
  readonly minutes: string
  readonly labels: string
  readonly destination: string
  readonly sequential: boolean
  readonly superSeeding: boolean
  readonly forgets: boolean
}

/** Limits: KiB/s, empty = none; goals: empty = as the settings say, `-` = never. */
function fieldsOf(record: Download): Fields {
  const goal = (value: number) => (value === -2 ? '' : value === -1 ? '-' : String(value))
  return {
    down: typedLimit(record.own_max_download_speed),
    up: typedLimit(record.own_max_upload_speed),
    ratio: goal(record.seeding_ratio),
    minutes: goal(record.seeding_time),
    labels: record.labels.join(', '),
    destination: record.destination,
    sequential: record.sequential,
    superSeeding: record.super_seeding,
    forgets: record.watch_and_forget,
  }
}

const goalOf = (text: string) => (text.trim() === '' ? -2 : text.trim() === '-' ? -1 : Number(text))

/** What is to be sent: only what differs. */
function changesOf(before: Fields, now: Fields): DownloadChange {
  const labels = now.labels
    .split(',')
    .map(label => label.trim())
    .filter(Boolean)
  return {
    ...(now.down === before.down ? {} : { max_download_speed: Math.round(Number(now.down) * 1024) }),
    ...(now.up === before.up ? {} : { max_upload_speed: Math.round(Number(now.up) * 1024) }),
    ...(now.ratio === before.ratio ? {} : { seeding_ratio: goalOf(now.ratio) }),
    ...(now.minutes === before.minutes ? {} : { seeding_time: goalOf(now.minutes) }),
    ...(now.labels === before.labels ? {} : { labels }),
    ...(now.destination === before.destination ? {} : { destination: now.destination.trim() }),
    ...(now.sequential === before.sequential ? {} : { sequential: now.sequential }),
    ...(now.superSeeding === before.superSeeding ? {} : { super_seeding: now.superSeeding }),
    ...(now.forgets === before.forgets ? {} : { watch_and_forget: now.forgets }),
  }
}

type TextField = 'down' | 'up' | 'ratio' | 'minutes' | 'labels' | 'destination'

interface TextRow {
  readonly name: TextField
  readonly label: string
  readonly numeric?: boolean
  help(record: Download): string
}

const ownLimit = (rate: number) =>
  rate > 0
    ? `Leave empty for no own limit. In force now: ${Math.round(rate / 1024)} KiB/s.`
    : 'Leave empty for no limit.'
const goalHelp = () => 'Empty = as the settings say, - = without end.'

/** In the order they are shown. */
const textRows: readonly TextRow[] = [
  {
    name: 'down',
    label: 'Limit down, KiB/s',
    numeric: true,
    help: record => ownLimit(record.max_download_speed),
  },
  { name: 'up', label: 'Limit up, KiB/s', numeric: true, help: record => ownLimit(record.max_upload_speed) },
  { name: 'ratio', label: 'Seed to ratio', numeric: true, help: goalHelp },
  { name: 'minutes', label: 'Seed for minutes', numeric: true, help: goalHelp },
  { name: 'labels', label: 'Labels', help: () => 'Separated by commas.' },
  { name: 'destination', label: 'Folder', help: () => 'Its files are moved there in the background.' },
]

function Options({ record }: { record: Download }) {
  const [before, setBefore] = useState(() => fieldsOf(record))
  const [now, setNow] = useState(before)
  const changes = changesOf(before, now)
  const isChanged = Object.keys(changes).length > 0
  const set = (part: Partial<Fields>) => setNow({ ...now, ...part })
  const submit = async (event: Event) => {
    event.preventDefault()
    if (await session.attempt(() => change(record.infohash, changes), 'Changed.')) setBefore(now)
  }
  return (
    <form class="options" aria-label="Options" onSubmit={event => void submit(event)}>
      {textRows.map(({ name, label, numeric, help }) => (
        <Field
          key={name}
          label={label}
          help={help(record)}
          value={now[name]}
          numeric={numeric ?? false}
          set={value => set({ [name]: value })}
        />
      ))}
      <Check label="Fetch pieces in their order" value={now.sequential} set={sequential => set({ sequential })} />
      <Check
        label="Super-seeding: each new peer hears of a few pieces only"
        value={now.superSeeding}
        set={superSeeding => set({ superSeeding })}
      />
      <Check
        label="Watch and forget: fetch only what is watched, remove the download and the files that it made hours after the last viewer"
        value={now.forgets}
        set={forgets => set({ forgets })}
      />
      <div class="form-actions">
        <button type="button" disabled={!isChanged} onClick={() => setNow(before)}>
          Undo
        </button>
        <button type="submit" class="primary" disabled={!isChanged}>
          Save
        </button>
      </div>
    </form>
  )
}

/**
 * Hops are changed by themselves: the node closes all connections of the old kind before it opens one of the new kind.
 */
function Hops({ record }: { record: Download }) {
  const [chosen, choose] = useState(record.hops)
  const isChanged = chosen !== record.hops
  const submit = (event: Event) => {
    event.preventDefault()
    void session.attempt(() => change(record.infohash, { anon_hops: chosen }), 'Changed.')
  }
  return (
    <form class="options" aria-label="Anonymity" onSubmit={submit}>
      <HopChoice hops={chosen} set={choose} />
      {isChanged && (
        <p class="help">
          Every connection is closed before one of the new kind opens. What is there stays.
          {chosen > 0 && record.hops === 0 && ' Peers of the open network have seen this download already.'}
        </p>
      )}
      <div class="form-actions">
        <button type="submit" class="primary" disabled={!isChanged}>
          Change
        </button>
      </div>
    </form>
  )
}

/**
 * What can be asked of one download: limits, goals of seeding, labels, order of pieces, its folder, sent together as
 * far as they were changed; and, by themselves, the hops it goes over.
 */
export function DetailOptions({ record }: { record: Download }) {
  return (
    <>
      <Hops key={record.hops} record={record} />
      <Options record={record} />
    </>
  )
}
