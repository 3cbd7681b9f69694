// SIGTERM while a thread of the node is held alone, while thousands are connected, as the first process of a
// container, and without the package that ends a process at once: within five seconds, with code 0, and nothing lost.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import net from 'node:net'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import type { DownloadRecord } from '../../../src/services/api.ts'
import { encodeHandshake } from '../../../src/wire/peer/handshake.ts'
import { parseInfoHash } from '../../../src/base/ids.ts'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../../kit/nodes/downloads-client.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { projectRoot } from '../../kit/project-root.ts'
import { needs } from '../../kit/requirements.ts'
import { waitFor } from '../../kit/wait-for.ts'

const MIB = 2 ** 20
const PEERS = Number(process.env['TRIBUTARY_PEERS'] ?? 2000)
type List = { downloads: DownloadRecord[] }

interface Rig {
  readonly folder: TestFolder
  readonly node: NodeProcess
  readonly infoHash: string
  /** Hangs a thread. */
  hold(pid?: number): Promise<void>
}

interface RigOptions {
  readonly prefix?: readonly string[]
  readonly env?: Record<string, string>
  readonly settings?: Record<string, string | number>
}

/** A node with a complete download. */
async function makeRig(t: TestContext, { prefix, env, settings }: RigOptions = {}): Promise<Rig> {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const library = join(folder.path, 'stalled-disk.so')
  const source = join(projectRoot, 'test/kit/doubles/stalled-disk.c')
  execFileSync('gcc', ['-shared', '-fPIC', '-o', library, source, '-ldl'])
  const made = makeTorrent({ name: 'film.bin', length: 16 * MIB, pieceLength: 256 * 1024 })
  const data = await folder.sub('data')
  await writeContent(made, data, 'film.bin')
  const gate = join(folder.path, 'gate')
  const node = await startNode({
    ...(prefix === undefined ? {} : { prefix }),
    ...(settings === undefined ? {} : { settings }),
    stateDir: await folder.sub('state'),
    env: { LD_PRELOAD: library, STALL_PART: 'film.bin', STALL_GATE: gate, ...env },
  })
  t.after(() => node.kill('SIGKILL'))
  const infoHash = await addDownload(node, await writeTorrent(made, folder.path), data)
  await downloadComplete(node, infoHash)
  const hold = async (pid = node.pid): Promise<void> => {
    await writeFile(gate, '')
    await node.request('PATCH', `/downloads/${infoHash}`, { state: 'recheck' })
    await waitFor('a thread that is held', () => threadsHeld(pid) > 0)
  }
  return { folder, node, infoHash, hold }
}

