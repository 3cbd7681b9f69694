// Threads and what they do: a worker in a long job, one without work, one in native code, and threads of the system.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { waitFor } from '../../kit/wait-for.ts'
import { type ThreadStack, threadStacks } from '../../../src/io/process/thread-stacks.ts'

const BUSY = `
  const held = new Int32Array(require('node:worker_threads').workerData)
  function holdForLong() { while (Atomics.load(held, 0) === 0); }
  require('node:worker_threads').parentPort.postMessage('here')
  holdForLong()
`
const IDLE = "require('node:worker_threads').parentPort.on('message', () => process.exit()).postMessage('here')"
const NATIVE = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.postMessage('here')
  // Waits in the system until somebody writes.
  require('node:fs').readFileSync(workerData)
`

async function started(code: string, name: string, workerData: unknown): Promise<Worker> {
  const worker = new Worker(code, { eval: true, name, workerData })
  await once(worker, 'message')
  return worker
}

function named(threads: readonly ThreadStack[], name: string): ThreadStack {
  const found = threads.find(thread => thread.thread_name.endsWith(`(${name})`))
  assert.ok(found !== undefined, `${name} is not among ${threads.map(thread => thread.thread_name).join(', ')}`)
  return found
}

test('frames of the main thread and of every worker, as they are at that moment', async () => {
  const held = new SharedArrayBuffer(4)
  const [busy, idle] = await Promise.all([started(BUSY, 'busy', held), started(IDLE, 'idle', held)])
  try {
    const stack = '    at Thing.method (file:///a/b c.js:7:9)\n    at node:internal/x:3:4\n    at async run (/d.js:1:2)'
    // Both tell of themselves a little before they are where they stay.
    let threads: readonly ThreadStack[] = []
    await waitFor('both workers where they stay', async () => {
      threads = await threadStacks(stack)
      const [busyFrame = '', idleFrame = ''] = ['busy', 'idle'].map(name => named(threads, name).frames[0])
      return busyFrame.endsWith(':3 holdForLong') && idleFrame === '(waits for work)'
    })
    const [main] = threads
    assert.deepEqual(main, {
      thread_id: process.pid,
      thread_name: 'main',
      frames: ['/a/b c.js:7 Thing.method', 'node:internal/x:3 (anonymous)', '/d.js:1 run'],
    })
    const native = threads.filter(thread => thread.frames.length === 0)
    assert.ok(native.length > 3, 'libuv and V8 have threads of their own')
    const ids = threads.map(thread => thread.thread_id)
    assert.equal(new Set(ids).size, ids.length, 'no thread stands there twice')
    assert.ok(ids.every(id => id > 0))
    // The worker goes on afterwards.
    Atomics.store(new Int32Array(held), 0, 1)
    await once(busy, 'exit')
  } finally {
    Atomics.store(new Int32Array(held), 0, 1)
    await Promise.all([busy.terminate(), idle.terminate()])
  }
})

test('a worker in native code is said to be there, and gets no stop when it is back', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-threads-'))
  const pipe = path.join(folder, 'pipe')
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0)
  const worker = await started(NATIVE, 'native', pipe)
  const ended = once(worker, 'exit')
  try {
    // At first it may be on its way there.
    await waitFor('a worker in native code', async () => {
      return named(await threadStacks(''), 'native').frames[0] === '(in native code)'
    })
  } finally {
    await writeFile(pipe, 'on')
    assert.deepEqual(await ended, [0])
    await rm(folder, { recursive: true })
  }
})
