// What the table of settings looks like from outside: as JSON schema for /docs, and each option with its source for
// GET /settings/effective. Values of secrets are never in it.

import { Secret } from '../../base/secret.ts'
import type { EffectiveSetting, EffectiveSettings, Json } from '../../services/settings/settings-api.ts'
import type { SettingsDocs } from '../../services/settings/settings.ts'
import { type OptionSpec, sameValue, type Sections, type SettingValue, type TextFormat } from './settings-option.ts'
import type { SettingsStore } from './settings-store.ts'

type JsonObject = { [key: string]: Json }

/** Both for one store. */
export function settingsDocs(store: SettingsStore): SettingsDocs {
  return { schema: () => settingsJsonSchema(store.table.sections), effective: () => effectiveSettings(store) }
}

/** JSON Schema (2020-12) of `{section: {option: value}}` as POST /settings takes it and GET /settings shows it. */
export function settingsJsonSchema(all: Sections): JsonObject {
  const sections: JsonObject = {}
  for (const [section, options] of Object.entries(all)) {
    const properties = Object.fromEntries(Object.entries(options).map(([name, spec]) => [name, optionSchema(spec)]))
    sections[section] = { type: 'object', properties, additionalProperties: false }
  }
  return { type: 'object', description: 'options by section; secrets are shown as null', properties: sections }
}

/** Every option with its value, where that comes from, and what else is known of it. */
export function effectiveSettings(store: SettingsStore): EffectiveSettings {
  const settings: EffectiveSettings['settings'] = {}
  for (const [section, options] of Object.entries(store.table.sections)) {
    const shown: Record<string, EffectiveSetting> = {}
    for (const [name, spec] of Object.entries(options)) shown[name] = effective(store, `${section}.${name}`, spec)
    settings[section] = shown
  }
  return { file: store.path, settings }
}

function effective(store: SettingsStore, path: string, spec: OptionSpec): EffectiveSetting {
  const layers = store.layersOf(path)
  const shown = (value: SettingValue | undefined): Json => {
    if (value === undefined || value instanceof Secret || spec.secret === true) return null
    return typeof value === 'object' ? [...value] : value
  }
  return {
    value: shown(layers.value),
    source: layers.source,
    stored: shown(layers.stored),
    default: shown(layers.default),
    needs_restart: spec.needsRestart,
    restart_pending: spec.needsRestart && !sameValue(layers.value, layers.atStart),
  }
}

function optionSchema(spec: OptionSpec): JsonObject {
  const secret = spec.secret === true
  return {
    ...valueSchema(spec),
    ...(secret || spec.default instanceof Secret
      ? {}
      : { default: typeof spec.default === 'object' ? [...spec.default] : spec.default }),
    description: `${spec.doc} ${spec.needsRestart ? 'Used at the next start.' : 'Applies at once.'}`,
    'x-needs-restart': spec.needsRestart,
    ...(secret ? { 'x-secret': true } : {}),
  }
}

function valueSchema(spec: OptionSpec): JsonObject {
  switch (spec.kind) {
    case 'boolean':
      return { type: 'boolean' }
    case 'integer':
    case 'number':
      return { type: spec.kind, minimum: spec.min, maximum: spec.max, ...(spec.unit && { 'x-unit': spec.unit }) }
    case 'choice':
      return { type: 'string', enum: [...spec.values] }
    case 'list':
      return { type: 'array', items: textSchema(spec.of), ...(spec.maxEntries && { maxItems: spec.maxEntries }) }
    default: {
      const type = spec.secret === true ? ['string', 'null'] : 'string'
      return { ...textSchema(spec.format), type, maxLength: spec.maxLength }
    }
  }
}

/** The names of formats are this node's own: what each takes is in the message of a refusal. */
function textSchema(format: TextFormat): JsonObject {
  return format === 'any' ? { type: 'string' } : { type: 'string', 'x-format': format }
}
