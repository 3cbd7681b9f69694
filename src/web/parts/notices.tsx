// Messages that come and go in a corner, told to screen readers too, and the line that says that the connection is
// lost.

import { session } from '../node/context.ts'
import { Icon } from './icons.tsx'
import { text } from '../texts/parts.ts'

/** The messages of now. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
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
