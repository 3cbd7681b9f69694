// Which settings are shown, under which headings: those that people look for, all by section, or what a search finds
// among all. Pure.

import { text } from '../../texts/node/basic-settings.ts'
import { text as settingsText } from '../../texts/node/settings.ts'
import { decimalMark } from '../format.ts'
import { BASIC_GROUPS, basicSetting } from './basic-settings.ts'
import { measureText, unitsFor, wholeUnit } from './measures.ts'
import { entered, headingOf, pathOf, sectionHeading, type SettingField, valueOf } from './settings-form.ts'

/** Options by section, as the schema orders them. */
export type Sections = ReadonlyMap<string, readonly SettingField[]>

/** Words that a person reads. */
export interface Words {
  readonly text: string
  /** They are the node's own, in English whatever the language. */
  readonly isEnglish: boolean
}

/** The language that they are said to be in; undefined: that of the page. */
export function langOf({ isEnglish }: Words): 'en' | undefined {
  return isEnglish ? 'en' : undefined
}

/** Settings under one heading. */
export interface SettingGroup {
  /** A part of an HTML id. */
  readonly id: string
  readonly heading: Words
  readonly fields: readonly SettingField[]
}

/** What an option is called: by what it does where that is known. */
export function settingName(field: SettingField): Words {
  const basic = basicSetting(pathOf(field))
  return basic === undefined
    ? { text: headingOf(field.name), isEnglish: true }
    : { text: text(basic.name), isEnglish: false }
}

/** What is said of it below its name, without bounds. */
export function settingHelp(field: SettingField): Words {
  const basic = basicSetting(pathOf(field))
  return basic === undefined
    ? { text: field.schema.description ?? '', isEnglish: true }
    : { text: text(basic.help), isEnglish: false }
}

/** What one of its choices is called. */
export function choiceName(field: SettingField, choice: string): string {
  const name = basicSetting(pathOf(field))?.choices?.[choice]
  return name === undefined ? choice : text(name)
}

/** Characters of a value in a sentence; lists can be long. */
const SHOWN_CHARS = 200

/** What is in force, as a person reads it; of secrets nothing. */
export function shownValue(field: SettingField): string {
  const { kind, schema, effective } = field
  if (kind === 'switch') return settingsText(effective.value === true ? 'on' : 'off')
  if (kind === 'secret') return settingsText('notShown')
  const plain = String(entered(kind, effective.value))
  if (kind === 'choice') return choiceName(field, plain)
  const unit = kind === 'number' ? wholeUnit(unitsFor(schema['x-unit']), Number(plain)) : undefined
  if (unit !== undefined && Number.isFinite(Number(plain)))
    return `${measureText(Number(plain), unit, decimalMark())} ${unit.name}`
  if (plain === '') return settingsText('empty')
  return plain.length > SHOWN_CHARS ? `${plain.slice(0, SHOWN_CHARS)}…` : plain
}

/** What was entered, as a person reads it; secrets are not shown. */
export function shownEdit(field: SettingField, input: string | boolean): string {
  const { section, name, kind, schema, effective } = field
  if (kind === 'secret') return settingsText('notShown')
  const value = valueOf(kind, input)
  return shownValue({ section, name, kind, schema, effective: { ...effective, value } })
}

/** Whether all words of `query` are in what is said of it, or in its names in the interface. */
export function isFound(field: SettingField, query: string): boolean {
  const { section, name, schema } = field
  const said = [section, sectionHeading(section), name, schema.description, settingName(field).text]
  const words = [...said, settingHelp(field).text].join(' ').toLowerCase().replaceAll('_', ' ')
  return query
    .toLowerCase()
    .split(/\s+/)
    .every(word => words.includes(word.replaceAll('_', ' ')))
}

/** What is shown. A search looks through all of them, whichever view is chosen; groups of nothing are left out. */
export function settingGroups(sections: Sections, all: boolean, query: string): readonly SettingGroup[] {
  const groups = all || query.trim() !== '' ? bySection(sections, query.trim()) : basicGroups(sections)
  return groups.filter(({ fields }) => fields.length > 0)
}

function bySection(sections: Sections, query: string): readonly SettingGroup[] {
  return [...sections].map(([section, fields]) => ({
    id: section,
    heading: { text: sectionHeading(section), isEnglish: true },
    fields: fields.filter(field => isFound(field, query)),
  }))
}

function basicGroups(sections: Sections): readonly SettingGroup[] {
  const fields = new Map([...sections.values()].flat().map(field => [pathOf(field), field]))
  return BASIC_GROUPS.map(({ heading, settings }) => ({
    id: heading,
    heading: { text: text(heading), isEnglish: false },
    fields: settings.flatMap(({ path }) => fields.get(path) ?? []),
  }))
}
