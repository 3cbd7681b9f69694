// What happened, the newest first, in words, narrowed by kind and by words.

import { useEffect, useState } from 'preact/hooks'
import { chapterPages } from '../../chapters.ts'
import { languageTag } from '../../language/texts.ts'
import type { NodeEvent } from '../../model/event-lines.ts'
import { session } from '../../node/context.ts'
import { glanceOf } from '../../node/session.ts'
import { text } from '../../texts/node/events.ts'

type Kind = 'download' | 'problem' | 'node'

const kinds: readonly (readonly ['' | Kind, string])[] = [
  ['', text('allKinds')],
  ['download', text('downloadKind')],
  ['problem', text('problemKind')],
  ['node', text('nodeKind')],
]

/** What happened, by its type, and what it is about. */
const names: Readonly<Record<string, readonly [name: string, kind: Kind]>> = {
  tribler_started: [text('ready'), 'node'],
  torrent_finished: [text('finished'), 'download'],
  torrent_error: [text('failed'), 'problem'],
  torrent_updated: [text('version'), 'download'],
  torrent_update_refused: [text('versionRefused'), 'problem'],
  torrent_created: [text('made'), 'download'],
  torrent_creation_progress: [text('making'), 'download'],
  torrent_creation_failed: [text('notMade'), 'problem'],
  torrent_file_changed: [text('fileChanged'), 'problem'],
  torrent_file_checked: [text('fileChecked'), 'download'],
  seeding_goal_reached: [text('goal'), 'download'],
  storage_moved: [text('moved'), 'download'],
  storage_move_failed: [text('notMoved'), 'problem'],
  file_set_aside: [text('setAside'), 'problem'],
  download_forgotten: [text('forgotten'), 'download'],
  volume_stalled: [text('stalled'), 'problem'],
  volume_recovered: [text('recovered'), 'node'],
  watch_folder_corrupt_torrent: [text('corrupt'), 'problem'],
  new_version_available: [text('release'), 'node'],
  slow_mode_changed: [text('slowMode'), 'node'],
  upgrader_started: [text('upgradeBegan'), 'node'],
  upgrader_tick: [text('upgrade'), 'node'],
  upgrader_finished: [text('upgraded'), 'node'],
  tribler_exception: [text('defect'), 'problem'],
}

const ofChapters = new Map(chapterPages.flatMap(({ events = {} }) => Object.entries(events)))

/** Of an event that tells of many downloads: how many, and the names it has. */
function manyOf({ event = {} }: NodeEvent): { count: number; named: string[] } {
  const { count, downloads } = event
  const all: unknown[] = Array.isArray(downloads) ? downloads : []
  const named = all.map(one => {
    const name = (one as { name?: unknown } | null)?.name
    return typeof name === 'string' ? name : ''
  })
  return { count: typeof count === 'number' ? count : named.length, named }
}

function kindOf({ type }: NodeEvent): Kind {
  if (type === 'downloads_added' || type === 'downloads_removed') return 'download'
  return names[type]?.[1] ?? 'node'
}

function nameOf(event: NodeEvent): string {
  const { type } = event
  if (type === 'downloads_added') return text('added', { count: manyOf(event).count })
  if (type === 'downloads_removed') return text('removed', { count: manyOf(event).count })
  return ofChapters.get(type)?.name ?? names[type]?.[0] ?? type
}

/** What an event is about, without its type. */
function aboutOf(told: NodeEvent): string {
  const { type, event = {} } = told
  const about = ofChapters.get(type)?.about
  if (about !== undefined) return about(event)
  if (type === 'downloads_added' || type === 'downloads_removed') {
    const { count, named } = manyOf(told)
    const list = new Intl.ListFormat(languageTag(), { type: 'unit' }).format(named)
    return count > named.length ? text('andMore', { names: list, count: count - named.length }) : list
  }
  const { infohash, ...others } = event
  const values = Object.values(others).filter(value => typeof value === 'string' || typeof value === 'number')
  const known = typeof infohash === 'string' ? (glanceOf(session, infohash)?.name ?? '') : ''
  const name = known !== '' && !values.includes(known) ? [known] : []
  return [...name, ...values].join(' · ')
}

function clock(ms: number | undefined): string {
  return ms === undefined ? text('earlier') : new Date(ms).toLocaleTimeString(languageTag())
}

/** The events this page knows, and what narrows them. */
export function EventList() {
  const [kind, setKind] = useState<string>('')
  const [words, setWords] = useState('')
  useEffect(() => void session.loadEarlier(), [])
  const wanted = words.trim().toLowerCase()
  const events = session.events.value
    .toReversed()
    .map(event => ({ event, name: nameOf(event), about: aboutOf(event), of: kindOf(event) }))
    .filter(({ name, about, of }) => (kind === '' || of === kind) && `${name} ${about}`.toLowerCase().includes(wanted))
  return (
    <>
      <div class="event-tools">
        <label>
          <span>{text('kind')}</span>
          <select value={kind} onChange={event => setKind(event.currentTarget.value)}>
            {kinds.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{text('words')}</span>
          <input type="search" value={words} onInput={event => setWords(event.currentTarget.value)} />
        </label>
      </div>
      {events.length === 0 && (
        <p class="nothing muted">{session.events.value.length === 0 ? text('nothingYet') : text('noneMatch')}</p>
      )}
      <ol class="events">
        {events.map(({ event, name, about, of }) => (
          <li key={`${event.id} ${event.type}`} class={of === 'problem' ? 'bad' : ''}>
            <span class="event-time number">{clock(event.heardMs)}</span>
            <span class="event-type">{name}</span>
            <bdi class="event-about">{about}</bdi>
          </li>
        ))}
      </ol>
    </>
  )
}
