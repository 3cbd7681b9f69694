// Messages that come and go in a corner, told to screen readers too, and the line that says that the connection is
// lost.

import { session } from '../node/context.ts'
import { Icon } from './icons.tsx'

/** The messages of now. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {session.notices.value.map(({ id, text, tone }) => (
        <div key={id} class={`notice ${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'warn'} />
          <span dir="auto">{text}</span>
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => session.dismiss(id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
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
        <strong>Connection lost.</strong> {connection.reason} What you see may be old; it goes on by itself.
      </span>
      <button type="button" onClick={() => session.reconnect()}>
        Try now
      </button>
    </div>
  )
}
