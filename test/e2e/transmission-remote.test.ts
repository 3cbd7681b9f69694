// Debian's transmission-remote against a built node: add, list, details, files, peers, trackers, pieces, limits,
// labels, pause, session, remove with data. The program is not told that it talks to something else than Transmission.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const run = promisify(execFile)
const KIB = 1024
const files = [0, 1, 2].map(n => ({ path: `part ${n}.bin`, length: 1500 * KIB }))
const made = makeTorrent({
  name: 'A set',
  files,
  pieceLength: 64 * KIB,
  comment: 'made here',
  announce: [['http://127.0.0.1:9/announce']],
})

describe('transmission-remote', { skip: needs('transmission-remote'), concurrency: 1 }, () => {
  let folder = ''
  let seeder: NodeProcess
  let node: NodeProcess

  /** What it prints; fails when the node refused, or it could not read the answer. */
  const remote = async (...args: string[]): Promise<string> => {
    const { stdout } = await run('transmission-remote', [`127.0.0.1:${node.port}`, '-n', `me:${node.key}`, ...args])
    assert.doesNotMatch(stdout, /^Error|Unexpected response|Couldn't connect/m, stdout)
    return stdout
  }

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-remote-'))
    const seeds = path.join(folder, 'seeds')
    await mkdir(path.join(seeds, 'A set'), { recursive: true })
    for (const file of made.files) await writeFile(path.join(seeds, 'A set', file.path), file.content)
    await writeFile(path.join(folder, 'set.torrent'), made.torrent)
    seeder = await startNode()
    const request = { uri: path.join(folder, 'set.torrent'), destination: seeds, max_upload_speed: 400_000 }
    await seeder.request('PUT', '/downloads', request)
    await downloadComplete(seeder, made.infoHash)
    node = await startNode()
  })
  after(async () => {
    await node?.stop()
    await seeder?.stop()
    if (folder !== '') await rm(folder, { recursive: true, force: true })
  })

  const record = () => downloadRecord(node, made.infoHash)
  const to = (): string => path.join(folder, 'to')

  test('a wrong key is reported as such', async () => {
    const { stdout, stderr } = await run('transmission-remote', [
      `127.0.0.1:${node.port}`,
      '-n',
      'me:wrong',
      '-l',
    ]).catch((error: unknown) => error as { stdout: string; stderr: string })
    assert.match(`${stdout}${stderr}`, /401|Unauthorized/)
  })

  test('adds a torrent file to a folder, and lists it', async () => {
    assert.match(await remote('-a', path.join(folder, 'set.torrent'), '-w', to()), /success/)
    const listed = await remote('-l')
    assert.match(listed, /^\s+1\s+0%\s+None\s+Unknown\s+0\.0\s+0\.0\s+None\s+Idle\s+A set$/m)
    assert.equal((await record()).destination, to())
  })

  test('shows details, files, peers, trackers and pieces while it comes in', {
    timeout: 60_000,
  }, async () => {
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    const peer = `127.0.0.1:${variables.ports['libtorrent~port']}`
    await node.request('PUT', '/downloads', { uri: `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}` })
    await node.request('PATCH', `/downloads/${made.infoHash}`, { max_download_speed: 300_000 })
    await remote('-a', `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}`)
    await waitFor('a peer is shown', async () => /127\.0\.0\.1\s+\S*D/.test(await remote('-t', '1', '-ip')), 30_000)
    assert.match(await remote('-t', '1', '-ip'), /Tributary/)
    const details = await remote('-t', made.infoHash, '-i')
    for (const line of [
      `Hash: ${made.infoHash}`,
      'Name: A set',
      'Comment: made here',
      'Piece Size: 64.00 KiB',
      `Location: ${to()}`,
      'Public torrent: Yes',
      'Total size: 4.61 MB (4.61 MB wanted)',
      'Magnet: magnet:?xt=urn:btih:',
    ]) {
      assert.ok(details.includes(line), `${line}\n${details}`)
    }
    assert.match(await remote('-t', '1', '-f'), /A set \(3 files\):[\s\S]*Normal\s+Yes\s+1\.54 MB\s+A set\/part 1\.bin/)
    assert.match(await remote('-t', '1', '-it'), /Tracker 0: 127\.0\.0\.1:9/)
    assert.match(await remote('-t', '1', '-ic'), /[01]{8}/)
    assert.match(await remote('-l'), /Downloading|Idle/)
  })

  test('file selection, priorities, limits, ratio and labels', async () => {
    await remote('-t', '1', '-G', '2')
    await remote('-t', '1', '-ph', '0')
    const shown = await remote('-t', '1', '-f')
    assert.match(shown, /0:\s+\d+% High\s+Yes/)
    assert.match(shown, /2:\s+\d+% Normal\s+No/)
    await remote('-t', '1', '-g', '2')
    await remote('-t', '1', '-d', '5000')
    assert.equal((await record()).max_download_speed, 5_000_000)
    await remote('-t', '1', '-D')
    await remote('-t', '1', '-sr', '2.5')
    assert.equal((await record()).seeding_ratio, 2.5)
    await remote('-t', '1', '-L', 'films,new')
    assert.deepEqual((await record()).labels, ['films', 'new'])
    assert.match(await remote('-t', '1', '-i'), /Ratio Limit: 2\.5/)
    await remote('-t', '1', '-SR')
    await remote('-t', '1', '-td', 'udp://127.0.0.1:9/announce')
    assert.ok((await record()).trackers.some(({ url }) => url === 'udp://127.0.0.1:9/announce'))
    await remote('-t', '1', '-tr', '1')
  })

  test('completes, pauses, goes on, is checked', { timeout: 90_000 }, async () => {
    await seeder.request('PATCH', `/downloads/${made.infoHash}`, { max_upload_speed: 0 })
    await downloadComplete(node, made.infoHash)
    assert.match(await remote('-l'), /^\s+1\s+100%\s+4\.61 MB\s+Done\s/m)
    await remote('-t', '1', '-S')
    assert.match(await remote('-l'), /Stopped\s+A set/)
    await remote('-t', '1', '-s')
    await remote('-t', 'all', '-v')
    await downloadUntil(node, made.infoHash, ({ status }) => status === 'DLSTATUS_SEEDING')
    assert.match(await remote('-t', '1', '--reannounce'), /success/)
  })

  test('shows and changes the session', async () => {
    const info = await remote('-si')
    assert.match(info, /Daemon version: 4\.0\.0 \(Tributary /)
    assert.match(info, /RPC version: 17/)
    assert.match(await remote('-st'), /Downloaded:\s+4\.\d+ MB/)
    await remote('-u', '700')
    const { settings } = await node.get<{ settings: Record<string, Record<string, unknown>> }>('/settings')
    assert.equal(settings['libtorrent']?.['max_upload_rate'], 700_000)
    await remote('-as', '-asd', '40', '-asu', '30')
    const slow = async (): Promise<unknown[]> => {
      const now = await node.get<Record<string, unknown>>('/slowmode')
      return [
        now['enabled'],
        now['max_download_rate'],
        now['max_upload_rate'],
        now['schedule_enabled'],
        now['schedule'],
      ]
    }
    assert.deepEqual(await slow(), [true, 40_000, 30_000, false, []])
    assert.match(await remote('-si'), /Download speed limit: 40 kB.*Enabled turtle limit: 40 kB/)
    await remote('--alt-speed-time-begin', '2230', '--alt-speed-time-end', '0600', '--alt-speed-days', '1-5')
    await remote('-AS')
    assert.deepEqual(await slow(), [false, 40_000, 30_000, false, ['mon,tue,wed,thu,fri 22:30-06:00']])
  })

  test('moves it, and removes it with its files', { timeout: 60_000 }, async () => {
    const moved = path.join(folder, 'moved')
    await remote('-t', '1', '--move', moved)
    await downloadUntil(node, made.infoHash, ({ destination }) => destination === moved)
    assert.ok(existsSync(path.join(moved, 'A set', 'part 0.bin')))
    await remote('-t', '1', '-rad')
    assert.doesNotMatch(await remote('-l'), /A set/)
    assert.ok(!existsSync(path.join(moved, 'A set')))
    assert.deepEqual((await node.get<{ downloads: unknown[] }>('/downloads')).downloads, [])
  })
})
