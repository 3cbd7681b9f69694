// The trackers of a download and other sources of peers; trackers can be added, taken away and asked now.

import { useId, useState } from 'preact/hooks'
import type { Download, DownloadTracker } from '../../../client/core-routes.ts'
import { session } from '../../node/context.ts'
import { Icon } from '../../parts/icons.tsx'
import { text } from '../../texts/downloads/detail.ts'

const EXAMPLE = 'https://tracker.example/announce'

function TrackerRow({ infohash, tracker }: { infohash: string; tracker: DownloadTracker }) {
  const { url, status, peers } = tracker
  const isTracker = !url.startsWith('[')
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
      </td>
      <td class="right number">{peers}</td>
      <td class="right">
        {isTracker && (
          <button type="button" class="quiet" aria-label={text('removeOne', { url })} onClick={remove}>
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

/** The trackers of a download and other sources of peers; trackers can be added, taken away and asked now. */
export function DetailTrackers({ record }: { record: Download }) {
  const { infohash, trackers } = record
  const announce = () =>
    session.attempt(async () => {
      const path = { infohash }
      const { forced } = await session.api.call('PUT /downloads/{infohash}/tracker_force_announce', { path })
      session.notify(forced ? text('announced') : text('notAnnounced'))
    })
  return (
    <>
      <div class="part-tools">
        <AddTracker infohash={infohash} />
        <button type="button" onClick={() => void announce()}>
          <Icon name="recheck" size={16} /> {text('announce')}
        </button>
      </div>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={text('trackers')}>
        <table class="table">
          <thead>
            <tr>
              <th>{text('source')}</th>
              <th class="right">{text('peers')}</th>
              <th>
                <span class="visually-hidden">{text('remove')}</span>
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
