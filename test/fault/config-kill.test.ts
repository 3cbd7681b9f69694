// kill -9 of a process that changes settings: the file is always whole and holds the last change that was answered.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SettingsStore } from '../../src/node/settings-store.ts'
import { temporaryFolder } from '../unit/records/records-kit.ts'
import { killAfter } from './killed-child.ts'

const WRITER = new URL('./config-writer.js', import.meta.url)

test('kill -9 never leaves half a configuration file, five times in a row', async t => {
  const stateDir = temporaryFolder(t)
  const path = join(stateDir, 'tributary.yaml')
  writeFileSync(path, '# my notes\nfuture:\n  thing: 1 # keep\n')
  let first = 1
  let key: string | null = null
  for (let round = 0; round < 5; round++) {
    const rates = await killAfter(WRITER, [stateDir, String(first)], 3 + round * 4)
    const settings = await SettingsStore.open({ stateDir, stateDirChosen: true, homeDir: null, env: {}, flags: [] })
    const { max_upload_rate: up, max_download_rate: down } = settings.values.libtorrent
    assert.equal(up, down, 'half of a change is there')
    assert.ok(up >= Number(rates.at(-1)), `${up} is older than the answered ${rates.at(-1)}`)
    assert.equal(settings.values.general.allowed_paths.length, 200)
    assert.match(readFileSync(path, 'utf8'), /# my notes\nfuture:\n {2}thing: 1 # keep\n/)
    key ??= settings.values.api.key.reveal()
    assert.equal(settings.values.api.key.reveal(), key)
    first = up + 1
  }
})
