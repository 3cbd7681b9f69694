// The files of a torrent as a tree in which they are chosen: by a click or the space bar, folders with all that is
// below them. Only the rows in view are in the page. Keys are those of a tree: arrows, Home, End.

import { useId, useMemo, useState } from 'preact/hooks'
import {
  choices,
  type FileTree,
  fileTree,
  filesLike,
  filesOf,
  folderPaths,
  openRows,
  type TreeNode,
} from '../../model/file-tree.ts'
import { bytes } from '../../model/format.ts'
import { Icon } from '../../parts/icons.tsx'
import { useWindow } from '../../parts/use-window.ts'
import { text } from '../../texts/downloads/adding.ts'
import type { ListedFile } from './use-looks.ts'

const ROW_HEIGHT = 32
/** With more files folders are closed at first. */
const FEW_FILES = 30

interface FileChoiceProps {
  /** Of the torrent. */
  readonly name: string
  readonly tree: FileTree<ListedFile>
  readonly chosen: ReadonlySet<number>
  choose(chosen: ReadonlySet<number>): void
}

interface Rows {
  readonly rows: readonly TreeNode<ListedFile>[]
  readonly open: ReadonlySet<string>
  readonly choiceOf: (node: TreeNode<ListedFile>) => 'all' | 'some' | 'none'
  toggle(node: TreeNode<ListedFile>): void
  setOpen(path: string, isOpen: boolean): void
}

function useRows(tree: FileTree<ListedFile>, { chosen, choose }: FileChoiceProps, searching: boolean): Rows {
  const [opened, setOpened] = useState<ReadonlySet<string>>(() =>
    tree.files.length <= FEW_FILES ? folderPaths(tree) : new Set(),
  )
  // What a search finds is shown wherever it lies.
  const open = useMemo(() => (searching ? folderPaths(tree) : opened), [searching, tree, opened])
  const rows = useMemo(() => openRows(tree, open), [tree, open])
  const choiceOf = useMemo(() => choices(tree, ({ index }) => chosen.has(index)), [tree, chosen])
  return {
    rows,
    open,
    choiceOf,
    toggle(node) {
      const next = new Set(chosen)
      const all = choiceOf(node) === 'all'
      for (const { index } of filesOf(tree, node))
        if (all) next.delete(index)
        else next.add(index)
      choose(next)
    },
    setOpen(path, isOpen) {
      const next = new Set(opened)
      if (isOpen) next.add(path)
      else next.delete(path)
      setOpened(next)
    },
  }
}

const isOpenFolder = (node: TreeNode<ListedFile> | undefined, { open }: Rows): boolean =>
  node?.kind === 'folder' && open.has(node.path)

/** Where a key leads from row `at`; null: it is none of a tree's. */
function keyTarget(key: string, at: number, given: Rows): number | null {
  const { rows } = given
  const node = rows[at]
  switch (key) {
    case 'ArrowDown':
      return Math.min(rows.length - 1, at + 1)
    case 'ArrowUp':
      return Math.max(0, at - 1)
    case 'Home':
      return 0
    case 'End':
      return rows.length - 1
    case 'ArrowRight':
      if (node?.kind === 'folder' && !isOpenFolder(node, given)) given.setOpen(node.path, true)
      return node?.kind === 'folder' && isOpenFolder(node, given) ? Math.min(rows.length - 1, at + 1) : at
    case 'ArrowLeft': {
      if (node?.kind === 'folder' && isOpenFolder(node, given)) {
        given.setOpen(node.path, false)
        return at
      }
      const folder = rows.slice(0, at).findLastIndex(({ depth }) => depth < (node?.depth ?? 0))
      return folder < 0 ? at : folder
    }
    case ' ':
      if (node !== undefined) given.toggle(node)
      return at
    default:
      return null
  }
}

const CHECKED = { all: 'true', some: 'mixed', none: 'false' } as const

