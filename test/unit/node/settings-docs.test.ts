// What the table of settings looks like from outside: its JSON schema, and where each value comes from.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { effectiveSettings, settingsJsonSchema } from '../../../src/node/settings/settings-docs.ts'
import { allSettings, settingsTable } from '../../kit/all-settings.ts'
import { SettingsStore } from '../../../src/node/settings/settings-store.ts'

type Plain = Record<string, unknown>

const schema = settingsJsonSchema(settingsTable) as {
  properties: Record<string, { properties: Record<string, Plain> }>
}

test('every option stands in the schema with type, range, default, text and when it applies', () => {
  for (const [section, options] of Object.entries(settingsTable)) {
    const shown = schema.properties[section]?.properties ?? {}
    assert.deepEqual(Object.keys(shown), Object.keys(options))
    for (const [name, spec] of Object.entries(options)) {
      const option = shown[name] ?? {}
      assert.ok(String(option['description']).startsWith(spec.doc), name)
      assert.equal(option['x-needs-restart'], spec.needsRestart)
      if (spec.secret !== true) assert.deepEqual(option['default'], spec.default)
      if (spec.kind === 'integer' || spec.kind === 'number') {
        assert.deepEqual([option['type'], option['minimum'], option['maximum']], [spec.kind, spec.min, spec.max])
        assert.equal(option['x-unit'], spec.unit)
      }
      if (spec.kind === 'choice') assert.deepEqual(option['enum'], spec.values)
      if (spec.kind === 'list') assert.equal(option['type'], 'array')
    }
  }
  assert.deepEqual(Object.keys(schema.properties), Object.keys(settingsTable))
})

test('where a value comes from, what the file says, and what waits for a restart', async t => {
  const stateDir = mkdtempSync(join(tmpdir(), 'tributary-effective-'))
  t.after(() => rmSync(stateDir, { recursive: true, force: true }))
  const file = join(stateDir, 'tributary.yaml')
  writeFileSync(file, 'api:\n  key: geheim\n  http_port: 1\nlibtorrent:\n  upload_slots: 3\n  port: 5\n')
  const store = await SettingsStore.open({
    table: allSettings,
    stateDir,
    stateDirChosen: true,
    homeDir: null,
    env: { CORE_API_PORT: '2' },
    flags: [['libtorrent.upload_slots', '4']],
  })
  const read = (section: string, option: string) => effectiveSettings(store).settings[section]?.[option]
  assert.equal(effectiveSettings(store).file, file)
  const base = { needs_restart: false, restart_pending: false }
  assert.deepEqual(read('libtorrent', 'upload_slots'), {
    value: 4,
    source: 'flag',
    stored: 3,
    default: 8,
    ...base,
  })
  const port = { value: 2, source: 'environment', stored: 1, default: 52_194 }
  assert.deepEqual(read('api', 'http_port'), { ...port, needs_restart: true, restart_pending: false })
  const peers = { value: 5, source: 'file', stored: 5, default: -1, needs_restart: true }
  assert.deepEqual(read('libtorrent', 'port'), { ...peers, restart_pending: false })
  const names = { value: [], source: 'default', stored: null, default: [], needs_restart: true }
  assert.deepEqual(read('libtorrent', 'dht_bootstrap')?.source, 'default')
  assert.deepEqual(read('network', 'ip_filter'), { ...names, ...base })
  assert.deepEqual(
    [read('api', 'key')?.value, read('api', 'key')?.stored, read('api', 'key')?.source],
    [null, null, 'file'],
  )
  assert.ok(!JSON.stringify(effectiveSettings(store)).includes('geheim'))
  await store.change({ libtorrent: { port: 6, upload_slots: 9 }, general: { log_level: 'warn' } })
  assert.deepEqual(read('libtorrent', 'port'), { ...peers, value: 6, stored: 6, restart_pending: true })
  assert.deepEqual([read('libtorrent', 'upload_slots')?.value, read('libtorrent', 'upload_slots')?.stored], [4, 9])
  assert.deepEqual(read('general', 'log_level'), {
    ...base,
    value: 'warn',
    source: 'file',
    stored: 'warn',
    default: 'info',
  })
  await store.change({ libtorrent: { port: 5 } })
  assert.equal(read('libtorrent', 'port')?.restart_pending, false)
})
