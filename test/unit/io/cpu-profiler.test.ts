// A CPU profile over the main thread and workers, also one that starts meanwhile. A viewer reads such a
// file in test/e2e/debug.test.ts.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { CpuProfile } from '../../../src/io/process/joined-profile.ts'
import { startCpuProfile } from '../../../src/io/process/cpu-profiler.ts'

const WORK_MS = 150

let folder = ''
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-profile-'))
})
after(() => rm(folder, { recursive: true }))

/** Works once when it starts and once at a message. */
function workerThat(name: string): Worker {
  const work = `function ${name}() { const end = Date.now() + ${WORK_MS}; while (Date.now() < end); }`
  const port = "require('node:worker_threads').parentPort"
  return new Worker(
    `${work}; ${port}.on('message', () => { ${name}(); ${port}.postMessage('done') }); ${port}.postMessage('up')`,
    {
      eval: true,
      name,
    },
  )
}

function workOfMain(): void {
  const end = performance.now() + WORK_MS
  while (performance.now() < end);
}

async function readProfile(file: string): Promise<Required<CpuProfile>> {
  return JSON.parse(await readFile(file, 'utf8')) as Required<CpuProfile>
}

async function work(worker: Worker): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage('go')
  await once(worker, 'message')
}

test('every thread is in the file, under its name, for as long as it worked', async () => {
  const early = workerThat('workedEarly')
  await once(early, 'message')
  const late = workerThat('workedLate')
  try {
    const run = await startCpuProfile({ folder: path.join(folder, 'a'), ended: () => assert.fail('it was stopped') })
    await once(late, 'message')
    workOfMain()
    // One that has just started may be sampled a little later.
    for (let round = 0; round < 3; round++) await Promise.all([work(early), work(late)])
    const file = await run.stop()
    assert.equal(await run.stop(), file)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const profile = await readProfile(file)
    const byId = new Map(profile.nodes.map(node => [node.id, node]))
    const parents = new Map(
      profile.nodes.flatMap(({ id, children = [] }) => children.map(child => [child, id] as const)),
    )
    const pathOf = (id: number): string[] => {
      const parent = parents.get(id)
      return [...(parent === undefined ? [] : pathOf(parent)), byId.get(id)?.callFrame.functionName ?? '']
    }
    // In the function and in what it calls.
    const workedMs = (name: string, thread: RegExp): number => {
      let sumUs = 0
      for (const [at, id] of profile.samples.entries()) {
        const names = pathOf(id)
        if (names.includes(name) && thread.test(names[1] ?? '')) sumUs += profile.timeDeltas[at] ?? 0
      }
      return sumUs / 1000
    }
    // The machine may be slow, but not so slow that half of it is missing.
    assert.ok(workedMs('workOfMain', /^\[main\]$/) > WORK_MS / 2)
    assert.ok(workedMs('workedEarly', /^\[worker \d+ \(workedEarly\)\]$/) > WORK_MS / 2)
    assert.ok(workedMs('workedLate', /^\[worker \d+ \(workedLate\)\]$/) > WORK_MS / 2)
  } finally {
    await Promise.all([early.terminate(), late.terminate()])
  }
})

test('one that nobody stops ends by itself', async () => {
  // The limit alone keeps no process alive.
  const alive = setInterval(() => undefined, 1000)
  try {
    // A promise of a promise is the same as that one.
    const file = await new Promise<string>((resolve, reject) => {
      startCpuProfile({ folder: path.join(folder, 'b'), limitMs: 20, ended: resolve }).catch(reject)
    })
    assert.ok((await readProfile(file)).endTime > 0)
  } finally {
    clearInterval(alive)
  }
})

test('the newest ten files are kept, and nothing else is touched', async () => {
  const place = path.join(folder, 'c')
  const run = await startCpuProfile({ folder: place, ended: () => undefined })
  const first = await run.stop()
  for (let day = 10; day < 30; day++) await writeFile(path.join(place, `2001-01-${day}.cpuprofile`), '{}')
  await writeFile(path.join(place, '2001-notes.txt'), '')
  const last = await (await startCpuProfile({ folder: place, ended: () => undefined })).stop()
  const names = await readdir(place)
  assert.equal(names.length, 11)
  for (const name of [path.basename(first), path.basename(last), '2001-notes.txt', '2001-01-29.cpuprofile'])
    assert.ok(names.includes(name), name)
})

test('a folder that cannot be made is an error of the disk', async () => {
  const file = path.join(folder, 'a file')
  await writeFile(file, '')
  const run = await startCpuProfile({ folder: path.join(file, 'x'), ended: () => undefined })
  await assert.rejects(run.stop(), { name: /FileMissing|DiskError/ })
})
