// The list of downloads: a grid with only the rows in view in the page. One tab stop for the rows; arrows move, Enter
// opens, Space marks, and the mouse marks as in every file list. The heads of the columns are a second stop.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Row, SortColumn, View } from '../../model/download-table.ts'
import { Icon } from '../../parts/icons.tsx'
import { useWindow } from '../../parts/use-window.ts'
import { DownloadRow } from './download-row.tsx'

const columns: readonly (readonly [SortColumn, string, string])[] = [
  ['name', 'Name', 'name'],
  ['progress', 'Progress', 'progress'],
  ['status', 'State', 'state'],
  ['size', 'Size', 'size'],
  ['speed_down', 'Down', 'down'],
  ['speed_up', 'Up', 'up'],
  ['eta', 'Left', 'eta'],
  ['num_peers', 'Peers', 'peers'],
  ['ratio', 'Ratio', 'ratio'],
  ['time_added', 'Added', 'added'],
]

/** As in the style sheet. */
const [HEAD_HEIGHT, ROW_HEIGHT, CARD_HEIGHT] = [32, 38, 66]

/** Columns whose large values people look for first. */
const LARGE_FIRST = new Set<SortColumn>([
  'progress',
  'size',
  'speed_down',
  'speed_up',
  'num_peers',
  'ratio',
  'time_added',
])

/** Of the heads one is a tab stop, the one that sorts; arrows lead to the others. */
function moveAmongHeads(event: KeyboardEvent): void {
  const heads = [...(event.currentTarget as Element).querySelectorAll('button')]
  const at = heads.findIndex(head => head === document.activeElement)
  const targets: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: heads.length - 1 }
  const target = heads[targets[event.key] ?? -1]
  if (target === undefined) return
  event.preventDefault()
  target.focus()
}

function Heads({ view, setView }: { view: View; setView: (view: View) => void }) {
  const sortBy = (sort: SortColumn) =>
    setView({ ...view, sort, descending: view.sort === sort ? !view.descending : LARGE_FIRST.has(sort) })
  return (
    <div role="row" class="row heads" aria-rowindex={1} onKeyDown={moveAmongHeads}>
      <span role="columnheader" class="cell sign">
        <span class="visually-hidden">Sign</span>
      </span>
      {columns.map(([sort, heading, place]) => {
        const sorted = view.sort === sort
        const direction = view.descending ? 'descending' : 'ascending'
        return (
          <span key={sort} role="columnheader" class={`cell ${place}`} aria-sort={sorted ? direction : 'none'}>
            <button type="button" class="head" tabIndex={sorted ? 0 : -1} onClick={() => sortBy(sort)}>
              {heading}
              {sorted && <Icon name={view.descending ? 'down' : 'up'} size={12} />}
            </button>
          </span>
        )
      })}
    </div>
  )
}

interface DownloadListProps {
  readonly rows: readonly Row[]
  readonly view: View
  readonly selected: ReadonlySet<string>
  /** Info hash of the download whose page is open; empty = none. */
  readonly open: string
  readonly narrow: boolean
  setView(view: View): void
  select(selected: ReadonlySet<string>): void
  openRow(infohash: string): void
  remove(infohashes: readonly string[]): void
}

function rangeOf(rows: readonly Row[], from: string, to: number): string[] {
  const start = Math.max(
    0,
    rows.findIndex(row => row.record.infohash === from),
  )
  return rows.slice(Math.min(start, to), Math.max(start, to) + 1).map(row => row.record.infohash)
}

/** The list of downloads: a grid with only the rows in view in the page. */
export function DownloadList(props: DownloadListProps) {
  const { rows, selected, open, narrow } = props
  const [active, setActive] = useState(open)
  /** Where a range begins. */
  const anchor = useRef('')
  const rowHeight = narrow ? CARD_HEIGHT : ROW_HEIGHT
  const view = useWindow<HTMLDivElement>(rows.length, rowHeight, narrow ? 0 : HEAD_HEIGHT)
  useEffect(() => {
    if (open !== '') setActive(open)
  }, [open])

  const mark = (index: number) => {
    const infohash = rows[index]?.record.infohash ?? ''
    anchor.current = infohash
    setActive(infohash)
    const next = new Set(selected)
    if (!next.delete(infohash)) next.add(infohash)
    props.select(next)
  }

  const choose = (index: number, event: MouseEvent | KeyboardEvent, openIt: boolean) => {
    const infohash = rows[index]?.record.infohash
    if (infohash === undefined) return
    setActive(infohash)
    view.show(index)
    if (event.shiftKey) return props.select(new Set(rangeOf(rows, anchor.current, index)))
    if (event.ctrlKey || event.metaKey || ('key' in event && event.key === ' ')) return mark(index)
    anchor.current = infohash
    if (!openIt) return
    props.select(new Set())
    props.openRow(infohash)
  }

  const keys = (event: KeyboardEvent) => {
    if ((event.target as Element).closest('.heads') !== null) return
    const at = rows.findIndex(row => row.record.infohash === active)
    const page = Math.max(1, Math.floor((view.scroller.current?.clientHeight ?? 0) / rowHeight) - 1)
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }
    const last = rows.length - 1
    if (event.key in steps) choose(Math.max(0, Math.min(last, at + (steps[event.key] ?? 0))), event, false)
    else if (event.key === 'Home') choose(0, event, false)
    else if (event.key === 'End') choose(last, event, false)
    else if (event.key === 'Enter') choose(at, event, true)
    else if (event.key === ' ') choose(at, event, false)
    else if (event.key === 'Escape') props.select(new Set())
    else if (event.key === 'Delete') props.remove(selected.size > 0 ? [...selected] : active === '' ? [] : [active])
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey))
      props.select(new Set(rows.map(row => row.record.infohash)))
    else return
    event.preventDefault()
  }

  const click = (event: MouseEvent) => {
    const at = event.target as Element
    const infohash = at.closest('[data-infohash]')?.getAttribute('data-infohash')
    if (infohash === null || infohash === undefined) return
    const index = rows.findIndex(row => row.record.infohash === infohash)
    // A finger has no Ctrl: the sign marks, and so does every touch once something is marked.
    if (at.closest('.sign') !== null || (narrow && selected.size > 0)) mark(index)
    else choose(index, event, true)
  }

  const shown = rows.slice(view.first, view.end)
  const isActiveShown = shown.some(row => row.record.infohash === active)
  return (
    <div
      ref={view.scroller}
      class={`list${narrow ? ' narrow' : ''}`}
      role="grid"
      aria-label="Downloads"
      aria-multiselectable="true"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={isActiveShown ? `row-${active}` : undefined}
      tabIndex={0}
      onKeyDown={keys}
      onClick={click}
    >
      {!narrow && <Heads view={props.view} setView={props.setView} />}
      <div role="rowgroup" class="list-space" style={{ height: `${rows.length * rowHeight}px` }}>
        <div role="presentation" style={{ transform: `translateY(${view.first * rowHeight}px)` }}>
          {shown.map(({ record }, offset) => (
            <DownloadRow
              key={record.infohash}
              record={record}
              index={view.first + offset}
              selected={selected.has(record.infohash)}
              active={record.infohash === active}
              open={record.infohash === open}
              narrow={narrow}
            />
          ))}
        </div>
      </div>
    </div>
  )
}
