// The trackers of a download and other sources of peers; trackers can be added, taken away and asked now.

import { useId, useState } from 'preact/hooks'
import type { Download, DownloadTracker } from '../../../client/core-routes.ts'
import { session } from '../../node/context.ts'
import { Icon } from '../../parts/icons.tsx'

function TrackerRow({ infohash, tracker }: { infohash: string; tracker: DownloadTracker }) {
  const { url, status, peers } = tracker
  const isTracker = !url.startsWith('[')
  const request = { path: { infohash }, parameters: { url } }
  const removed = () => session.api.call('DELETE /downloads/{infohash}/trackers', request)
  const remove = () => void session.attempt(removed, 'Tracker removed.')
  return (
    <tr>
      <td>
        <bdi class="tracker-url">{isTracker ? url : url.slice(1, -1)}</bdi>
        <span class={`sub ${status.startsWith('Error') ? 'fault' : ''}`} dir="auto">
          {status}
        </span>
      </td>
      <td class="right number">{peers}</td>
      <td class="right">
        {isTracker && (
          <button type="button" class="quiet" aria-label={`Remove ${url}`} onClick={remove}>
            <Icon name="trash" size={16} />
          </button>
        )}
      </td>
    </tr>
  )
}

function AddTracker({ infohash }: { infohash: string }) {
  const [url, setUrl] = useState('')
  const field = useId()
  const submit = async (event: Event) => {
    event.preventDefault()
    const request = { path: { infohash }, parameters: { url: url.trim() } }
    const added = () => session.api.call('PUT /downloads/{infohash}/trackers', request)
    if (await session.attempt(added, 'Tracker added.')) setUrl('')
  }
  return (
    <form class="line-form" onSubmit={event => void submit(event)}>
      <label for={field} class="visually-hidden">
        Address of a tracker
      </label>
      <input
        id={field}
        value={url}
        placeholder="https://tracker.example/announce"
        spellcheck={false}
        onInput={event => setUrl(event.currentTarget.value)}
      />
      <button type="submit" disabled={url.trim() === ''}>
        Add
      </button>
    </form>
  )
}

/** The trackers of a download and other sources of peers; trackers can be added, taken away and asked now. */
export function DetailTrackers({ record }: { record: Download }) {
  const { infohash, trackers } = record
  const announce = () =>
    session.attempt(async () => {
      const path = { infohash }
      const { forced } = await session.api.call('PUT /downloads/{infohash}/tracker_force_announce', { path })
      session.notify(forced ? 'Trackers are being asked.' : 'Nobody was asked: it does not run, or was asked just now.')
    })
  return (
    <>
      <div class="part-tools">
        <AddTracker infohash={infohash} />
        <button type="button" onClick={() => void announce()}>
          <Icon name="recheck" size={16} /> Ask now
        </button>
      </div>
      <div class="table-scroll" tabIndex={0} role="group" aria-label="Trackers">
        <table class="table">
          <thead>
            <tr>
              <th>Source of peers</th>
              <th class="right">Peers</th>
              <th>
                <span class="visually-hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {trackers.map(tracker => (
              <TrackerRow key={tracker.url} infohash={infohash} tracker={tracker} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
