// What was entered on the page of settings and is not sent yet, each with the value that stood there when it was: who
// changed it elsewhere meanwhile is not overwritten unseen. Pure.

import type { EffectiveSetting } from '../../../client/core-routes.ts'
import { entered, pathOf, type SettingField, type SettingValue, valueOf } from './settings-form.ts'
import type { Sections } from './settings-view.ts'

/** What was entered in one field. */
interface Edit {
  readonly input: string | boolean
  /** In force when it was first entered, as far as the page knew. */
  readonly seen: SettingValue
}

/** By `section.option`. */
export type Edits = Readonly<Record<string, Edit>>

const isSame = (a: SettingValue, b: SettingValue) => JSON.stringify(a) === JSON.stringify(b)

/** The edits with what was entered in a field now; what stands there anyway is no edit. */
export function withEdit(edits: Edits, field: SettingField, input: string | boolean): Edits {
  const { [pathOf(field)]: before, ...others } = edits
  const { value } = field.effective
  if (entered(field.kind, value) === input) return others
  return { ...others, [pathOf(field)]: { input, seen: before === undefined ? value : before.seen } }
}

/** The edits without that of a field: its value is what is in force. */
export function withoutEdit(edits: Edits, field: SettingField): Edits {
  const { [pathOf(field)]: _, ...others } = edits
  return others
}

/** The edits where that of a field holds, although somebody changed it meanwhile: that was seen. */
export function keptEdit(edits: Edits, field: SettingField): Edits {
  const edit = edits[pathOf(field)]
  return edit === undefined ? edits : { ...edits, [pathOf(field)]: { input: edit.input, seen: field.effective.value } }
}

/** The fields that were edited, in their order. */
export function editsIn(sections: Sections, edits: Edits): readonly { field: SettingField; edit: Edit }[] {
  return [...sections.values()].flat().flatMap(field => {
    const edit = edits[pathOf(field)]
    return edit === undefined ? [] : [{ field, edit }]
  })
}

/** The body of POST /settings: what was edited, and nothing else. */
export function changesOf(sections: Sections, edits: Edits): Record<string, Record<string, SettingValue>> {
  const body: Record<string, Record<string, SettingValue>> = {}
  for (const { field, edit } of editsIn(sections, edits))
    (body[field.section] ??= {})[field.name] = valueOf(field.kind, edit.input)
  return body
}

/** The same fields with what is in force now. */
export function withPresent(
  sections: Sections,
  settings: Readonly<Record<string, Readonly<Record<string, EffectiveSetting>>>>,
): Sections {
  const present = ({ section, name, kind, schema, effective }: SettingField): SettingField => {
    const now = settings[section]?.[name] ?? effective
    return { section, name, kind, schema, effective: now }
  }
  return new Map([...sections].map(([section, fields]) => [section, fields.map(present)]))
}

/** Whether a field that was edited has another value by now than when it was, and not the one that was entered. */
export function isClash(edits: Edits, field: SettingField): boolean {
  const edit = edits[pathOf(field)]
  if (edit === undefined) return false
  const { value } = field.effective
  return !isSame(edit.seen, value) && !isSame(valueOf(field.kind, edit.input), value)
}

/** How many fields are such. */
export function clashes(sections: Sections, edits: Edits): number {
  return [...sections.values()].flat().filter(field => isClash(edits, field)).length
}

/**
 * The edits that are left when the node tells what is in force after `saved` were sent. What was entered since into
 * one of them was entered over the value that this page sent.
 */
export function afterSave(edits: Edits, saved: Edits, sections: Sections): Edits {
  const fields = new Map([...sections.values()].flat().map(field => [pathOf(field), field]))
  const left = Object.entries(edits).flatMap(([path, edit]) => {
    const sent = saved[path]
    if (sent === undefined) return [[path, edit] as const]
    const seen = fields.get(path)?.effective.value ?? edit.seen
    return sent.input === edit.input ? [] : [[path, { input: edit.input, seen }] as const]
  })
  return Object.fromEntries(left)
}
