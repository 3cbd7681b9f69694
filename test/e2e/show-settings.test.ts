// The command `settings`: what a start would have and where it comes from, without a node and without writing anything.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { EffectiveSettings } from '../../src/services/api.ts'
import { runCli } from '../kit/nodes/node-process.ts'

test('settings are shown with their source; a first look writes nothing', async t => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-show-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const run = (...more: string[]) => runCli(['settings', '--state-dir', folder, ...more], { CORE_API_PORT: '7001' })
  const empty = await run()
  assert.deepEqual([empty.code, empty.stdout], [0, 'api.http_port  environment  7001\n'])
  assert.deepEqual(await readdir(folder), [])
  await writeFile(
    path.join(folder, 'tributary.yaml'),
    'api:\n  key: geheim123\n  http_port: 1\nlibtorrent:\n  upload_slots: 3\nfuture:\n  x: 1\n',
  )
  const { code, stdout, stderr } = await run(
    '--set',
    'libtorrent.max_upload_rate=5',
    '--set',
    'network.ip_filter=/a,/b',
  )
  assert.equal(code, 0)
  assert.deepEqual(stdout.split('\n'), [
    'api.http_port               environment  7001  (the file has 1)',
    'api.key                     file         (secret)',
    'libtorrent.max_upload_rate  flag         5',
    'libtorrent.upload_slots     file         3',
    'network.ip_filter           flag         ["/a","/b"]',
    '',
  ])
  assert.match(stderr, /line 7: future\.x is not a setting of this version/)
  const all = await run('--all')
  assert.match(all.stdout, /^libtorrent\.utp +default +true$/m)
  const { settings, file } = JSON.parse((await run('--json')).stdout) as EffectiveSettings
  assert.equal(file, path.join(folder, 'tributary.yaml'))
  assert.deepEqual([settings['api']?.['key']?.value, settings['api']?.['key']?.source], [null, 'file'])
  assert.ok(![stdout, all.stdout].some(text => text.includes('geheim123')))
})

test('what cannot be used is named', async t => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-show-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const wrong = await runCli(['settings', '--state-dir', folder, '--set', 'libtorrent.port=x'])
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /The flag libtorrent\.port must be a whole number\./)
})
