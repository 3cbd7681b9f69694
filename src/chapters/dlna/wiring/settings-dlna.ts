// Section dlna: whether players in the local network are served, and where.

import type { OptionSpec } from '../../../node/settings/settings-option.ts'
import type { Settings, ValuesOf } from '../../../node/settings/settings-schema.ts'
import type { SettingsTable } from '../../../node/settings/settings-table.ts'

const dlnaSettings = {
  enabled: {
    kind: 'boolean',
    default: false,
    needsRestart: false,
    doc: 'Players in the local network (televisions, VLC, Kodi) find this node and play what it has, without a key.',
  },
  interfaces: {
    kind: 'list',
    of: 'any',
    default: [],
    maxEntries: 8,
    needsRestart: false,
    doc: 'Names or addresses of the interfaces they are served at, such as eth0; private networks only. Empty = all that are no tunnels.',
  },
  port: {
    kind: 'integer',
    min: 0,
    max: 65_535,
    default: 0,
    needsRestart: false,
    doc: 'TCP port they are served at; 0 = a free one, which stays the same. Searches come to UDP port 1900.',
  },
  name: {
    kind: 'text',
    format: 'any',
    maxLength: 64,
    default: 'Tributary',
    needsRestart: false,
    doc: 'What players call this node.',
  },
} as const satisfies Record<string, OptionSpec>

const sections = { dlna: dlnaSettings }

/** The settings of the media server, with those of the core. */
type DlnaSettings = Settings & ValuesOf<typeof sections>

/** Settings of the node as the media server sees them. */
export function dlnaSettingsOf(values: Settings): DlnaSettings['dlna'] {
  // They are in the table that the values were read by (settings-table.ts).
  return (values as DlnaSettings).dlna
}

/** Its section, and who may change what in it (decision 0450): it opens reading to a whole network. */
export const dlnaTable: SettingsTable = {
  sections,
  rights: { dlna: 'first' },
}
