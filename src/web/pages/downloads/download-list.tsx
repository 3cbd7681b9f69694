// The list of downloads: a grid with only the rows in view in the page. One tab stop for the rows; arrows move, Enter
// opens, Space marks, and the mouse marks as in every file list. The heads of the columns are a second stop.

import { useEffect, useReducer, useRef } from 'preact/hooks'
import { type View, withFacet } from '../../model/list-view.ts'
import {
  type ColumnChoice,
  leastWidthOf,
  type ListColumn,
  listColumns,
  tracksOf,
  wideFieldsOf,
} from '../../model/list-columns.ts'
import { ListCursor } from '../../model/list-cursor.ts'
import { isWholeQueue } from '../../model/queue-drop.ts'
import type { ShownList } from '../../model/shown-list.ts'
import { textOf } from '../../node/api.ts'
import { session } from '../../node/context.ts'
import { dueRemovals, leavingDownloads } from '../../node/removals.ts'
import { Icon } from '../../parts/icons.tsx'
import { text } from '../../texts/downloads/list.ts'
import { type ListWindow, useWindow } from '../../parts/use-window.ts'
import type { OpenedMenu } from './download-actions.tsx'
import { ComingRow, DownloadRow } from './download-row.tsx'
import { useColumnDrag } from './use-column-drag.ts'
import { useQueueDrag } from './use-queue-drag.ts'
import { useRowMenu } from './use-row-menu.ts'

/** As in the style sheet. */
const [HEAD_HEIGHT, ROW_HEIGHT, CARD_HEIGHT] = [32, 38, 66]

/** Of the heads one is a tab stop, that of the name, which every width shows; arrows lead to the others. */
function moveAmongHeads(event: KeyboardEvent): void {
  const all = [...(event.currentTarget as Element).querySelectorAll('button')]
  const heads = all.filter(head => head.checkVisibility())
  const at = heads.findIndex(head => head === document.activeElement)
  const targets: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: heads.length - 1 }
  const target = heads[targets[event.key] ?? -1]
  if (target === undefined) return
  event.preventDefault()
  target.focus()
}

type HeadsProps = Pick<DownloadListProps, 'view' | 'setView' | 'columns' | 'chooseColumns'>

/** Where a column that is dragged would be dropped. */
function dropMark(drop: number | null, at: number, length: number): string {
  if (drop === at) return ' drop-before'
  return drop === length && at === length - 1 ? ' drop-behind' : ''
}

function Heads({ view, setView, columns, chooseColumns }: HeadsProps) {
  const shown = columns ?? listColumns
  const drag = useColumnDrag(shown, chooseColumns)
  const sortBy = ({ sort, largeFirst }: ListColumn) =>
    setView({ ...view, sort, descending: view.sort === sort ? !view.descending : largeFirst })
  return (
    <div
      role="row"
      class="row heads"
      aria-rowindex={1}
      onKeyDown={moveAmongHeads}
      {...drag.pointer}
      onClickCapture={event => {
        if (drag.swallows(event)) event.stopPropagation()
      }}
    >
      <span role="columnheader" class="cell sign">
        <span class="visually-hidden">{text('sign')}</span>
      </span>
      {shown.map((column, at) => {
        const { sort, heading, place } = column
        const sorted = view.sort === sort
        const direction = view.descending ? 'descending' : 'ascending'
        return (
          <span
            key={sort}
            role="columnheader"
            class={`cell ${place}${dropMark(drag.at, at, shown.length)}`}
            data-column={sort}
            aria-sort={sorted ? direction : 'none'}
          >
            <button type="button" class="head" tabIndex={sort === 'name' ? 0 : -1} onClick={() => sortBy(column)}>
              {text(heading)}
              {sorted && <Icon name={view.descending ? 'down' : 'up'} size={12} />}
            </button>
          </span>
        )
      })}
    </div>
  )
}

interface DownloadListProps {
  readonly list: ShownList
  readonly view: View
  readonly selected: ReadonlySet<string>
  /** Info hash of the download whose page is open; empty = none. */
  readonly open: string
  readonly narrow: boolean
  /** Those that were chosen; null: those that there is room for. */
  readonly columns: ColumnChoice | null
  chooseColumns(choice: ColumnChoice): void
  setView(view: View): void
  select(selected: ReadonlySet<string>): void
  openRow(infohash: string): void
  remove(infohashes: readonly string[]): void
  openMenu(menu: OpenedMenu): void
}

