// What is shown at a place of channels: a list of them, a search, or the page of one.

import '../channels.css'
import { shownAt } from '../model/channel-places.ts'
import { ChannelPage } from './channel-page.tsx'
import { ChannelsPage } from './channels-page.tsx'

/** What is shown at a place of channels. `parts`: those of its address behind the id. */
export function ChannelPlace({ parts }: { parts: readonly string[] }) {
  const shown = shownAt(parts)
  return shown.page === 'channels' ? (
    <ChannelsPage list={shown.list} query={shown.query} />
  ) : (
    <ChannelPage key={shown.channel} channel={shown.channel} tab={shown.tab} />
  )
}
