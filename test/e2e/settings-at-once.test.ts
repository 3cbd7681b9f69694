// Settings of a running node, each by what it does at once: encryption, the common limits of both directions. The other
// end is a node too, over real sockets; peers say how they are connected.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Explanation, PeerRecord } from '../../src/services/api.ts'
import { downloadComplete, downloadRecord } from '../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, runCli, startNode } from '../kit/nodes/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
const made = makeTorrent({ name: 'one.bin', length: 6 * MIB, pieceLength: 64 * 1024 })
const one = `/downloads/${made.infoHash}`

describe('settings of a running node', { concurrency: 1 }, () => {
  let folder = ''
  let seeder: NodeProcess
  let node: NodeProcess

  const set = async (at: NodeProcess, libtorrent: object): Promise<void> => {
    const reply = await at.request('POST', '/settings', { libtorrent })
    assert.equal(reply.status, 200, reply.body.toString())
  }
  /** What the command line says cannot be changed: `libtorrent` is set by the interface. */
  const begin = async (libtorrent: object, utp = false, stateDir?: string): Promise<void> => {
    seeder = await startNode({ settings: { 'libtorrent.utp': utp } })
    node = await startNode({ settings: { 'libtorrent.utp': utp }, ...(stateDir !== undefined && { stateDir }) })
    await set(node, libtorrent)
    const torrent = path.join(folder, 'one.torrent')
    await seeder.request('PUT', '/downloads', { uri: torrent, destination: path.join(folder, 'from') })
    await downloadComplete(seeder, made.infoHash)
    await node.request('PUT', '/downloads', { uri: torrent, destination: path.join(folder, 'to') })
  }
  const meet = async (): Promise<void> => {
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    const peer = `127.0.0.1:${variables.ports['libtorrent~port']}`
    const reply = await node.request('PUT', '/downloads', { uri: `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}` })
    assert.equal(reply.status, 200)
  }
  const peers = async (): Promise<PeerRecord[]> =>
    (await downloadRecord(node, made.infoHash, '?get_peers=1')).peers ?? []
  const reasons = async (): Promise<string[]> =>
    (await node.get<Explanation>(`${one}/explain`)).reasons.map(reason => reason.code)
  /** Bytes a second of the rest of the download. */
  const rate = async (): Promise<number> => {
    const before = await downloadRecord(node, made.infoHash)
    const start = performance.now()
    const end = await downloadComplete(node, made.infoHash, 60_000)
    return ((end.total_down - before.total_down) * 1000) / (performance.now() - start)
  }

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-settings-'))
    await mkdir(path.join(folder, 'from'))
    await writeFile(path.join(folder, 'from', 'one.bin'), made.content)
    await writeFile(path.join(folder, 'one.torrent'), made.torrent)
  })
  afterEach(async () => {
    await node?.stop()
    await seeder?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  for (const utp of [false, true]) {
    test(`encryption${utp ? ' with uTP on' : ''}: refused, told, and there after a change`, async () => {
      await begin({ encryption: 'off', max_download_rate: 2 * MIB }, utp)
      await set(seeder, { encryption: 'require', encryption_methods: 'rc4' })
      await meet()
      await waitFor('the reason is told', async () => (await reasons()).includes('encryption_off'), 20_000, reasons)
      assert.equal((await downloadRecord(node, made.infoHash)).total_down, 0)
      await set(node, { encryption: 'prefer' })
      await node.request('PATCH', one, { state: 'stop' })
      await node.request('PATCH', one, { state: 'resume' })
      const row = await waitFor('a peer', async () => (await peers()).find(peer => peer.dtotal > 0), 30_000, peers)
      // Near peers get the other kind of encryption by TCP too (decision 0529); uTP alone: test/interop/utp.test.ts.
      assert.deepEqual([row.encryption, row.connection_type], ['rc4', 0])
      await downloadComplete(node, made.infoHash)
    })
  }

  test('the common limit of downloads, then that of uploads, while it runs', async () => {
    await begin({ max_download_rate: 200_000 })
    await meet()
    await waitFor('it runs', async () => (await downloadRecord(node, made.infoHash)).total_down > 400_000)
    await waitFor('the reason is told', async () => (await reasons()).includes('rate_limited'), 20_000, reasons)
    await set(node, { max_download_rate: 0 })
    await set(seeder, { max_upload_rate: MIB })
    const measured = await rate()
    assert.ok(measured > 0.5 * MIB && measured < 1.35 * MIB, `${measured} bytes/s`)
  })

  test('slow mode: on and off by the command line, while it runs and over a kill', async () => {
    const state = await mkdtemp(path.join(folder, 'state-'))
    await begin({}, false, state)
    const env = { TRIBUTARY_STATE_DIR: state }
    const slow = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await runCli(['slow', ...args], env)
      return stdout + stderr
    }
    assert.equal(await slow('on', '--down', '200k', '--up', '0'), 'Slow mode is on: 200 KiB/s down, no limit up.\n')
    await meet()
    await waitFor('it runs', async () => (await downloadRecord(node, made.infoHash)).total_down > 300_000)
    const record = await downloadRecord(node, made.infoHash)
    assert.equal(record.max_download_speed, 204_800, 'what is in force is shown')
    await node.kill('SIGKILL')
    node = await startNode({ settings: { 'libtorrent.utp': false }, stateDir: state })
    assert.equal(await slow(), 'Slow mode is on: 200 KiB/s down, no limit up.\n')
    await meet()
    await waitFor('the reason is told', async () => (await reasons()).includes('rate_limited'), 20_000, reasons)
    assert.equal(await slow('off'), 'Slow mode is off: 200 KiB/s down, no limit up.\n')
    const measured = await rate()
    assert.ok(measured > 500_000, `${measured} bytes/s`)
    assert.equal((await downloadRecord(node, made.infoHash)).max_download_speed, 0)
    const now = new Date()
    assert.equal((await runCli(['schedule', 'set', 'daily 00:00-24:00', '--zone', 'UTC'], env)).code, 0)
    const isOn = async (): Promise<boolean> => (await node.get<{ enabled: boolean }>('/slowmode')).enabled
    await waitFor('the schedule begins it', isOn)
    const two = (value: number): string => String((value + 24) % 24).padStart(2, '0')
    const hour = now.getUTCHours()
    const lines = [`daily ${two(hour + 2)}:00-${two(hour + 3)}:00`]
    const { stdout } = await runCli(['schedule', 'set', ...lines], env)
    assert.match(stdout, /^The schedule is on[\s\S]*daily [\s\S]*Next switch: .*:00 \(UTC\)\n$/)
    await waitFor('the schedule ends it', async () => !(await isOn()))
    assert.match((await runCli(['schedule', 'set', 'mon 8-9'], env)).stderr, /slow_mode.schedule.*mon-fri 08:00-18:00/)
    assert.match((await runCli(['schedule', 'off'], env)).stdout, /^The schedule is off/)
  })

  test('the limit of downloads alone', async () => {
    await begin({ max_download_rate: MIB })
    await meet()
    const measured = await rate()
    assert.ok(measured > 0.5 * MIB && measured < 1.35 * MIB, `${measured} bytes/s`)
  })
})
