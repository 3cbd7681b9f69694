// A double of bans by hand: every call noted.

import type { BannedPeersService } from '../../../src/services/peers/banned-peers-api.ts'

/** What the double of all services has for bans by hand. */
export function bannedDouble(note: (...call: unknown[]) => void): BannedPeersService {
  return {
    list: () => ['203.0.113.7'],
    ban: async (ip, caller) => {
      note('ban', ip, caller)
      return true
    },
    lift: async (ip, caller) => {
      note('lift', ip, caller)
      return true
    },
  }
}
