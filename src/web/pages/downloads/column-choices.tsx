// Chooses the columns of the list: which, in which order, how wide. Loaded when it is opened.

import {
  allColumns,
  type ListColumn,
  listColumns,
  withMoved,
  withToggled,
  withWidth,
} from '../../model/list-columns.ts'
import { text as textOf } from '../../texts/columns.ts'
import { text } from '../../texts/downloads/list.ts'
import type { ChosenColumns } from './use-columns.ts'

interface ColumnLineProps extends ChosenColumns {
  readonly column: ListColumn
}

/** A line that moves takes its button out of the page for a moment. */
function keepFocus(event: MouseEvent, run: () => void): void {
  const button = event.currentTarget as HTMLElement
  run()
  requestAnimationFrame(() => button.focus())
}

function ColumnLine({ column: { sort, heading }, choice, choose }: ColumnLineProps) {
  const now = choice ?? listColumns
  const at = now.findIndex(each => each.sort === sort)
  const name = text(heading)
  const button = (key: 'earlier' | 'later' | 'narrower' | 'wider', sign: string, off: boolean, run: () => void) => (
    <button
      type="button"
      class="quiet"
      aria-label={textOf(key, { name })}
      aria-disabled={off}
      onClick={event => keepFocus(event, run)}
    >
      {sign}
    </button>
  )
  return (
    <li class="column-line">
      <label class="check">
        <input
          type="checkbox"
          checked={at !== -1}
          disabled={sort === 'name'}
          onChange={() => choose(withToggled(now, sort))}
        />
        {name}
      </label>
      {at !== -1 && (
        <>
          {button('earlier', '↑', at === 0, () => choose(withMoved(now, sort, -1)))}
          {button('later', '↓', at === now.length - 1, () => choose(withMoved(now, sort, 1)))}
          {button('narrower', '−', false, () => choose(withWidth(now, sort, -1)))}
          {button('wider', '+', false, () => choose(withWidth(now, sort, 1)))}
        </>
      )}
    </li>
  )
}

/** Chooses the columns of the list. */
export function ColumnChoices({ choice, choose }: ChosenColumns) {
  const now = choice ?? listColumns
  const others = allColumns.filter(each => !now.some(({ sort }) => sort === each.sort))
  return (
    <>
      <ul aria-label={text('columns')}>
        {[...now, ...others].map(column => (
          <ColumnLine key={column.sort} column={column} choice={choice} choose={choose} />
        ))}
      </ul>
      <button type="button" disabled={choice === null} onClick={() => choose(null)}>
        {textOf('asBefore')}
      </button>
    </>
  )
}
