// Feeds of an own channel: RSS and Atom whose torrents go into it by themselves.

import { useId, useState } from 'preact/hooks'
import type { ChannelFeed } from '../../client/routes.ts'
import { feedText } from '../model/channel-page-words.ts'
import { addFeed, feedsOf, recheckFeeds, removeFeed } from '../node/channel-requests.ts'
import { session } from '../../../../web/node/context.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { Icon } from '../../../../web/parts/icons.tsx'
import { text } from '../texts/channel.ts'
import type { ChannelPartProps } from './channel-part.ts'

const EVERY_MS = 5000
const EXAMPLE = 'https://site.example/releases.xml'

function AddFeed({ cid, changed }: { cid: string; changed: () => void }) {
  const [url, setUrl] = useState('')
  const field = useId()
  const submit = async (event: Event) => {
    event.preventDefault()
    if (await session.attempt(() => addFeed(cid, url.trim()), text('feedAdded'))) setUrl('')
    changed()
  }
  return (
    <form class="line-form" onSubmit={event => void submit(event)}>
      <label for={field} class="visually-hidden">
        {text('feedAddress')}
      </label>
      <input
        id={field}
        value={url}
        placeholder={EXAMPLE}
        spellcheck={false}
        onInput={event => setUrl(event.currentTarget.value)}
      />
      <button type="submit" disabled={url.trim() === ''}>
        {text('addFeed')}
      </button>
    </form>
  )
}

function Feed({ feed, remove }: { feed: ChannelFeed; remove: () => void }) {
  return (
    <li class="feed" data-feed={feed.url}>
      <div class="channel-text">
        <bdi class="tracker-url">{feed.url}</bdi>
        <span class={`sub ${feed.error === '' ? '' : 'fault'}`} dir="auto">
          {feedText(feed, Date.now() / 1000)}
        </span>
      </div>
      <button type="button" class="quiet" aria-label={text('removeFeed', { name: feed.url })} onClick={remove}>
        <Icon name="trash" size={16} />
      </button>
    </li>
  )
}

/** Feeds of an own channel: RSS and Atom whose torrents go into it by themselves. */
export function ChannelFeeds({ channel, changed }: ChannelPartProps) {
  const { dispersy_cid: cid } = channel
  const { value, problem, refresh } = useAnswer(signal => feedsOf(cid, signal), [cid], EVERY_MS)
  const [reading, setReading] = useState(false)
  const remove = async (url: string) => {
    await session.attempt(() => removeFeed(cid, url), text('feedRemoved'))
    refresh()
  }
  const recheck = async () => {
    setReading(true)
    await session.attempt(() => recheckFeeds(cid), text('feedsRead'))
    setReading(false)
    refresh()
    changed()
  }
  return (
    <section aria-label={text('feeds')} class="channel-part">
      <p class="muted">{text('feedsAbout')}</p>
      <div class="part-tools">
        <AddFeed cid={cid} changed={refresh} />
        <button type="button" disabled={reading || value === null || value.length === 0} onClick={() => void recheck()}>
          <Icon name="recheck" size={16} /> {reading ? text('reading') : text('readNow')}
        </button>
      </div>
      {value === null && <p class="card muted">{problem === '' ? text('asking') : problem}</p>}
      {value?.length === 0 && <p class="nothing muted">{text('noFeeds')}</p>}
      {value !== null && value.length > 0 && (
        <ul class="feeds" aria-label={text('feedsOf')}>
          {value.map(feed => (
            <Feed key={feed.url} feed={feed} remove={() => void remove(feed.url)} />
          ))}
        </ul>
      )}
    </section>
  )
}
