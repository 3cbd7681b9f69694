// Removals that wait to be sent, so that they can be undone (decision 0556). They are the page's: who leaves it sends
// them at once, who signs out too; a key that is not taken any more ends them.

import { type Signal, signal } from '@preact/signals'
import { DueRemovals, type Removal } from '../model/due-removals.ts'
import { text } from '../texts/parts.ts'
import { addedLast, remove } from './commands.ts'
import { session } from './context.ts'
import { forMany } from './many.ts'

/** How long a removal can be undone. */
const UNDO_MS = 8000
/** Requests that a browser sends for a page that is gone; it is asked before more would be lost. */
const MAX_AT_LEAVING = 200

/** Grows when another one waits. */
const version = signal(0)

/** Those that wait. */
export const dueRemovals = new DueRemovals({
  later(run) {
    const timer = setTimeout(run, UNDO_MS)
    return () => clearTimeout(timer)
  },
  send: removal => void send(removal),
  changed: () => version.value++,
})

/** Those that wait, followed where they are read while a page is drawn. */
export const waitingRemovals: { readonly value: readonly Removal[] } = {
  get value() {
    void version.value
    return dueRemovals.waiting
  },
}

/** Info hashes of all that wait; followed as well. */
export const leavingDownloads: Pick<Signal<ReadonlySet<string>>, 'value'> = {
  get value() {
    void version.value
    return dueRemovals.due
  },
}

function send({ infohashes, withFiles }: Removal): Promise<boolean> {
  return forMany(infohashes, infohash => remove(infohash, withFiles), text('removed'))
}

/** Sends what waits, and resolves when it is done. */
export async function sendRemovals(): Promise<void> {
  await Promise.all(dueRemovals.takeAll().map(send))
}

/** Sends what waits for a page that goes away. */
function tellRemovals(): void {
  const all = dueRemovals
    .takeAll()
    .flatMap(({ infohashes, withFiles }) =>
      infohashes.map(infohash => ({ path: { infohash }, parameters: { remove_data: withFiles } })),
    )
  for (const { path, parameters } of all.slice(0, MAX_AT_LEAVING))
    session.node.tell(session.api.request('DELETE /downloads/{infohash}', { path, parameters }))
}

/** Looks after removals that wait when the page goes away; once in a page. */
export function guardRemovals(): void {
  globalThis.addEventListener('pagehide', tellRemovals)
  globalThis.addEventListener('beforeunload', event => {
    if (dueRemovals.due.size > MAX_AT_LEAVING) event.preventDefault()
  })
  session.key.subscribe(key => {
    if (key === null) dueRemovals.takeAll()
  })
  // Who adds it again wants it.
  addedLast.subscribe(({ infohash }) => dueRemovals.keep(infohash))
}
