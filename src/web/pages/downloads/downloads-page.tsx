// The list of downloads with what narrows it and what is done to several at once; beside it the page of one.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { groups } from '../../model/download-groups.ts'
import type { View } from '../../model/download-table.ts'
import { counted } from '../../model/format.ts'
import type { DetailTab } from '../../model/place.ts'
import { go, narrow, session } from '../../node/context.ts'
import { Icon } from '../../parts/icons.tsx'
import { StateButtons } from '../../parts/state-buttons.tsx'
import { DetailPage } from './detail-page.tsx'
import { DownloadList } from './download-list.tsx'
import { RemoveDialog } from './remove-dialog.tsx'

interface DownloadsPageProps {
  readonly infohash: string
  readonly tab: DetailTab
  add(): void
}

function useView(): [View, (view: View) => void] {
  const [view, setView] = useState(session.downloads.view)
  const change = useCallback((next: View) => {
    session.downloads.setView(next)
    setView(next)
  }, [])
  return [view, change]
}

function GroupTabs({ view, setView }: { view: View; setView: (view: View) => void }) {
  const { groups: counts } = session.totals.value
  return (
    <div class="groups" role="group" aria-label="Show">
      {groups.map(([group, heading]) => (
        <button
          key={group}
          type="button"
          class={group === 'trouble' && counts.trouble > 0 ? 'group trouble' : 'group'}
          aria-pressed={view.group === group}
          onClick={() => setView({ ...view, group })}
        >
          {heading}
          <span class="count">{counts[group].toLocaleString('en')}</span>
        </button>
      ))}
    </div>
  )
}

function Search({ view, setView }: { view: View; setView: (view: View) => void }) {
  const field = useRef<HTMLInputElement>(null)
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
      <span class="visually-hidden">Search names and labels</span>
      <input
        ref={field}
        type="search"
        placeholder="Search"
        aria-keyshortcuts="/"
        value={view.query}
        onInput={event => setView({ ...view, query: event.currentTarget.value })}
      />
      {view.query === '' && <kbd aria-hidden="true">/</kbd>}
    </label>
  )
}

interface SelectionBarProps {
  readonly selected: ReadonlySet<string>
  clear(): void
  remove(): void
}

function SelectionBar({ selected, clear, remove }: SelectionBarProps) {
  return (
    <div class="selection" role="toolbar" aria-label="Selected downloads">
      <strong>{selected.size.toLocaleString('en')} selected</strong>
      <StateButtons infohashes={[...selected]} resume="plain" stop remove={remove} />
      <button type="button" class="quiet" onClick={clear}>
        Clear
      </button>
    </div>
  )
}

function Nothing({ add, searching }: { add: () => void; searching: boolean }) {
  if (!session.downloads.listed.value) return <p class="nothing muted">Asking the node for its downloads…</p>
  if (searching) return <p class="nothing muted">No download is like that.</p>
  return (
    <div class="nothing">
      <h2>Nothing here yet</h2>
      <p class="muted">Drop a torrent file anywhere, paste a magnet link, or add one by hand.</p>
      <button type="button" class="primary" onClick={add}>
        <Icon name="plus" /> Add a download
      </button>
    </div>
  )
}

/** The list of downloads with what narrows it and what is done to several at once; beside it the page of one. */
export function DownloadsPage({ infohash, tab, add }: DownloadsPageProps) {
  const [view, setView] = useView()
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  const [removing, setRemoving] = useState<readonly string[]>([])
  void session.downloads.version.value
  const { list } = session.downloads
  // What is gone is not selected any more.
  const present = [...selected].filter(one => !session.downloads.isGone(one))
  if (present.length < selected.size) select(new Set(present))
  const openRow = (open: string) => go({ page: 'downloads', infohash: open, tab: 'overview' })
  const searching = view.group !== 'all' || view.query !== ''
  return (
    <div class={`downloads${infohash === '' ? '' : ' with-detail'}`}>
      <h1 class="visually-hidden">Downloads</h1>
      <section class="downloads-main" aria-label="All downloads">
        <div class="tools">
          <Search view={view} setView={setView} />
          <GroupTabs view={view} setView={setView} />
          <button type="button" class="primary add" onClick={add}>
            <Icon name="plus" />
            <span>Add</span>
          </button>
        </div>
        {selected.size > 0 && (
          <SelectionBar selected={selected} clear={() => select(new Set())} remove={() => setRemoving([...selected])} />
        )}
        {list.length === 0 ? (
          <Nothing add={add} searching={searching} />
        ) : (
          <DownloadList
            list={list}
            view={view}
            selected={selected}
            open={infohash}
            narrow={narrow.value}
            setView={setView}
            select={select}
            openRow={openRow}
            remove={setRemoving}
          />
        )}
        <p class="visually-hidden" role="status">
          {counted(list.length, 'download')}
        </p>
      </section>
      {infohash !== '' && (
        <DetailPage key={infohash} infohash={infohash} tab={tab} remove={() => setRemoving([infohash])} />
      )}
      {removing.length > 0 && <RemoveDialog infohashes={removing} onClose={() => setRemoving([])} />}
    </div>
  )
}
