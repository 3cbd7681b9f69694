// Settings as a file that a person keeps or takes to another node: what was set, without secrets. What is read from
// such a file is anybody's, and becomes edits of the form: nothing is sent before it was seen. Pure.

import { type Edits, withEdit } from './settings-edits.ts'
import { entered, pathOf, type SettingField, type SettingValue } from './settings-form.ts'
import type { Sections } from './settings-view.ts'

/** Larger files are none of settings. */
export const MAX_FILE_BYTES = 1024 * 1024

/** What a file says. */
export interface ReadSettings {
  /** Those of before with what the file says; what stands so already is no edit. */
  readonly edits: Edits
  /** How many entries were left out: unknown to this node, of another type, secret, or held by a flag. */
  readonly leftOut: number
}

/** The text of a file with all that was set at this node; defaults and secrets are not in it. */
export function settingsFileText(sections: Sections): string {
  const settings: Record<string, Record<string, SettingValue>> = {}
  for (const { section, name, kind, effective } of [...sections.values()].flat())
    if (kind !== 'secret' && effective.stored !== null) (settings[section] ??= {})[name] = effective.stored
  return `${JSON.stringify({ tributary_settings: 1, settings }, null, 2)}\n`
}

/** What the text of a file says; null: it is no file of settings. */
export function readSettingsFile(text: string, sections: Sections, before: Edits): ReadSettings | null {
  const settings = settingsIn(text)
  if (settings === null) return null
  const fields = new Map([...sections.values()].flat().map(field => [pathOf(field), field]))
  let edits = before
  let leftOut = 0
  for (const [section, options] of Object.entries(settings))
    for (const [name, value] of Object.entries(isObject(options) ? options : {})) {
      const field = fields.get(pathOf({ section, name }))
      if (field !== undefined && isTakenBy(field, value)) edits = withEdit(edits, field, entered(field.kind, value))
      else leftOut += 1
    }
  return { edits, leftOut }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function settingsIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const read: unknown = JSON.parse(text)
    if (!isObject(read) || read['tributary_settings'] !== 1) return null
    return isObject(read['settings']) ? read['settings'] : null
  } catch {
    return null
  }
}

/** Whether the form can hold such a value of it; bounds are for the node to say. */
function isTakenBy({ kind, schema, effective }: SettingField, value: unknown): value is SettingValue {
  if (effective.source === 'flag' || effective.source === 'environment') return false
  switch (kind) {
    case 'switch':
      return typeof value === 'boolean'
    case 'number':
      return typeof value === 'number'
    case 'lines':
      return Array.isArray(value) && value.every(entry => typeof entry === 'string' && !/[\r\n]/.test(entry))
    case 'choice':
      return typeof value === 'string' && schema.enum?.includes(value) === true
    case 'text':
      return typeof value === 'string'
    default:
      return false
  }
}
