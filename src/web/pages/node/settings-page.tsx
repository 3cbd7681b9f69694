// The settings of the node, as its own schema describes them. Changes are gathered and sent together: all or none.

import { useEffect, useId, useState } from 'preact/hooks'
import {
  entered,
  fieldsOf,
  headingOf,
  type OptionSchema,
  refusedOption,
  sectionHeading,
  type SettingField,
  type SettingValue,
  valueOf,
} from '../../model/settings-form.ts'
import { textOf } from '../../node/api.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { Icon } from '../../parts/icons.tsx'
import { LanguageChoice } from '../../parts/language-choice.tsx'
import { LaterPage } from '../../parts/later-page.tsx'
import { text } from '../../texts/node/settings.ts'

type Sections = ReadonlyMap<string, readonly SettingField[]>
type Inputs = Readonly<Record<string, string | boolean>>

interface Schemas {
  readonly components: {
    readonly schemas: {
      readonly Settings: {
        readonly properties: Readonly<Record<string, { readonly properties?: Readonly<Record<string, OptionSchema>> }>>
      }
    }
  }
}

async function readSettings(signal: AbortSignal): Promise<{ file: string; sections: Sections }> {
  const [effective, document] = await Promise.all([
    session.api.call('GET /settings/effective', { signal }),
    session.api.open('GET /docs/openapi.json', { signal }),
  ])
  const { components } = (await document.json()) as Schemas
  return {
    file: effective.file,
    sections: fieldsOf(components.schemas.Settings.properties, effective.settings),
  }
}

const pathOf = (field: SettingField) => `${field.section}.${field.name}`

/** The body of POST /settings for what was entered. */
function changesOf(sections: Sections, inputs: Inputs): Record<string, Record<string, SettingValue>> {
  const body: Record<string, Record<string, SettingValue>> = {}
  for (const fields of sections.values())
    for (const field of fields) {
      const input = inputs[pathOf(field)]
      if (input !== undefined) (body[field.section] ??= {})[field.name] = valueOf(field.kind, input)
    }
  return body
}

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
              {each}
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

interface OptionProps {
  readonly field: SettingField
  readonly input: string | boolean | undefined
  readonly refusal: string
  set(value: string | boolean): void
}

function Option({ field, input, refusal, set }: OptionProps) {
  const id = useId()
  const { effective, schema, kind } = field
  const held = effective.source === 'flag' || effective.source === 'environment'
  return (
    <div class={`setting${input === undefined ? '' : ' changed'}`}>
      <div class="setting-words">
        <label for={id} lang="en">
          {headingOf(field.name)}
        </label>
        <p id={`${id}-help`} class="help">
          <span lang="en">{schema.description}</span>
          {bounds(schema)}
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

interface SaveBarProps {
  readonly count: number
  readonly problem: string
  save(): void
  undo(): void
}

function SaveBar({ count, problem, save, undo }: SaveBarProps) {
  return (
    <div class="save-bar" role="group" aria-label={text('changes')}>
      <span>
        {text('changed', { count })}
        {problem !== '' && <span class="fault"> {problem}</span>}
      </span>
      <button type="button" onClick={undo}>
        {text('undo')}
      </button>
      <button type="button" class="primary" onClick={save}>
        {text('save')}
      </button>
    </div>
  )
}

function matches(field: SettingField, query: string): boolean {
  const words = `${field.section} ${sectionHeading(field.section)} ${field.name} ${field.schema.description ?? ''}`
    .toLowerCase()
    .replaceAll('_', ' ')
  return query
    .toLowerCase()
    .split(/\s+/)
    .every(word => words.includes(word))
}

function showSection(name: string): void {
  document.querySelector(`#section-${name}`)?.scrollIntoView({ block: 'start' })
}

interface FormProps {
  readonly file: string
  readonly sections: Sections
  reload(): void
}

function SettingsForm({ file, sections, reload }: FormProps) {
  const [inputs, setInputs] = useState<Inputs>({})
  const [refusal, setRefusal] = useState<{ option: string | null; text: string }>({ option: null, text: '' })
  const [query, setQuery] = useState('')
  const search = useId()
  const set = (field: SettingField, value: string | boolean) => {
    const { [pathOf(field)]: _, ...others } = inputs
    const same = entered(field.kind, field.effective.value) === value
    setInputs(same ? others : { ...others, [pathOf(field)]: value })
  }
  const clear = () => {
    setInputs({})
    setRefusal({ option: null, text: '' })
  }
  // What was saved stays in its field until the node has told it back: the old value never shows between the two.
  const [saved, setSaved] = useState<Inputs>({})
  useEffect(() => {
    setInputs(before => Object.fromEntries(Object.entries(before).filter(([name, value]) => saved[name] !== value)))
    setSaved({})
  }, [sections])
  const save = async () => {
    try {
      const answer = await session.api.call('POST /settings', { parameters: changesOf(sections, inputs) })
      const later = answer.restart_required.length
      session.notify(later === 0 ? text('saved') : text('savedForRestart', { count: later }))
      setRefusal({ option: null, text: '' })
      setSaved(inputs)
      reload()
    } catch (error) {
      setRefusal({ option: refusedOption(textOf(error)), text: textOf(error) })
    }
  }
  const count = Object.keys(inputs).length
  const shown = [...sections]
    .map(([name, fields]) => [name, fields.filter(field => matches(field, query))] as const)
    .filter(([, fields]) => fields.length > 0)
  return (
    <>
      <div class="settings-head">
        <label class="search" for={search}>
          <Icon name="search" size={16} />
          <span class="visually-hidden">{text('search')}</span>
          <input
            id={search}
            type="search"
            placeholder={text('search')}
            value={query}
            onInput={event => setQuery(event.currentTarget.value)}
          />
        </label>
        <p class="muted">
          {text('keptIn')} <code>{file}</code>
        </p>
      </div>
      <nav class="section-index" aria-label={text('sections')}>
        {shown.map(([name]) => (
          <button key={name} type="button" class="quiet" lang="en" onClick={() => showSection(name)}>
            {sectionHeading(name)}
          </button>
        ))}
      </nav>
      {shown.map(([name, fields]) => (
        <section key={name} class="setting-section" aria-labelledby={`section-${name}`}>
          <h2 id={`section-${name}`} lang="en">
            {sectionHeading(name)}
          </h2>
          {fields.map(field => (
            <Option
              key={pathOf(field)}
              field={field}
              input={inputs[pathOf(field)]}
              refusal={refusal.option === pathOf(field) ? refusal.text : ''}
              set={value => set(field, value)}
            />
          ))}
        </section>
      ))}
      {count > 0 && (
        <SaveBar
          count={count}
          problem={refusal.option === null ? refusal.text : ''}
          save={() => void save()}
          undo={clear}
        />
      )}
    </>
  )
}

const askWelcome = () => {
  session.welcome.value = 'asked'
}

const loadDevices = async () => (await import('./devices.tsx')).Devices

/** The settings of the node, as its own schema describes them. */
export function SettingsPage() {
  const { value, problem, refresh } = useAnswer(readSettings, [], 0)
  return (
    <div class="page settings">
      <h1>{text('settings')}</h1>
      <LanguageChoice />
      <p>
        <button type="button" onClick={askWelcome}>
          {text('welcome')}
        </button>
      </p>
      <LaterPage load={loadDevices} shown={{}} />
      {value === null ? (
        <p class="muted">{problem || text('loading')}</p>
      ) : (
        <SettingsForm file={value.file} sections={value.sections} reload={refresh} />
      )}
    </div>
  )
}
