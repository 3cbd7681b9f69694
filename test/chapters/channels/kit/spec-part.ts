// What channels add to the tables of the specification.

import type { SpecPart } from '../../../contract/spec/spec-parts.ts'
import { CHANNEL_EVENTS } from './spec-records.ts'
import { CHANNEL_ROUTES } from './spec-routes.ts'
import { makeChannel, prepareChannel } from './spec-world.ts'

export const specPart: SpecPart = {
  // Channels without an overlay.
  settings: { 'channel_community.enabled': false },
  routes: CHANNEL_ROUTES,
  events: CHANNEL_EVENTS,
  make: async node => ({ channelid: await makeChannel(node) }),
  prepare: prepareChannel,
  segments: async (node, world) => {
    const made = await prepareChannel(node, world, { made: 'entry' })
    return { playlistid: made?.segments['playlistid'] ?? '' }
  },
  changeable: async (node, { channelid }) => [
    await node.get('/channels/discovered?disable_filter=1'),
    await node.get(`/channels/discovered/${channelid}/playlists`),
  ],
}