/** Threads that wait in the preloaded library for a disk that does not answer. */
function threadsHeld(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`)
  return tasks.filter(task => readFileSync(`/proc/${pid}/task/${task}/wchan`, 'latin1').includes('nanosleep')).length
}

/** Who has not ended after this long, ms, is killed. */
const LATE_MS = 10_000

/** Asks it to stop; how it ended, in time. */
async function stop(node: NodeProcess, pid = node.pid): Promise<{ code: number | null; signal: string | null }> {
  const began = performance.now()
  node.process.ref()
  const exited = new Promise<{ code: number | null; signal: string | null }>(resolve =>
    node.process.once('exit', (code, signal) => resolve({ code, signal })),
  )
  process.kill(pid, 'SIGTERM')
  const late = setTimeout(() => node.process.kill('SIGKILL'), LATE_MS)
  const end = await exited
  clearTimeout(late)
  const ms = performance.now() - began
  assert.ok(ms < 5000, `${ms.toFixed()} ms`)
  return end
}

/** Everything that was answered is there again, and the stop counted as one. */
async function assertWhole({ folder, infoHash }: Rig): Promise<void> {
  const next = await startNode({ stateDir: join(folder.path, 'state') })
  try {
    const { downloads } = await next.get<List>('/downloads')
    assert.deepEqual(
      downloads.map(({ infohash }) => infohash),
      [infoHash],
    )
    await next.until<List>('/downloads', list => list.downloads[0]?.status === 'DLSTATUS_SEEDING')
  } finally {
    await next.stop()
  }
}

const withoutKoffi = { NODE_OPTIONS: `--require ${join(projectRoot, 'test/kit/doubles/no-koffi.cjs')}` }

// They mostly wait, each for a node of its own.
describe('a held thread', { concurrency: 2 }, () => {
  test('a thread that is held in a call of the system does not hold the stop', { timeout: 60_000 }, async t => {
    const rig = await makeRig(t)
    await rig.hold()
    assert.deepEqual(await stop(rig.node), { code: 0, signal: null })
    await assertWhole(rig)
  })

  test('without koffi a signal ends it that service managers take for an orderly end', { timeout: 60_000 }, async t => {
    const rig = await makeRig(t, { env: withoutKoffi })
    await rig.hold()
    assert.deepEqual(await stop(rig.node), { code: null, signal: 'SIGTERM' })
    await assertWhole(rig)
  })
})

/** The one child of a process. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
}

const skip = needs('root', 'unshare')
const asFirst = ['unshare', '-pf', '--mount-proc', '--kill-child']
describe('the first process of a container', { concurrency: 3 }, () => {
  for (const held of [false, true]) {
    const name = held ? ', a thread held' : ''
    test(`the first process of a container ends${name}`, { skip, timeout: 60_000 }, async t => {
      const rig = await makeRig(t, { prefix: asFirst })
      const first = childOf(rig.node.pid)
      if (held) await rig.hold(first)
      assert.match(readFileSync(`/proc/${first}/status`, 'utf8'), /^NSpid:\t\d+\t1$/m)
      assert.deepEqual(await stop(rig.node, first), { code: 0, signal: null })
      await assertWhole(rig)
    })
  }

  test('a first process without koffi, a thread held, ends too: by what is left', {
    skip,
    timeout: 60_000,
  }, async t => {
    const rig = await makeRig(t, { prefix: asFirst, env: withoutKoffi })
    const first = childOf(rig.node.pid)
    await rig.hold(first)
    const { code, signal } = await stop(rig.node, first)
    // abort() of the C library ends in an instruction that no program may execute, which one that depends on the
    // machine.
    assert.ok(code === null && ['SIGSEGV', 'SIGTRAP', 'SIGILL'].includes(signal ?? ''), `${code} ${signal}`)
    await assertWhole(rig)
  })
})

test(`${PEERS} connected peers do not hold the stop`, { timeout: 120_000 }, async t => {
  const settings = {
    'libtorrent.max_connections': PEERS + 100,
    'libtorrent.max_connections_download': PEERS + 100,
    'libtorrent.max_connections_per_ip': 0,
  }
  const rig = await makeRig(t, { settings })
  const { variables } = await rig.node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const port = variables.ports['libtorrent~port'] ?? 0
  const infoHash = parseInfoHash(rig.infoHash)
  assert.ok(infoHash !== null)
  const sockets: net.Socket[] = []
  t.after(() => sockets.forEach(socket => socket.destroy()))
  const extensions = { fast: true, extended: false, dht: false }
  const comes = async (at: number): Promise<void> => {
    const socket = net.connect(port, '127.0.0.1')
    sockets.push(socket)
    const peerId = Buffer.from(`-XX0001-${String(at).padStart(12, '0')}`)
    socket.write(encodeHandshake({ infoHash, peerId, extensions }))
    await once(socket, 'data')
    socket.on('error', () => undefined)
  }
  // No more of one address may be without their handshake at a time.
  for (let at = 0; at < PEERS; at += 10) await Promise.all(Array.from({ length: 10 }, (_, more) => comes(at + more)))
  await rig.node.until<List>('/downloads', ({ downloads }) => downloads[0]?.num_connected_peers === PEERS)
  assert.deepEqual(await stop(rig.node), { code: 0, signal: null })
  await assertWhole(rig)
})
