// What can be asked of one download: limits, goals of seeding, labels, order of pieces, its folder. One change at a time is
// sent, of what was changed only.

import { useId, useState } from 'preact/hooks'
import type { ControlChange, DownloadRecord, PatchDownload } from '../../services/api.ts'
import { change } from '../node/commands.ts'
import { session } from '../node/context.ts'

interface Fields {
  readonly down: string
  readonly up: string
  readonly ratio: string
  readonly minutes: string
  readonly labels: string
  readonly destination: string
  readonly sequential: boolean
  readonly superSeeding: boolean
}

/** Own limits as they are typed: KiB/s, empty = none; goals: empty = as the settings say, `-` = never. */
function fieldsOf(record: DownloadRecord): Fields {
  const goal = (value: number) => (value === -2 ? '' : value === -1 ? '-' : String(value))
  return {
    down: '',
    up: '',
    ratio: goal(record.seeding_ratio),
    minutes: goal(record.seeding_time),
    labels: record.labels.join(', '),
    destination: record.destination,
    sequential: record.sequential,
    superSeeding: record.super_seeding,
  }
}

const goalOf = (text: string) => (text.trim() === '' ? -2 : text.trim() === '-' ? -1 : Number(text))

/** What is to be sent: only what differs. */
function changesOf(before: Fields, now: Fields): PatchDownload & ControlChange {
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
  }
}

interface FieldProps {
  readonly label: string
  readonly help: string
  readonly value: string
  readonly numeric?: boolean
  set(value: string): void
}

function Field({ label, help, value, numeric = false, set }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        inputMode={numeric ? 'decimal' : 'text'}
        spellcheck={false}
        aria-describedby={`${id}-help`}
        onInput={event => set(event.currentTarget.value)}
      />
      <span id={`${id}-help`} class="help">
        {help}
      </span>
    </div>
  )
}

/** See the top of the file. */
export function DetailOptions({ record }: { record: DownloadRecord }) {
  const [before, setBefore] = useState(() => fieldsOf(record))
  const [now, setNow] = useState(before)
  const changes = changesOf(before, now)
  const isChanged = Object.keys(changes).length > 0
  const set = (part: Partial<Fields>) => setNow({ ...now, ...part })
  const submit = async (event: Event) => {
    event.preventDefault()
    if (await session.attempt(() => change(record.infohash, changes), 'Changed.')) setBefore(now)
  }
  const inForce = (rate: number) => (rate > 0 ? `In force: ${Math.round(rate / 1024)} KiB/s.` : 'None is in force.')
  return (
    <form class="options" onSubmit={event => void submit(event)}>
      <Field
        label="Limit down, KiB/s"
        help={`0 = no limit of its own. ${inForce(record.max_download_speed)}`}
        value={now.down}
        numeric
        set={down => set({ down })}
      />
      <Field
        label="Limit up, KiB/s"
        help={`0 = no limit of its own. ${inForce(record.max_upload_speed)}`}
        value={now.up}
        numeric
        set={up => set({ up })}
      />
      <Field
        label="Seed to ratio"
        help="Empty = as the settings say, - = without end."
        value={now.ratio}
        numeric
        set={ratio => set({ ratio })}
      />
      <Field
        label="Seed for minutes"
        help="Empty = as the settings say, - = without end."
        value={now.minutes}
        numeric
        set={minutes => set({ minutes })}
      />
      <Field label="Labels" help="Separated by commas." value={now.labels} set={labels => set({ labels })} />
      <Field
        label="Folder"
        help="Its files are moved there in the background."
        value={now.destination}
        set={destination => set({ destination })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={now.sequential}
          onChange={event => set({ sequential: event.currentTarget.checked })}
        />
        Fetch pieces in their order
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={now.superSeeding}
          onChange={event => set({ superSeeding: event.currentTarget.checked })}
        />
        Super-seeding: each new peer hears of a few pieces only
      </label>
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
