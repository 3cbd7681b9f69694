// How this node stands in the network of channels, and what a person can do where it does not. Pure.

import type { ChannelNetworkState } from '../../client/routes.ts'
import { text } from '../texts/channels.ts'

/** Why no other node can be asked, with the step out; empty where one can, or nothing is known. */
export function networkTrouble(network: ChannelNetworkState | null): string {
  switch (network?.state) {
    case 'off':
      return text('networkOff', { setting: network.setting })
    case 'failed':
      return text('networkDown', { reason: network.problem.replace(/\.$/, '') })
    case 'starting':
      return text('networkStarting')
    case 'alone':
      return text('networkAlone')
    default:
      return ''
  }
}

/** Why no channel is known yet. */
export function nothingDiscovered(network: ChannelNetworkState | null): string {
  if (network?.state === 'connected') return text('noneWithPeers', { count: network.peers })
  return networkTrouble(network) || text('noneYet')
}
