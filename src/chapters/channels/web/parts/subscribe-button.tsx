// Subscribes to a channel, or takes that back. Own channels have none: their owner holds them anyway.

import { useState } from 'preact/hooks'
import type { Channel } from '../../client/routes.ts'
import { named } from '../model/channel-words.ts'
import { subscribe, unsubscribe } from '../node/channel-requests.ts'
import { text } from '../texts/channels.ts'
import { session } from '../../../../web/node/context.ts'

interface SubscribeButtonProps {
  readonly channel: Pick<Channel, 'dispersy_cid' | 'name' | 'own' | 'subscribed'>
  changed(): void
}

/** Subscribes to a channel, or takes that back. */
export function SubscribeButton({ channel, changed }: SubscribeButtonProps) {
  const [busy, setBusy] = useState(false)
  if (channel.own) return null
  const { subscribed, dispersy_cid: cid } = channel
  const toggle = async () => {
    setBusy(true)
    await session.attempt(() => (subscribed ? unsubscribe(cid) : subscribe(cid)))
    setBusy(false)
    changed()
  }
  // One that nobody here knows is looked for as long as half a minute.
  const button = busy ? text('working') : subscribed ? text('unsubscribe') : text('subscribe')
  return (
    <button
      type="button"
      class={subscribed ? '' : 'primary'}
      disabled={busy}
      aria-label={text('buttonOf', { button, name: named(channel.name, 'channel') })}
      onClick={() => void toggle()}
    >
      {button}
    </button>
  )
}
