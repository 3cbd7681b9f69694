// Checks a body of POST /settings against the schema, whole, before anything is changed.

import { AppError } from '../../base/errors.ts'
import { checkOption, type OptionSpec, type Sections, type SettingValue } from './settings-option.ts'

/** One option with its checked new value. */
export interface OptionChange {
  readonly section: string
  readonly option: string
  /** `section.option`. */
  readonly path: string
  readonly spec: OptionSpec
  readonly value: SettingValue
}

/** Longest name that is repeated in an error: what a stranger sent is not echoed without bound. */
const MAX_NAME_IN_TEXT = 64

/**
 * The changes that `body` asks for. Empty objects of unknown sections and secrets given as null are left out.
 * AppError InvalidSetting names the first path that is unknown, too deep or of a wrong type or range.
 */
export function checkBody(sections: Sections, body: unknown): OptionChange[] {
  if (!isObject(body)) throw new AppError('InvalidSetting', 'The body must be an object of sections.')
  const changes: OptionChange[] = []
  for (const [section, options] of Object.entries(body)) {
    if (!isObject(options)) throw invalid(section, 'must be an object of options')
    const table = Object.hasOwn(sections, section) ? sections[section] : undefined
    for (const [option, input] of Object.entries(options)) {
      const path = `${section}.${option}`
      if (table === undefined) throw invalid(path, `is unknown: there is no section ${shorten(section)}`)
      const spec = Object.hasOwn(table, option) ? table[option] : undefined
      if (spec === undefined) throw invalid(path, 'is unknown')
      if (isObject(input)) throw invalid(deepPath(path, input), 'is nested too deep')
      if (spec.secret === true && input === null) continue
      const checked = checkOption(spec, input)
      if ('problem' in checked) throw invalid(path, checked.problem)
      changes.push({ section, option, path, spec, value: checked.value })
    }
  }
  return changes
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function deepPath(path: string, value: Record<string, unknown>): string {
  const name = Object.keys(value)[0]
  return name === undefined ? path : `${path}.${name}`
}

function invalid(path: string, problem: string): AppError {
  return new AppError('InvalidSetting', `The setting ${shorten(path)} ${problem}.`)
}

function shorten(text: string): string {
  return text.length <= MAX_NAME_IN_TEXT ? text : `${text.slice(0, MAX_NAME_IN_TEXT)}...`
}
