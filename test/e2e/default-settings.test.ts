// Settings for new and complete downloads, of the process and of the port, set while the node runs where that is
// possible: what a user sees of them on the disk and in the list.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { EffectiveSettings } from '../../src/services/api.ts'
import { downloadRecord } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

const made = makeTorrent({ name: 'one.bin', length: 300_000, pieceLength: 32 * 1024 })
const EXTRA = 'http://127.0.0.1:9/extra/announce'

describe('settings of new downloads, the process and the port', { concurrency: 1 }, () => {
  let folder = ''
  let seeder: NodeProcess
  let node: NodeProcess
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-defaults-'))
    await mkdir(path.join(folder, 'have'))
    await writeFile(path.join(folder, 'have', 'one.bin'), made.files[0]?.content ?? '')
    await writeFile(path.join(folder, 'one.torrent'), made.torrent)
    await writeFile(path.join(folder, 'trackers.txt'), `# more\n\n${EXTRA}\n`)
    seeder = await startNode()
    node = await startNode()
    const torrent = path.join(folder, 'one.torrent')
    await seeder.request('PUT', '/downloads', { uri: torrent, destination: path.join(folder, 'have') })
  })
  after(async () => {
    await Promise.all([seeder.stop(), node.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  test('a download gets its trackers, is kept as a torrent file, checked when complete, and moved', async () => {
    const answer = await node.request('POST', '/settings', {
      download_defaults: {
        trackers_file: path.join(folder, 'trackers.txt'),
        torrent_folder: path.join(folder, 'torrents'),
        completed_dir: path.join(folder, 'complete'),
      },
      libtorrent: { check_after_complete: true, announce_to_all_trackers: true, announce_to_all_tiers: true },
      general: { family_filter: false },
    })
    assert.deepEqual(answer.json(), { modified: true, restart_required: [], overridden: [] })
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    const peer = `127.0.0.1:${variables.ports['libtorrent~port']}`
    await node.request('PUT', '/downloads', { uri: `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}` })
    const target = path.join(folder, 'complete')
    await node.until<{ downloads: { destination: string; status: string }[] }>('/downloads', ({ downloads }) =>
      downloads.some(each => each.destination === target && each.status === 'DLSTATUS_SEEDING'),
    )
    assert.deepEqual(await readFile(path.join(target, 'one.bin')), Buffer.from(made.files[0]?.content ?? ''))
    const { trackers } = await downloadRecord(node, made.infoHash)
    assert.ok(trackers.some(({ url }) => url === EXTRA))
    await waitFor('the kept torrent file', async () => {
      const names: string[] = await readdir(path.join(folder, 'torrents')).catch(() => [])
      return names.includes(`${made.infoHash}.torrent`)
    })
    // The old names go after the record says where the files are now.
    await waitFor('nothing is left in the old place', async () => {
      const left = await readdir(path.join(node.stateDir, 'downloads')).catch(() => [])
      return left.length === 0
    })
  })

  test('the log lies in the folder of the settings; one that cannot be used refuses the start by name', async () => {
    const logDir = path.join(folder, 'logs')
    const logging = await startNode({ settings: { 'general.log_dir': logDir } })
    await logging.stop()
    assert.deepEqual(await readdir(logDir), ['tributary.log'])
    const wrong = startNode({ settings: { 'general.log_dir': path.join(folder, 'one.torrent') } })
    await assert.rejects(wrong, /The setting general\.log_dir: .*one\.torrent/)
  })

  test('the priority reaches the threads of the process at once', async () => {
    const niceness = async () => {
      const tasks = await readdir(`/proc/${node.pid}/task`)
      const stats = await Promise.all(tasks.map(task => readFile(`/proc/${node.pid}/task/${task}/stat`, 'utf8')))
      // Behind the name, which may have spaces: state is field 3, niceness field 19.
      return stats.map(text => Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16]))
    }
    const before = await niceness()
    await node.request('POST', '/settings', { resource_monitor: { cpu_priority: 1 } })
    const own = Math.max(...before)
    assert.ok((await niceness()).every(nice => nice === Math.min(19, own + 10)))
  })

  test('samples of the process follow the settings at once', async () => {
    const set = (change: object) => node.request('POST', '/settings', { resource_monitor: change })
    await set({ poll_interval: 1, history_size: 1 })
    type History = { cpu_history: { time: number; cpu: number }[] }
    const { cpu_history: first } = await node.until<History>(
      '/debug/cpu/history',
      answer => answer.cpu_history.length > 0,
    )
    const later = (answer: History) => (answer.cpu_history[0]?.time ?? 0) > (first[0]?.time ?? 0)
    const { cpu_history: second } = await node.until<History>('/debug/cpu/history', later)
    assert.equal(second.length, 1)
    await set({ enabled: '0' })
    assert.deepEqual((await node.get<History>('/debug/cpu/history')).cpu_history, [])
  })

  test('a taken port: the next one with retry_port, which says so; an error without', async () => {
    const port = String(node.port)
    await assert.rejects(startNode({ args: ['--port', port] }), /it is already in use/)
    const next = await startNode({ args: ['--port', port], settings: { 'api.retry_port': true } })
    try {
      assert.ok(next.port > node.port && next.port <= node.port + 9)
      const { variables } = await next.get<{ variables: { ports: Record<string, number> } }>('/variables')
      assert.equal(variables.ports['http_api~port'], next.port)
      const { settings } = await next.get<EffectiveSettings>('/settings/effective')
      const { value, source } = settings['api']?.['http_port'] ?? {}
      assert.deepEqual([value, source], [node.port, 'flag'])
    } finally {
      await next.stop()
    }
  })
})
