// What a browser shows outside of the page: downloads that finished, and what somebody has to look after. Pure.

import { text } from '../texts/node/connection.ts'
import type { NodeEvent } from './event-lines.ts'

/** Characters of a name, or of what went wrong. */
const MAX_CHARS = 200

/** What a notification says. */
export interface NotificationText {
  readonly title: string
  readonly body: string
  /** Of those with the same one the last is shown. */
  readonly tag: string
}

/** What is said of an event; null: nothing. */
export function notificationOf({ type, event = {} }: NodeEvent): NotificationText | null {
  const told = (name: string) => {
    const value = event[name]
    return typeof value === 'string' ? value.slice(0, MAX_CHARS) : ''
  }
  const tag = `${type} ${told('infohash')}${told('mount')}`
  switch (type) {
    case 'torrent_finished':
      return { title: text('finishedTitle'), body: told('name'), tag }
    case 'torrent_error':
      return { title: text('failedTitle'), body: told('error'), tag }
    case 'storage_move_failed':
      return { title: text('notMovedTitle'), body: told('error'), tag }
    case 'volume_stalled':
      return { title: text('stalledTitle'), body: told('mount'), tag }
    default:
      return null
  }
}
