// What every part of a channel's page is given.

import type { Channel } from '../../client/routes.ts'

/** What every part of a channel's page is given. */
export interface ChannelPartProps {
  readonly channel: Channel
  /** Asks for the channel again. */
  changed(): void
}
