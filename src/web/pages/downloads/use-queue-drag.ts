// Rows are dragged to another place of the queue, where the list is in its order: the row itself, or all that are
// selected when it is one of them. Keys do it with Alt and the arrows, fingers by the menu.

import { useRef, useState } from 'preact/hooks'
import { dropIndex, isQueue, queuePlace, type QueuePlace } from '../../model/queue-drop.ts'
import type { View } from '../../model/list-view.ts'
import type { ShownList } from '../../model/shown-list.ts'
import type { ListWindow } from '../../parts/use-window.ts'
import { type DragWork, useDrag } from '../../parts/use-drag.ts'

interface QueueDragProps {
  readonly list: ShownList
  readonly view: View
  readonly selected: ReadonlySet<string>
}

/** The list scrolls while the pointer is so near to an edge of it: so many pixels, so often. */
const [EDGE, STEP, STEP_MS] = [32, 19, 50]

/** Comes with the other actions when it is needed. */
async function place(infohashes: readonly string[], to: QueuePlace): Promise<void> {
  const { toQueue } = await import('./actions.ts')
  await toQueue(to)(infohashes)
}

/** `at`: before which row they would be dropped now; null: nothing is dragged. */
export function useQueueDrag(
  props: QueueDragProps,
  scroller: ListWindow<HTMLDivElement>['scroller'],
  sizes: { readonly row: number; readonly head: number },
) {
  const [at, setAt] = useState<number | null>(null)
  const now = useRef(props)
  now.current = props
  const indexAt = (y: number): number => {
    const { scrollTop = 0 } = scroller.current ?? {}
    const { top = 0 } = scroller.current?.getBoundingClientRect() ?? {}
    return dropIndex(y - top - sizes.head + scrollTop, sizes.row, now.current.list.length)
  }
  const begin = ({ target, clientY }: PointerEvent): DragWork | null => {
    const { view, selected } = now.current
    const infohash = (target as Element).closest('[data-infohash]')?.getAttribute('data-infohash')
    if (infohash === null || infohash === undefined || !isQueue(view)) return null
    const moved = selected.has(infohash) ? selected : new Set([infohash])
    let last = clientY
    const timer = setInterval(() => {
      const { top = 0, bottom = 0 } = scroller.current?.getBoundingClientRect() ?? {}
      const by = last < top + sizes.head + EDGE ? -STEP : last > bottom - EDGE ? STEP : 0
      if (by === 0) return
      scroller.current?.scrollBy(0, by)
      setAt(indexAt(last))
    }, STEP_MS)
    return {
      move(_x, y) {
        last = y
        setAt(indexAt(y))
      },
      end(dropped) {
        clearInterval(timer)
        setAt(null)
        const to = dropped && isQueue(now.current.view) ? queuePlace(now.current.list, moved, indexAt(last)) : null
        if (to !== null) void place([...moved], to)
      },
    }
  }
  return { ...useDrag(begin), at }
}
