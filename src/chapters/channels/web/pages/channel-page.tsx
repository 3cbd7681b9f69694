// One channel: what it is, whether this node follows it, its torrents, playlists, comments, and what its owner can
// change.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Channel } from '../../client/routes.ts'
import { modeName } from '../model/channel-page-words.ts'
import { channelFacts, channelTag, named } from '../model/channel-words.ts'
import { addressOf } from '../../../../web/model/place.ts'
import { channelPlace, channelsHome, type ChannelTab, channelTabs } from '../model/channel-places.ts'
import { callSpam, channelNow, feedLinkOf } from '../node/channel-requests.ts'
import { session } from '../../../../web/node/context.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { useChannelNews } from '../node/use-channel-news.ts'
import { CopyButton } from '../../../../web/parts/copy-button.tsx'
import { Icon } from '../../../../web/parts/icons.tsx'
import { SubscribeButton } from '../parts/subscribe-button.tsx'
import { text } from '../texts/channel.ts'
import { ChannelComments } from './channel-comments.tsx'
import type { ChannelPartProps } from './channel-part.ts'
import { ChannelFeeds } from './channel-feeds.tsx'
import { ChannelOptions } from './channel-options.tsx'
import { ChannelPlaylists } from './channel-playlists.tsx'
import { ChannelTorrents } from './channel-torrents.tsx'

const EVERY_MS = 10_000

function Head({ channel, changed }: ChannelPartProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { dispersy_cid: cid } = channel
  const tag = channelTag(channel)
  const spam = async () => {
    await session.attempt(() => callSpam(cid), text('spamDone'))
    changed()
  }
  return (
    <header class="channel-head">
      <div class="channel-title">
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{named(channel.name, 'channel')}</bdi>
        </h1>
        <span class="label">{modeName(channel.mode)}</span>
        {tag !== '' && <span class="label">{tag}</span>}
      </div>
      {channel.description !== '' && (
        <p class="channel-description whole" dir="auto">
          {channel.description}
        </p>
      )}
      <p class="sub number">{channelFacts(channel, Date.now() / 1000)}</p>
      <div class="commands" role="toolbar" aria-label={text('commands')}>
        <SubscribeButton channel={channel} changed={changed} />
        <CopyButton label={text('copyId')} what={text('id')} text={() => cid} />
        <CopyButton label={text('feedLink')} what={text('feedLinkWhat')} icon="link" text={() => feedLinkOf(cid)} />
        {!channel.own && !channel.subscribed && (
          <button type="button" onClick={() => void spam()}>
            <Icon name="warn" size={16} /> {text('spam')}
          </button>
        )}
      </div>
    </header>
  )
}

const headings: Readonly<Record<ChannelTab, string>> = {
  torrents: text('torrents'),
  playlists: text('playlists'),
  comments: text('comments'),
  feeds: text('feeds'),
  options: text('options'),
}

function Tabs({ channel, tab }: { channel: Channel; tab: ChannelTab }) {
  return (
    <nav class="tabs" aria-label={text('parts')}>
      {channelTabs
        .filter(name => channel.own || name !== 'feeds')
        .map(name => (
          <a
            key={name}
            href={addressOf(channelPlace(channel.dispersy_cid, name))}
            aria-current={name === tab ? 'page' : undefined}
          >
            {headings[name]}
          </a>
        ))}
    </nav>
  )
}

function Part({ tab, ...props }: ChannelPartProps & { tab: ChannelTab }) {
  switch (tab) {
    case 'torrents':
      return <ChannelTorrents {...props} />
    case 'playlists':
      return <ChannelPlaylists {...props} />
    case 'comments':
      return <ChannelComments {...props} />
    case 'feeds':
      return props.channel.own ? <ChannelFeeds {...props} /> : <ChannelTorrents {...props} />
    case 'options':
      return <ChannelOptions {...props} />
  }
}

function Unknown({ channel, changed }: { channel: string; changed: () => void }) {
  const row = { dispersy_cid: channel, name: '', own: false, subscribed: false }
  return (
    <div class="card">
      <p>{text('unknown')}</p>
      <p class="mono">{channel}</p>
      <p class="muted">{text('unknownHelp')}</p>
      <div class="commands">
        <SubscribeButton channel={row} changed={changed} />
      </div>
    </div>
  )
}

/**
 * One channel: what it is, whether this node follows it, its torrents, playlists, comments, and what its owner can
 * change.
 */
export function ChannelPage({ channel, tab }: { channel: string; tab: ChannelTab }) {
  const [known, setKnown] = useState(true)
  const ask = async (signal: AbortSignal) => {
    const row = await channelNow(channel, signal)
    setKnown(row !== null)
    return { row }
  }
  // Of what nobody here knows the node tells itself when it comes.
  const { value, problem, refresh } = useAnswer(ask, [channel], known ? EVERY_MS : 0)
  useChannelNews(channel, refresh)
  const back = (
    <a class="back" href={addressOf(channelsHome)}>
      <Icon name="back" size={16} /> {text('channels')}
    </a>
  )
  if (value === null || value.row === null)
    return (
      <div class="page channels">
        {back}
        <h1>{text('channel')}</h1>
        {value === null ? (
          <p class="card muted">{problem === '' ? text('asking') : text('notShown', { problem })}</p>
        ) : (
          <Unknown channel={channel} changed={refresh} />
        )}
      </div>
    )
  return (
    <div class="page channels">
      {back}
      <Head channel={value.row} changed={refresh} />
      <Tabs channel={value.row} tab={tab} />
      <Part tab={tab} channel={value.row} changed={refresh} />
    </div>
  )
}
