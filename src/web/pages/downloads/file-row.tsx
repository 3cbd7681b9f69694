// A row of the tree of files: a folder, which opens and closes, or a file, which plays.

import type { DownloadFile, WatchingRecord } from '../../../client/core-routes.ts'
import type { TreeNode } from '../../model/file-tree.ts'
import { bytes, percent, place } from '../../model/format.ts'
import { MEDIA } from '../../model/media-names.ts'
import { addressOf } from '../../model/place.ts'
import { playerLink } from '../../node/commands.ts'
import { copyText } from '../../parts/copy-button.tsx'
import { Icon } from '../../parts/icons.tsx'
import { ProgressBar } from '../../parts/progress-bar.tsx'
import { text } from '../../texts/downloads/files.ts'

/** Pixels of each row. */
export const ROW_HEIGHT = 64
/** Pixels that a folder moves what is in it to the side; deeper ones do not. */
const STEP = 16
const MAX_STEPS = 6

const priorities = [
  [0, 'skip'],
  [1, 'low'],
  [4, 'normal'],
  [7, 'high'],
] as const

interface FileRowProps {
  readonly infohash: string
  readonly node: TreeNode<DownloadFile>
  /** Itself, or all that is below it. */
  readonly files: readonly DownloadFile[]
  /** Null: they differ. */
  readonly priority: number | null
  /** 0 to 1. */
  readonly progress: number
  /** Where it was left; null: never begun. */
  readonly left: WatchingRecord | null
  readonly open: boolean
  toggle(): void
  setPriority(priority: number): void
  rename(): void
}

function leftText(left: WatchingRecord | null): string {
  if (left === null) return ''
  if (left.continue_at > 0) return text('leftAt', { place: place(left.continue_at) })
  return left.watched ? text('watched') : ''
}

function factsOf({ node, files, progress, left }: FileRowProps): string {
  const size = node.kind === 'file' ? node.file.size : node.size
  const chosen = files.filter(file => file.included).length
  const some = chosen > 0 && chosen < files.length ? text('someChosen', { chosen, all: files.length }) : ''
  return [bytes(size), progress < 1 ? percent(progress) : '', some, leftText(left)].filter(Boolean).join(' · ')
}

function Name({ node, open, toggle }: Pick<FileRowProps, 'node' | 'open' | 'toggle'>) {
  if (node.kind === 'file')
    return (
      <bdi class="file-name" title={node.path}>
        {node.name}
      </bdi>
    )
  const label = text(open ? 'close' : 'open', { name: node.path })
  return (
    <button type="button" class="quiet file-folder" aria-expanded={open} aria-label={label} onClick={toggle}>
      <span aria-hidden="true">{open ? '▾' : '▸'}</span>
      <bdi class="file-name">{node.name}</bdi>
    </button>
  )
}

function PriorityChoice({ node, priority, setPriority }: Pick<FileRowProps, 'node' | 'priority' | 'setPriority'>) {
  return (
    <select
      aria-label={text('priority', { name: node.path })}
      value={priority === null ? '' : String(priority)}
      onChange={event => setPriority(Number(event.currentTarget.value))}
    >
      {priority === null && (
        <option value="" disabled>
          {text('mixed')}
        </option>
      )}
      {priorities.map(([value, name]) => (
        <option key={value} value={value}>
          {text(name)}
        </option>
      ))}
    </select>
  )
}

function FileLinks({ infohash, file }: { infohash: string; file: DownloadFile }) {
  const { name } = file
  return (
    <>
      <button
        type="button"
        class="quiet"
        title={text('linkTitle')}
        aria-label={text('linkOf', { name })}
        onClick={() => void copyText(playerLink(file), text('playerLink'))}
      >
        <Icon name="link" />
      </button>
      {MEDIA.test(name) ? (
        <a
          class="button play"
          href={addressOf({ page: 'play', infohash, file: file.index })}
          aria-label={text('play', { name })}
        >
          <Icon name="play" size={16} />
        </a>
      ) : (
        <a class="button quiet play" href={playerLink(file)} download aria-label={text('save', { name })}>
          <Icon name="save" size={16} />
        </a>
      )}
    </>
  )
}

/** A row of the tree of files. */
export function FileRow(props: FileRowProps) {
  const { infohash, node, files, progress, rename } = props
  const skipped = files.every(file => !file.included)
  const style = {
    height: `${ROW_HEIGHT}px`,
    paddingInlineStart: `${20 + STEP * Math.min(node.depth, MAX_STEPS)}px`,
  }
  return (
    <li class={`file${skipped ? ' skipped' : ''}`} style={style}>
      <span class="file-main">
        <Name {...props} />
        <ProgressBar value={progress} tone={progress >= 1 ? 'done' : 'moving'} label={null} />
        <span class="file-facts number">{factsOf(props)}</span>
      </span>
      <PriorityChoice {...props} />
      <button
        type="button"
        class="quiet"
        title={text('rename')}
        aria-label={text('renameOne', { name: node.path })}
        onClick={rename}
      >
        <Icon name="pen" />
      </button>
      {node.kind === 'file' && <FileLinks infohash={infohash} file={node.file} />}
    </li>
  )
}
