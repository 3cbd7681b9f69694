// The settings as a form: the view of those that people look for or of all, the search, and what is saved together.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { keep, readKept } from '../../model/kept.ts'
import {
  afterSave,
  changesOf,
  clashes,
  type Edits,
  isClash,
  keptEdit,
  withEdit,
  withoutEdit,
  withPresent,
} from '../../model/settings/settings-edits.ts'
import { pathOf, refusedOption } from '../../model/settings/settings-form.ts'
import { langOf, type Sections, settingGroups } from '../../model/settings/settings-view.ts'
import { textOf } from '../../node/api.ts'
import { session } from '../../node/context.ts'
import { Icon } from '../../parts/icons.tsx'
import { text } from '../../texts/node/settings.ts'
import { ChangeList, SettingsFile } from './settings-file.tsx'
import { SettingOption } from './setting-option.tsx'

/** The view that this device was told: all settings, or those that people look for. */
const ALL_NAME = 'tributary.all-settings'

interface SaveBarProps {
  /** What would change. */
  readonly children: ComponentChildren
  readonly count: number
  readonly problem: string
  save(): void
  undo(): void
}

function SaveBar({ children, count, problem, save, undo }: SaveBarProps) {
  return (
    <div class="save-bar" role="group" aria-label={text('changes')}>
      {children}
      <span>
        {text('changed', { count })}
        <span class="fault" role="status">
          {problem !== '' && ` ${problem}`}
        </span>
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

function AllSwitch({ all, choose }: { readonly all: boolean; choose(all: boolean): void }) {
  return (
    <label class="all-settings">
      <input
        type="checkbox"
        role="switch"
        class="switch"
        checked={all}
        onChange={event => choose(event.currentTarget.checked)}
      />
      <span>{text('allSettings')}</span>
    </label>
  )
}

function showSection(name: string): void {
  document.querySelector(`#section-${name}`)?.scrollIntoView({ block: 'start' })
}

interface SettingsFormProps {
  readonly file: string
  readonly sections: Sections
  reload(): void
}

/** All of them as a form. `reload`: the node is asked for them again. */
export function SettingsForm({ file, sections, reload }: SettingsFormProps) {
  const [edits, setEdits] = useState<Edits>({})
  const [refusal, setRefusal] = useState<{ option: string | null; text: string }>({ option: null, text: '' })
  const [isListOpen, setListOpen] = useState(false)
  const [query, setQuery] = useState('')
  const [all, setAll] = useState(() => readKept(localStorage, ALL_NAME) === true)
  const search = useId()
  const chooseAll = (chosen: boolean) => {
    keep(localStorage, ALL_NAME, chosen)
    setAll(chosen)
  }
  const clear = () => {
    setEdits({})
    setRefusal({ option: null, text: '' })
  }
  // What was saved stays in its field until the node has told it back: the old value never shows between the two.
  const [saved, setSaved] = useState<Edits>({})
  useEffect(() => {
    setEdits(before => afterSave(before, saved, sections))
    setSaved({})
  }, [sections])
  const save = async () => {
    try {
      // Another page may have changed them since: that is looked at first, and nothing sent that was not seen.
      const { settings } = await session.api.call('GET /settings/effective')
      if (clashes(withPresent(sections, settings), edits) > 0) return reload()
      const answer = await session.api.call('POST /settings', { parameters: changesOf(sections, edits) })
      const later = answer.restart_required.length
      session.notify(later === 0 ? text('saved') : text('savedForRestart', { count: later }))
      setRefusal({ option: null, text: '' })
      setSaved(edits)
      reload()
    } catch (error) {
      setRefusal({ option: refusedOption(textOf(error)), text: textOf(error) })
    }
  }
  const clashed = clashes(sections, edits)
  const count = Object.keys(edits).length
  const groups = settingGroups(sections, all, query)
  // What is refused may be out of view: then it is said where everything is saved.
  const isShown = groups.some(({ fields }) => fields.some(field => pathOf(field) === refusal.option))
  const problem = clashed > 0 ? text('changedElsewhere', { count: clashed }) : isShown ? '' : refusal.text
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
        <AllSwitch all={all} choose={chooseAll} />
        <p class="muted">
          {text('keptIn')} <code>{file}</code>
        </p>
      </div>
      <SettingsFile
        sections={sections}
        edits={edits}
        imported={read => {
          setEdits(read)
          setListOpen(true)
        }}
      />
      <nav class="section-index" aria-label={text('sections')}>
        {groups.map(({ id, heading }) => (
          <button key={id} type="button" class="quiet" lang={langOf(heading)} onClick={() => showSection(id)}>
            {heading.text}
          </button>
        ))}
      </nav>
      {groups.length === 0 && <p class="nothing muted">{text('nothingFound')}</p>}
      {groups.map(({ id, heading, fields }) => (
        <section key={id} class="setting-section" aria-labelledby={`section-${id}`}>
          <h2 id={`section-${id}`} lang={langOf(heading)}>
            {heading.text}
          </h2>
          {fields.map(field => (
            <SettingOption
              key={pathOf(field)}
              field={field}
              input={edits[pathOf(field)]?.input}
              refusal={refusal.option === pathOf(field) ? refusal.text : ''}
              isClash={isClash(edits, field)}
              set={value => setEdits(before => withEdit(before, field, value))}
              keepMine={() => setEdits(before => keptEdit(before, field))}
              takeTheirs={() => setEdits(before => withoutEdit(before, field))}
            />
          ))}
        </section>
      ))}
      {count > 0 && (
        <SaveBar count={count} problem={problem} save={() => void save()} undo={clear}>
          <ChangeList sections={sections} edits={edits} isOpen={isListOpen} toggle={setListOpen} />
        </SaveBar>
      )}
    </>
  )
}
