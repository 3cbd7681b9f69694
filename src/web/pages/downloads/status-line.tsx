// The line under the list: how many downloads are shown, what is selected, and the room where new ones go.

import { bytes } from '../../model/format.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { text } from '../../texts/downloads/list.ts'

/** Nothing tells that the room has changed. */
const ASK_MS = 60_000

interface StatusLineProps {
  /** Downloads that the view shows. */
  readonly shown: number
  readonly selected: ReadonlySet<string>
}

/** The size of all of them; null: there are none, or of some it is not known here. */
function sizeOf(selected: ReadonlySet<string>): number | null {
  if (selected.size === 0) return null
  let sum = 0
  for (const infohash of selected) {
    const row = session.downloads.held(infohash)
    if (row === null) return null
    sum += row.size
  }
  return sum
}

/** The room where new downloads go; null: the key may not ask, or nobody knows. */
async function roomNow(signal: AbortSignal): Promise<number | null> {
  const { free_bytes: free } = await session.api.call('GET /folders', { parameters: {}, signal })
  return free
}

/** The line under the list: how many downloads are shown, what is selected, and the room where new ones go. */
export function StatusLine({ shown, selected }: StatusLineProps) {
  const { value: free } = useAnswer(roomNow, [], ASK_MS)
  const size = sizeOf(selected)
  return (
    <div class="status-line" role="group" aria-label={text('statusLine')}>
      <span role="status">{text('count', { count: shown })}</span>
      {size !== null && <span>{text('selectedSize', { size: bytes(size) })}</span>}
      {free !== null && <span class="room">{text('room', { free: bytes(free) })}</span>}
    </div>
  )
}
