// The week's table of slow mode as a grid of days and hours, painted by mouse, finger or keyboard.

import { useMemo, useRef, useState } from 'preact/hooks'
import { languageTag } from '../../language/texts.ts'
import {
  type CellState,
  DAYS,
  gridOf,
  HOURS,
  MAX_LINES,
  paintedText,
  type Stroke,
  type WeekCell,
  whyNoGrid,
} from '../../model/settings/week-grid.ts'
import { text } from '../../texts/node/settings.ts'

interface WeekGridProps {
  /** The lines as they are entered, and as they are in force. */
  readonly value: string
  readonly present: string
  /** The id of what explains it. */
  readonly describedBy: string
  set(value: string): void
}

/** Any Monday. */
const MONDAY_MS = Date.UTC(2024, 0, 1)
const DAY_MS = 86_400_000
/** Every so many hours are named above the cells. */
const NAMED_HOURS = 3
/** How keys move, in days and hours. */
const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  Home: [0, -HOURS],
  End: [0, HOURS],
}

const timeOf = (hour: number) => `${String(hour).padStart(2, '0')}:00`
const within = (at: number, count: number) => Math.min(count - 1, Math.max(0, at))

function dayName(day: number, weekday: 'short' | 'long'): string {
  const format = new Intl.DateTimeFormat(languageTag(), { weekday, timeZone: 'UTC' })
  return format.format(MONDAY_MS + day * DAY_MS)
}

function cellName({ day, hour }: WeekCell, state: CellState): string {
  const times = { day: dayName(day, 'long'), from: timeOf(hour), to: timeOf(hour + 1) }
  return text(state === 'part' ? 'weekCellPart' : 'weekCell', times)
}

/** The cell that an element is, or lies in; null: it is of no grid. */
function cellAt(element: Element | null): WeekCell | null {
  const [day, hour] = (element?.closest('[data-cell]')?.getAttribute('data-cell') ?? '').split(' ').map(Number)
  return day === undefined || hour === undefined ? null : { day, hour }
}

const isSame = (a: WeekCell, b: WeekCell) => a.day === b.day && a.hour === b.hour

/** A stroke under way: what was there before it, so that it can become smaller again or be given up. */
interface Painting {
  readonly pointer: number
  readonly before: string
  readonly stroke: Stroke
}

/** What a pointer does: it paints from where it went down to where it is, the other way than that cell was. */
function usePainting({ value, present, set }: WeekGridProps, stateOf: (cell: WeekCell) => CellState | undefined) {
  const painting = useRef<Painting | null>(null)
  const paint = (pointer: number, before: string, stroke: Stroke) => {
    painting.current = { pointer, before, stroke }
    set(paintedText(before, present, stroke))
  }
  return {
    onPointerDown(event: PointerEvent & { currentTarget: HTMLElement }) {
      const cell = cellAt(event.target as Element)
      if (cell === null || event.button !== 0 || !event.isPrimary) return
      event.currentTarget.setPointerCapture(event.pointerId)
      paint(event.pointerId, value, { from: cell, to: cell, on: stateOf(cell) !== 'on' })
    },
    onPointerMove(event: PointerEvent & { currentTarget: HTMLElement }) {
      const { current } = painting
      if (current?.pointer !== event.pointerId) return
      const under = document.elementFromPoint(event.clientX, event.clientY)
      const cell = event.currentTarget.contains(under) ? cellAt(under) : null
      if (cell !== null && !isSame(cell, current.stroke.to))
        paint(current.pointer, current.before, { from: current.stroke.from, to: cell, on: current.stroke.on })
    },
    onPointerUp({ pointerId }: PointerEvent) {
      if (painting.current?.pointer === pointerId) painting.current = null
    },
    // The finger scrolls the page after all: nothing was meant to change.
    onPointerCancel({ pointerId }: PointerEvent) {
      if (painting.current?.pointer !== pointerId) return
      set(painting.current.before)
      painting.current = null
    },
  }
}

/** What keys do; the cell that has the focus is `at`. */
function onKey(
  event: KeyboardEvent & { currentTarget: HTMLElement },
  at: WeekCell,
  stateOf: (cell: WeekCell) => CellState | undefined,
  act: { go(cell: WeekCell): void; paint(stroke: Stroke): void },
): void {
  if (event.ctrlKey || event.altKey || event.metaKey) return
  const move = MOVES[event.key]
  if (move === undefined && event.key !== ' ' && event.key !== 'Enter') return
  event.preventDefault()
  if (move === undefined) return act.paint({ from: at, to: at, on: stateOf(at) !== 'on' })
  const isMirrored = event.key.startsWith('Arrow') && getComputedStyle(event.currentTarget).direction === 'rtl'
  const next = {
    day: within(at.day + move[0], DAYS),
    hour: within(at.hour + (isMirrored ? -move[1] : move[1]), HOURS),
  }
  act.go(next)
  // What the cell is that was left goes along.
  if (event.shiftKey) act.paint({ from: at, to: next, on: stateOf(at) !== 'off' })
}

function Hours() {
  return (
    <div class="week-row" aria-hidden="true">
      {Array.from({ length: HOURS / NAMED_HOURS }, (_, at) => (
        <span key={at} class="week-hour number">
          {timeOf(at * NAMED_HOURS).slice(0, 2)}
        </span>
      ))}
    </div>
  )
}

/** See WeekGridProps. Lines that it cannot show are said, and it is not painted then: nothing of them is lost. */
export function WeekGrid(props: WeekGridProps) {
  const { value, present, describedBy, set } = props
  const [at, setAt] = useState<WeekCell>({ day: 0, hour: 0 })
  const grid = useRef<HTMLDivElement>(null)
  const { rows, trouble } = useMemo(() => ({ rows: gridOf(value), trouble: whyNoGrid(value) }), [value])
  const stateOf = ({ day, hour }: WeekCell) => rows[day]?.[hour]
  const pointer = usePainting(props, stateOf)
  const go = (cell: WeekCell) => {
    setAt(cell)
    grid.current?.querySelector<HTMLElement>(`[data-cell="${cell.day} ${cell.hour}"]`)?.focus()
  }
  const paint = (stroke: Stroke) => set(paintedText(value, present, stroke))
  const isOff = trouble !== null
  return (
    <div class="week">
      <div
        ref={grid}
        role="grid"
        class="week-grid"
        aria-label={text('weekGrid')}
        aria-describedby={describedBy}
        aria-multiselectable="true"
        aria-disabled={isOff}
        onKeyDown={event => onKey(event, at, stateOf, { go, paint: isOff ? () => undefined : paint })}
        {...(isOff ? {} : pointer)}
      >
        <Hours />
        {rows.map((cells, day) => (
          <div key={day} role="row" class="week-row">
            <bdi role="rowheader" aria-label={dayName(day, 'long')}>
              {dayName(day, 'short')}
            </bdi>
            {cells.map((state, hour) => (
              <div
                key={hour}
                role="gridcell"
                class={`week-cell ${state}`}
                data-cell={`${day} ${hour}`}
                tabIndex={isSame(at, { day, hour }) ? 0 : -1}
                aria-label={cellName({ day, hour }, state)}
                aria-selected={state === 'on'}
                onFocus={() => setAt({ day, hour })}
              />
            ))}
          </div>
        ))}
      </div>
      <p id={describedBy} class="help" role="status">
        {trouble === null
          ? text('weekHelp')
          : trouble === 'many'
            ? text('weekTooMany', { count: MAX_LINES })
            : text('weekUnread', { line: trouble.line })}
      </p>
    </div>
  )
}
