// The settings of a node that was never changed, as fields of the form.

import { settingsJsonSchema } from '../../../../src/node/settings/settings-docs.ts'
import { fieldsOf, type SettingField, type SettingValue } from '../../../../src/web/model/settings/settings-form.ts'
import { settingsTable } from '../../../kit/all-settings.ts'

type Schema = Parameters<typeof fieldsOf>[0]

/** All fields by section; `values`: what is in force, by `section.option`, where it is not the default. */
export function settingFields(
  values: Readonly<Record<string, SettingValue>> = {},
): ReadonlyMap<string, readonly SettingField[]> {
  const { properties } = settingsJsonSchema(settingsTable) as unknown as { properties: Schema }
  const effective = (path: string, value: SettingValue) => ({
    value: values[path] ?? value,
    source: 'default' as const,
    stored: null,
    default: value,
    needs_restart: false,
    restart_pending: false,
  })
  const settings = Object.entries(properties).map(([section, { properties: options = {} }]) => {
    const each = Object.entries(options).map(([name, option]) => {
      const { default: value = null } = option as { default?: SettingValue }
      return [name, effective(`${section}.${name}`, value)] as const
    })
    return [section, Object.fromEntries(each)] as const
  })
  return fieldsOf(properties, Object.fromEntries(settings))
}
