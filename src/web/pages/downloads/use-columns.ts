// The columns that this device shows of the list.

import { useState } from 'preact/hooks'
import { type ColumnChoice, columnsIn, keptColumns } from '../../model/list-columns.ts'
import { keep, readKept } from '../../model/kept.ts'

const KEPT = 'tributary.list.columns'

/** The columns that this device shows of the list. */
export interface ChosenColumns {
  /** Null: nothing was chosen; those that there is room for are shown. */
  readonly choice: ColumnChoice | null
  /** Null: nothing is chosen any more. */
  choose(choice: ColumnChoice | null): void
}

/** As this device has kept them. */
export function useColumns(): ChosenColumns {
  const [choice, setChoice] = useState(() => columnsIn(readKept(localStorage, KEPT)))
  return {
    choice,
    choose(next) {
      keep(localStorage, KEPT, next === null ? null : keptColumns(next))
      setChoice(next)
    },
  }
}
