// The built node as a process: start, greeting, exit codes, signals, what a restart remembers.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { startHttpTracker } from '../kit/peers/http-tracker.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { cliPath, runCli, startNode } from '../kit/nodes/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

const magnet = (digit: string, more = '') => `magnet:?xt=urn:btih:${digit.repeat(40)}&dn=${digit}${more}`

interface Listed {
  downloads: { infohash: string; name: string; status: string; progress: number; destination: string }[]
}

let folder = ''
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-start-'))
})
after(() => rm(folder, { recursive: true, force: true }))
const inFolder = (name: string) => path.join(folder, name)

test('first start: greeting, no key and no link in any output; SIGTERM ends it with 0', async () => {
  const stateDir = inFolder('first')
  const node = await startNode({ stateDir })
  const { stdout } = node.logs()
  assert.match(stdout, /^The API key lies in .*tributary\.yaml/m)
  assert.match(stdout, /^Dashboard: http:\/\/127\.0\.0\.1:\d+\/ /m)
  const shown = await runCli(['key', 'show', '--state-dir', stateDir])
  assert.equal(shown.stdout, `${node.key}\n`)
  const { stdout: link } = await runCli(['open', '--print', '--state-dir', stateDir])
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/#\/login\/[\w-]{32}\n$/)
  const code = link.trim().split('/').at(-1) ?? ''
  const { key } = (await node.request('POST', '/login', { code, name: 'test' }, { 'x-api-key': '' })).json<{
    key: string
  }>()
  assert.equal((await stat(path.join(stateDir, 'tributary.yaml'))).mode & 0o777, 0o600)
  await node.request('GET', `/downloads?key=${node.key}`)
  const ended = await node.kill('SIGTERM')
  assert.deepEqual([ended.code, ended.signal], [0, null])
  const log = await readFile(path.join(stateDir, 'log', 'tributary.log'), 'utf8')
  assert.match(node.key, /^[0-9a-f]{64}$/)
  for (const text of [ended.stdout, ended.stderr, log])
    for (const secret of [node.key, code, key, '#/login']) assert.equal(text.includes(secret), false, secret)
  const second = await startNode({ stateDir })
  assert.equal(second.key, node.key)
  assert.doesNotMatch(second.logs().stdout, /API key/)
  assert.equal((await second.request('GET', '/settings', undefined, { 'x-api-key': key })).status, 200)
  await second.kill('SIGINT')
})

test('on a terminal a start prints one link that signs in, once; the log has nothing of it', async () => {
  const stateDir = inFolder('terminal')
  const start = [
    process.execPath,
    cliPath,
    'start',
    '--state-dir',
    stateDir,
    '--port',
    '0',
    '--set',
    'libtorrent.port=0',
  ]
  // Standard output of what it runs is a terminal.
  const terminal = spawn('python3', ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])', ...start])
  let shown = ''
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  try {
    await waitFor('the node', () => /^Ready\.\r?$/m.test(shown) || terminal.exitCode !== null, 60_000)
    const [, baseUrl = '', code = ''] = /^Dashboard: (http:\S+)\/#\/login\/([\w-]{32})\r?$/m.exec(shown) ?? []
    const exchange = () =>
      fetch(`${baseUrl}/login`, { method: 'POST', body: JSON.stringify({ code, name: 'terminal' }) })
    const { key, scopes } = (await (await exchange()).json()) as { key: string; scopes: string[] }
    assert.deepEqual(scopes, ['owner'], shown)
    assert.equal((await exchange()).status, 403)
    const ended = once(terminal, 'exit')
    await fetch(`${baseUrl}/shutdown`, { method: 'PUT', headers: { 'x-api-key': key } })
    await ended
    const log = await readFile(path.join(stateDir, 'log', 'tributary.log'), 'utf8')
    for (const secret of [code, key]) assert.equal(log.includes(secret), false)
  } finally {
    terminal.kill('SIGKILL')
  }
})

