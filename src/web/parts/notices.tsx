// Messages that come and go in a corner, told to screen readers too, what is being done to many downloads, removals
// that can be undone, and the line that says that the connection is lost.

import type { Removal } from '../model/due-removals.ts'
import { session } from '../node/context.ts'
import { type Work, works } from '../node/many.ts'
import { dueRemovals, waitingRemovals } from '../node/removals.ts'
import { Icon } from './icons.tsx'
import { text } from '../texts/parts.ts'

/** How far it is, and what ends it. */
function WorkLine({ done, total, stop }: Work) {
  const said = text('workDone', { done, total })
  return (
    <div class="notice">
      <progress max={total} value={done} aria-label={said} />
      <span class="number">{said}</span>
      <button type="button" class="quiet" onClick={stop}>
        {text('stopWork')}
      </button>
    </div>
  )
}

/** What will be removed; it waits while the pointer or the keyboard is here. */
function RemovalLine({ id, infohashes, withFiles }: Removal) {
  const hold = () => dueRemovals.hold(id)
  const release = () => dueRemovals.go(id)
  return (
    <div class="notice" onPointerEnter={hold} onPointerLeave={release} onFocusIn={hold} onFocusOut={release}>
      <Icon name="trash" />
      <span>{text(withFiles ? 'removingFiles' : 'removing', { count: infohashes.length })}</span>
      <button type="button" onClick={() => dueRemovals.undo(id)}>
        {text('undo')}
      </button>
      <button type="button" class="quiet" onClick={() => dueRemovals.now(id)}>
        {text('removeNow')}
      </button>
    </div>
  )
}

/** The messages of now. */
export function Notices() {
  return (
    <div class="notices">
      {works.value.map(work => (
        <WorkLine key={work.id} {...work} />
      ))}
      <div class="notices-told" role="status" aria-live="polite">
        {waitingRemovals.value.map(removal => (
          <RemovalLine key={removal.id} {...removal} />
        ))}
        {session.notices.value.map(({ id, text: message, tone }) => (
          <div key={id} class={`notice ${tone}`}>
            <Icon name={tone === 'good' ? 'check' : 'warn'} />
            <span dir="auto">{message}</span>
            <button type="button" class="quiet" aria-label={text('dismiss')} onClick={() => session.dismiss(id)}>
              <Icon name="close" size={16} />
            </button>
          </div>
        ))}
      </div>
    </div>
  )
}

/** Shown while there is no connection; what the page holds stays readable. */
export function ConnectionLine() {
  const connection = session.connection.value
  if (connection.state !== 'lost') return null
  return (
    <div class="connection-line" role="alert">
      <Icon name="warn" />
      <span>
        <strong>{text('lost')}</strong> {connection.reason} {text('mayBeOld')}
      </span>
      <button type="button" onClick={() => session.reconnect()}>
        {text('tryNow')}
      </button>
    </div>
  )
}
