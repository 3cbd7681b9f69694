// Switches notifications of the browser on and off, and says why there are none.

import { notificationState, type NotificationState, switchNotifications } from '../../node/notifications.ts'
import { Check } from '../../parts/field.tsx'
import { text } from '../../texts/node/events.ts'

const WHY: Readonly<Record<Exclude<NotificationState, 'on' | 'off'>, string>> = {
  refused: text('notifyRefused'),
  insecure: text('notifyInsecure'),
  none: text('notifyNone'),
}

/** Switches notifications of the browser on and off, and says why there are none. */
export function NotificationSwitch() {
  const state = notificationState.value
  if (state !== 'on' && state !== 'off') return <p class="help">{WHY[state]}</p>
  return <Check label={text('notify')} value={state === 'on'} set={on => void switchNotifications(on)} />
}
