// What actions ask for before they are done to one download or many: labels, a folder, limits, goals, hops. What is
// left as it is stays as each download has it.

import { useState } from 'preact/hooks'
import type { DownloadChange } from '../../../client/core-routes.ts'
import { relabelled, typedLabels } from '../../model/label-changes.ts'
import { change, fieldsOf } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { forMany } from '../../node/many.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { Field } from '../../parts/field.tsx'
import { HopChoice } from '../../parts/hop-choice.tsx'
import {
  type ChosenNumber,
  goalOf,
  isValidNumber,
  limitOf,
  NumberChoice,
  type NumberMeaning,
} from '../../parts/number-choice.tsx'
import { text } from '../../texts/downloads/actions.ts'
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

const unchosen: ChosenNumber = { choice: 'keep', typed: '' }

const LIMIT_CHOICES: readonly NumberMeaning[] = ['keep', 'value', 'none']
const GOAL_CHOICES: readonly NumberMeaning[] = ['keep', 'value', 'never', 'settings']

const canBeSent = (...chosen: readonly ChosenNumber[]) =>
  chosen.every(isValidNumber) && chosen.some(({ choice }) => choice !== 'keep')

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
