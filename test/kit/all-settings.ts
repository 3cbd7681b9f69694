// Every setting of the program, the core's and the chapters'.

import { loadChapters } from '../../src/app/chapters.ts'
import { settingsTable as tableOf } from '../../src/node/settings/settings-table.ts'

/** Sections, and who may change what. */
export const allSettings = tableOf(await loadChapters())

/** Section -> option -> what it may be. */
export const settingsTable = allSettings.sections
