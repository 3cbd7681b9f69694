// Columns are dragged by their heads to another place. Keys do it in the choice of columns.

import { useState } from 'preact/hooks'
import { type ColumnChoice, withPlaced } from '../../model/list-columns.ts'
import { type DragWork, useDrag } from '../../parts/use-drag.ts'

/** Before which column something lies that is `x` pixels from the left of the window; hidden ones are passed over. */
function indexAt(heads: Element, x: number): number {
  const all = [...heads.querySelectorAll('[data-column]')]
  const right = all.findIndex(head => {
    const { left, width } = head.getBoundingClientRect()
    return width > 0 && x < left + width / 2
  })
  return right === -1 ? all.length : right
}

/** `at`: before which of the shown columns it would be dropped now; null: nothing is dragged. */
export function useColumnDrag(shown: ColumnChoice, choose: (choice: ColumnChoice) => void) {
  const [at, setAt] = useState<number | null>(null)
  const begin = ({ target }: PointerEvent): DragWork | null => {
    const head = (target as Element).closest('[data-column]')
    const heads = head?.parentElement ?? null
    const column = shown.find(({ sort }) => sort === head?.getAttribute('data-column'))
    if (heads === null || column === undefined) return null
    let last = 0
    return {
      move(x) {
        last = indexAt(heads, x)
        setAt(last)
      },
      end(dropped) {
        setAt(null)
        if (!dropped) return
        const placed = withPlaced(shown, column.sort, last)
        if (placed !== shown) choose(placed)
      },
    }
  }
  return { ...useDrag(begin), at }
}
