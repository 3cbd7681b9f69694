// Long lists a part at a time: the first rows, and a button for more.

import { useState } from 'preact/hooks'
import { text } from '../texts/parts.ts'

/** Rows of a part. */
const PART = 100

/** The rows to show of a list, and the button for more where there are more. */
export function useParts<T>(rows: readonly T[]): { readonly shown: readonly T[]; readonly more: preact.VNode | null } {
  const [count, setCount] = useState(PART)
  const left = rows.length - count
  return {
    shown: rows.slice(0, count),
    more:
      left <= 0 ? null : (
        <button type="button" class="more-rows" onClick={() => setCount(count + PART)}>
          {text('more', { left })}
        </button>
      ),
  }
}
