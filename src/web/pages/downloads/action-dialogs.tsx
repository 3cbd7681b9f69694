// What actions ask for before they are done to one download or many: labels, a folder, limits, goals, hops. What is
// left as it is stays as each download has it.

import { useId, useState } from 'preact/hooks'
import type { DownloadChange } from '../../../client/core-routes.ts'
import { relabelled, typedLabels } from '../../model/label-changes.ts'
import { change, fieldsOf } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { forMany } from '../../node/many.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { Field } from '../../parts/field.tsx'
import { HopChoice } from '../../parts/hop-choice.tsx'
import { text } from '../../texts/actions.ts'
import type { Question } from './actions.ts'

interface AskedProps {
  readonly infohashes: readonly string[]
  onClose(): void
}

/** Sends it to all; the dialog is closed, a line says how far it is. */
function changeAll({ infohashes, onClose }: AskedProps, to: DownloadChange, done = text('changed')): Promise<void> {
  onClose()
  void forMany(infohashes, infohash => change(infohash, to), done)
  return Promise.resolve()
}

function LabelsDialog({ infohashes, onClose }: AskedProps) {
  const [added, add] = useState('')
  const [taken, take] = useState('')
  const known = session.downloads.facets.labels.map(({ value }) => value).filter(value => value !== '')
  const submit = async () => {
    const [adding, taking] = [typedLabels(added), typedLabels(taken)]
    const now = await fieldsOf(infohashes, ['labels'])
    onClose()
    const changes = new Map(
      now.flatMap(({ infohash, labels }) => {
        const after = relabelled(labels, adding, taking)
        return after === null ? [] : [[infohash, [...after]] as const]
      }),
    )
    void forMany(
      [...changes.keys()],
      infohash => change(infohash, { labels: changes.get(infohash) ?? [] }),
      text('changed'),
    )
  }
  return (
    <DialogForm
      title={text('labelsTitle')}
      action={text('change')}
      ready={typedLabels(`${added},${taken}`).length > 0}
      submit={submit}
      onClose={onClose}
    >
      <Field label={text('addLabels')} help={text('commas')} value={added} choices={known} set={add} />
      <Field label={text('takeLabels')} help={text('commas')} value={taken} choices={known} set={take} />
    </DialogForm>
  )
}

function MoveDialog(props: AskedProps) {
  const [folder, setFolder] = useState('')
  const known = session.downloads.facets.folders.map(({ value }) => value).filter(value => value !== '')
  const destination = folder.trim()
  return (
    <DialogForm
      title={text('moveTitle')}
      action={text('moveFiles')}
      ready={destination !== ''}
      submit={() => changeAll(props, { destination }, text('moving'))}
      onClose={props.onClose}
    >
      <Field label={text('folder')} help={text('folderHelp')} value={folder} choices={known} set={setFolder} />
    </DialogForm>
  )
}

type Choice = 'keep' | 'value' | 'none' | 'never' | 'settings'

/** A number, or what stands for one. */
interface Chosen {
  readonly choice: Choice
  readonly typed: string
}

const unchosen: Chosen = { choice: 'keep', typed: '' }
const isValid = ({ choice, typed }: Chosen) =>
  choice !== 'value' || (typed.trim() !== '' && Number.isFinite(Number(typed)) && Number(typed) >= 0)

interface NumberChoiceProps {
  readonly label: string
  readonly unit: 'kibPerSec' | 'ratioUnit' | 'minutesUnit'
  readonly choices: readonly Choice[]
  readonly chosen: Chosen
  set(chosen: Chosen): void
}

function NumberChoice({ label, unit, choices, chosen, set }: NumberChoiceProps) {
  const id = useId()
  return (
    <div class="field number-choice" role="group" aria-labelledby={id}>
      <span id={id}>{label}</span>
      <select
        aria-labelledby={id}
        value={chosen.choice}
        onChange={event => set({ ...chosen, choice: event.currentTarget.value as Choice })}
      >
        {choices.map(choice => (
          <option key={choice} value={choice}>
            {choice === 'value' ? text(unit) : text(choice)}
          </option>
        ))}
      </select>
      {chosen.choice === 'value' && (
        <input
          aria-label={`${label}, ${text(unit)}`}
          inputMode="decimal"
          value={chosen.typed}
          aria-invalid={chosen.typed !== '' && !isValid(chosen)}
          onInput={event => set({ ...chosen, typed: event.currentTarget.value })}
        />
      )}
    </div>
  )
}

