// What can be asked of one download: limits, goals of seeding, labels, order of pieces, its folder, sent together as
// far as they were changed; and, by themselves, the hops it goes over.

import { useState } from 'preact/hooks'
import type { Download, DownloadChange } from '../../../client/core-routes.ts'
import { plainRate, typedLimit } from '../../model/format.ts'
import { typedLabels } from '../../model/label-changes.ts'
import { change } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { Check, Field } from '../../parts/field.tsx'
import { HopChoice } from '../../parts/hop-choice.tsx'
import {
  type ChosenNumber,
  goalOf,
  isValidNumber,
  limitOf,
  NumberChoice,
  type NumberMeaning,
} from '../../parts/number-choice.tsx'
import { text } from '../../texts/downloads/detail.ts'

interface Fields {
  readonly down: ChosenNumber
  readonly up: ChosenNumber
  readonly ratio: ChosenNumber
  readonly minutes: ChosenNumber
  readonly labels: string
  readonly destination: string
  readonly sequential: boolean
  readonly superSeeding: boolean
  readonly forgets: boolean
}

/** A limit of its own, in KiB/s. */
function ownLimit(bytesPerSec: number | undefined): ChosenNumber {
  const typed = typedLimit(bytesPerSec)
  return { choice: typed === '' ? 'none' : 'value', typed }
}

function ownGoal(value: number): ChosenNumber {
  if (value >= 0) return { choice: 'value', typed: String(value) }
  return { choice: value === -1 ? 'never' : 'settings', typed: '' }
}

function fieldsOf(record: Download): Fields {
  return {
    down: ownLimit(record.own_max_download_speed),
    up: ownLimit(record.own_max_upload_speed),
    ratio: ownGoal(record.seeding_ratio),
    minutes: ownGoal(record.seeding_time),
    labels: record.labels.join(', '),
    destination: record.destination,
    sequential: record.sequential,
    superSeeding: record.super_seeding,
    forgets: record.watch_and_forget,
  }
}

const isSame = (a: ChosenNumber, b: ChosenNumber) =>
  a.choice === b.choice && (a.choice !== 'value' || a.typed.trim() === b.typed.trim())

/** What is to be sent: only what differs. */
function changesOf(before: Fields, now: Fields): DownloadChange {
  return {
    ...(isSame(now.down, before.down) ? {} : { max_download_speed: limitOf(now.down) ?? 0 }),
    ...(isSame(now.up, before.up) ? {} : { max_upload_speed: limitOf(now.up) ?? 0 }),
    ...(isSame(now.ratio, before.ratio) ? {} : { seeding_ratio: goalOf(now.ratio) ?? -2 }),
    ...(isSame(now.minutes, before.minutes) ? {} : { seeding_time: Math.round(goalOf(now.minutes) ?? -2) }),
    ...(now.labels === before.labels ? {} : { labels: [...typedLabels(now.labels)] }),
    ...(now.destination === before.destination ? {} : { destination: now.destination.trim() }),
    ...(now.sequential === before.sequential ? {} : { sequential: now.sequential }),
    ...(now.superSeeding === before.superSeeding ? {} : { super_seeding: now.superSeeding }),
    ...(now.forgets === before.forgets ? {} : { watch_and_forget: now.forgets }),
  }
}

const LIMITS: readonly NumberMeaning[] = ['none', 'value']
const GOALS: readonly NumberMeaning[] = ['settings', 'value', 'never']

/** What holds now: its own limit, or the node's. */
const inForce = (bytesPerSec: number) =>
  bytesPerSec > 0 ? text('inForce', { rate: plainRate(bytesPerSec) }) : text('noneInForce')

interface PartProps {
  readonly record: Download
  readonly now: Fields
  set(part: Partial<Fields>): void
}

function Numbers({ record, now, set }: PartProps) {
  const limits = { unit: 'kibPerSec', choices: LIMITS } as const
  return (
    <>
      <NumberChoice
        label={text('limitDown')}
        help={inForce(record.max_download_speed)}
        chosen={now.down}
        set={down => set({ down })}
        {...limits}
      />
      <NumberChoice
        label={text('limitUp')}
        help={inForce(record.max_upload_speed)}
        chosen={now.up}
        set={up => set({ up })}
        {...limits}
      />
      <NumberChoice
        label={text('seedToRatio')}
        unit="ratioUnit"
        choices={GOALS}
        chosen={now.ratio}
        set={ratio => set({ ratio })}
      />
      <NumberChoice
        label={text('seedForMinutes')}
        unit="minutesUnit"
        choices={GOALS}
        chosen={now.minutes}
        set={minutes => set({ minutes })}
      />
    </>
  )
}

function Others({ now, set }: PartProps) {
  return (
    <>
      <Field label={text('labels')} help={text('commas')} value={now.labels} set={labels => set({ labels })} />
      <Field
        label={text('folder')}
        help={text('folderHelp')}
        value={now.destination}
        set={destination => set({ destination })}
      />
      <Check label={text('sequential')} value={now.sequential} set={sequential => set({ sequential })} />
      <Check label={text('superSeeding')} value={now.superSeeding} set={superSeeding => set({ superSeeding })} />
      <Check label={text('forget')} value={now.forgets} set={forgets => set({ forgets })} />
    </>
  )
}

function Options({ record }: { record: Download }) {
  const [before, setBefore] = useState(() => fieldsOf(record))
  const [now, setNow] = useState(before)
  const changes = changesOf(before, now)
  const isChanged = Object.keys(changes).length > 0
  const isValid = [now.down, now.up, now.ratio, now.minutes].every(isValidNumber)
  const set = (part: Partial<Fields>) => setNow({ ...now, ...part })
  const submit = async (event: Event) => {
    event.preventDefault()
    if (await session.attempt(() => change(record.infohash, changes), text('changed'))) setBefore(now)
  }
  return (
    <form class="options" aria-label={text('options')} onSubmit={event => void submit(event)}>
      <Numbers record={record} now={now} set={set} />
      <Others record={record} now={now} set={set} />
      <div class="form-actions">
        <button type="button" disabled={!isChanged} onClick={() => setNow(before)}>
          {text('undo')}
        </button>
        <button type="submit" class="primary" disabled={!isChanged || !isValid}>
          {text('save')}
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
    void session.attempt(() => change(record.infohash, { anon_hops: chosen }), text('changed'))
  }
  return (
    <form class="options" aria-label={text('anonymity')} onSubmit={submit}>
      <HopChoice hops={chosen} set={choose} />
      {isChanged && (
        <p class="help">
          {text('closesAll')}
          {chosen > 0 && record.hops === 0 && ` ${text('seenAlready')}`}
        </p>
      )}
      <div class="form-actions">
        <button type="submit" class="primary" disabled={!isChanged}>
          {text('change')}
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
