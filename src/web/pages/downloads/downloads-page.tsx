// The list of downloads with what narrows it and what is done to several at once; beside it the page of one.

import { useCallback, useEffect, useState } from 'preact/hooks'
import { isNarrowed, type View } from '../../model/list-view.ts'
import type { DetailTab } from '../../model/place.ts'
import { go, narrow, session } from '../../node/context.ts'
import { Icon } from '../../parts/icons.tsx'
import { LaterPage } from '../../parts/later-page.tsx'
import { StateButtons } from '../../parts/state-buttons.tsx'
import type { DetailPageProps } from './detail-page.tsx'
import { text } from '../../texts/downloads/list.ts'
import type { OpenedMenu } from './download-actions.tsx'
import { DownloadList } from './download-list.tsx'
import { ListTools } from './list-tools.tsx'
import { SideBar } from './side-bar.tsx'
import { StatusLine } from './status-line.tsx'
import { useColumns } from './use-columns.ts'
import { useSideBar } from './use-side-bar.ts'

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

interface SelectionBarProps {
  readonly selected: ReadonlySet<string>
  clear(): void
  remove(): void
  openMenu(menu: OpenedMenu): void
}

function SelectionBar({ selected, clear, remove, openMenu }: SelectionBarProps) {
  const infohashes = [...selected]
  const open = (event: MouseEvent) => {
    const { left, bottom } = (event.currentTarget as Element).getBoundingClientRect()
    openMenu({ infohashes, at: { x: left, y: bottom } })
  }
  return (
    <div class="selection" role="toolbar" aria-label={text('selectedLabel')}>
      <strong>{text('selected', { count: selected.size })}</strong>
      <StateButtons infohashes={infohashes} resume="plain" stop remove={remove} />
      <button type="button" aria-haspopup="menu" onClick={open}>
        <Icon name="more" size={16} /> {text('moreActions')}
      </button>
      <button type="button" class="quiet" onClick={clear}>
        {text('clear')}
      </button>
    </div>
  )
}

// What can be done and the page of a download come when they are asked for first.
const loadActions = async () => (await import('./download-actions.tsx')).DownloadActions
const loadRemoval = async () => (await import('./remove-dialog.tsx')).RemoveDialog
const loadDetail = async () => {
  const { DetailPage } = await import('./detail-page.tsx')
  return (shown: DetailPageProps) => <DetailPage key={shown.infohash} {...shown} />
}

function Nothing({ add, searching }: { add: () => void; searching: boolean }) {
  if (!session.downloads.listed.value) return <p class="nothing muted">{text('asking')}</p>
  if (searching) return <p class="nothing muted">{text('noMatch')}</p>
  return (
    <div class="nothing">
      <h2>{text('nothing')}</h2>
      <p class="muted">{text('nothingHelp')}</p>
      <button type="button" class="primary" onClick={add}>
        <Icon name="plus" /> {text('addOne')}
      </button>
    </div>
  )
}

/** Escape closes the page of a download, also while it is on its way. */
function useEscape(infohash: string): void {
  useEffect(() => {
    if (infohash === '') return undefined
    const key = (event: KeyboardEvent) => {
      const closes = event.key === 'Escape' && document.querySelector('dialog[open]') === null
      if (closes) go({ page: 'downloads', infohash: '', tab: 'overview' })
    }
    document.addEventListener('keydown', key)
    return () => document.removeEventListener('keydown', key)
  }, [infohash])
}

/** The list of downloads with what narrows it and what is done to several at once; beside it the page of one. */
export function DownloadsPage({ infohash, tab, add }: DownloadsPageProps) {
  const [view, setView] = useView()
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  const [removing, setRemoving] = useState<readonly string[]>([])
  const [menu, openMenu] = useState<OpenedMenu | null>(null)
  void session.downloads.version.value
  const { list } = session.downloads
  // What is gone is not selected any more.
  const present = [...selected].filter(one => !session.downloads.isGone(one))
  if (present.length < selected.size) select(new Set(present))
  const openRow = (open: string) => go({ page: 'downloads', infohash: open, tab: 'overview' })
  const side = useSideBar(infohash !== '')
  useEscape(infohash)
  const columns = useColumns()
  return (
    <div class={`downloads${infohash === '' ? '' : ' with-detail'}${side.beside ? ' with-side' : ''}`}>
      <h1 class="visually-hidden">{text('downloads')}</h1>
      {side.beside && (
        <aside class="downloads-side">
          <SideBar view={view} setView={setView} />
        </aside>
      )}
      <section class="downloads-main" aria-label={text('allDownloads')}>
        <ListTools view={view} setView={setView} side={side} columns={columns} add={add} />
        {selected.size > 0 && (
          <SelectionBar
            selected={selected}
            clear={() => select(new Set())}
            remove={() => setRemoving([...selected])}
            openMenu={openMenu}
          />
        )}
        {list.length === 0 ? (
          <Nothing add={add} searching={isNarrowed(view)} />
        ) : (
          <DownloadList
            list={list}
            view={view}
            selected={selected}
            open={infohash}
            narrow={narrow.value}
            columns={columns.choice}
            chooseColumns={columns.choose}
            setView={setView}
            select={select}
            openRow={openRow}
            remove={setRemoving}
            openMenu={openMenu}
          />
        )}
        <StatusLine shown={list.length} selected={selected} />
      </section>
      {infohash !== '' && (
        <LaterPage load={loadDetail} shown={{ infohash, tab, remove: () => setRemoving([infohash]) }} />
      )}
      {menu !== null && (
        <LaterPage load={loadActions} shown={{ ...menu, remove: setRemoving, onClose: () => openMenu(null) }} />
      )}
      {removing.length > 0 && (
        <LaterPage load={loadRemoval} shown={{ infohashes: removing, onClose: () => setRemoving([]) }} />
      )}
    </div>
  )
}