const LIMIT_CHOICES: readonly Choice[] = ['keep', 'value', 'none']
const GOAL_CHOICES: readonly Choice[] = ['keep', 'value', 'never', 'settings']

/** Bytes a second, 0 = none; undefined: as it is. */
function limitOf({ choice, typed }: Chosen): number | undefined {
  if (choice === 'keep') return undefined
  return choice === 'none' ? 0 : Math.round(Number(typed) * 1024)
}

/** -1 = without end, -2 = as the settings say; undefined: as it is. */
function goalOf({ choice, typed }: Chosen): number | undefined {
  if (choice === 'keep') return undefined
  return choice === 'never' ? -1 : choice === 'settings' ? -2 : Number(typed)
}

const canBeSent = (...chosen: readonly Chosen[]) =>
  chosen.every(isValid) && chosen.some(({ choice }) => choice !== 'keep')

function LimitsDialog(props: AskedProps) {
  const [down, setDown] = useState(unchosen)
  const [up, setUp] = useState(unchosen)
  const [downRate, upRate] = [limitOf(down), limitOf(up)]
  const to = {
    ...(downRate === undefined ? {} : { max_download_speed: downRate }),
    ...(upRate === undefined ? {} : { max_upload_speed: upRate }),
  }
  const shared = { unit: 'kibPerSec', choices: LIMIT_CHOICES } as const
  return (
    <DialogForm
      title={text('limitsTitle')}
      action={text('change')}
      ready={canBeSent(down, up)}
      submit={() => changeAll(props, to)}
      onClose={props.onClose}
    >
      <NumberChoice label={text('down')} chosen={down} set={setDown} {...shared} />
      <NumberChoice label={text('up')} chosen={up} set={setUp} {...shared} />
    </DialogForm>
  )
}

function GoalsDialog(props: AskedProps) {
  const [ratio, setRatio] = useState(unchosen)
  const [minutes, setMinutes] = useState(unchosen)
  const [toRatio, toMinutes] = [goalOf(ratio), goalOf(minutes)]
  const to = {
    ...(toRatio === undefined ? {} : { seeding_ratio: toRatio }),
    ...(toMinutes === undefined ? {} : { seeding_time: Math.round(toMinutes) }),
  }
  return (
    <DialogForm
      title={text('goalsTitle')}
      action={text('change')}
      ready={canBeSent(ratio, minutes)}
      submit={() => changeAll(props, to)}
      onClose={props.onClose}
    >
      <NumberChoice label={text('ratio')} unit="ratioUnit" choices={GOAL_CHOICES} chosen={ratio} set={setRatio} />
      <NumberChoice
        label={text('minutes')}
        unit="minutesUnit"
        choices={GOAL_CHOICES}
        chosen={minutes}
        set={setMinutes}
      />
    </DialogForm>
  )
}

function HopsDialog(props: AskedProps) {
  const [only = ''] = props.infohashes
  const [hops, setHops] = useState(session.downloads.held(only)?.hops ?? 0)
  return (
    <DialogForm
      title={text('hopsTitle')}
      action={text('change')}
      ready
      submit={() => changeAll(props, { anon_hops: hops })}
      onClose={props.onClose}
    >
      <HopChoice hops={hops} set={setHops} />
      <p class="help">{text('closesAll')}</p>
    </DialogForm>
  )
}

const dialogs = {
  labels: LabelsDialog,
  move: MoveDialog,
  limits: LimitsDialog,
  goals: GoalsDialog,
  hops: HopsDialog,
} satisfies Record<Question, unknown>

/** The dialog of a question. */
export function ActionDialog({ question, ...asked }: AskedProps & { readonly question: Question }) {
  const Asked = dialogs[question]
  return <Asked {...asked} />
}
