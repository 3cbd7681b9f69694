// Every option has its row in the table of rights, and every row its option: a new option is not left to chance.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowOf } from '../../src/node/settings/settings-rights.ts'
import { allSettings, settingsTable } from '../kit/all-settings.ts'

const options = Object.entries(settingsTable).flatMap(([section, specs]) =>
  Object.entries(specs).map(([option, spec]) => ({ path: `${section}.${option}`, spec })),
)

test('every option of the schema has a row in src/node/settings/settings-rights.ts', () => {
  const without = options.filter(({ path }) => rowOf(allSettings.rights, path) === null).map(({ path }) => path)
  assert.deepEqual(without, [], 'say there who may change them')
})

test('every row is of an option, and no option has two', () => {
  const rows = Object.entries(allSettings.rights).flatMap(([section, rights]) =>
    typeof rights === 'string'
      ? Object.keys(settingsTable[section] ?? { 'no such section': null }).map(option => `${section}.${option}`)
      : Object.values(rights)
          .flat()
          .map(option => `${section}.${option}`),
  )
  assert.deepEqual(rows.sort(), options.map(({ path }) => path).sort())
})

test('an option that names files or folders is judged by them, or changed by the first key alone', () => {
  for (const { path, spec } of options) {
    const named =
      (spec.kind === 'text' && spec.format === 'path') || (spec.kind === 'list' && spec.of === 'path') ? path : null
    if (named !== null)
      assert.ok(['first', 'folder', 'file', 'owner'].includes(rowOf(allSettings.rights, named) ?? ''), named)
  }
})