test('flag wins over environment, environment over file', async () => {
  const stateDir = inFolder('precedence')
  const first = await startNode({
    stateDir,
    args: ['--api-key', 'from-the-flag-1234'],
    env: { CORE_API_KEY: 'from-env-1234' },
  })
  assert.equal((await first.request('GET', '/state')).status, 200)
  await first.stop()
  const second = await startNode({ stateDir, env: { CORE_API_KEY: 'from-env-1234', CORE_API_PORT: '1' } })
  assert.equal((await second.request('GET', '/state')).status, 200)
  assert.notEqual(second.port, 1, 'the flag --port 0 wins')
  assert.equal((await second.request('GET', '/state', undefined, { 'x-api-key': 'from-the-flag-1234' })).status, 401)
  await second.stop()
  await writeFile(inFolder('key'), 'from-a-file-1234\nsecond line\n')
  const third = await startNode({ stateDir, args: ['--api-key-file', inFolder('key')] })
  assert.equal((await third.request('GET', '/state', undefined, { 'x-api-key': 'from-a-file-1234' })).status, 200)
  await third.stop()
})

test('what keeps it from starting is said in one sentence, with exit code 1', async () => {
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  const taken = String((busy.address() as AddressInfo).port)
  await writeFile(inFolder('file'), '')
  const bad = path.join(folder, 'bad')
  await startNode({ stateDir: bad }).then(node => node.stop())
  await writeFile(path.join(bad, 'tributary.yaml'), 'api:\n  http_port: many\n', { mode: 0o600 })
  const torn = path.join(folder, 'torn')
  await startNode({ stateDir: torn }).then(node => node.stop())
  await writeFile(path.join(torn, 'tributary.db'), 'this is no database'.repeat(1000))
  const cases: [args: string[], sentence: RegExp][] = [
    [['--state-dir', inFolder('a'), '--port', taken], new RegExp(`port.*${taken}.*taken|${taken}`, 'i')],
    [
      [
        '--state-dir',
        inFolder('b'),
        '--port',
        '0',
        '--set',
        `libtorrent.port=${taken}`,
        '--set',
        'libtorrent.interface=127.0.0.1',
      ],
      new RegExp(taken),
    ],
    [['--state-dir', inFolder('c'), '--set', 'api.no_such=1'], /api\.no_such/],
    [['--state-dir', inFolder('c'), '--port', 'x'], /api\.http_port/],
    [['--state-dir', inFolder('c'), '--host', '0.0.0.0', '--api-key', ''], /api\.key/],
    [['--state-dir', bad], /tributary\.yaml, line 2/],
    [['--state-dir', inFolder('file')], /file cannot be used/],
    [['--state-dir', torn, '--port', '0'], /tributary\.db|database/i],
  ]
  try {
    for (const [args, sentence] of cases) {
      const { code, stderr, stdout } = await runCli(['start', ...args])
      const shown = `${args.join(' ')}\n${stderr}`
      assert.equal(code, 1, shown)
      const said = stderr.split('\n').filter(line => line !== '' && !line.startsWith('{'))
      assert.equal(said.length, 1, shown)
      assert.match(said[0] ?? '', sentence, shown)
      assert.doesNotMatch(stdout, /Ready/)
      assert.doesNotMatch(stderr, /\n {4}at |\\n {4}at /, 'a stack is no sentence')
    }
    // The key was made by a start that got no further: the next one still says where it lies.
    const later = await startNode({ stateDir: inFolder('a') })
    assert.match(later.logs().stdout, /^The API key lies in .*tributary\.yaml/m)
    await later.stop()
  } finally {
    busy.close()
  }
})

