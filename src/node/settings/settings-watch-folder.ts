// Section watch_folder of the settings.

import type { OptionSpec } from './settings-option.ts'

/** See settings-schema.ts. */
export const watchFolderSettings = {
  enabled: {
    kind: 'boolean',
    default: false,
    needsRestart: false,
    doc: 'Files *.torrent and *.magnet (a link a line) that are dropped into the directory, or folders in it, are started.',
  },
  directory: {
    kind: 'text',
    format: 'path',
    maxLength: 4096,
    default: '',
    optional: true,
    needsRestart: false,
    doc: 'The watched folder; it must exist. Names that begin with a dot are left alone.',
  },
  started_files: {
    kind: 'choice',
    values: ['keep', 'move', 'delete'],
    default: 'keep',
    needsRestart: false,
    doc: 'What becomes of a file that was started. Files that are kept are remembered by path, size and time.',
  },
  move_to: {
    kind: 'text',
    format: 'path',
    maxLength: 4096,
    default: '',
    optional: true,
    needsRestart: false,
    doc: 'Folder that started files are moved to; empty = `.started` in the watched folder.',
  },
  corrupt_after: {
    kind: 'integer',
    unit: 'seconds',
    min: 1,
    max: 86_400,
    default: 10,
    needsRestart: false,
    doc: 'Seconds without a change after which a file that cannot be read is corrupt, and renamed to *.corrupt.',
  },
} as const satisfies Record<string, OptionSpec>
