// Settings as a file: what is in it, and what is made of one that anybody may have written.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesOf, withEdit } from '../../../../src/web/model/settings/settings-edits.ts'
import { readSettingsFile, settingsFileText } from '../../../../src/web/model/settings/settings-file.ts'
import { pathOf, type SettingField } from '../../../../src/web/model/settings/settings-form.ts'
import { shownEdit } from '../../../../src/web/model/settings/settings-view.ts'
import { settingFields } from './setting-fields.ts'

const sections = settingFields()
const fileOf = (settings: unknown) => JSON.stringify({ tributary_settings: 1, settings })

/** The same fields where some were set, by `section.option`. */
function withStored(stored: Readonly<Record<string, SettingField['effective']['value']>>) {
  const each = (field: SettingField): SettingField => {
    const value = stored[pathOf(field)]
    if (value === undefined) return field
    return { ...field, effective: { ...field.effective, value, stored: value, source: 'file' } }
  }
  return new Map([...sections].map(([section, fields]) => [section, fields.map(each)]))
}

test('what was set goes out and comes in again at another node; defaults and secrets do not', () => {
  const set = { 'libtorrent.active_seeds': 5, 'libtorrent.utp': false, 'general.allowed_paths': ['/a', '/b'] }
  const text = settingsFileText(withStored({ ...set, 'webhooks.secret': 'geheim', 'libtorrent.proxy_auth': 'a:b' }))
  assert.doesNotMatch(text, /geheim|proxy_auth|max_connections/)
  const read = readSettingsFile(text, sections, {})
  assert.equal(read?.leftOut, 0)
  assert.deepEqual(changesOf(sections, read?.edits ?? {}), {
    general: { allowed_paths: ['/a', '/b'] },
    libtorrent: { utp: false, active_seeds: 5 },
  })
  assert.deepEqual(readSettingsFile(text, withStored(set), {})?.edits, {}, 'what stands so already is no change')
})

test('what the form cannot hold is left out and counted, what a flag holds too', () => {
  const held = new Map(
    [...sections].map(([section, fields]) => [
      section,
      fields.map(field => ({ ...field, effective: { ...field.effective, source: 'flag' as const } })),
    ]),
  )
  assert.equal(readSettingsFile(fileOf({ libtorrent: { utp: false } }), held, {})?.leftOut, 1)
  for (const [section, option, value] of [
    ['libtorrent', 'utp', 'no'],
    ['libtorrent', 'active_seeds', '5'],
    ['libtorrent', 'encryption', 'always'],
    ['general', 'allowed_paths', '/a'],
    ['general', 'allowed_paths', ['/a\n/etc']],
    ['general', 'allowed_paths', [1]],
    ['api', 'key', 'a key of somebody else'],
    ['no_such', 'option', 1],
    ['__proto__', 'x', 1],
    ['libtorrent', 'constructor', 1],
  ] as const) {
    const text = `{"tributary_settings":1,"settings":{"${section}":{"${option}":${JSON.stringify(value)}}}}`
    assert.deepEqual(readSettingsFile(text, sections, {}), { edits: {}, leftOut: 1 }, `${section}.${option}`)
  }
})

test('what is no file of settings is none', () => {
  for (const text of ['', '{', '[]', 'null', '7', '{}', '{"settings":{}}', '{"tributary_settings":2,"settings":{}}'])
    assert.equal(readSettingsFile(text, sections, {}), null, text)
  assert.equal(readSettingsFile('{"tributary_settings":1,"settings":[1]}', sections, {}), null)
  assert.deepEqual(readSettingsFile(fileOf({ libtorrent: 7 }), sections, {}), { edits: {}, leftOut: 0 })
})

test('a file is laid over what was edited already, and secrets are never shown', () => {
  const fields = [...sections.values()].flat()
  const field = (path: string) => fields.find(each => pathOf(each) === path) as SettingField
  const before = withEdit(withEdit({}, field('libtorrent.active_seeds'), '9'), field('libtorrent.utp'), false)
  const read = readSettingsFile(fileOf({ libtorrent: { active_seeds: 4 } }), sections, before)
  assert.deepEqual(changesOf(sections, read?.edits ?? {}), { libtorrent: { utp: false, active_seeds: 4 } })
  assert.equal(shownEdit(field('webhooks.secret'), 'geheim'), 'not shown')
  assert.equal(shownEdit(field('libtorrent.max_upload_rate'), '1048576'), '1 MiB/s')
  assert.equal(shownEdit(field('libtorrent.max_upload_rate'), 'a lot KiB/s'), 'a lot KiB/s')
})
