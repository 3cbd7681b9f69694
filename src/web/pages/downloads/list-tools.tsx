// What stands above the list: its search, what narrows it, its order on a phone, and adding.

import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { LIST_STATES } from '../../../wire/list/list-states.ts'
import type { WordFault } from '../../../wire/list/list-words.ts'
import { groups } from '../../model/download-groups.ts'
import { faultsOf, statesOf, type View, withGroup } from '../../model/list-view.ts'
import { narrow, session } from '../../node/context.ts'
import { Icon } from '../../parts/icons.tsx'
import { LaterPage } from '../../parts/later-page.tsx'
import { text } from '../../texts/downloads/list.ts'
import { NarrowedTo, SideBar } from './side-bar.tsx'
import { SortChoice } from './sort-choice.tsx'
import type { ChosenColumns } from './use-columns.ts'
import type { SideBarState } from './use-side-bar.ts'

interface ListToolsProps {
  readonly view: View
  readonly side: SideBarState
  readonly columns: ChosenColumns
  setView(view: View): void
  add(): void
}

type ViewProps = Pick<ListToolsProps, 'view' | 'setView'>

function GroupTabs({ view, setView }: ViewProps) {
  const { groups: counts } = session.totals.value
  const chosen = statesOf(view)
  return (
    <div class="groups" role="group" aria-label={text('show')}>
      {groups.map(group => (
        <button
          key={group}
          type="button"
          class={group === 'trouble' && counts.trouble > 0 ? 'group trouble' : 'group'}
          aria-pressed={chosen.includes(group)}
          onClick={() => setView(withGroup(view, group))}
        >
          {text(group)}
          <span class="count">{counts[group].toLocaleString('en')}</span>
        </button>
      ))}
    </div>
  )
}

/** What of a search nobody can read. */
function faultText({ code, word }: WordFault): string {
  switch (code) {
    case 'unknown-state':
      return text('unknownState', { word, states: LIST_STATES.join(', ') })
    case 'unreadable-size':
      return text('unreadableSize', { word })
    case 'too-many-words':
      return text('tooManyWords')
    case 'too-long':
      return text('tooLong')
  }
}

function Search({ view, setView }: ViewProps) {
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  const [fault] = faultsOf(view.query)
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const typing = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as Element).tagName)
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      field.current?.focus()
    }
    document.addEventListener('keydown', key)
    return () => document.removeEventListener('keydown', key)
  }, [])
  return (
    <label class="search">
      <Icon name="search" size={16} />
      <span class="visually-hidden">{text('searchLabel')}</span>
      <input
        ref={field}
        type="search"
        placeholder={text('search')}
        title={text('searchHelp')}
        aria-keyshortcuts="/"
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : id}
        value={view.query}
        onInput={event => setView({ ...view, query: event.currentTarget.value })}
      />
      {view.query === '' && <kbd aria-hidden="true">/</kbd>}
      {fault !== undefined && (
        <span id={id} role="alert" class="search-fault" dir="auto">
          {faultText(fault)}
        </span>
      )}
    </label>
  )
}

/** Shows or puts away the side bar; where it has no room, it opens over the list. */
function SideButton({ view, setView, side }: Pick<ListToolsProps, 'view' | 'setView' | 'side'>) {
  const id = useId()
  const [open, setOpen] = useState(false)
  if (!side.over)
    return (
      <button type="button" class="quiet side-button" aria-expanded={side.beside} onClick={side.toggle}>
        <Icon name="filter" size={16} />
        <span class="visually-hidden">{text('filters')}</span>
      </button>
    )
  return (
    <>
      <button type="button" class="quiet side-button" popovertarget={id}>
        <Icon name="filter" size={16} />
        <span class="visually-hidden">{text('filters')}</span>
      </button>
      <div
        id={id}
        popover="auto"
        class={narrow.value ? 'sheet' : 'side-over'}
        onToggle={event => setOpen(event.newState === 'open')}
      >
        {open && <SideBar view={view} setView={setView} />}
      </div>
    </>
  )
}

const loadColumns = async () => (await import('./column-choices.tsx')).ColumnChoices

function ColumnButton(columns: ChosenColumns) {
  const id = useId()
  const [open, setOpen] = useState(false)
  return (
    <div class="column-button">
      <button type="button" class="quiet" popovertarget={id}>
        <Icon name="gear" size={16} />
        <span class="visually-hidden">{text('columns')}</span>
      </button>
      <div id={id} popover="auto" class="column-choices" onToggle={event => setOpen(event.newState === 'open')}>
        {open && <LaterPage load={loadColumns} shown={columns} />}
      </div>
    </div>
  )
}

/** What stands above the list. */
export function ListTools({ view, setView, side, columns, add }: ListToolsProps) {
  return (
    <div class="tools">
      <SideButton view={view} setView={setView} side={side} />
      <Search view={view} setView={setView} />
      {!side.beside && <GroupTabs view={view} setView={setView} />}
      {narrow.value && <SortChoice view={view} setView={setView} />}
      {!side.beside && <NarrowedTo view={view} setView={setView} />}
      {!narrow.value && <ColumnButton {...columns} />}
      <button type="button" class="primary add" onClick={add}>
        <Icon name="plus" />
        <span>{text('add')}</span>
      </button>
    </div>
  )
}
