// What happened: the events this page heard, the newest first, and the end of the node's log.

import { useEffect, useState } from 'preact/hooks'
import { chapterPages } from '../../chapters.ts'
import type { NodeEvent } from '../../model/event-lines.ts'
import { session } from '../../node/context.ts'
import { glanceOf } from '../../node/session.ts'
import { useAnswer } from '../../node/use-answer.ts'

const LOG_MS = 3000
const LOG_LINES = 500

const names: Readonly<Record<string, string>> = {
  tribler_started: 'The node is ready',
  torrent_finished: 'Finished',
  torrent_error: 'Error',
  torrent_updated: 'New version',
  torrent_update_refused: 'New version refused',
  torrent_created: 'Torrent made',
  torrent_creation_progress: 'Making a torrent',
  torrent_creation_failed: 'Torrent not made',
  seeding_goal_reached: 'Seeding goal reached',
  storage_moved: 'Files moved',
  file_set_aside: 'File set aside',
  storage_move_failed: 'Files not moved',
  volume_stalled: 'A disk does not answer',
  volume_recovered: 'A disk answers again',
  watch_folder_corrupt_torrent: 'No torrent in the watch folder',
  new_version_available: 'New version of the node',
  upgrader_started: 'Upgrade of the store began',
  upgrader_tick: 'Upgrade of the store',
  upgrader_finished: 'Upgrade of the store is done',
  tribler_exception: 'Defect',
}

const ofChapters = new Map(chapterPages.flatMap(({ events = {} }) => Object.entries(events)))

/** What an event is about, without its type. */
function aboutOf({ type, event = {} }: NodeEvent): string {
  const about = ofChapters.get(type)?.about
  if (about !== undefined) return about(event)
  const { infohash, ...others } = event
  const values = Object.values(others).filter(value => typeof value === 'string' || typeof value === 'number')
  const known = typeof infohash === 'string' ? (glanceOf(session, infohash)?.name ?? '') : ''
  const name = known !== '' && !values.includes(known) ? [known] : []
  return [...name, ...values].join(' · ')
}

function clock(ms: number | undefined): string {
  return ms === undefined ? 'earlier' : new Date(ms).toLocaleTimeString('en-GB')
}

function Events() {
  useEffect(() => void session.loadEarlier(), [])
  const events = session.events.value.toReversed()
  if (events.length === 0) return <p class="nothing muted">Nothing has happened yet.</p>
  return (
    <ol class="events">
      {events.map(event => (
        <li
          key={`${event.id} ${event.type}`}
          class={/error|failed|exception|refused|corrupt/.test(event.type) ? 'bad' : ''}
        >
          <span class="event-time number">{clock(event.heardMs)}</span>
          <span class="event-type">{ofChapters.get(event.type)?.name ?? names[event.type] ?? event.type}</span>
          <bdi class="event-about">{aboutOf(event)}</bdi>
        </li>
      ))}
    </ol>
  )
}

function Log() {
  const ask = (signal: AbortSignal) =>
    session.api.call('GET /debug/log', { parameters: { process: 'core', max_lines: LOG_LINES }, signal })
  const { value, problem } = useAnswer(ask, [], LOG_MS)
  if (value === null) return <p class="nothing muted">{problem || 'Asking the node…'}</p>
  const lines = value.content.trimEnd().split('\n').toReversed()
  return (
    <pre class="log" tabIndex={0} aria-label="Log, the newest line first">
      {value.content === '' ? 'The log is empty.' : lines.join('\n')}
    </pre>
  )
}

/** What happened: the events this page heard, the newest first, and the end of the node's log. */
export function EventsPage() {
  const [shown, show] = useState<'events' | 'log'>('events')
  return (
    <div class="page">
      <h1>Events</h1>
      <div class="groups" role="group" aria-label="Show">
        <button type="button" class="group" aria-pressed={shown === 'events'} onClick={() => show('events')}>
          Events
        </button>
        <button type="button" class="group" aria-pressed={shown === 'log'} onClick={() => show('log')}>
          Log
        </button>
      </div>
      {shown === 'events' ? <Events /> : <Log />}
    </div>
  )
}
