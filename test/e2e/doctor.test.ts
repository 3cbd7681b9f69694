// `tributary doctor` as a process: before a first start, beside a running node, and with one thing broken at a time. It
// must name the cause, end with 1, and change nothing.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { cliPath, runCli, startNode } from '../kit/nodes/node-process.ts'

const run = promisify(execFile)

interface Finding {
  state: string
  check: string
  text: string
  advice: string
}

describe('tributary doctor', { concurrency: 1 }, () => {
  let folder = ''
  /** A state directory of a node that ran. */
  let state = ''

  const findings = async (
    stateDir: string,
    args: readonly string[] = [],
  ): Promise<{ code: number | null; all: Finding[] }> => {
    const settings = ['--set', 'api.http_port=0', '--set', 'libtorrent.port=0', ...args]
    const { code, stdout, stderr } = await runCli(['doctor', '--json', '--state-dir', stateDir, ...settings])
    const { healthy, findings: all } = JSON.parse(stdout) as { healthy: boolean; findings: Finding[] }
    assert.equal(healthy, code === 0, stderr)
    for (const { state: kind, advice } of all) assert.equal(advice === '', kind === 'ok', stdout)
    return { code, all }
  }
  /** There is one problem, and it is this one. */
  const assertProblem = async (
    check: string,
    text: RegExp,
    stateDir: string,
    args: readonly string[] = [],
  ): Promise<void> => {
    const { code, all } = await findings(stateDir, args)
    const problems = all.filter(finding => finding.state === 'problem')
    assert.equal(code, 1, JSON.stringify(all))
    assert.equal(problems.length, 1, JSON.stringify(problems))
    assert.equal(problems[0]?.check, check)
    assert.match(problems[0]?.text ?? '', text)
  }

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-doctor-'))
    state = path.join(folder, 'state')
    await (await startNode({ stateDir: state })).kill('SIGTERM')
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('before a first start all is well, and nothing is made', async () => {
    const { code, all } = await findings(path.join(folder, 'none'))
    assert.equal(code, 0, JSON.stringify(all))
    await assert.rejects(readdir(path.join(folder, 'none')), /ENOENT/)
  })

  test('a running node tells the same by its interface', async () => {
    const node = await startNode({ settings: { 'disk.open_files': 65_536 } })
    try {
      const report = await node.get<{ healthy: boolean; time: number; findings: Finding[] }>('/debug/doctor')
      const checks = new Set(report.findings.map(({ check }) => check))
      for (const check of ['program', 'settings', 'permissions', 'mounts', 'database', 'clock', 'ports', 'open-files'])
        assert.ok(checks.has(check), `${check} is not among ${[...checks].join(' ')}`)
      assert.match(report.findings[0]?.text ?? '', new RegExp(`A node runs here \\(process ${node.pid}\\)`))
      assert.match(report.findings.find(({ check }) => check === 'ports')?.text ?? '', /answers/)
      // A flag of the start is seen by it.
      assert.match(report.findings.find(({ check }) => check === 'open-files')?.text ?? '', /need 262224/)
      assert.ok(Math.abs(report.time - Date.now() / 1000) < 60)
      assert.deepEqual(await node.get('/debug/doctor'), report)
    } finally {
      await node.stop()
    }
  })

  test('after a run all is well; the text names every check', async () => {
    const before = await readdir(state)
    const { code, stdout } = await runCli(['doctor', '--state-dir', state, '--port', '0'])
    assert.equal(code, 0, stdout)
    for (const word of ['program', 'settings', 'permissions', 'mounts', 'database', 'clock', 'open-files'])
      assert.match(stdout, new RegExp(`^ok +${word} `, 'm'))
    const left = (await readdir(state)).filter(name => !before.includes(name))
    assert.deepEqual(
      left.filter(name => !/-(shm|wal)$/.test(name)),
      [],
    )
  })

  test('beside a running node it finds that node, and disturbs nothing', async () => {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as { port: number }
    await new Promise(resolve => probe.close(resolve))
    const node = await startNode({ stateDir: state, args: ['--port', String(port)] })
    // Its port is not that of the settings: it noted where it listens.
    const { code, stdout } = await runCli(['doctor', '--state-dir', state])
    assert.equal(code, 0, stdout)
    assert.match(stdout, new RegExp(`A node runs here \\(process ${node.pid}\\)`))
    assert.match(stdout, new RegExp(`ok +ports +The node that runs .* answers at http://127\\.0\\.0\\.1:${port}/`))
    assert.match(stdout, /database +Database OK/)
    assert.equal(
      (await node.request('PUT', '/downloads', { uri: `magnet:?xt=urn:btih:${'a'.repeat(40)}` })).status,
      200,
    )
    await node.kill('SIGTERM')
  })

  test('a taken port is named with its holder', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    const { code, stdout } = await runCli(['doctor', '--state-dir', state, '--port', String(port)])
    assert.equal(code, 1)
    assert.match(stdout, new RegExp(`problem +ports +TCP port ${port} .* taken by process ${process.pid}`))
    await new Promise(resolve => taken.close(resolve))
    await assertProblem('ports', /no such address/, state, ['--host', '192.0.2.1', '--set', `api.http_port=${port}`])
  })

  test('a damaged, a foreign, a newer and a locked database', async () => {
    const broken = path.join(folder, 'broken')
    await mkdir(broken)
    const file = path.join(broken, 'tributary.db')
    const whole = await readFile(path.join(state, 'tributary.db'))
    await writeFile(
      file,
      whole.map((byte, at) => (at > 4096 && at < 40_000 ? 0x55 : byte)),
    )
    await assertProblem('database', /damaged/, broken)
    await writeFile(file, 'this is no database at all, only text. '.repeat(100))
    await assertProblem('database', /damaged/, broken)
    await writeFile(file, whole)
    const database = new Database(file)
    database.pragma('user_version = 999')
    await assertProblem('database', /newer version/, broken)
    database.pragma('user_version = 1')
    database.pragma('application_id = 5')
    await assertProblem('database', /another program/, broken)
    database.close()
    await writeFile(file, whole)
    const holder = new Database(file)
    holder.pragma('journal_mode = DELETE')
    holder.exec('BEGIN EXCLUSIVE')
    await assertProblem('database', new RegExp(`locked by process ${process.pid}`), broken)
    holder.close()
  })

  test('settings that cannot be used, and a key that others can read', async () => {
    const wrong = path.join(folder, 'wrong')
    await mkdir(wrong)
    await writeFile(path.join(wrong, 'tributary.yaml'), 'api:\n  http_port: many\n')
    await assertProblem('settings', /line 2: api.http_port must be a whole number/, wrong)
    await writeFile(path.join(wrong, 'tributary.yaml'), 'api:\n  key: ""\n')
    await assertProblem('settings', /api.key may be empty only/, wrong, ['--set', 'api.http_host=0.0.0.0'])
    await writeFile(path.join(wrong, 'tributary.yaml'), 'api:\n  key: abc\n')
    await chmod(path.join(wrong, 'tributary.yaml'), 0o644)
    const { code, all } = await findings(wrong)
    assert.equal(code, 0)
    assert.ok(all.some(({ state: kind, text }) => kind === 'warning' && /can be read by other users/.test(text)))
  })

  test('a missing watch folder, a folder that is a file', async () => {
    const watch = ['--set', 'watch_folder.enabled=true', '--set', `watch_folder.directory=${folder}/nowhere`]
    await assertProblem('permissions', /watch folder .* is not there/, state, watch)
    await assertProblem('permissions', /is not a folder/, state, ['--set', 'download_defaults.saveas=/etc/hostname'])
    await assertProblem('mounts', /MiB are free/, state, ['--set', 'disk.min_free_bytes=1000000000000000'])
  })

  test('a clock that was set back', async () => {
    const later = path.join(folder, 'later')
    await mkdir(later)
    await writeFile(path.join(later, 'x'), '')
    await utimes(path.join(later, 'x'), new Date(), new Date(Date.now() + 86_400_000))
    const { all } = await findings(later)
    assert.ok(all.some(({ check, state: kind }) => check === 'clock' && kind === 'warning'))
  })

  test('too low a limit of open files', async () => {
    const line = `ulimit -n 300; exec "$0" "$@"`
    const { stdout } = await run('bash', [
      '-c',
      line,
      process.execPath,
      cliPath,
      'doctor',
      '--state-dir',
      state,
      '--port',
      '0',
    ])
    assert.match(
      stdout,
      /warning +open-files +The limit of open files is 300; the settings need 1104: max_connections is held at/,
    )
  })

  test('a read-only file system is named with its mount', async context => {
    const point = path.join(folder, 'readonly')
    await mkdir(point)
    const script = `mount -t tmpfs -o ro none "${point}" || exit 77; exec "$0" "$@"`
    const args = [
      '-m',
      'sh',
      '-c',
      script,
      process.execPath,
      cliPath,
      'doctor',
      '--state-dir',
      path.join(point),
      '--port',
      '0',
    ]
    const child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'ignore'] })
    let stdout = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    const code = await Promise.race([
      once(child, 'close').then(([value]: unknown[]) => value),
      once(child, 'error').then(() => 77),
    ])
    if (!stdout.includes('program')) return context.skip('this user may not mount')
    assert.equal(code, 1)
    assert.match(
      stdout,
      new RegExp(`problem +mounts +The state directory .* read-only file system \\(tmpfs at ${point}\\)`),
    )
  })
})
