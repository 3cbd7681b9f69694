// A download, a move or a torrent that is made could reach the node's own files, also by the name of a torrent and by
// links that were made meanwhile. Refused for every key, the first one too.

import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { ImportPage } from '../../../src/services/api.ts'
import { makeTestFolder, type TestFolder, writeContent } from '../../kit/content/content-on-disk.ts'
import { downloadComplete, downloadUntil } from '../../kit/nodes/downloads-client.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, type NodeReply, runCli, startNode } from '../../kit/nodes/node-process.ts'
import { libtorrentResumeOf, putResume } from '../../kit/content/resume-files.ts'

const query = (parameters: Record<string, string>): string => new URLSearchParams(parameters).toString()
const codeOf = (reply: NodeReply): string =>
  reply.status === 200 ? 'done' : reply.json<{ error: { code: string } }>().error.code

describe('own files', { concurrency: 1 }, () => {
  let folder: TestFolder
  let stateDir: string
  let data: string
  let node: NodeProcess
  let made = 0
  /** With an empty file, which needs no peer to be made. */
  const torrentOf = (name: string, ...files: string[]): MadeTorrent =>
    makeTorrent({
      name,
      files: [{ path: 'z.bin', length: 40_000 }, ...files.map(path => ({ path, length: 0 }))],
      seed: ++made,
    })
  const add = (torrent: MadeTorrent, destination: string, more: Record<string, string> = {}): Promise<NodeReply> =>
    node.request('POST', `/downloads?${query({ destination, ...more })}`, torrent.torrent)
  const patch = (torrent: MadeTorrent, body: object): Promise<NodeReply> =>
    node.request('PATCH', `/downloads/${torrent.infoHash}`, body)

  before(async () => {
    folder = await makeTestFolder()
    data = await folder.sub('data')
    stateDir = await folder.sub('home/state')
    await mkdir(join(stateDir, 'watch'))
    await symlink(stateDir, join(data, 'way-in'))
    node = await startNode({ stateDir, settings: { 'watch_folder.directory': join(stateDir, 'watch') } })
  })
  after(async () => {
    await node?.stop()
    await folder?.remove()
  })

  const inside = (): string[] => [
    ...[stateDir, join(stateDir, 'wallets'), join(stateDir, 'downloads', '..', 'log'), join(stateDir, 'new', 'folder')],
    ...[join(data, 'way-in'), join(data, 'way-in', 'market')],
  ]

  test('adding: refused there, and above it by a name that falls into it; the folders for downloads are free', async () => {
    for (const destination of inside())
      assert.equal(codeOf(await add(torrentOf('a', 'b'), destination)), 'PathNotAllowed')
    assert.deepEqual((await readdir(stateDir)).includes('new'), false, 'a folder was made')
    const falling = torrentOf(basename(stateDir), 'keys.json')
    assert.equal(codeOf(await add(falling, dirname(stateDir))), 'PathNotAllowed')
    assert.equal(codeOf(await add(torrentOf('home', 'state/wallets/x'), dirname(dirname(stateDir)))), 'PathNotAllowed')
    for (const name of ['downloads', 'watch', 'downloads/films'])
      assert.equal(codeOf(await add(torrentOf(`in-${made}`), join(stateDir, name))), 'done', name)
    assert.equal(codeOf(await add(torrentOf('beside', 'keys.json'), dirname(stateDir))), 'done')
  })

  test('moving: refused there, and above it by a name that falls into it', async () => {
    const plain = torrentOf('moved')
    assert.equal(codeOf(await add(plain, data)), 'done')
    for (const destination of inside()) assert.equal(codeOf(await patch(plain, { destination })), 'PathNotAllowed')
    const falling = torrentOf(basename(stateDir), 'keys.json')
    assert.equal(codeOf(await add(falling, data, { paused: '1' })), 'done')
    assert.equal(codeOf(await patch(falling, { destination: dirname(stateDir) })), 'PathNotAllowed')
  })

  test('settings that name folders, the watch folder too', async () => {
    for (const [section, option] of [
      ...['saveas', 'completed_dir', 'torrent_folder'].map(name => ['download_defaults', name] as const),
      ...['directory', 'move_to'].map(name => ['watch_folder', name] as const),
    ]) {
      for (const value of inside()) {
        const reply = await node.request('POST', '/settings', { [section]: { [option]: value } })
        assert.equal(codeOf(reply), 'PathNotAllowed', `${section}.${option} ${value}`)
      }
    }
  })

  test('making torrents: neither of them, nor into their folder', async () => {
    const content = join(data, 'content.bin')
    await writeFile(content, 'content')
    for (const path of [
      stateDir,
      dirname(stateDir),
      join(stateDir, 'tributary.yaml'),
      join(data, 'way-in', 'keys.json'),
    ]) {
      const reply = await node.request('POST', '/createtorrent', { path })
      assert.ok(['PathNotAllowed', 'InvalidParameter'].includes(codeOf(reply)), `${path} ${codeOf(reply)}`)
    }
    const exported = await node.request('POST', '/createtorrent', { path: content, export_path: stateDir })
    assert.equal(codeOf(exported), 'PathNotAllowed')
    assert.equal(codeOf(await node.request('POST', '/createtorrent', { path: content })), 'done')
  })

  test('importing: no torrent whose files would lie there', async () => {
    const backup = await folder.sub('backup')
    const torrent = makeTorrent({ name: 'session.bin', length: 40_000, seed: ++made })
    await mkdir(join(stateDir, 'wallets'), { recursive: true })
    await writeContent(torrent, join(stateDir, 'wallets'), '')
    await putResume(backup, torrent, libtorrentResumeOf(torrent, '/theirs'))
    const map = [['/theirs', join(stateDir, 'wallets')]]
    const reply = await node.request('POST', '/import', { from: 'libtorrent', folder: backup, map })
    const [result] = reply.json<ImportPage>().results
    assert.deepEqual([result?.result, result?.reasons[0]?.code], ['refused', 'PathNotAllowed'])
    const there = await node.request('POST', '/import', { from: 'libtorrent', folder: stateDir })
    assert.equal(codeOf(there), 'PathNotAllowed')
  })

  test('a link that is made after the torrent was added leads nowhere', async () => {
    const torrent = torrentOf('later', 'empty.txt')
    const place = join(data, 'place')
    assert.equal(codeOf(await add(torrent, place, { paused: '1' })), 'done')
    await rename(place, join(data, 'before'))
    await symlink(stateDir, place)
    assert.equal(codeOf(await patch(torrent, { state: 'resume' })), 'done')
    const { error } = await downloadUntil(
      node,
      torrent.infoHash,
      ({ status }) => status === 'DLSTATUS_STOPPED_ON_ERROR',
    )
    assert.match(error, /own files/)
    assert.deepEqual((await readdir(stateDir)).includes('later'), false)
    const gone = await node.request('DELETE', `/downloads/${torrent.infoHash}`, { remove_data: true })
    assert.equal(gone.status, 200, 'it can be deleted')
  })

  test('settings of the file: no torrent file is kept there, and the folder of the node is not watched', async () => {
    const other = await folder.sub('other')
    const torrent = makeTorrent({ name: 'done.bin', length: 40_000, seed: ++made })
    const saveas = join(other, 'downloads')
    await mkdir(saveas)
    await writeContent(torrent, saveas, '')
    await writeFile(join(other, 'lost.torrent'), torrentOf('lost').torrent)
    const second = await startNode({
      stateDir: other,
      settings: {
        'download_defaults.saveas': saveas,
        'download_defaults.torrent_folder': join(other, 'torrents'),
        'watch_folder.enabled': true,
        'watch_folder.directory': other,
        'watch_folder.started_files': 'delete',
      },
    })
    try {
      assert.equal((await second.request('POST', '/downloads', torrent.torrent)).status, 200)
      await downloadComplete(second, torrent.infoHash, 20_000)
      await second.until<{ content: string }>('/debug/log?process=core', ({ content }) =>
        content.includes('could not be kept'),
      )
      const names = await readdir(other)
      assert.equal(names.includes('torrents'), false)
      assert.ok(names.includes('lost.torrent'), 'the state directory was watched')
    } finally {
      await second.stop()
    }
  })

  test('restoring into the folder of a download makes it none of the node', async () => {
    const first = await folder.sub('first')
    const becomes = join(folder.path, 'becomes')
    const torrent = torrentOf('kept', 'empty.txt')
    const before = await startNode({ stateDir: first })
    const asked = `/downloads?${query({ destination: becomes, paused: '1' })}`
    assert.equal((await before.request('POST', asked, torrent.torrent)).status, 200)
    await before.stop()
    assert.equal((await runCli(['backup', '--state-dir', first, join(folder.path, 'copy')])).code, 0)
    // A copy in the state directory, also by a link to it, would be among the node's own files.
    await symlink(first, join(folder.path, 'same'))
    for (const inside of [join(first, 'log/copy'), join(folder.path, 'same/copy')]) {
      const refused = await runCli(['backup', '--state-dir', first, inside])
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /lies in the state directory: name a folder outside/)
    }
    const restored = await runCli(['restore', '--state-dir', becomes, join(folder.path, 'copy')])
    assert.equal(restored.code, 0, restored.stderr)
    const keys = await readFile(join(becomes, 'tributary.yaml'))
    const later = await startNode({ stateDir: becomes })
    try {
      await later.request('PATCH', `/downloads/${torrent.infoHash}`, { state: 'resume' })
      await downloadUntil(later, torrent.infoHash, ({ status }) => status === 'DLSTATUS_STOPPED_ON_ERROR')
      assert.equal((await readdir(becomes)).includes('kept'), false)
      assert.deepEqual(await readFile(join(becomes, 'tributary.yaml')), keys)
    } finally {
      await later.stop()
    }
  })
})
