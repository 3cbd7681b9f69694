// The worker contract: every job of the table goes through a real thread and back unchanged; failures keep their data;
// a dead worker loses its jobs and nothing else.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { makeBatchCodec, nowUs } from '../../../src/pools/contract/batch.ts'
import { type CommitRequest, jobNames, jobs } from '../../../src/pools/contract/jobs.ts'
import { makePacker, ownBytes, shapesOf } from '../../../src/pools/contract/packer.ts'
import { makeRunner } from '../../../src/pools/jobs/run-batch.ts'
import { JobFailed, type PoolOptions, WorkerPool } from '../../../src/pools/pool.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { nativeFile, nativeHashes, nativeMissing } from '../../kit/native-hashes.ts'

const echoWorker = new URL('./echo-worker.js', import.meta.url)
const pieceWorker = new URL('../../../workers/piece.js', import.meta.url)
const faultyWorker = new URL('./faulty-worker.js', import.meta.url)

function makePool(
  t: TestContext,
  worker: URL,
  options: Partial<PoolOptions> = {},
  onRepeatedLoss = (): void => undefined,
): WorkerPool {
  const pool = new WorkerPool(
    { threads: 1, worker, workerData: ring => ({ ring }), ...options },
    { log: silentLog, onRepeatedLoss },
  )
  t.after(() => pool.stop())
  return pool
}

/** The turn in which jobs are posted ends with the first immediate; they are sent in the next. */
async function untilSent(): Promise<void> {
  await new Promise(setImmediate)
  await new Promise(setImmediate)
}

/** Bursts of checks, until so many threads are up. */
async function startThreads(pool: WorkerPool, threads: number): Promise<void> {
  const check = () => pool.run('pieces.hash', jobs['pieces.hash'].sample.request)
  for (let i = 0; i < 500 && pool.stats().threads < threads; i++)
    await Promise.allSettled(Array.from({ length: 64 }, check))
}

