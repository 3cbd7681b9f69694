// The one table of settings of this program: the core's sections, those of the chapters, and who may change which.

import { coreRights, type Rights } from './settings-rights.ts'
import type { Sections } from './settings-option.ts'
import { settingsSchema } from './settings-schema.ts'

/** Sections of one chapter, or of all. */
export interface SettingsTable {
  readonly sections: Sections
  readonly rights: Rights
}

/** The core's alone. */
export const coreTable: SettingsTable = { sections: settingsSchema, rights: coreRights }

/** The core's with those of chapters. */
export function settingsTable(chapters: readonly { readonly settings: SettingsTable }[]): SettingsTable {
  const tables = [coreTable, ...chapters.map(chapter => chapter.settings)]
  return {
    sections: Object.assign({}, ...tables.map(table => table.sections)) as Sections,
    rights: Object.assign({}, ...tables.map(table => table.rights)) as Rights,
  }
}
