// The files of a download: which are fetched and how soon, and links that play them.

import { useMemo, useState } from 'preact/hooks'
import type { Download, DownloadFile, WatchingRecord } from '../../../client/core-routes.ts'
import { bytes, counted, percent, place } from '../../model/format.ts'
import { MEDIA } from '../../model/media-names.ts'
import { addressOf } from '../../model/place.ts'
import { change, files as filesOf, leftAt, playerLink, savePlaylist } from '../../node/commands.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { copyText } from '../../parts/copy-button.tsx'
import { GiveLink } from '../../parts/give-link.tsx'
import { Icon } from '../../parts/icons.tsx'
import { ProgressBar } from '../../parts/progress-bar.tsx'
import { useWindow } from '../../parts/use-window.ts'

const FILES_MS = 3000
/** Of more files than this the list is asked for rarely: it is long. */
const MANY_FILES = 2000
const MANY_FILES_MS = 30_000
const ROW_HEIGHT = 64

const priorities: readonly (readonly [number, string])[] = [
  [0, 'Skip'],
  [1, 'Low'],
  [4, 'Normal'],
  [7, 'High'],
]

/** The named priority that is nearest to one of the node's eight. */
function namedPriority(priority: number): number {
  if (priority === 0) return 0
  return priority < 3 ? 1 : priority < 6 ? 4 : 7
}

interface FileRowProps {
  readonly infohash: string
  readonly file: DownloadFile
  /** Where it was left; null: never begun. */
  readonly left: WatchingRecord | null
  changed(): void
}

function leftText(left: WatchingRecord | null): string {
  if (left === null) return ''
  if (left.continue_at > 0) return ` · left at ${place(left.continue_at)}`
  return left.watched ? ' · watched' : ''
}

function FileRow({ infohash, file, left, changed }: FileRowProps) {
  const setPriority = async (priority: number) => {
    const list: number[] = Array.from({ length: file.index }, () => -1)
    await session.attempt(() => change(infohash, { file_priorities: [...list, priority] }))
    changed()
  }
  const folder = file.name.slice(0, file.name.lastIndexOf('/') + 1)
  return (
    <li class={`file${file.included ? '' : ' skipped'}`} style={{ height: `${ROW_HEIGHT}px` }}>
      <span class="file-main">
        <bdi class="file-name" title={file.name}>
          <span class="muted">{folder}</span>
          {file.name.slice(folder.length)}
        </bdi>
        <ProgressBar value={file.progress} tone={file.progress >= 1 ? 'done' : 'moving'} label={null} />
        <span class="file-facts number">
          {bytes(file.size)}
          {file.progress < 1 && ` · ${percent(file.progress)}`}
          {leftText(left)}
        </span>
      </span>
      <select
        aria-label={`Priority of ${file.name}`}
        value={String(namedPriority(file.priority))}
        onChange={event => void setPriority(Number(event.currentTarget.value))}
      >
        {priorities.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="quiet"
        title="Copy a link for any player"
        aria-label={`Copy player link of ${file.name}`}
        onClick={() => void copyText(playerLink(file), 'Player link')}
      >
        <Icon name="link" />
      </button>
      {MEDIA.test(file.name) ? (
        <a
          class="button play"
          href={addressOf({ page: 'play', infohash, file: file.index })}
          aria-label={`Play ${file.name}`}
        >
          <Icon name="play" size={16} />
        </a>
      ) : (
        <a class="button quiet play" href={playerLink(file)} download aria-label={`Save ${file.name}`}>
          <Icon name="save" size={16} />
        </a>
      )}
    </li>
  )
}

interface FileListProps {
  readonly infohash: string
  readonly files: readonly DownloadFile[]
  readonly left: ReadonlyMap<number, WatchingRecord>
  changed(): void
}

function FileList({ infohash, files, left, changed }: FileListProps) {
  const view = useWindow<HTMLDivElement>(files.length, ROW_HEIGHT)
  return (
    <div class="file-scroll" ref={view.scroller} tabIndex={0} role="group" aria-label="Files">
      <div style={{ height: `${files.length * ROW_HEIGHT}px` }}>
        <ul class="file-list" style={{ transform: `translateY(${view.first * ROW_HEIGHT}px)` }}>
          {files.slice(view.first, view.end).map(file => (
            <FileRow
              key={file.index}
              infohash={infohash}
              file={file}
              left={left.get(file.index) ?? null}
              changed={changed}
            />
          ))}
        </ul>
      </div>
    </div>
  )
}

/** The files of a download: which are fetched and how soon, and links that play them. */
export function DetailFiles({ record }: { record: Download }) {
  const { infohash } = record
  const [count, setCount] = useState(0)
  const everyMs = record.progress >= 1 ? 0 : count > MANY_FILES ? MANY_FILES_MS : FILES_MS
  const ask = async (signal: AbortSignal) => {
    const files = await filesOf(infohash, signal)
    setCount(files.length)
    return files
  }
  const { value: files, problem, refresh } = useAnswer(ask, [infohash, record.total_pieces], everyMs)
  const { value: begun } = useAnswer(signal => leftAt(infohash, signal), [infohash], 0)
  const left = useMemo(() => new Map((begun ?? []).map(one => [one.fileindex, one])), [begun])
  if (files === null) return <p class="nothing muted">{problem || 'Asking the node…'}</p>
  if (files.length === 0) return <p class="nothing muted">Its files are known when its metadata has come.</p>
  const select = async (indexes: number[]) => {
    await session.attempt(() => change(infohash, { selected_files: indexes }))
    refresh()
  }
  const included = files.filter(file => file.included)
  return (
    <>
      <div class="part-tools">
        <span class="muted">
          {counted(files.length, 'file')}, {included.length.toLocaleString('en')} chosen
        </span>
        <button type="button" class="quiet" onClick={() => void select(files.map(file => file.index))}>
          Fetch all
        </button>
        <button type="button" class="quiet" onClick={() => void select([])}>
          Skip all
        </button>
        {included.some(file => MEDIA.test(file.name)) && (
          <button type="button" onClick={() => void session.attempt(() => savePlaylist(infohash, record.name))}>
            <Icon name="film" size={16} /> Playlist
          </button>
        )}
        <GiveLink infohash={infohash} file={null} what={record.name} />
      </div>
      <FileList infohash={infohash} files={files} left={left} changed={refresh} />
    </>
  )
}
