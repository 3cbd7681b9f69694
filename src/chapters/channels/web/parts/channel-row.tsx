// A channel in a list: its name, what it says of itself, what is known of it, and whether this node follows it.

import type { Channel } from '../../client/routes.ts'
import { channelPlace } from '../model/channel-places.ts'
import { channelFacts, channelTag, named } from '../model/channel-words.ts'
import { addressOf } from '../../../../web/model/place.ts'
import { SubscribeButton } from './subscribe-button.tsx'

/** A channel in a list: its name, what it says of itself, what is known of it, and whether this node follows it. */
export function ChannelRow({ channel, changed }: { channel: Channel; changed: () => void }) {
  const tag = channelTag(channel)
  const { dispersy_cid: cid } = channel
  return (
    <li class="channel" data-channel={cid}>
      <div class="channel-text">
        <p class="channel-title">
          <a class="channel-name" href={addressOf(channelPlace(cid))}>
            <bdi>{named(channel.name, 'channel')}</bdi>
          </a>
          {tag !== '' && <span class="label">{tag}</span>}
        </p>
        {channel.description !== '' && (
          <p class="channel-description" dir="auto">
            {channel.description}
          </p>
        )}
        <p class="sub number">{channelFacts(channel, Date.now() / 1000)}</p>
      </div>
      <SubscribeButton channel={channel} changed={changed} />
    </li>
  )
}
