// Section of the market, under the name that the real system had for it: market_community.

import type { OptionSpec } from '../../../node/settings/settings-option.ts'

/** See settings-schema.ts. */
export const marketCommunitySettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: true,
    doc: 'Orders are placed and exchanged with other nodes, from the first use of the market on; without it swaps that run still go to their end.',
  },
} as const satisfies Record<string, OptionSpec>