/** The cursor of the list, which stays while rows come and go. */
function useCursor({ list, open, view, select }: DownloadListProps): ListCursor {
  const [, redraw] = useReducer<number, void>(count => count + 1, 0)
  const made = useRef<ListCursor>(null)
  const selects = useRef(select)
  selects.current = select
  made.current ??= new ListCursor(list, open, {
    moved: () => redraw(),
    select: selected => selects.current(selected),
    failed: error => session.notify(textOf(error), 'bad'),
  })
  const cursor = made.current
  cursor.follow(list)
  useEffect(() => {
    if (open !== '' && open !== cursor.active) cursor.set(open)
  }, [open])
  // What was on its way is of a list that is not shown any more.
  useEffect(() => () => cursor.cancel(), [view])
  return cursor
}

/** Comes with the other actions when it is needed. */
async function moveInQueue(step: 'up' | 'down', infohashes: readonly string[]): Promise<void> {
  const { inQueue } = await import('./actions.ts')
  await inQueue(step)(infohashes)
}

/** Which row a key leads to; null: it is no such key. */
function targetOf({ key }: KeyboardEvent, at: number, last: number, page: number): number | null {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }
  if (key === 'Home') return 0
  if (key === 'End') return last
  const step = steps[key]
  return step === undefined ? null : Math.max(0, Math.min(last, at + step))
}

/** The removal that was asked for last is undone. */
function undoNewest(): void {
  const newest = dueRemovals.waiting.at(-1)
  if (newest !== undefined) dueRemovals.undo(newest.id)
}

/** Where Alt and an arrow lead in the queue; null: it is no such key. */
function queueStepOf({ key, altKey }: KeyboardEvent): 'up' | 'down' | null {
  if (!altKey) return null
  return key === 'ArrowUp' ? 'up' : key === 'ArrowDown' ? 'down' : null
}

/** What the keys and the mouse do. */
function actionsOf(props: DownloadListProps, cursor: ListCursor, view: ListWindow<HTMLDivElement>, rowHeight: number) {
  const { list, selected, narrow } = props
  const mark = (infohash: string) => {
    cursor.settle(infohash)
    const next = new Set(selected)
    if (!next.delete(infohash)) next.add(infohash)
    props.select(next)
  }
  const open = (infohash: string) => {
    cursor.settle(infohash)
    props.select(new Set())
    props.openRow(infohash)
  }
  const go = (index: number, event: KeyboardEvent) => {
    view.show(index)
    cursor.go(index, event.shiftKey ? 'range' : 'move')
    if (!event.shiftKey && (event.ctrlKey || event.metaKey)) cursor.act(mark)
  }
  const giveUp = () => {
    cursor.cancel()
    props.select(new Set())
  }
  const keys = (event: KeyboardEvent) => {
    if ((event.target as Element).closest('.heads') !== null) return
    const step = queueStepOf(event)
    if (step !== null) {
      event.preventDefault()
      cursor.actOnAll(selected, infohashes => void moveInQueue(step, infohashes))
      return
    }
    const page = Math.max(1, Math.floor((view.scroller.current?.clientHeight ?? 0) / rowHeight) - 1)
    const target = targetOf(event, cursor.index, list.length - 1, page)
    if (target !== null) go(target, event)
    else if (event.key === 'Enter') cursor.act(open)
    else if (event.key === ' ') {
      if (event.shiftKey && cursor.index >= 0) cursor.go(cursor.index, 'range')
      else cursor.act(mark)
    } else if (event.key === 'Escape') giveUp()
    else if (event.key === 'Delete') cursor.actOnAll(selected, props.remove)
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) cursor.all()
    else if (event.key === 'z' && (event.ctrlKey || event.metaKey)) undoNewest()
    else return
    event.preventDefault()
  }
  const click = (event: MouseEvent) => {
    const at = event.target as Element
    const infohash = at.closest('[data-infohash]')?.getAttribute('data-infohash')
    if (infohash === null || infohash === undefined) return undefined
    const index = list.indexOf(infohash)
    // A finger means the row: the labels of a phone are too small to be met.
    const label = narrow ? null : at.closest('[data-label]')?.getAttribute('data-label')
    const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey
    if (label !== null && label !== undefined && plain) return props.setView(withFacet(props.view, 'label', label))
    if (index !== -1) view.show(index)
    // A finger has no Ctrl: the sign marks, and so does every touch once something is marked.
    if (at.closest('.sign') !== null || (narrow && selected.size > 0)) mark(infohash)
    else if (event.shiftKey && index !== -1) cursor.go(index, 'range')
    else if (event.ctrlKey || event.metaKey) mark(infohash)
    else open(infohash)
    return undefined
  }
  return { keys, click }
}

