// kill -9 of a process that changes settings, at every step of writing them: the file is always whole and holds the
// last change that was answered.

import { coreTable } from '../../src/node/settings/settings-table.ts'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SettingsStore } from '../../src/node/settings/settings-store.ts'
import { projectRoot } from '../kit/project-root.ts'
import { needs } from '../kit/requirements.ts'
import { temporaryFolder } from '../unit/records/records-kit.ts'
import { killAfter } from './killed-child.ts'

const WRITER = new URL('./config-writer.js', import.meta.url)
/** Calls at which it is killed (test/kit/doubles/killing-disk.c); every one of them must be made. */
const CALLS = [
  'half tributary.yaml',
  'fsync tributary.yaml.new',
  'rename tributary.yaml',
  'renamed tributary.yaml',
  'fsync /state',
]

test('kill -9 never leaves half a configuration file, at every step of writing it', { skip: needs('gcc') }, async t => {
  const folder = temporaryFolder(t)
  const [library, gate, stateDir] = [join(folder, 'kill.so'), join(folder, 'gate'), join(folder, 'state')]
  execFileSync('gcc', ['-shared', '-fPIC', '-o', library, join(projectRoot, 'test/kit/doubles/killing-disk.c'), '-ldl'])
  const path = join(stateDir, 'tributary.yaml')
  mkdirSync(stateDir)
  writeFileSync(path, '# my notes\nfuture:\n  thing: 1 # keep\n')
  let first = 1
  let key: string | null = null
  for (const [round, call] of CALLS.entries()) {
    rmSync(gate, { force: true })
    const rates = await killAfter(WRITER, [stateDir, String(first)], 3 + round * 4, {
      ask: () => writeFileSync(gate, call),
      env: { LD_PRELOAD: library, KILL_GATE: gate },
    })
    const settings = await SettingsStore.open({
      stateDir,
      stateDirChosen: true,
      homeDir: null,
      env: {},
      flags: [],
      table: coreTable,
    })
    const { max_upload_rate: up, max_download_rate: down } = settings.values.libtorrent
    assert.equal(up, down, 'half of a change is there')
    assert.ok(up >= Number(rates.at(-1)), `${call}: ${up} is older than the answered ${rates.at(-1)}`)
    assert.equal(settings.values.general.allowed_paths.length, 200)
    assert.match(readFileSync(path, 'utf8'), /# my notes\nfuture:\n {2}thing: 1 # keep\n/)
    key ??= settings.values.api.key.reveal()
    assert.equal(settings.values.api.key.reveal(), key)
    first = up + 1
  }
})