/** A block of bytes in an arena, and an empty file for them. */
function pieceBytes(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-piece-'))
  const arena = new SharedArrayBuffer(16_384)
  const bytes = new Uint8Array(arena).map((_, at) => (at * 7 + (at >> 8)) & 0xff)
  new Uint8Array(arena).set(bytes)
  const path = join(folder, 'piece')
  const fd = openSync(path, 'w+')
  t.after(() => {
    closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  return { fd, arena, bytes, contents: () => readFileSync(path) }
}

/** Bytes as plain lists: they may come back as another Uint8Array class. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
}

const lethal: CommitRequest = { ...jobs['piece.commit'].sample.request, hash: new Uint8Array(20).fill(0xff) }
const harmless = jobs['piece.commit'].sample.request
const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

test('numbers are unique, and every job comes back from a thread as its sample', async t => {
  assert.equal(new Set(jobNames.map(name => jobs[name].number)).size, jobNames.length)
  const pool = makePool(t, echoWorker)
  for (const name of jobNames)
    assert.deepEqual(plain(await pool.run(name, jobs[name].sample.request)), plain(jobs[name].sample.reply), name)
  const stats = pool.stats()
  for (const name of jobNames) assert.equal(stats.jobs[name]?.count, 1)
  assert.equal(stats.queuedJobs, 0)
})

test('a thread starts with the first job, and the jobs of one turn travel in one batch', async t => {
  const pool = makePool(t, echoWorker, { threads: 2 })
  assert.equal(pool.stats().threads, 0)
  const results = Array.from({ length: 64 }, () => pool.run('piece.commit', harmless))
  await untilSent()
  assert.equal(pool.stats().batchesInFlight, 1)
  assert.equal(pool.stats().queuedJobs, 64)
  await Promise.all(results)
  assert.equal(pool.stats().jobs['piece.commit']?.count, 64)
  // What one thread can keep up with starts no second one.
  for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 64 }, () => pool.run('piece.commit', harmless)))
  assert.equal(pool.stats().threads, 1)
})

test('a busy thread gets its next small jobs together, when it has done the last', async t => {
  const pool = makePool(t, echoWorker)
  await pool.run('piece.commit', harmless)
  const first = Array.from({ length: 8 }, () => pool.run('piece.commit', harmless))
  await untilSent()
  const second = Array.from({ length: 8 }, () => pool.run('piece.commit', harmless))
  await untilSent()
  assert.ok(pool.stats().batchesInFlight <= 1)
  await Promise.all([...first, ...second])
  // 3 MiB of work: a full batch is worth having at hand. The thread may have answered the first one already.
  let most = 0
  for (let round = 0; round < 100 && most < 2; round += 1) {
    const full = Array.from({ length: 200 }, () => pool.run('piece.commit', harmless))
    await untilSent()
    most = Math.max(most, pool.stats().batchesInFlight)
    await Promise.all(full)
  }
  assert.equal(most, 2)
})

test('a check of files gets every thread there may be', async t => {
  const pool = makePool(t, echoWorker, { threads: 3 })
  await startThreads(pool, 3)
  assert.equal(pool.stats().threads, 3)
})

test('a new shape inside a message does not break later messages', () => {
  const [here, there] = [makeBatchCodec(), makeBatchCodec()]
  for (let i = 0; i < 50; i++) {
    const odd = { jobs: [{ job: 1, request: { [`new${i}`]: i } }] }
    assert.deepEqual(there.decodeJobs(here.encodeJobs(odd)), odd)
  }
  const batch = { jobs: [{ job: 1, request: jobs['pieces.hash'].sample.request.spans }] }
  assert.deepEqual(there.decodeJobs(here.encodeJobs(batch)), batch)
})

test('packed messages own exactly their bytes', () => {
  const packer = makePacker(shapesOf([{ a: 1 }]))
  const [first, second] = [ownBytes(packer.pack({ a: 1 })), ownBytes(packer.pack({ a: 2 }))]
  assert.equal(first.buffer.byteLength, first.length)
  assert.notEqual(first.buffer, second.buffer)
})

test('failures arrive as data: errno with descriptor, bug with stack', async t => {
  const pool = makePool(t, faultyWorker)
  await assert.rejects(pool.run('blocks.write', jobs['blocks.write'].sample.request), (error: unknown) => {
    assert.ok(error instanceof JobFailed)
    assert.deepEqual(error.data, { code: 'ENOSPC', text: 'no space left on device', fd: 20 })
    return true
  })
  await assert.rejects(pool.run('pieces.hash', jobs['pieces.hash'].sample.request), (error: unknown) => {
    assert.ok(error instanceof JobFailed)
    assert.equal(error.data.code, 'BUG_IN_JOB')
    assert.match(error.data.text, /TypeError: a bug[\s\S]*faulty-worker/)
    return true
  })
})

test('the worker of the product: only right bytes are written, and only they pass a check', async t => {
  const { fd, arena, bytes, contents } = pieceBytes(t)
  const pool = makePool(t, pieceWorker, { workerData: ring => ({ arenas: [arena, arena], ring, hash: null }) })
  const spans = [{ fd, position: 0, length: bytes.length }]
  const right = createHash('sha1').update(bytes).digest()
  const commit = { arena: 0, segments: [0, bytes.length], hash: new Uint8Array(right), tree: null, spans } as const
  const check = async (hashes: Uint8Array): Promise<unknown> =>
    (await pool.run('pieces.hash', { hashes, trees: [], pieceLength: bytes.length, spans })).verdicts
  const wrong = Uint8Array.from(right, (byte, at) => (at === 19 ? byte ^ 1 : byte))
  assert.deepEqual(await pool.run('piece.commit', { ...commit, hash: wrong }), { verdict: 'bad-hash' })
  assert.equal(contents().length, 0, 'a piece with a wrong hash was written')
  assert.deepEqual(await pool.run('piece.commit', commit), { verdict: 'ok' })
  assert.deepEqual(contents(), Buffer.from(bytes))
  assert.deepEqual([await check(new Uint8Array(right)), await check(wrong)], [['ok'], ['bad-hash']])
})

test('the worker of the product hashes the commits of a batch by one call', { skip: nativeMissing }, async t => {
  const { fd, arena, bytes } = pieceBytes(t)
  const folder = mkdtempSync(join(tmpdir(), 'tributary-hash-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [file, noted] = [join(folder, 'counting.cjs'), join(folder, 'calls')]
  // The machine code, noting how many messages each call takes.
  writeFileSync(
    file,
    `const native = require(${JSON.stringify(nativeFile)})
    const note = messages => require('node:fs').appendFileSync(${JSON.stringify(noted)}, messages + '\\n')
    const finish = (path, algorithm, contexts, count, out) => {
      note(count)
      return native.finish(path, algorithm, contexts, count, out)
    }
    module.exports = { ...native, finish }`,
  )
  const path = nativeHashes().find(hash => hash.pays(4))?.path
  assert.ok(path)
  const pool = makePool(t, pieceWorker, {
    workerData: ring => ({ arenas: [arena, arena], ring, hash: { file, path } }),
  })
  const spans = [{ fd, position: 0, length: bytes.length }]
  const hash = new Uint8Array(createHash('sha1').update(bytes).digest())
  const commit = { arena: 0, segments: [0, bytes.length], hash, tree: null, spans } as const
  const wrong = { ...commit, hash: new Uint8Array(20) }
  const replies = [commit, wrong, commit, commit].map(request => pool.run('piece.commit', request))
  const verdicts = (await Promise.all(replies)).map(({ verdict }) => verdict)
  assert.deepEqual(verdicts, ['ok', 'bad-hash', 'ok', 'ok'])
  assert.equal(readFileSync(noted, 'utf8'), '4\n')
})

test('a dead worker: every job of its batches ends with WorkerLost, the next job gets a new worker', async t => {
  let reported = 0
  const pool = makePool(t, faultyWorker, {}, () => reported++)
  for (let death = 1; death <= 3; death++) {
    const outcomes = await Promise.allSettled([pool.run('piece.commit', harmless), pool.run('piece.commit', lethal)])
    for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && hasCode('WorkerLost')(outcome.reason))
    assert.deepEqual(await pool.run('piece.commit', harmless), { verdict: 'ok' })
    assert.equal(pool.stats().workersLost, death)
  }
  assert.equal(reported, 1)
})

test('one of two workers dies: its batch is lost, the other goes on', async t => {
  const pool = makePool(t, faultyWorker, { threads: 2 })
  const burst = (last: CommitRequest): Promise<PromiseSettledResult<unknown>[]> =>
    Promise.allSettled(
      [...Array.from({ length: 63 }, () => harmless), last].map(request => pool.run('piece.commit', request)),
    )
  await startThreads(pool, 2)
  await burst(harmless)
  assert.equal(pool.stats().threads, 2)
  const outcomes = await burst(lethal)
  const lost = outcomes.filter(outcome => outcome.status === 'rejected')
  assert.ok(lost.length > 0 && lost.length < 64, `${lost.length} jobs were lost`)
  for (const outcome of lost) assert.ok(hasCode('WorkerLost')(outcome.reason))
  assert.ok((await burst(harmless)).every(outcome => outcome.status === 'fulfilled'))
})

test('a worker that cannot start: jobs end with WorkerLost instead of hanging', async t => {
  const pool = makePool(t, new URL('./no-such-worker.js', import.meta.url))
  const outcomes = await Promise.allSettled([pool.run('piece.commit', harmless), pool.run('piece.commit', harmless)])
  for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && hasCode('WorkerLost')(outcome.reason))
})

test('beyond the bound callers wait, and all are served', async t => {
  const pool = makePool(t, echoWorker, { maxJobs: 2 })
  const results = Array.from({ length: 20 }, () => pool.run('piece.commit', harmless))
  await Promise.resolve()
  assert.equal(pool.stats().queuedJobs, 2)
  assert.equal(pool.stats().waiting, 18)
  await Promise.all(results)
  assert.equal(pool.stats().queuedJobs, 0)
})

test('what is written goes before checks that wait already', async t => {
  const pool = makePool(t, echoWorker)
  await pool.run('piece.commit', harmless)
  const order: string[] = []
  const run = (name: 'pieces.hash' | 'piece.commit') =>
    pool.run(name, jobs[name].sample.request).then(() => order.push(name))
  const checks = Array.from({ length: 200 }, () => run('pieces.hash'))
  await Promise.all([...checks, run('piece.commit')])
  assert.equal(order.indexOf('piece.commit'), 0)
})

test('stop: running, queued and waiting jobs all reject, and so do later ones', async t => {
  const pool = makePool(t, echoWorker, { maxJobs: 4 })
  const results = Array.from({ length: 8 }, () => pool.run('piece.commit', harmless))
  await untilSent()
  assert.equal(pool.stats().batchesInFlight, 1)
  await pool.stop()
  for (const outcome of await Promise.allSettled(results))
    assert.ok(outcome.status === 'rejected' && hasCode('Aborted')(outcome.reason))
  await assert.rejects(pool.run('piece.commit', harmless), hasCode('Aborted'))
})

test('drain waits for the last job, and no longer than its deadline', async t => {
  const pool = makePool(t, echoWorker)
  let done = false
  const job = pool.run('piece.commit', harmless).then(() => (done = true))
  await pool.drain(10_000)
  await job
  assert.ok(done)
  await pool.drain(10_000)
})

test('commits for which nobody waits go together, and at once with one that somebody waits for', async t => {
  // Time stands while they wait: how long this thread is kept from its turns is no matter.
  let stands: number | null = null
  const pool = new WorkerPool(
    { threads: 1, worker: echoWorker, workerData: ring => ({ ring }), gatheredBytes: 2 ** 30 },
    { log: silentLog, nowUs: () => stands ?? nowUs() },
  )
  t.after(() => pool.stop())
  const { request } = jobs['piece.commit'].sample
  await pool.run('piece.commit', request)
  const post = (patient: boolean) =>
    new Promise((resolve, reject) => pool.post('piece.commit', request, patient, resolve, reject))
  stands = nowUs()
  // So many in one turn: they come quickly, and fill every lane.
  await Promise.all(Array.from({ length: 16 }, () => post(true)))
  const held = [post(true), post(true)]
  await untilSent()
  assert.equal(pool.stats().batchesInFlight, 0, 'they wait')
  const awaited = post(false)
  // It is sent in the next turn of immediates; in a later one the thread may have answered already.
  await new Promise(setImmediate)
  assert.equal(pool.stats().batchesInFlight, 1, 'all in one message')
  assert.equal(pool.stats().queuedJobs, 3)
  await Promise.all([...held, awaited])
  // Without another one they go by themselves, and a stop waits for nobody.
  stands = null
  await post(true)
  const last = assert.rejects(post(true), { code: 'Aborted' })
  await pool.stop()
  await last
})

test('a thread sees each batch before its first job', () => {
  const codec = makeBatchCodec()
  const order: string[] = []
  const run = makeRunner(
    {
      'blocks.write': () => {
        order.push('write')
        return { written: 1 }
      },
    },
    { ring: new SharedArrayBuffer(8), lookAhead: batch => order.push(`batch of ${batch.length}`) },
  )
  const { number, sample } = jobs['blocks.write']
  const job = { job: number, request: sample.request }
  run(codec.encodeJobs({ jobs: [job, job] }))
  assert.deepEqual(order, ['batch of 2', 'write', 'write'])
})
