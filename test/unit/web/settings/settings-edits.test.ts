// What is entered on the page of settings: only what was edited is sent, and what somebody else changed meanwhile is
// noticed before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  afterSave,
  changesOf,
  clashes,
  isClash,
  keptEdit,
  withEdit,
  withoutEdit,
  withPresent,
} from '../../../../src/web/model/settings/settings-edits.ts'
import { pathOf, type SettingField, type SettingValue } from '../../../../src/web/model/settings/settings-form.ts'
import { shownValue } from '../../../../src/web/model/settings/settings-view.ts'
import { settingFields } from './setting-fields.ts'

const SEEDS = 'libtorrent.active_seeds'
const PATHS = 'general.allowed_paths'

function fieldIn(sections: ReturnType<typeof settingFields>, path: string): SettingField {
  const field = [...sections.values()].flat().find(each => pathOf(each) === path)
  assert.ok(field, path)
  return field
}

const before = settingFields()
const edited = (path: string, input: string | boolean) => withEdit({}, fieldIn(before, path), input)
const after = (values: Readonly<Record<string, SettingValue>>) => settingFields(values)

test('only what was edited is sent; what is entered as it was is no edit', () => {
  const edits = withEdit(edited(SEEDS, '7'), fieldIn(before, 'libtorrent.utp'), false)
  assert.deepEqual(changesOf(before, edits), { libtorrent: { active_seeds: 7, utp: false } })
  assert.deepEqual(changesOf(before, withEdit(edits, fieldIn(before, SEEDS), '-1')), { libtorrent: { utp: false } })
})

test('what was changed elsewhere meanwhile is a clash, until one of both values is chosen', () => {
  const edits = edited(SEEDS, '7')
  assert.equal(clashes(before, edits), 0)
  const now = after({ [SEEDS]: 5, 'libtorrent.utp': false })
  const field = fieldIn(now, SEEDS)
  assert.ok(isClash(edits, field))
  assert.equal(clashes(now, edits), 1, 'what was not edited is none')
  assert.equal(clashes(now, withEdit(edits, field, '8')), 1, 'typing on does not settle it')
  const mine = keptEdit(edits, field)
  assert.equal(clashes(now, mine), 0)
  assert.deepEqual(changesOf(now, mine), { libtorrent: { active_seeds: 7 } })
  assert.equal(clashes(after({ [SEEDS]: 6 }), mine), 1, 'and it was changed once more')
  assert.deepEqual(withoutEdit(edits, field), {})
})

test('the same value from elsewhere is no clash, also of a list that was typed with empty lines', () => {
  assert.equal(clashes(after({ [SEEDS]: 7 }), edited(SEEDS, '7')), 0)
  assert.equal(clashes(after({ [PATHS]: ['/a', '/b'] }), edited(PATHS, ' /a\n\n/b')), 0)
  assert.equal(clashes(after({ [PATHS]: ['/b', '/a'] }), edited(PATHS, ' /a\n\n/b')), 1)
})

test('what this page saved itself is no clash, also where somebody types on while it is saved', () => {
  const saved = withEdit(edited(SEEDS, '7'), fieldIn(before, PATHS), '/a\n\n/b')
  const now = after({ [SEEDS]: 7, [PATHS]: ['/a', '/b'] })
  assert.deepEqual(afterSave(saved, saved, now), {})
  const left = afterSave(withEdit(saved, fieldIn(before, SEEDS), '70'), saved, now)
  assert.deepEqual(changesOf(now, left), { libtorrent: { active_seeds: 70 } })
  assert.equal(clashes(now, left), 0)
  assert.deepEqual(afterSave(saved, {}, now), saved, 'nothing was saved')
})

test('what is in force now comes into the fields, and what a node does not say stays', () => {
  const now = { ...fieldIn(before, SEEDS).effective, value: 5 }
  const sections = withPresent(before, { libtorrent: { active_seeds: now } })
  assert.equal(fieldIn(sections, SEEDS).effective.value, 5)
  assert.deepEqual(fieldIn(sections, PATHS), fieldIn(before, PATHS))
})

test('the present value is told as it is read: units, names of choices, no end of lists', () => {
  const now = after({
    'libtorrent.max_upload_rate': 1_572_864,
    'download_defaults.seeding_mode': 'never',
    [PATHS]: Array.from({ length: 100 }, (_, i) => `/folder/${i}`),
  })
  const shown = (path: string) => shownValue(fieldIn(now, path))
  assert.equal(shown('libtorrent.max_upload_rate'), '1536 KiB/s')
  assert.equal(shown('download_defaults.seeding_mode'), 'When the download is complete')
  assert.equal(shown('libtorrent.utp'), 'on')
  assert.equal(shown('download_defaults.completed_dir'), 'empty')
  assert.equal(shown(PATHS).length, 201)
})