/** Of a phone: the rest stands under it. */
const nameAlone = listColumns.slice(0, 1)

function Rows({ props, active, first, end }: { props: DownloadListProps; active: string; first: number; end: number }) {
  const { list, selected, open, narrow } = props
  const leaving = leavingDownloads.value
  const columns = narrow ? nameAlone : (props.columns ?? listColumns)
  const placed = isWholeQueue(props.view)
  return (
    <>
      {Array.from({ length: Math.max(0, end - first) }, (_, offset) => {
        const index = first + offset
        const record = list.at(index)
        if (record === null) return <ComingRow key={`coming ${index}`} index={index} />
        const { infohash } = record
        return (
          <DownloadRow
            key={infohash}
            record={record}
            index={index}
            selected={selected.has(infohash)}
            active={infohash === active}
            open={infohash === open}
            narrow={narrow}
            leaving={leaving.has(infohash)}
            place={placed ? index + 1 : null}
            columns={columns}
          />
        )
      })}
    </>
  )
}

/** The list of downloads: a grid with only the rows in view in the page. */
export function DownloadList(props: DownloadListProps) {
  const { list, narrow } = props
  const chosen = narrow ? null : props.columns
  const cursor = useCursor(props)
  const { active } = cursor
  const rowHeight = narrow ? CARD_HEIGHT : ROW_HEIGHT
  const view = useWindow<HTMLDivElement>(list.length, rowHeight, narrow ? 0 : HEAD_HEIGHT)
  const { first, end } = view
  const wide = wideFieldsOf(chosen)
  useEffect(() => session.downloads.look(first, end, wide), [first, end, list.length, wide.join(',')])
  const { keys, click } = actionsOf(props, cursor, view, rowHeight)
  const menu = useRowMenu(props, cursor)
  const drag = useQueueDrag(props, view.scroller, { row: rowHeight, head: narrow ? 0 : HEAD_HEIGHT })
  const at = list.indexOf(active)
  return (
    <div
      ref={view.scroller}
      class={`list${narrow ? ' narrow' : ''}${chosen === null ? '' : ' chosen'}`}
      style={chosen === null ? {} : { '--columns': tracksOf(chosen), '--least-width': `${leastWidthOf(chosen)}px` }}
      role="grid"
      aria-label={text('downloads')}
      aria-multiselectable="true"
      aria-rowcount={list.length + 1}
      aria-activedescendant={at >= first && at < end ? `row-${active}` : undefined}
      tabIndex={0}
      onPointerDown={event => {
        menu.pointer.onPointerDown(event)
        drag.pointer.onPointerDown(event)
      }}
      onPointerMove={event => {
        menu.pointer.onPointerMove(event)
        drag.pointer.onPointerMove(event)
      }}
      onPointerUp={() => {
        menu.pointer.onPointerUp()
        drag.pointer.onPointerUp()
      }}
      onPointerCancel={() => {
        menu.pointer.onPointerCancel()
        drag.pointer.onPointerCancel()
      }}
      onContextMenu={menu.open}
      onKeyDown={event => {
        if (!menu.key(event)) keys(event)
      }}
      onClick={event => {
        if (!drag.swallows(event)) click(event)
      }}
    >
      {!narrow && <Heads {...props} />}
      <div role="rowgroup" class="list-space" style={{ height: `${list.length * rowHeight}px` }}>
        {drag.at !== null && (
          <div role="presentation" class="drop-line" style={{ transform: `translateY(${drag.at * rowHeight}px)` }} />
        )}
        <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          <Rows props={props} active={active} first={first} end={end} />
        </div>
      </div>
    </div>
  )
}
