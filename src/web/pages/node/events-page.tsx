// What happened: the events this page heard, and the end of the node's log. Loaded when it is shown.

import { useState } from 'preact/hooks'
import { text } from '../../texts/node/events.ts'
import { EventList } from './event-list.tsx'
import { LogView } from './log-view.tsx'
import { NotificationSwitch } from './notification-switch.tsx'
import '../../style/events.css'

/** What happened: the events this page heard, the newest first, and the end of the node's log. */
export function EventsPage() {
  const [shown, show] = useState<'events' | 'log'>('events')
  return (
    <div class="page">
      <h1>{text('heading')}</h1>
      <div class="groups" role="group" aria-label={text('show')}>
        <button type="button" class="group" aria-pressed={shown === 'events'} onClick={() => show('events')}>
          {text('events')}
        </button>
        <button type="button" class="group" aria-pressed={shown === 'log'} onClick={() => show('log')}>
          {text('log')}
        </button>
      </div>
      {shown === 'events' ? <EventList /> : <LogView />}
      <NotificationSwitch />
    </div>
  )
}
