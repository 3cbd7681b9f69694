// /debug of the built node: what it says of the process is so, and what it hands out opens in the tools made for it.

import assert from 'node:assert/strict'
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { Readable } from 'node:stream'
import { parseInput } from 'flamebearer'
import { parse } from 'heap-snapshot-toolkit'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

type Json = Record<string, unknown>
interface Thread {
  thread_id: number
  thread_name: string
  frames: string[]
}

let folder = ''
let node: NodeProcess
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-debug-'))
  node = await startNode()
})
after(async () => {
  await node.stop()
  await rm(folder, { recursive: true, force: true })
})

test('answers have the fields of spec 4.11 and no others', async () => {
  assert.deepEqual(Object.keys(await node.get<Json>('/debug/cpu/history')), ['cpu_history'])
  assert.deepEqual(Object.keys(await node.get<Json>('/debug/memory/history')), ['memory_history'])
  assert.deepEqual(await node.get('/debug/profiler'), { state: 'STOPPED' })
})

test('open files are those of the state directory, sockets those that listen', async () => {
  const { open_files: files } = await node.get<{ open_files: Json[] }>('/debug/open_files')
  assert.ok(files.some(file => file['path'] === path.join(node.stateDir, 'tributary.db')))
  assert.ok(files.every(file => Number.isInteger(file['fd'])))
  const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const { open_sockets: sockets } = await node.get<{ open_sockets: Json[] }>('/debug/open_sockets')
  const listening = sockets.filter(socket => socket['status'] === 'LISTEN').map(socket => String(socket['laddr']))
  // The first is the native server's, which Node knows nothing of.
  for (const port of [variables.ports['http_api~port'], variables.ports['libtorrent~port']])
    assert.ok(listening.includes(`127.0.0.1:${port}`), `${port} is not among ${listening.join(' ')}`)
  const own = sockets.filter(
    socket => socket['status'] === 'ESTABLISHED' && String(socket['laddr']).endsWith(`:${node.port}`),
  )
  assert.ok(own.length > 0, 'the connection that asks')
})

test('a worker in a long job shows its function, the main thread what it does', async () => {
  // Zeroes without a place on the disk: seconds of hashing.
  const size = 2 * 1024 * 1024 * 1024
  const file = path.join(folder, 'zeroes')
  const handle = await open(file, 'w')
  await handle.truncate(size)
  await handle.close()
  const stop = new AbortController()
  const asked = fetch(`${node.baseUrl}/createtorrent`, {
    method: 'POST',
    headers: { 'x-api-key': node.key },
    body: JSON.stringify({ path: file, format: 'v1', piece_length: 16 * 1024 * 1024 }),
    signal: stop.signal,
  }).catch(() => null)
  try {
    const { threads } = await node.until<{ threads: Thread[] }>('/debug/threads', answer =>
      answer.threads.some(thread => /pieces/.test(thread.thread_name) && /digestPieces/.test(thread.frames.join('\n'))),
    )
    const main = threads.find(thread => thread.thread_name === 'main')
    assert.equal(main?.thread_id, node.pid)
    assert.match(main.frames.join('\n'), /Dispatch\.handle/)
    assert.ok(threads.some(thread => thread.thread_name.endsWith('(records)')))
    const system = (await readdir(`/proc/${node.pid}/task`)).map(Number)
    for (const thread of threads.filter(each => each.frames.length === 0))
      assert.ok(system.includes(thread.thread_id) || thread.thread_name !== '', 'threads of the system')
    assert.ok(threads.length >= system.length - 2)
  } finally {
    stop.abort()
    await asked
  }
})

test('the log shows what was written, and only the log', async () => {
  await node.request('POST', '/settings', { general: { log_level: 'debug' } })
  await node.request('PUT', '/downloads', { uri: '/nowhere/at/all.torrent' })
  const log = path.join(node.stateDir, 'log', 'tributary.log')
  await writeFile(log, `${Array.from({ length: 30 }, (_, i) => `{"n":${i}}`).join('\n')}\n`, { flag: 'a' })
  assert.deepEqual(await node.get('/debug/log?max_lines=2'), { content: '{"n":28}\n{"n":29}\n', max_lines: 2 })
  assert.deepEqual(await node.get('/debug/log?process=gui'), { content: '', max_lines: 100 })
  // Whatever was asked, and however, the key is not in it.
  await node.request('GET', `/nothing?key=${node.key}`)
  const { content } = await node.get<{ content: string }>('/debug/log?max_lines=10000')
  assert.ok(!content.includes(node.key))
  const smuggled = await node.request('GET', '/debug/log?process=..%2Ftributary.yaml')
  assert.equal(smuggled.status, 400)
})

test('the profile of all threads opens in a viewer', async () => {
  assert.deepEqual((await node.request('PUT', '/debug/profiler')).json(), { success: true })
  assert.equal((await node.request('PUT', '/debug/profiler')).status, 409)
  assert.deepEqual(await node.get('/debug/profiler'), { state: 'STARTED' })
  for (let count = 0; count < 20; count++) await node.request('GET', '/docs/openapi.json')
  const stopped = (await node.request('DELETE', '/debug/profiler')).json<{ success: boolean; profiler_file: string }>()
  assert.equal(stopped.success, true)
  assert.equal(path.dirname(stopped.profiler_file), path.join(node.stateDir, 'profiles'))
  const { threads } = parseInput(await readFile(stopped.profiler_file), stopped.profiler_file)
  const names = [...(threads[0]?.nodes.values() ?? [])].map(each => each.callFrame.functionName)
  assert.ok(names.includes('[main]') && names.includes('handle'), names.join(' '))
  assert.ok(names.some(name => /^\[worker \d+ \(records\)\]$/.test(name)))
  assert.equal((await node.request('DELETE', '/debug/profiler')).status, 409)
})

test("the memory dump opens in Chrome's loader; one that is not read is given up", async () => {
  const reply = await node.request('GET', '/debug/memory/dump')
  assert.equal(reply.status, 200)
  assert.match(reply.headers.get('content-disposition') ?? '', /^attachment; filename="[a-z]+\.heapsnapshot"$/)
  const text = Readable.toWeb(Readable.from([reply.body.toString('utf8')]))
  const heap = await parse(text)
  const classes = heap.getAggregatesByClassKey(false, 'all')
  assert.ok(Object.values(classes).some(each => each.name === 'TributaryNode'))
  const stop = new AbortController()
  const unread = await fetch(`${node.baseUrl}/debug/memory/dump`, {
    headers: { 'x-api-key': node.key },
    signal: stop.signal,
  })
  assert.equal(unread.status, 200)
  assert.equal((await node.request('GET', '/debug/memory/dump')).status, 503)
  stop.abort()
  await waitFor('room for another dump', async () => (await node.request('HEAD', '/debug/memory/dump')).status === 200)
  await waitFor('the next dump', async () => (await node.request('GET', '/debug/memory/dump')).status === 200)
  const { open_files: files } = await node.get<{ open_files: Json[] }>('/debug/open_files')
  assert.ok(!files.some(file => String(file['path']).includes('heapsnapshot')), 'its file is closed')
})
