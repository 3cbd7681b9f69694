// The files of a download as a tree: which are fetched and how soon, their names, and links that play them.

import { useMemo, useState } from 'preact/hooks'
import type { Download, DownloadFile, WatchingRecord } from '../../../client/core-routes.ts'
import { commonPriority, priorityList, progressOf } from '../../model/file-choice.ts'
import { filesLike, filesOf, fileTree, openRows, type TreeNode } from '../../model/file-tree.ts'
import { MEDIA } from '../../model/media-names.ts'
import { change, files as askFiles, leftAt, savePlaylist } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { GiveLink } from '../../parts/give-link.tsx'
import { Icon } from '../../parts/icons.tsx'
import { useWindow } from '../../parts/use-window.ts'
import { text } from '../../texts/downloads/files.ts'
import { FileRow, ROW_HEIGHT } from './file-row.tsx'
import { RenameDialog } from './rename-dialog.tsx'

const FILES_MS = 3000
/** Of more files than this the list is asked for rarely: it is long. */
const MANY_FILES = 2000
const MANY_FILES_MS = 30_000
/** Folders of larger torrents are closed at first. */
const OPEN_FILES = 500

type Order = 'name' | 'size' | 'progress'

const byOrder: Readonly<Record<Exclude<Order, 'name'>, (a: DownloadFile, b: DownloadFile) => number>> = {
  size: (a, b) => b.size - a.size,
  progress: (a, b) => a.progress - b.progress,
}

interface FileListProps {
  readonly infohash: string
  readonly files: readonly DownloadFile[]
  readonly left: ReadonlyMap<number, WatchingRecord>
  changed(): void
}

/** Rows of one depth, in another order than that of the tree. */
function flatRows(files: readonly DownloadFile[]): TreeNode<DownloadFile>[] {
  return files.map(file => ({ kind: 'file', path: file.name, name: file.name, depth: 0, file }))
}

function FileList({ infohash, files, left, changed }: FileListProps) {
  const [search, setSearch] = useState('')
  const [order, setOrder] = useState<Order>('name')
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [renaming, setRenaming] = useState<string | null>(null)
  const tree = useMemo(() => fileTree(files), [files])
  const rows = useMemo(() => {
    if (search.trim() !== '' || order !== 'name') {
      const found = filesLike(tree.files, search)
      return flatRows(order === 'name' ? found : found.toSorted(byOrder[order]))
    }
    const opened = files.length <= OPEN_FILES
    return openRows(tree, { has: path => toggled.has(path) !== opened })
  }, [tree, files.length, search, order, toggled])
  const view = useWindow<HTMLDivElement>(rows.length, ROW_HEIGHT)
  const toggle = (path: string) =>
    setToggled(old => new Set(old.has(path) ? [...old].filter(one => one !== path) : [...old, path]))
  const setPriority = async (chosen: readonly DownloadFile[], priority: number) => {
    await session.attempt(() => change(infohash, { file_priorities: priorityList(chosen, priority) }))
    changed()
  }
  const isOpen = (path: string) => toggled.has(path) !== files.length <= OPEN_FILES
  return (
    <>
      <div class="part-tools">
        <input
          type="search"
          aria-label={text('search')}
          placeholder={text('search')}
          value={search}
          onInput={event => setSearch(event.currentTarget.value)}
        />
        <select
          aria-label={text('order')}
          value={order}
          onChange={event => setOrder(event.currentTarget.value as Order)}
        >
          <option value="name">{text('byName')}</option>
          <option value="size">{text('bySize')}</option>
          <option value="progress">{text('byProgress')}</option>
        </select>
      </div>
      {rows.length === 0 && <p class="nothing muted">{text('nothingFound')}</p>}
      <div class="file-scroll" ref={view.scroller} tabIndex={0} role="group" aria-label={text('files')}>
        <div style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
          <ul class="file-list" style={{ transform: `translateY(${view.first * ROW_HEIGHT}px)` }}>
            {rows.slice(view.first, view.end).map(node => {
              const below = filesOf(tree, node)
              return (
                <FileRow
                  key={`${node.kind} ${node.path}`}
                  infohash={infohash}
                  node={node}
                  files={below}
                  priority={commonPriority(below)}
                  progress={progressOf(below)}
                  left={node.kind === 'file' ? (left.get(node.file.index) ?? null) : null}
                  open={node.kind === 'folder' && isOpen(node.path)}
                  toggle={() => toggle(node.path)}
                  setPriority={priority => void setPriority(below, priority)}
                  rename={() => setRenaming(node.path)}
                />
              )
            })}
          </ul>
        </div>
      </div>
      {renaming !== null && (
        <RenameDialog infohash={infohash} path={renaming} renamed={changed} onClose={() => setRenaming(null)} />
      )}
    </>
  )
}

/** The files of a download: which are fetched and how soon, and links that play them. */
export function DetailFiles({ record }: { record: Download }) {
  const { infohash } = record
  const [count, setCount] = useState(0)
  const everyMs = record.progress >= 1 ? 0 : count > MANY_FILES ? MANY_FILES_MS : FILES_MS
  const ask = async (signal: AbortSignal) => {
    const files = await askFiles(infohash, signal)
    setCount(files.length)
    return files
  }
  const { value: files, problem, refresh } = useAnswer(ask, [infohash, record.total_pieces], everyMs)
  const { value: begun } = useAnswer(signal => leftAt(infohash, signal), [infohash], 0)
  const left = useMemo(() => new Map((begun ?? []).map(one => [one.fileindex, one])), [begun])
  if (files === null) return <p class="nothing muted">{problem || text('asking')}</p>
  if (files.length === 0) return <p class="nothing muted">{text('notKnown')}</p>
  const select = async (indexes: number[]) => {
    await session.attempt(() => change(infohash, { selected_files: indexes }))
    refresh()
  }
  const included = files.filter(file => file.included)
  return (
    <>
      <div class="part-tools">
        <span class="muted">{text('chosen', { count: files.length, chosen: included.length })}</span>
        <button type="button" class="quiet" onClick={() => void select(files.map(file => file.index))}>
          {text('fetchAll')}
        </button>
        <button type="button" class="quiet" onClick={() => void select([])}>
          {text('skipAll')}
        </button>
        {included.some(file => MEDIA.test(file.name)) && (
          <button type="button" onClick={() => void session.attempt(() => savePlaylist(infohash, record.name))}>
            <Icon name="film" size={16} /> {text('playlist')}
          </button>
        )}
        <GiveLink infohash={infohash} file={null} what={record.name} />
      </div>
      <FileList key={infohash} infohash={infohash} files={files} left={left} changed={refresh} />
    </>
  )
}
