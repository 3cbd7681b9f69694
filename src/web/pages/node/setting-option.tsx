// One setting of the node on its page: its name, what it does, and the control it is entered by.

import { useId } from 'preact/hooks'
import { entered, type OptionSchema, pathOf, type SettingField } from '../../model/settings/settings-form.ts'
import { type MeasureUnit, unitsFor } from '../../model/settings/measures.ts'
import { choiceName, langOf, settingHelp, settingName, shownValue } from '../../model/settings/settings-view.ts'
import { text } from '../../texts/node/settings.ts'
import { MeasureControl } from './measure-control.tsx'
import { WeekGrid } from './week-grid.tsx'

/** The setting whose lines are times of the week. */
const WEEK_PATH = 'slow_mode.schedule'

interface LinesProps {
  readonly field: SettingField
  readonly id: string
  readonly value: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
  set(value: string): void
}

/** Lines of a list; those that are times of the week have a grid above them. */
function Lines({ field, value, set, ...shared }: LinesProps) {
  const lines = (
    <textarea
      {...shared}
      rows={Math.min(8, value.split('\n').length + 1)}
      value={value}
      spellcheck={false}
      onInput={event => set(event.currentTarget.value)}
    />
  )
  if (pathOf(field) !== WEEK_PATH) return lines
  const present = String(entered('lines', field.effective.value))
  return (
    <div class="week-lines">
      <WeekGrid value={value} present={present} describedBy={`${shared.id}-week`} set={set} />
      {lines}
    </div>
  )
}

interface ControlProps {
  readonly field: SettingField
  readonly id: string
  readonly value: string | boolean
  readonly isRefused: boolean
  /** What its number is entered in; none: plainly. */
  readonly units: readonly MeasureUnit[]
  set(value: string | boolean): void
}

function Control({ field, id, value, isRefused, units, set }: ControlProps) {
  const { kind, schema, effective } = field
  const shared = { id, 'aria-describedby': `${id}-help`, 'aria-invalid': isRefused }
  const onInput = (event: { currentTarget: { value: string } }) => set(event.currentTarget.value)
  if (units.length > 0)
    return (
      <MeasureControl
        id={id}
        name={settingName(field).text}
        units={units}
        isRate={schema['x-unit'] === 'bytes/s'}
        isWhole={schema.type === 'integer'}
        from={schema.minimum ?? 0}
        to={schema.maximum ?? Number.MAX_SAFE_INTEGER}
        present={Number(effective.value)}
        value={String(value)}
        isRefused={isRefused}
        set={set}
      />
    )
  switch (kind) {
    case 'switch':
      return (
        <input
          {...shared}
          type="checkbox"
          role="switch"
          class="switch"
          checked={value === true}
          onChange={event => set(event.currentTarget.checked)}
        />
      )
    case 'choice':
      return (
        <select {...shared} value={String(value)} onChange={onInput}>
          {(schema.enum ?? []).map(each => (
            <option key={each} value={each}>
              {choiceName(field, each)}
            </option>
          ))}
        </select>
      )
    case 'lines':
      return <Lines {...shared} field={field} value={String(value)} set={set} />
    case 'secret':
      return (
        <input
          {...shared}
          type="password"
          autocomplete="new-password"
          placeholder={text('notShown')}
          value={String(value)}
          onInput={onInput}
        />
      )
    default:
      return (
        <input
          {...shared}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          value={String(value)}
          maxLength={schema.maxLength}
          spellcheck={false}
          onInput={onInput}
        />
      )
  }
}

function bounds({ minimum, maximum }: OptionSchema): string {
  if (minimum === undefined || maximum === undefined) return ''
  return ` ${text('range', { from: minimum, to: maximum })}`
}

/** The node says it in what it counts in: bytes, seconds. */
const isBounds = (refusal: string) => /must be (a whole number|a number|from )/.test(refusal)

interface SettingOptionProps {
  readonly field: SettingField
  readonly input: string | boolean | undefined
  readonly refusal: string
  /** Somebody else changed it since it was edited: which value holds is asked. */
  readonly isClash: boolean
  set(value: string | boolean): void
  keepMine(): void
  takeTheirs(): void
}

function Clash({ field, keepMine, takeTheirs }: Pick<SettingOptionProps, 'field' | 'keepMine' | 'takeTheirs'>) {
  return (
    <div class="setting-clash" role="group" aria-label={settingName(field).text}>
      <p class="fault" role="alert">
        {text('nowIs', { value: shownValue(field) })}
      </p>
      <button type="button" onClick={keepMine}>
        {text('keepMine')}
      </button>
      <button type="button" onClick={takeTheirs}>
        {text('takeTheirs')}
      </button>
    </div>
  )
}

/** One setting: what it does, what holds it, and its control. */
export function SettingOption(props: SettingOptionProps) {
  const { field, input, refusal, isClash, set, keepMine, takeTheirs } = props
  const id = useId()
  const { effective, schema, kind } = field
  // The buttons go: the focus goes to what they were about.
  const decide = (choose: () => void) => {
    choose()
    document.getElementById(id)?.focus()
  }
  const [name, help] = [settingName(field), settingHelp(field)]
  const units = kind === 'number' ? unitsFor(schema['x-unit']) : []
  const held = effective.source === 'flag' || effective.source === 'environment'
  return (
    <div class={`setting${input === undefined ? '' : ' changed'}`}>
      <div class="setting-words">
        <label for={id} lang={langOf(name)}>
          {name.text}
        </label>
        <p id={`${id}-help`} class="help">
          <span lang={langOf(help)}>{help.text}</span>
          {units.length === 0 && bounds(schema)}
          {!help.isEnglish && effective.needs_restart && ` ${text('needsRestart')}`}
          {held && <strong class="tag">{text(effective.source === 'flag' ? 'byFlag' : 'byEnvironment')}</strong>}
          {effective.restart_pending && <strong class="tag">{text('pending')}</strong>}
        </p>
        {refusal !== '' && (
          <p class="fault" role="alert">
            {units.length > 0 && isBounds(refusal) ? text('notInBounds') : refusal}
          </p>
        )}
        {isClash && <Clash field={field} keepMine={() => decide(keepMine)} takeTheirs={() => decide(takeTheirs)} />}
      </div>
      <Control
        field={field}
        id={id}
        value={input ?? entered(kind, effective.value)}
        isRefused={refusal !== ''}
        units={units}
        set={set}
      />
    </div>
  )
}
