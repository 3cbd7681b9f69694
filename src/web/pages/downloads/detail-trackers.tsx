// The trackers of a download and other sources of peers; trackers can be added, changed, taken away and asked now.

import { useId, useState } from 'preact/hooks'
import type { Download, DownloadTracker } from '../../../client/core-routes.ts'
import { duration } from '../../model/format.ts'
import { session } from '../../node/context.ts'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { text } from '../../texts/downloads/trackers.ts'
import { TrackerDialog } from './tracker-dialog.tsx'

const EXAMPLE = 'https://tracker.example/announce'

interface TrackerRowProps {
  readonly infohash: string
  readonly tracker: DownloadTracker
  edit(): void
}

async function announceTo(infohash: string, url: string | null): Promise<void> {
  await session.attempt(async () => {
    const request = { path: { infohash }, parameters: url === null ? {} : { url } }
    const { forced } = await session.api.call('PUT /downloads/{infohash}/tracker_force_announce', request)
    session.notify(forced ? text('announced') : text('notAnnounced'))
  })
}

/** Where it stands and when it is asked next, beside what it said. */
function placeText({ tier, next_announce: atSec }: DownloadTracker): string {
  if (tier === undefined) return ''
  const leftSec = atSec === undefined ? null : atSec - Date.now() / 1000
  const next = leftSec === null ? '' : leftSec < 1 ? text('nextNow') : text('next', { time: duration(leftSec) })
  return [text('tier', { tier }), next].filter(part => part !== '').join(' · ')
}

function TrackerRow({ infohash, tracker, edit }: TrackerRowProps) {
  const { url, status, peers, seeds, leeches } = tracker
  const isTracker = !url.startsWith('[')
  const place = placeText(tracker)
  const request = { path: { infohash }, parameters: { url } }
  const removed = () => session.api.call('DELETE /downloads/{infohash}/trackers', request)
  const remove = () => void session.attempt(removed, text('trackerRemoved'))
  return (
    <tr>
      <td>
        <bdi class="tracker-url">{isTracker ? url : url.slice(1, -1)}</bdi>
        <span class={`sub ${status.startsWith('Error') ? 'fault' : ''}`} dir="auto">
          {status}
        </span>
        {place !== '' && <span class="sub">{place}</span>}
      </td>
      <td class="right number">{seeds ?? '–'}</td>
      <td class="right number">{leeches ?? '–'}</td>
      <td class="right number">{peers}</td>
      <td class="right tracker-commands">
        {isTracker && (
          <>
            <Command icon="recheck" label={text('announceTo', { url })} run={() => void announceTo(infohash, url)} />
            <Command icon="pen" label={text('editOne', { url })} run={edit} />
            <Command icon="trash" label={text('removeOne', { url })} run={remove} />
          </>
        )}
      </td>
    </tr>
  )
}

function Command({ icon, label, run }: { icon: IconName; label: string; run: () => void }) {
  return (
    <button type="button" class="quiet" aria-label={label} title={label} onClick={run}>
      <Icon name={icon} size={16} />
    </button>
  )
}

function AddTracker({ infohash }: { infohash: string }) {
  const [url, setUrl] = useState('')
  const field = useId()
  const submit = async (event: Event) => {
    event.preventDefault()
    const request = { path: { infohash }, parameters: { url: url.trim() } }
    const added = () => session.api.call('PUT /downloads/{infohash}/trackers', request)
    if (await session.attempt(added, text('trackerAdded'))) setUrl('')
  }
  return (
    <form class="line-form" onSubmit={event => void submit(event)}>
      <label for={field} class="visually-hidden">
        {text('trackerAddress')}
      </label>
      <input
        id={field}
        value={url}
        placeholder={EXAMPLE}
        spellcheck={false}
        onInput={event => setUrl(event.currentTarget.value)}
      />
      <button type="submit" disabled={url.trim() === ''}>
        {text('add')}
      </button>
    </form>
  )
}

/** The trackers of a download and other sources of peers; trackers can be added, changed, taken away and asked now. */
export function DetailTrackers({ record }: { record: Download }) {
  const { infohash, trackers } = record
  const [editing, setEditing] = useState<DownloadTracker | null>(null)
  const tiers = Math.max(0, ...trackers.map(({ tier = -1 }) => tier + 1))
  return (
    <>
      <div class="part-tools">
        <AddTracker infohash={infohash} />
        <button type="button" onClick={() => void announceTo(infohash, null)}>
          <Icon name="recheck" size={16} /> {text('announce')}
        </button>
      </div>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={text('trackers')}>
        <table class="table">
          <thead>
            <tr>
              <th>{text('source')}</th>
              <th class="right">{text('seeds')}</th>
              <th class="right">{text('leeches')}</th>
              <th class="right">{text('peers')}</th>
              <th>
                <span class="visually-hidden">{text('commands')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {trackers.map(tracker => (
              <TrackerRow key={tracker.url} infohash={infohash} tracker={tracker} edit={() => setEditing(tracker)} />
            ))}
          </tbody>
        </table>
      </div>
      {editing !== null && (
        <TrackerDialog infohash={infohash} tracker={editing} tiers={tiers} onClose={() => setEditing(null)} />
      )}
    </>
  )
}
