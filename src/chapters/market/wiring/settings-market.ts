// Section of the market, under the name that the real system had for it: market_community.

import type { OverlaySettings } from '../../overlay/wiring/settings-overlay.ts'
import type { WalletsSettings } from '../../wallets/wiring/settings-wallets.ts'
import type { Settings, ValuesOf } from '../../../node/settings/settings-schema.ts'
import type { SettingsTable } from '../../../node/settings/settings-table.ts'
import type { OptionSpec } from '../../../node/settings/settings-option.ts'

const marketCommunitySettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: true,
    doc: 'Orders are placed and exchanged with other nodes, from the first use of the market on; without it swaps that run still go to their end.',
  },
} as const satisfies Record<string, OptionSpec>

const sections = { market_community: marketCommunitySettings }

/** The settings of the market, with those of the core, the overlay and wallets. */
export type MarketSettings = OverlaySettings & WalletsSettings & ValuesOf<typeof sections>

/** Settings of the node as the market sees them. */
export function marketSettingsOf(values: Settings): MarketSettings {
  // They are in the table that the values were read by (settings-table.ts).
  return values as MarketSettings
}

/** Its sections, and who may change what in them (decision 0450). */
export const marketTable: SettingsTable = {
  sections,
  rights: { market_community: 'first' },
}
