// Notifications of the browser: of what happens while somebody looks elsewhere. The browser is asked for its permission
// when they are switched on and never before; the choice is this device's.

import { signal } from '@preact/signals'
import { keep, readKept } from '../model/kept.ts'
import { notificationOf } from '../model/notification-texts.ts'
import type { NodeEvent } from '../model/event-lines.ts'
import { session } from './context.ts'

const KEPT = 'tributary.notifications'

/** `refused`: by the person; `insecure`: browsers have none without https; `none`: this browser has none. */
export type NotificationState = 'on' | 'off' | 'refused' | 'insecure' | 'none'

function stateNow(): NotificationState {
  if (!isSecureContext) return 'insecure'
  if (typeof Notification === 'undefined') return 'none'
  if (Notification.permission === 'denied') return 'refused'
  return Notification.permission === 'granted' && readKept(localStorage, KEPT) === true ? 'on' : 'off'
}

/** How it is now. */
export const notificationState = signal<NotificationState>('off')

/** Switches them on, for which the browser may ask, or off. */
export async function switchNotifications(on: boolean): Promise<void> {
  if (on) await Notification.requestPermission()
  keep(localStorage, KEPT, on)
  notificationState.value = stateNow()
}

function show(event: NodeEvent): void {
  if (stateNow() !== 'on' || (document.hasFocus() && !document.hidden)) return
  const told = notificationOf(event)
  if (told === null) return
  try {
    const shown = new Notification(told.title, { body: told.body, tag: told.tag })
    shown.addEventListener('click', () => {
      globalThis.focus()
      shown.close()
    })
  } catch {
    // Browsers of phones have them for apps with a service worker alone.
    notificationState.value = 'none'
  }
}

/** Shows what happens from now on; once in a page. */
export function followForNotifications(): void {
  notificationState.value = stateNow()
  session.watchEvents(show)
}
