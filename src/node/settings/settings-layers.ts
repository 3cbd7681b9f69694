// The sources of settings, one layer each: flags, environment, file, defaults. Every value is checked on the way in.

import { join } from 'node:path'
import type { Secret } from '../../base/secret.ts'
import { AppError } from '../../base/errors.ts'
import type { ConfigFile } from './config-file.ts'
import { checkOption, checkOptionText, type OptionSpec, type Sections, type SettingValue } from './settings-option.ts'
import type { SettingsTable } from './settings-table.ts'

/** What SettingsStore.open() reads. */
export interface SettingsOptions {
  /** What settings there are. */
  readonly table: SettingsTable
  /** Absolute path, made and locked already. */
  readonly stateDir: string
  /** True when --state-dir or TRIBUTARY_STATE_DIR chose it. */
  readonly stateDirChosen: boolean
  /** Absolute path, or null when there is none. */
  readonly homeDir: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  /** Values of flags by `section.option`, as text: --set and the dedicated ones; later entries win. */
  readonly flags: readonly (readonly [path: string, value: string | Secret])[]
}

/** Environment variables that set an option; an empty one counts as absent. */
const ENVIRONMENT: readonly (readonly [variable: string, path: string])[] = [
  ['CORE_API_PORT', 'api.http_port'],
  ['CORE_API_KEY', 'api.key'],
]

/** Values by `section.option`. */
export type Layer = Map<string, SettingValue>

/** The layer of flags. AppError BadConfiguration. */
export function readFlags(sections: Sections, flags: SettingsOptions['flags']): Layer {
  const layer: Layer = new Map()
  for (const [path, text] of flags) layer.set(path, parseText(sections, path, text, 'The flag'))
  return layer
}

/** The layer of environment variables. AppError BadConfiguration. */
export function readEnvironment(sections: Sections, env: SettingsOptions['env']): Layer {
  const layer: Layer = new Map()
  for (const [variable, path] of ENVIRONMENT) {
    const text = env[variable]
    if (text !== undefined && text !== '')
      layer.set(path, parseText(sections, path, text, `The variable ${variable} for`))
  }
  return layer
}

function parseText(sections: Sections, path: string, text: string | Secret, origin: string): SettingValue {
  const [section = '', option = '', rest] = path.split('.')
  const spec = findOption(sections, section, option)
  if (spec === undefined || rest !== undefined) {
    throw new AppError('BadConfiguration', `${origin} ${path}: there is no such setting.`)
  }
  const checked = checkOptionText(spec, text)
  if ('problem' in checked) throw new AppError('BadConfiguration', `${origin} ${path} ${checked.problem}.`)
  return checked.value
}

/** The layer of the file, and a sentence about each option it has that is unknown. AppError BadConfiguration. */
export function readStored(sections: Sections, file: ConfigFile): { stored: Layer; warnings: string[] } {
  const stored: Layer = new Map()
  const warnings: string[] = []
  for (const { section, option, value, line } of file.entries()) {
    const spec = findOption(sections, section, option)
    if (spec === undefined) {
      warnings.push(`${file.path}, line ${line}: ${section}.${option} is not a setting of this version.`)
      continue
    }
    const checked = checkOption(spec, value)
    if ('problem' in checked) {
      throw new AppError('BadConfiguration', `${file.path}, line ${line}: ${section}.${option} ${checked.problem}.`)
    }
    stored.set(`${section}.${option}`, checked.value)
  }
  return { stored, warnings }
}

/** The layer of defaults, with those that depend on where the node runs. */
export function makeDefaults(options: SettingsOptions): Layer {
  const layer: Layer = new Map()
  for (const [section, table] of Object.entries(options.table.sections)) {
    for (const [option, spec] of Object.entries(table)) layer.set(`${section}.${option}`, spec.default)
  }
  const home = options.stateDirChosen ? null : options.homeDir
  layer.set('download_defaults.saveas', home === null ? join(options.stateDir, 'downloads') : join(home, 'Downloads'))
  return layer
}

/** The option of that name; undefined when there is none. Names like `__proto__` find nothing. */
function findOption(sections: Sections, section: string, option: string): OptionSpec | undefined {
  const table = Object.hasOwn(sections, section) ? sections[section] : undefined
  return table !== undefined && Object.hasOwn(table, option) ? table[option] : undefined
}
