// The command line against built nodes: each command by what it does and prints, its JSON, its exit codes, hostile
// names, a backup put into another state directory, and a player that is started with the links of a playlist.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { takenOut } from '../kit/taken-out.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { waitFor } from '../kit/wait-for.ts'
import { cliPath, type ExitedNode, type NodeProcess, runCli, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'

const run = promisify(execFile)
const MIB = 1024 * 1024
const evil = 'e\u001b[2Jvil\u202e'
const made = makeTorrent({
  name: 'A show',
  files: [
    { path: 'part 2.mkv', length: MIB },
    { path: 'part 10.mkv', length: MIB },
    { path: 'part 2.en.srt', length: 1000 },
  ],
  pieceLength: 64 * 1024,
})
const other = makeTorrent({ name: evil, length: 1000, seed: 7 })

describe('command line', { concurrency: 1 }, () => {
  let folder = ''
  let seeder: NodeProcess
  let node: NodeProcess
  let peer = ''

  /** Runs a command for `node`; `code` null = any. */
  const tributary = async (args: readonly string[], code: number | null = 0): Promise<ExitedNode> => {
    const ended = await runCli(args, { TRIBUTARY_STATE_DIR: node.stateDir })
    if (code !== null) assert.equal(ended.code, code, `${args.join(' ')}\n${ended.stdout}\n${ended.stderr}`)
    return ended
  }
  const printed = async (...args: string[]): Promise<string> => (await tributary(args)).stdout
  const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await printed(...args, '--json')) as T
  const record = () => downloadRecord(node, made.infoHash)
  const torrentPath = (): string => path.join(folder, 'show.torrent')

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-cli-'))
    const seeds = path.join(folder, 'seeds', 'A show')
    await mkdir(seeds, { recursive: true })
    for (const file of made.files) await writeFile(path.join(seeds, file.path), file.content)
    await writeFile(torrentPath(), made.torrent)
    await writeFile(path.join(folder, 'evil.torrent'), other.torrent)
    seeder = await startNode()
    await seeder.request('PUT', '/downloads', { uri: torrentPath(), destination: path.join(folder, 'seeds') })
    await downloadComplete(seeder, made.infoHash)
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    peer = `127.0.0.1:${variables.ports['libtorrent~port']}`
    node = await startNode()
  })
  after(async () => {
    await node?.stop()
    await seeder?.stop()
    if (folder !== '') await rm(folder, { recursive: true, force: true })
  })

  test('add sends a torrent file that lies here, paused and labelled; ls shows it', async () => {
    const to = path.join(folder, 'to')
    assert.equal(await printed('add', torrentPath(), '--to', to, '--paused', '-l', 'shows'), `${made.infoHash}\n`)
    const { status, destination, labels } = await record()
    assert.deepEqual([status, destination, labels], ['DLSTATUS_STOPPED', to, ['shows']])
    const listed = await printed('ls')
    assert.match(listed, /^HASH\s+DONE\s+SIZE\s+DOWN\s+UP\s+ETA\s+RATIO\s+STATUS\s+NAME\n/)
    assert.ok(listed.includes(`${made.infoHash.slice(0, 8)}  0.0%  2.0 MiB`), listed)
    assert.match(listed, /stopped\s+A show\n$/)
    assert.equal((await json<{ downloads: unknown[] }>('ls', '--label', 'none')).downloads.length, 0)
    assert.equal((await json<{ downloads: unknown[] }>('ls', '--status', 'stop')).downloads.length, 1)
    const one = { downloads: [{ name: 'A show' }], total: 1, next: '' }
    const options = ['--filter', 'stopped label:shows', '--sort', '-name', '-n', '5', '--infohash', made.infoHash]
    assert.deepEqual(await json('ls', ...options, '--fields', 'name'), one)
    assert.equal(await printed('ls', ...options, '--fields', 'name'), '- name: A show\n')
    assert.deepEqual(await json('ls', '--filter', 'seeding'), { downloads: [], total: 0, next: '' })
    assert.deepEqual(await json('ls', '--offset', '1'), { downloads: [], total: 1, next: '' })
    const counted = await printed('ls', '--totals', '--fields', 'name')
    assert.match(
      counted,
      /^- name: A show\n\n?1 download: 1 stopped, 1 inactive, 1 paused\. Down 0 B\/s, up 0 B\/s\.\n$/,
    )
  })

  test('names of strangers reach the terminal as text', async () => {
    await tributary(['add', path.join(folder, 'evil.torrent'), '--paused'])
    const listed = await printed('ls')
    assert.ok(!listed.includes('\u001b') && !listed.includes('\u202e'), JSON.stringify(listed))
    assert.match(listed, /e[\ufffd ]\[2Jvil\ufffd/)
    assert.match(await printed('rm', '--data', other.infoHash), /^Removed e[\ufffd ]\[2Jvil\ufffd and its files\.\n$/)
  })

  test('a download is meant by its hash, the start of it, and its name', async () => {
    for (const text of [made.infoHash, made.infoHash.slice(0, 6), 'A show', 'show']) {
      assert.equal((await json<{ infohash: string }>('info', text)).infohash, made.infoHash)
    }
    assert.match(
      (await tributary(['info', 'nothing like it'], 1)).stderr,
      /There is no download like nothing like it\./,
    )
    assert.match(await printed('explain', 'show'), /paused/i)
  })

  test('resume, limit, files, trackers, peers while it comes in', { timeout: 60_000 }, async () => {
    const said = await printed(
      'limit',
      'show',
      '--down',
      '20k',
      '--ratio',
      '2.5',
      '--time',
      'never',
      '--label',
      'a',
      '--label',
      'b',
    )
    assert.equal(said, 'A show: down at most 20.0 KiB/s, ratio 2.5, seeding time without an end, labels a, b.\n')
    const limited = await record()
    assert.deepEqual([limited.max_download_speed, limited.seeding_ratio, limited.seeding_time], [20_480, 2.5, -1])
    assert.deepEqual(limited.labels, ['a', 'b'])
    const files = await printed('files', 'show', '--priority', '1=7')
    assert.match(files, /^\s*1\s+0\.0%\s+1\.0 MiB\s+7\s+part 10\.mkv$/m)
    assert.equal(await printed('resume', 'label:b'), 'Resumed A show.\n')
    await printed('add', `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}`)
    await downloadUntil(node, made.infoHash, ({ progress }) => progress > 0)
    assert.match(await printed('peers', 'show'), /127\.0\.0\.1:\d+.*Tributary/)
    const calling = ['peers', 'show', '--add', '127.0.0.1:9']
    assert.equal(await printed(...calling), 'While the download runs it connects to 1 peer.\n')
    assert.match(await printed('trackers', 'show', '--add', 'udp://127.0.0.1:9/x'), /udp:\/\/127\.0\.0\.1:9\/x/)
    const change = ['--change', 'udp://127.0.0.1:9/x', '--to', 'udp://127.0.0.1:9/y', '--tier', '0']
    assert.match(await printed('trackers', 'show', ...change), /^ +0 .* udp:\/\/127\.0\.0\.1:9\/y$/m)
    assert.match((await tributary(['trackers', 'show', '--tier', '1'], 1)).stderr, /need --change/)
    assert.doesNotMatch(await printed('trackers', 'show', '--remove', 'udp://127.0.0.1:9/y'), /udp:/)
  })

  test('watch ends when it is there', { timeout: 90_000 }, async () => {
    const env = { ...process.env, TRIBUTARY_STATE_DIR: node.stateDir }
    const watching = spawn(process.execPath, [cliPath, 'watch', 'show'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let stdout = ''
    watching.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    const closed = once(watching, 'close')
    await waitFor('the first line', () => stdout.includes('%'))
    await tributary(['limit', 'show', '--down', '0'])
    assert.deepEqual(await closed, [0, null])
    assert.match(stdout, /^A show +█*░* +\d+\.\d%/)
    assert.match(stdout, /█{24}\s+100%/)
    assert.equal((await record()).status, 'DLSTATUS_SEEDING')
  })

  test('pause, recheck, move, magnet, torrent-file', { timeout: 60_000 }, async () => {
    assert.equal(await printed('recheck', 'all'), 'Checking A show.\n')
    await downloadComplete(node, made.infoHash)
    assert.equal(await printed('pause', 'a sh*'), 'Paused A show.\n')
    assert.equal((await record()).status, 'DLSTATUS_STOPPED')
    assert.match(await printed('info', 'show'), /^A show\n {2}State +stopped\n {2}Done +100% of 2\.0 MiB\n/)
    await tributary(['resume', 'show'])
    const renamed = ['rename', 'show', 'part 10.mkv', 'ten <b>.mkv']
    assert.equal(await printed(...renamed), 'Renamed part 10.mkv to ten <b>.mkv.\n')
    assert.match(await printed('files', 'show'), /ten <b>\.mkv$/m)
    const taken = await tributary(['rename', 'show', 'ten <b>.mkv', 'PART 2.mkv'], 1)
    assert.match(taken.stderr, /something of the name already/)
    assert.match((await tributary(['rename', 'show', 'ten <b>.mkv', '../x'], 1)).stderr, /without \/ and \\/)
    await printed('rename', 'show', 'ten <b>.mkv', 'part 10.mkv')
    const moved = path.join(folder, 'moved')
    assert.equal(await printed('move', 'show', path.relative(process.cwd(), moved)), `Moving A show to ${moved}.\n`)
    await downloadUntil(node, made.infoHash, ({ destination }) => destination === moved)
    assert.match(await printed('magnet', 'show'), new RegExp(`^magnet:\\?xt=urn:btih:${made.infoHash}`))
    const file = path.join(folder, 'out.torrent')
    await tributary(['torrent-file', 'show', '-o', file])
    assert.ok((await readFile(file)).includes('part 10.mkv'))
    assert.match((await tributary(['torrent-file', 'show', '-o', file], 1)).stderr, /cannot be written/)
  })

  test('a key that is bound to a label has the downloads of that, and no other', async () => {
    const opened = async (label: string, target: string): Promise<[number, unknown]> => {
      const { key } = await json<{ key: string }>('keys', 'add', `of-${label}`, 'read,stream', '--label', label)
      const answer = await fetch(`${node.baseUrl}${target}`, { headers: { 'X-Api-Key': key } })
      await tributary(['keys', 'remove', `of-${label}`])
      return [answer.status, await answer.json()]
    }
    const [, list] = await opened('a', '/downloads?fields=infohash,labels')
    assert.deepEqual((list as { downloads: unknown[] }).downloads, [{ infohash: made.infoHash, labels: ['a'] }])
    assert.deepEqual(await opened('none', '/downloads'), [200, { downloads: [] }])
    for (const part of ['', '/files', '/explain', '/stream/0'])
      assert.equal((await opened('none', `/downloads/${made.infoHash}${part}`))[0], 404)
    assert.equal((await opened('a', '/settings'))[0], 403)
    assert.equal((await opened('a', `/downloads/${made.infoHash}/files`))[0], 200)
  })

  test('stream-url opens without a key; play starts a player with all links, in order, sidecars first', async () => {
    const url = (await printed('stream-url', 'show', '2.en.srt')).trim()
    assert.equal((await fetch(url)).status, 206)
    assert.match(await (await fetch((await printed('stream-url', 'show')).trim())).text(), /^#EXTM3U/)
    for (const player of ['mpv', 'vlc']) {
      const program = path.join(folder, player)
      await writeFile(program, '#!/bin/sh\nfor a in "$@"; do echo "$a"; done\nexit 7\n')
      await chmod(program, 0o755)
      const { stdout } = await tributary(['play', 'show', '--player', program, '--player-arg=--fs'], 7)
      const args = stdout.trim().split('\n')
      const at = (part: string): number => args.findIndex(arg => arg.includes(part))
      assert.equal(args[0], '--fs')
      assert.ok(at('part%202.mkv') < at('part%2010.mkv') && at('part%202.mkv') > 0, stdout)
      if (player === 'mpv') assert.ok(args[at('part%202.en.srt')]?.startsWith('--sub-file=http'), stdout)
      else assert.ok(args[at('part%202.mkv') + 1]?.startsWith(':input-slave=http'), stdout)
    }
    const one = await json<{ links: { url: string }[] }>('play', 'show', '10')
    assert.equal(one.links.length, 1)
    assert.match(one.links[0]?.url ?? '', /part%2010\.mkv\?token=/)
    assert.equal((await tributary(['play', 'show', '--player', '/no/such'], 1)).code, 1)
  })

  test('settings, events, state, call', async () => {
    assert.equal(await printed('settings', 'get', 'libtorrent.max_upload_rate'), 'libtorrent.max_upload_rate = 0\n')
    assert.match(await printed('settings', 'set', 'libtorrent.max_upload_rate=1000', 'updates.interval=45'), /Changed/)
    assert.equal(await printed('settings', 'get', 'updates.interval'), 'updates.interval = 45\n')
    await tributary(['settings', 'set', 'libtorrent.max_upload_rate=1M', 'api.link_hours=30d'])
    assert.match(await printed('settings', 'get', 'libtorrent.max_upload_rate'), /= 1048576\n$/)
    assert.match((await tributary(['settings', 'set', 'libtorrent.nonsense=1'], 1)).stderr, /nonsense/)
    assert.match((await tributary(['settings', 'get', 'no.such'], 1)).stderr, /no such|There is no setting/)
    assert.match(await printed('settings', 'history'), /updates\.interval/)
    assert.match(await printed('events', '--since', '0', '--type', 'torrent_finished', '-n', '1'), /torrent_finished/)
    assert.equal((await json<{ state: string }>('state')).state, 'STARTED')
    assert.match(await printed('variables'), /http_api~port: \d+/)
    assert.match(await printed('call', 'GET', '/downloads', 'get_peers=1'), /"peers":/)
    assert.match(await printed('stats', 'tribler'), /database_size: \d+/)
    assert.match(await printed('debug', 'log', 'core', '5', '--json'), /"content":/)
  })

  test('what cannot be meant is refused with what to do', async () => {
    assert.match((await tributary(['add', 'no-such.torrent'], 1)).stderr, /There is no file no-such\.torrent here/)
    assert.match((await tributary(['limit', 'show', '--sequential', 'maybe'], 1)).stderr, /Allowed choices are on, off/)
    assert.match((await tributary(['events', '--since', '0', '-n', 'x'], 1)).stderr, /must be a whole number/)
    assert.equal(await printed('add', 'FE'.repeat(20), '--paused'), `${'fe'.repeat(20)}\n`, 'an info hash is enough')
    await tributary(['rm', 'fe'.repeat(20)])
    assert.match(await printed('debug', 'log'), /^(?:\{"level":|$)/, 'lines as they are, without arguments')
    assert.match(await printed('call', 'GET', 'state'), /"STARTED"/)
    const near = path.relative(process.cwd(), torrentPath())
    assert.match(await printed('torrent-info', near), /name: A show/)
    assert.match((await tributary(['torrent-info', near, '--hops', '4'], 1)).stderr, /a number from 0 to 3/)
    const taken = await printed('settings', 'set', 'network.allow_private=127.0.0.0/8', 'general.family_filter=off')
    assert.match(taken, /Changed/, 'lists and switches as people type them')
    assert.match(
      (await tributary(['settings', 'set', 'api.link_hours=soon'], 1)).stderr,
      /must be hours, as 12, 12h or 30d/,
    )
    assert.match((await tributary(['rm', 'none*'], 1)).stderr, /No download is like none\*/)
    assert.match((await tributary(['import', 'no-such-folder', '--from', 'transmission'], 1)).stderr, /no-such-folder/)
    const https = ['torrent-info', 'https://t.example/x.torrent', '--hops', '1']
    const reason = takenOut.includes('circuits') ? /has no circuits/ : /circuits carry no https/
    assert.match((await tributary(https, 1)).stderr, reason)
  })

  test('log shows lines for people, and says where none is like that', async () => {
    assert.match(
      await printed('log', '-n', '2'),
      /^(?:(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [a-z]+ .*\n){1,2}|No lines .*\n)$/,
    )
    assert.match(await printed('log', '--part', 'nonsense'), /^No lines of the log are like that\.\n$/)
    assert.match(
      (await tributary(['log', '--level', 'loud'], 1)).stderr,
      /Allowed choices are debug, info, warn, error/,
    )
  })

  test('log --follow goes on with what is written', { timeout: 60_000 }, async () => {
    const env = { ...process.env, TRIBUTARY_STATE_DIR: node.stateDir }
    const args = [cliPath, 'log', '--follow', '--lines', '0', '--part', 'trial']
    const following = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const closed = once(following, 'close')
    let stdout = ''
    following.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    const file = path.join(node.stateDir, 'log', 'tributary.log')
    let count = 0
    const write = (part: string) =>
      appendFile(
        file,
        `{"level":"warn","time":"2026-11-28T10:15:00.000Z","part":"${part}","msg":"it \\u001b[2J","n":${(count += 1)}}\n`,
      )
    try {
      await waitFor('a line of that part alone', async () => {
        // What was written before the first look is none of what comes behind it.
        await write('other')
        await write('trial')
        return stdout.includes('\n')
      })
    } finally {
      following.kill()
      await closed
    }
    assert.match(stdout, /^(?:2026-11-28 10:15:00 warn {2}trial: it \ufffd\[2J \(n \d+\)\n)+$/)
  })

  test('top without a terminal is one look', async () => {
    const text = await printed('top')
    assert.match(text, /^↓ .*\/s {2}↑ .*\/s {2}1 download, 1 seeding\n\nA show .*seeding\n$/)
    assert.ok(!text.includes('\u001b'))
    assert.equal((await json<{ downloads: unknown[] }>('top')).downloads.length, 1)
  })

  test('top on a narrow terminal: sorted by a key, left by another', {
    skip: needs('script'),
    timeout: 60_000,
  }, async () => {
    const line = `stty cols 40 rows 12; exec ${process.execPath} ${cliPath} top`
    const env = { ...process.env, TRIBUTARY_STATE_DIR: node.stateDir }
    const screen = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    const closed = once(screen, 'close')
    let stdout = ''
    screen.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    await waitFor('the first picture', () => stdout.includes('by download'))
    screen.stdin.write('n')
    await waitFor('another order', () => stdout.includes('by name'))
    screen.stdin.write('q')
    assert.deepEqual(await closed, [0, null])
    assert.ok(stdout.endsWith('\u001b[?25h\u001b[?1049l'), JSON.stringify(stdout.slice(-40)))
    const drawn = stdout
      .split('\u001b[H')
      .slice(1)
      .flatMap(text => text.split('\u001b[J')[0]?.split('\r\n') ?? [])
    // oxlint-disable-next-line no-control-regex -- what a terminal takes for a command is taken out here
    for (const text of drawn) assert.ok([...text.replaceAll(/\u001b\[\d*K/g, '')].length < 40, text)
  })

  test('bytes that are no text do not go to a terminal', { skip: needs('script') }, async () => {
    const line = `${process.execPath} ${cliPath} torrent-file show`
    const env = { ...process.env, TRIBUTARY_STATE_DIR: node.stateDir }
    const { stdout } = await run('script', ['-qec', line, '/dev/null'], { env }).catch(
      (error: unknown) => error as { stdout: string },
    )
    assert.match(stdout, /no text for a terminal: give a file with --output/)
    assert.ok(!stdout.includes('d8:announce') && !stdout.includes('pieces'), stdout)
  })

  test('exit codes: no node, a wrong key, a wrong command', async () => {
    const away = await runCli(['ls', '--url', 'http://127.0.0.1:9'], { CORE_API_KEY: 'x' })
    assert.equal(away.code, 3)
    assert.match(away.stderr, /No node answers at http:\/\/127\.0\.0\.1:9/)
    const wrong = await runCli(['ls', '--url', node.baseUrl], { CORE_API_KEY: 'x'.repeat(64) })
    assert.equal(wrong.code, 4)
    assert.equal((await runCli(['nonsense'])).code, 1)
    assert.equal((await runCli(['ls', '--url', 'ftp://x'], { CORE_API_KEY: 'x' })).code, 1)
    assert.equal((await runCli(['rm'])).code, 1)
  })

  test('a pipe that closes is no error', async () => {
    const shell = spawn('sh', ['-c', `${process.execPath} ${cliPath} ls | head -1`], {
      env: { ...process.env, TRIBUTARY_STATE_DIR: node.stateDir },
    })
    let text = ''
    shell.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await once(shell, 'close')
    assert.equal(text, '')
  })

  test('a backup of a running node becomes a node with the same key and downloads', { timeout: 60_000 }, async () => {
    const backup = path.join(folder, 'backup')
    assert.match(await printed('backup', backup), /tributary\.yaml[\s\S]*tributary\.db/)
    assert.match((await tributary(['backup', backup], 1)).stderr, /is there already/)
    const stateDir = path.join(folder, 'restored')
    await tributary(['restore', backup, '--state-dir', stateDir])
    assert.match((await tributary(['restore', backup, '--state-dir', stateDir], 1)).stderr, /is there already/)
    assert.match((await tributary(['restore', backup], 1)).stderr, /another|used|there already/)
    await tributary(['pause', 'show'])
    const second = await startNode({ stateDir })
    try {
      assert.equal(second.key, node.key)
      assert.equal((await downloadRecord(second, made.infoHash)).name, 'A show')
    } finally {
      await second.stop()
    }
  })

  test('shutdown stops the node, and its address is forgotten', async () => {
    await tributary(['shutdown'])
    await node.ended()
    assert.equal((await tributary(['ls'], null)).code, 3)
  })
})
