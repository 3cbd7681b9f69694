// The list of downloads with what narrows it and what is done to several at once; beside it the page of one.

import { useCallback, useState } from 'preact/hooks'
import { isNarrowed, type View } from '../../model/list-view.ts'
import { counted } from '../../model/format.ts'
import type { DetailTab } from '../../model/place.ts'
import { go, narrow, session } from '../../node/context.ts'
import { Icon } from '../../parts/icons.tsx'
import { StateButtons } from '../../parts/state-buttons.tsx'
import { DetailPage } from './detail-page.tsx'
import { DownloadList } from './download-list.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import { ListTools } from './list-tools.tsx'
import { SideBar } from './side-bar.tsx'
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
  if (searching) return <p class="nothing muted">No downloads match.</p>
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
  const side = useSideBar(infohash !== '')
  return (
    <div class={`downloads${infohash === '' ? '' : ' with-detail'}${side.beside ? ' with-side' : ''}`}>
      <h1 class="visually-hidden">Downloads</h1>
      {side.beside && (
        <aside class="downloads-side">
          <SideBar view={view} setView={setView} />
        </aside>
      )}
      <section class="downloads-main" aria-label="All downloads">
        <ListTools view={view} setView={setView} side={side} add={add} />
        {selected.size > 0 && (
          <SelectionBar selected={selected} clear={() => select(new Set())} remove={() => setRemoving([...selected])} />
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
