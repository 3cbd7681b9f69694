// Counts of a network that never change.

import type { NetworkCounts } from '../../../src/ports/network-counts.ts'

/** Counts that are all different, so that a test sees which went where. */
export const networkCounts: NetworkCounts = {
  datagrams: () => ({ packetsSent: 1, packetsReceived: 2, bytesSent: 300, bytesReceived: 400 }),
  runtimeSec: () => 12.5,
  overlays: () => [{ name: 'mainline_dht6', member: 'ab', candidates: 7, packetsSent: 8, packetsReceived: 9 }],
  lanAddress: () => ({ ip: 'fd00::1', port: 7 }),
  wanAddress: () => ({ ip: '198.51.100.1', port: 8 }),
  isPublic: () => true,
}
