// The order of the list where there are no heads of columns: on a phone.

import type { SortColumn, View } from '../../model/list-view.ts'
import { listColumns, queueColumn } from '../../model/list-columns.ts'
import { Icon } from '../../parts/icons.tsx'
import { text } from '../../texts/downloads/list.ts'

/** What the list is sorted by, and which way. */
export function SortChoice({ view, setView }: { view: View; setView: (view: View) => void }) {
  const choose = (sort: SortColumn) => {
    const largeFirst = listColumns.find(column => column.sort === sort)?.largeFirst ?? false
    setView({ ...view, sort, descending: largeFirst })
  }
  return (
    <div class="sort-choice" role="group" aria-label={text('order')}>
      <select
        aria-label={text('sortBy')}
        value={view.sort}
        onChange={event => choose(event.currentTarget.value as SortColumn)}
      >
        {[...listColumns, queueColumn].map(({ sort, heading }) => (
          <option key={sort} value={sort}>
            {text(heading)}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="quiet"
        aria-label={text('descending')}
        aria-pressed={view.descending}
        onClick={() => setView({ ...view, descending: !view.descending })}
      >
        <Icon name={view.descending ? 'down' : 'up'} size={16} />
      </button>
    </div>
  )
}
