// What POST /settings answers, and what of it goes into the history.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { EffectiveSettings } from '../../../src/services/api.ts'
import { NodeSettings, type SettingsSource } from '../../../src/services/settings/settings.ts'
import { SettingsChanges } from '../../../src/services/settings/settings-changes.ts'
import { CoreState } from '../../../src/services/diagnostics/state.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'

type Changed = Awaited<ReturnType<SettingsSource['change']>>

/** `answers`: what the store makes of each body, one after the other. */
const OWNER = { anyPath: true, localFiles: true, spends: true }

function settingsOver(answers: (Changed | AppError)[]): { settings: NodeSettings; noted: (readonly string[])[] } {
  const noted: (readonly string[])[] = []
  const effective = (): EffectiveSettings => ({ file: '/x.yaml', settings: {} })
  const changes = new SettingsChanges({ effective, log: silentLog })
  changes.note = async options => void noted.push(options)
  const source: SettingsSource = {
    read: () => ({ api: { key: null } }),
    change: async () => {
      const answer = answers.shift()
      if (answer instanceof AppError || answer === undefined) throw answer ?? new Error('nothing to answer')
      return answer
    },
  }
  const state = new CoreState()
  state.setPort('http_api~port', 7)
  const docs = { effective, schema: () => ({}) }
  return {
    settings: new NodeSettings({ source, state, docs, changes, rights: { check: async () => undefined } }),
    noted,
  }
}

test('a change that comes into force is modified; one that a flag holds is kept and is not', async () => {
  const { settings, noted } = settingsOver([
    { changed: ['a.x', 'a.y'], restartRequired: ['a.y'], overridden: ['a.x'] },
    { changed: ['a.x'], restartRequired: [], overridden: ['a.x'] },
    { changed: [], restartRequired: [], overridden: [] },
  ])
  assert.deepEqual(await settings.change({}, OWNER), { modified: true, restart_required: ['a.y'], overridden: ['a.x'] })
  assert.deepEqual(await settings.change({}, OWNER), { modified: false, restart_required: [], overridden: ['a.x'] })
  assert.deepEqual(await settings.change({}, OWNER), { modified: false, restart_required: [], overridden: [] })
  assert.deepEqual(noted, [['a.x', 'a.y'], ['a.x'], []])
})

test('what is refused is not noted', async () => {
  const { settings, noted } = settingsOver([new AppError('InvalidSetting', 'no')])
  await assert.rejects(settings.change({}, OWNER), { code: 'InvalidSetting' })
  assert.deepEqual(noted, [])
})

test('the settings are read with the ports in use', () => {
  const { settings } = settingsOver([])
  assert.deepEqual(settings.read(), { settings: { api: { key: null } }, ports: { 'http_api~port': 7 } })
})