interface RowProps {
  readonly id: string
  readonly node: TreeNode<ListedFile>
  readonly given: Rows
  readonly current: boolean
  enter(): void
}

function Row({ id, node, given, current, enter }: RowProps) {
  const choice = given.choiceOf(node)
  const isFolder = node.kind === 'folder'
  const isOpen = isOpenFolder(node, given)
  return (
    <div
      id={id}
      role="treeitem"
      class={`tree-row${current ? ' current' : ''}`}
      style={{ height: `${ROW_HEIGHT}px`, paddingInlineStart: `${8 + Math.min(node.depth, 8) * 16}px` }}
      aria-level={node.depth + 1}
      aria-checked={CHECKED[choice]}
      aria-expanded={isFolder ? isOpen : undefined}
      onClick={() => {
        enter()
        given.toggle(node)
      }}
    >
      <span
        class={`tree-fold${isOpen ? ' open' : ''}`}
        aria-hidden="true"
        onClick={event => {
          if (!isFolder) return
          event.stopPropagation()
          enter()
          given.setOpen(node.path, !isOpen)
        }}
      >
        {isFolder && <Icon name="fold" size={14} />}
      </span>
      <span class={`tick ${choice}`} aria-hidden="true" />
      <bdi class="tree-name" title={node.path.slice(0, 500)}>
        {node.name}
      </bdi>
      <span class="muted number">{bytes(isFolder ? node.size : node.file.size)}</span>
    </div>
  )
}

function Tree({ name, given }: { name: string; given: Rows }) {
  const id = useId()
  const [at, setAt] = useState(0)
  const { rows } = given
  const here = Math.min(at, rows.length - 1)
  const { scroller, first, end, show } = useWindow<HTMLDivElement>(rows.length, ROW_HEIGHT)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const target = keyTarget(event.key, here, given)
    if (target === null) return
    event.preventDefault()
    setAt(target)
    show(target)
  }
  const inView = here >= first && here < end
  return (
    <div
      ref={scroller}
      class="tree"
      role="tree"
      tabIndex={0}
      aria-label={text('filesOf', { name })}
      aria-multiselectable
      aria-activedescendant={inView ? `${id}-${here}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: `${first * ROW_HEIGHT}px` }} />
      {rows.slice(first, end).map((node, i) => (
        <Row
          key={`${node.kind} ${node.path}`}
          id={`${id}-${first + i}`}
          node={node}
          given={given}
          current={first + i === here}
          enter={() => setAt(first + i)}
        />
      ))}
      <div role="presentation" style={{ height: `${(rows.length - end) * ROW_HEIGHT}px` }} />
    </div>
  )
}

/** The files of a torrent as a tree in which they are chosen. */
export function FileChoice(props: FileChoiceProps) {
  const { name, tree, chosen, choose } = props
  const [search, setSearch] = useState('')
  const shown = useMemo(() => {
    const files = filesLike(tree.files, search)
    return files === tree.files ? tree : fileTree(files)
  }, [tree, search])
  const given = useRows(shown, props, shown !== tree)
  const chooseShown = (isChosen: boolean) => {
    const next = new Set(chosen)
    for (const { index } of shown.files)
      if (isChosen) next.add(index)
      else next.delete(index)
    choose(next)
  }
  return (
    <div class="file-choice">
      <div class="button-line">
        <input
          type="search"
          aria-label={text('findFiles')}
          placeholder={text('findFiles')}
          value={search}
          onInput={event => setSearch(event.currentTarget.value)}
          onKeyDown={event => {
            // Enter would send the form.
            if (event.key === 'Enter') event.preventDefault()
          }}
        />
        <button type="button" onClick={() => chooseShown(true)}>
          {text('selectAll')}
        </button>
        <button type="button" onClick={() => chooseShown(false)}>
          {text('selectNone')}
        </button>
      </div>
      {given.rows.length === 0 ? <p class="muted">{text('noMatch')}</p> : <Tree name={name} given={given} />}
    </div>
  )
}
