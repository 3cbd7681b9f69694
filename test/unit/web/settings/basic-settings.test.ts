// Which settings the dashboard shows under which names: the ones that people look for, all, and what a search finds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASIC_GROUPS, basicSetting } from '../../../../src/web/model/settings/basic-settings.ts'
import { pathOf } from '../../../../src/web/model/settings/settings-form.ts'
import { choiceName, settingGroups, settingName } from '../../../../src/web/model/settings/settings-view.ts'
import { settingFields } from './setting-fields.ts'

const sections = settingFields()
const pathsIn = (all: boolean, query = '') =>
  settingGroups(sections, all, query).flatMap(({ fields }) => fields.map(pathOf))

test('the first view has the settings that people look for, in their order, and each is one of the node', () => {
  const wanted = BASIC_GROUPS.flatMap(({ settings }) => settings.map(({ path }) => path))
  assert.deepEqual(pathsIn(false), wanted)
  assert.equal(new Set(wanted).size, wanted.length)
  assert.ok(wanted.length >= 20 && wanted.length <= 30, `${wanted.length} settings`)
  assert.equal(wanted[0], 'download_defaults.saveas')
  assert.deepEqual(
    settingGroups(sections, false, '').map(({ heading }) => heading.text),
    ['Folders', 'Speed', 'Slow mode', 'Connections', 'Queue', 'Seeding', 'Privacy'],
  )
})

test('all settings are behind the other view, in the sections of the node', () => {
  const all = [...sections.values()].flat().map(pathOf)
  assert.deepEqual(pathsIn(true), all)
})

test('a search looks through all, by what a setting does and by its name in the interface', () => {
  assert.ok(pathsIn(false, 'scrub').includes('disk.scrub_days'), 'not one of the first view')
  assert.deepEqual(pathsIn(false, 'libtorrent upload_slots'), ['libtorrent.upload_slots'])
  assert.ok(pathsIn(true, 'Upload LIMIT').includes('slow_mode.max_upload_rate'))
  assert.deepEqual(pathsIn(false, 'no such setting at all'), [])
  assert.deepEqual(pathsIn(false, '   '), pathsIn(false))
})

test('names are what a setting does; each of its choices has one, and no other', () => {
  for (const field of [...sections.values()].flat()) {
    const basic = basicSetting(pathOf(field))
    const { text, isEnglish } = settingName(field)
    assert.equal(isEnglish, basic === undefined, pathOf(field))
    assert.doesNotMatch(text, /_|libtorrent|saveas/i)
    if (basic === undefined || field.kind !== 'choice') continue
    assert.deepEqual(Object.keys(basic.choices ?? {}).toSorted(), [...(field.schema.enum ?? [])].toSorted())
    for (const choice of field.schema.enum ?? []) assert.notEqual(choiceName(field, choice), choice)
  }
})
