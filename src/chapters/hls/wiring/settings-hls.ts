// Section media: the program that converts what the node cannot.

import type { OptionSpec } from '../../../node/settings/settings-option.ts'
import type { Settings, ValuesOf } from '../../../node/settings/settings-schema.ts'
import type { SettingsTable } from '../../../node/settings/settings-table.ts'

const mediaSettings = {
  ffmpeg: {
    kind: 'text',
    format: 'path',
    maxLength: 4096,
    optional: true,
    default: '',
    needsRestart: true,
    doc: 'The program ffmpeg, such as /usr/bin/ffmpeg, for films in segments whose sound or picture the node cannot convert (DTS, TrueHD, Xvid, AV1, ...); empty = none. It is set in this file or by a flag (`--set`) alone.',
  },
} as const satisfies Record<string, OptionSpec>

const sections = { media: mediaSettings }

/** The settings of films, with those of the core. */
type MediaSettings = Settings & ValuesOf<typeof sections>

/** Settings of the node as films in segments see them. */
export function mediaSettingsOf(values: Settings): MediaSettings['media'] {
  // They are in the table that the values were read by (settings-table.ts).
  return (values as MediaSettings).media
}

/** Its section, and who may change what in it (decision 0450): who names a program over HTTP runs it. */
export const hlsTable: SettingsTable = {
  sections,
  rights: { media: { owner: ['ffmpeg'] } },
}
