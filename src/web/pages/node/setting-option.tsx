// One setting of the node on its page: its name, what it does, and the control it is entered by.

import { useId } from 'preact/hooks'
import { entered, type OptionSchema, type SettingField } from '../../model/settings/settings-form.ts'
import { choiceName, langOf, settingHelp, settingName } from '../../model/settings/settings-view.ts'
import { text } from '../../texts/node/settings.ts'

interface ControlProps {
  readonly field: SettingField
  readonly id: string
  readonly value: string | boolean
  readonly isRefused: boolean
  set(value: string | boolean): void
}

function Control({ field, id, value, isRefused, set }: ControlProps) {
  const { kind, schema } = field
  const shared = { id, 'aria-describedby': `${id}-help`, 'aria-invalid': isRefused }
  const onInput = (event: { currentTarget: { value: string } }) => set(event.currentTarget.value)
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
      return (
        <textarea
          {...shared}
          rows={Math.min(8, String(value).split('\n').length + 1)}
          value={String(value)}
          spellcheck={false}
          onInput={onInput}
        />
      )
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

interface SettingOptionProps {
  readonly field: SettingField
  readonly input: string | boolean | undefined
  readonly refusal: string
  set(value: string | boolean): void
}

/** One setting: what it does, what holds it, and its control. */
export function SettingOption({ field, input, refusal, set }: SettingOptionProps) {
  const id = useId()
  const { effective, schema, kind } = field
  const [name, help] = [settingName(field), settingHelp(field)]
  const held = effective.source === 'flag' || effective.source === 'environment'
  return (
    <div class={`setting${input === undefined ? '' : ' changed'}`}>
      <div class="setting-words">
        <label for={id} lang={langOf(name)}>
          {name.text}
        </label>
        <p id={`${id}-help`} class="help">
          <span lang={langOf(help)}>{help.text}</span>
          {bounds(schema)}
          {!help.isEnglish && effective.needs_restart && ` ${text('needsRestart')}`}
          {held && <strong class="tag">{text(effective.source === 'flag' ? 'byFlag' : 'byEnvironment')}</strong>}
          {effective.restart_pending && <strong class="tag">{text('pending')}</strong>}
        </p>
        {refusal !== '' && (
          <p class="fault" role="alert">
            {refusal}
          </p>
        )}
      </div>
      <Control
        field={field}
        id={id}
        value={input ?? entered(kind, effective.value)}
        isRefused={refusal !== ''}
        set={set}
      />
    </div>
  )
}
