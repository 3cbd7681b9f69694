// What every part of a channel's page is given.

import type { ListedChannel } from '../../ports/channel-library.ts'

/** What every part of a channel's page is given. */
export interface ChannelPartProps {
  readonly channel: ListedChannel
  /** Asks for the channel again. */
  changed(): void
}