test('--help and --version answer; unknown flags are refused', async () => {
  const help = await runCli(['start', '--help'])
  assert.equal(help.code, 0)
  for (const flag of ['--state-dir', '--port', '--host', '--api-key', '--api-key-file', '--log-level', '--set']) {
    assert.ok(help.stdout.includes(flag), flag)
  }
  assert.match((await runCli(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
  assert.equal((await runCli(['start', '--no-such'])).code, 1)
})

test('a second node on the same state directory is refused while the first lives', async () => {
  const stateDir = inFolder('locked')
  const node = await startNode({ stateDir })
  const second = await runCli(['start', '--state-dir', stateDir, '--port', '0'])
  assert.equal(second.code, 1)
  assert.match(second.stderr, /used by another node/)
  await node.kill('SIGKILL')
  const third = await startNode({ stateDir })
  await third.stop()
})

test('two nodes on one port: the second is refused', async () => {
  const node = await startNode()
  const second = await runCli(['start', '--state-dir', inFolder('same-port'), '--port', String(node.port)])
  assert.equal(second.code, 1)
  assert.match(second.stderr, new RegExp(String(node.port)))
  assert.equal((await node.request('GET', '/state')).status, 200)
  await node.stop()
})

test('a restart keeps downloads, their states and settings; kill -9 as well', async () => {
  const stateDir = inFolder('restart')
  const first = await startNode({ stateDir })
  await first.request('PUT', '/downloads', { uri: magnet('a') })
  await first.request('PUT', '/downloads', { uri: magnet('b'), destination: inFolder('to') })
  await first.request('PATCH', `/downloads/${'b'.repeat(40)}`, { state: 'stop' })
  await first.request('POST', '/settings', { libtorrent: { max_upload_rate: 12_345 } })
  await first.kill('SIGKILL')
  const second = await startNode({ stateDir })
  const { downloads } = await second.get<Listed>('/downloads')
  assert.deepEqual(
    downloads.map(({ name, status }) => [name, status]),
    [
      ['a', 'DLSTATUS_METADATA'],
      ['b', 'DLSTATUS_STOPPED'],
    ],
  )
  assert.equal(downloads[1]?.destination, inFolder('to'))
  const { settings } = await second.get<{ settings: { libtorrent: { max_upload_rate: number } } }>('/settings')
  assert.equal(settings.libtorrent.max_upload_rate, 12_345)
  const removed = await second.request('DELETE', `/downloads/${'a'.repeat(40)}?remove_data=0`)
  assert.equal(removed.status, 200)
  await second.kill('SIGTERM')
  // From the first moment on: a download that is not loaded yet is listed, and never answered as unknown.
  const third = await startNode({ stateDir, until: 'listening' })
  const early = await third.request('GET', `/downloads/${'b'.repeat(40)}/files`)
  assert.equal((await third.get<Listed>('/downloads')).downloads.length, 1)
  assert.ok([200, 503].includes(early.status), String(early.status))
  if (early.status === 503) assert.ok(Number(early.headers.get('retry-after')) > 0)
  await third.stop()
})

test('SIGTERM with a live torrent: trackers hear stopped, within five seconds', async () => {
  const tracker = await startHttpTracker('127.0.0.1')
  const made = makeTorrent({ announce: [[tracker.url]] })
  await writeFile(inFolder('live.torrent'), made.torrent)
  const node = await startNode({ stateDir: inFolder('live') })
  await node.request('PUT', '/downloads', { uri: inFolder('live.torrent') })
  await waitFor('the announce', () => tracker.announces.some(announce => announce.event === 'started'))
  const events = await fetch(`${node.baseUrl}/events`, { headers: { 'x-api-key': node.key } })
  const began = performance.now()
  const ended = await node.kill('SIGTERM')
  assert.equal(ended.code, 0, ended.stderr)
  assert.ok(performance.now() - began < 5000, `${performance.now() - began} ms`)
  assert.ok(tracker.announces.some(announce => announce.event === 'stopped'))
  await events.body?.cancel().catch(() => undefined)
  await tracker.stop()
})

test('a tracker that never answers does not hold up the stop; a second signal ends it at once', async () => {
  const silent = createServer(socket => socket.on('error', () => undefined)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/announce`
  const start = async (name: string) => {
    const node = await startNode({ stateDir: inFolder(name) })
    const connected = once(silent, 'connection')
    await node.request('PUT', '/downloads', { uri: magnet('c', `&tr=${encodeURIComponent(url)}`) })
    await connected
    return node
  }
  const patient = await start('patient')
  const began = performance.now()
  const ended = await patient.kill('SIGTERM')
  assert.equal(ended.code, 0, ended.stderr)
  assert.ok(performance.now() - began < 5500, `${performance.now() - began} ms`)
  const hasty = await start('hasty')
  const gone = once(hasty.process, 'exit')
  hasty.process.kill('SIGINT')
  await waitFor('the first signal is seen', () => hasty.logs().stderr.includes('"stopping"'))
  hasty.process.kill('SIGINT')
  const [code] = (await gone) as [number | null]
  assert.ok(code === 130 || code === 0, String(code))
  silent.close()
})

test('/state and the list answer as soon as the node listens; ports are shown', async () => {
  const node = await startNode({ until: 'listening' })
  const state = await node.get<{ state: string; last_exception: null }>('/state')
  assert.ok(['STARTING', 'STARTED'].includes(state.state))
  assert.equal((await node.request('GET', '/downloads')).status, 200)
  await node.until<{ state: string }>('/state', value => value.state === 'STARTED')
  const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  assert.equal(variables.ports['http_api~port'], node.port)
  assert.ok((variables.ports['libtorrent~port'] ?? 0) > 0)
  await node.stop()
})
