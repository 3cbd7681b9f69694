// What the overlays' cryptography costs: layers, signatures and handshakes by both libraries, and at a worker: the time
// of the whole batch, and the CPU that the main thread used for it. From these the threshold of layers that are worth a
// worker is read.

import { readFileSync } from 'node:fs'
import { Bench } from 'tinybench'
import { makeOverlayCrypto } from '../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { nodePrimitives } from '../../../../src/chapters/overlay/io/overlay-crypto-node.ts'
import { sodiumPrimitives } from '../../../../src/chapters/overlay/io/overlay-crypto-sodium.ts'
import type { CurvePrimitives } from '../../../../src/chapters/overlay/io/overlay-primitives.ts'
import { SystemRandom } from '../../../../src/io/random.ts'
import { SharedArena } from '../../../../src/pools/arena.ts'
import { CellBatches } from '../../../../src/chapters/overlay/sealing/cell-batches.ts'
import { BATCH_BYTES, SEAL_SLOT_BYTES } from '../../../../src/chapters/overlay/sealing/seal-slot.ts'
import { WorkerPool } from '../../../../src/pools/pool.ts'
import { SealPool } from '../../../../src/chapters/overlay/sealing/seal-pool.ts'
import { workerUrl } from '../../../../src/io/worker-url.ts'
import type { OverlayCrypto } from '../../../../src/chapters/overlay/ports/overlay-crypto.ts'
import type { CellText } from '../../../../src/chapters/overlay/ports/overlay-crypto-pool.ts'
import { parsePublicKey } from '../../../../src/chapters/overlay/wire/public-key.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { report, round, type Row } from '../../../../bench/lib/report.ts'
import { runTasks } from '../../../../bench/micro/run-tasks.ts'

const TEXT_BYTES = 1000
const ROUNDS = 100
const RUNS = 8
const random = new SystemRandom()
const material = random.bytes(72)

/** One library by itself. */
function addTasks(bench: Bench, curve: CurvePrimitives): void {
  const crypto = makeOverlayCrypto(random, curve)
  const [hop, own] = [crypto.session(material, 'hop'), crypto.generate()]
  const bytes = new Uint8Array(2048)
  const text = new Uint8Array(2048)
  hop.forward.seal(text, 8, 8 + TEXT_BYTES)
  const sealed = text.slice()
  const message = random.bytes(150)
  const signature = own.sign(message)
  const key = parsePublicKey(own.publicKey)
  const start = crypto.begin()
  const done = crypto.respond(own, start.ephemeral)
  if (done === null) throw new Error('no answer')
  const offer = new Uint8Array(25)
  done.keys.forward.seal(offer, 8, 9)
  bench
    .add(`${curve.made}: a layer on ${TEXT_BYTES} bytes`, () => void hop.forward.seal(bytes, 8, 8 + TEXT_BYTES))
    .add(`${curve.made}: a layer off (and the copy that this takes)`, () => {
      text.set(sealed)
      hop.forward.open(text, 0, TEXT_BYTES + 24)
    })
    .add(`${curve.made}: sign`, () => void own.sign(message))
    .add(`${curve.made}: verify`, () => void crypto.verify(key, message, signature))
    .add(`${curve.made}: begin a handshake`, () => void crypto.begin())
    .add(`${curve.made}: answer one`, () => void crypto.respond(own, start.ephemeral))
    .add(`${curve.made}: finish one`, () => void start.finish(own.publicKey, done, offer))
}

interface Cost {
  readonly wallUs: number
  /** CPU of the main thread. */
  readonly mainUs: number
}

/** CPU time of the main thread alone, microseconds (Linux). */
function mainThreadUs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1000
}

/** `each` again and again, one after the other; the best of several runs. */
async function measure(each: () => Promise<unknown>): Promise<Cost> {
  let best: Cost = { wallUs: Number.POSITIVE_INFINITY, mainUs: Number.POSITIVE_INFINITY }
  for (let run = 0; run < RUNS; run++) {
    const [wall, main] = [performance.now(), mainThreadUs()]
    for (let i = 0; i < ROUNDS; i++) await each()
    const wallUs = ((performance.now() - wall) * 1000) / ROUNDS
    best = {
      wallUs: Math.min(best.wallUs, wallUs),
      mainUs: Math.min(best.mainUs, (mainThreadUs() - main) / ROUNDS),
    }
  }
  return best
}

function rowOf(task: string, here: Cost, there: Cost): Row {
  return {
    task,
    'here, CPU us': round(here.mainUs, 0),
    'at a worker, CPU us of the main thread': round(there.mainUs, 0),
    'until answered us': round(there.wallUs, 0),
  }
}

async function layers(crypto: OverlayCrypto): Promise<void> {
  const slots = new SharedArrayBuffer(SEAL_SLOT_BYTES)
  const arena = new SharedArena({ id: 'seal', slotBytes: BATCH_BYTES, bytes: BATCH_BYTES })
  const workerData = (ring: SharedArrayBuffer) => ({ slots, batches: arena.buffer, ring })
  const pool = new WorkerPool({ threads: 1, worker: workerUrl('seal'), workerData }, { log: silentLog })
  const [here, there] = [new CellBatches(arena, pool, Number.POSITIVE_INFINITY), new CellBatches(arena, pool, 0)]
  const rows: Row[] = []
  for (const hops of [1, 3])
    for (const count of [1, 4, 16, 32, 64]) {
      const keys = Array.from({ length: hops }, () => crypto.session(material, 'hop').forward)
      const cells: CellText[] = Array.from({ length: count }, () => {
        const start = 8 * hops
        return { bytes: new Uint8Array(TEXT_BYTES + 24 * hops), start, end: start + TEXT_BYTES }
      })
      const name = `${count} cells, ${hops} layers`
      rows.push(
        rowOf(
          name,
          await measure(() => here.run(keys, cells, false)),
          await measure(() => there.run(keys, cells, false)),
        ),
      )
    }
  report('layers on cells of 1,000 bytes: on the main thread, and at a worker', rows)
  await pool.stop()
}

async function floods(crypto: OverlayCrypto): Promise<void> {
  const deps = { crypto, random, log: silentLog }
  const here = new SealPool({ hereUs: Number.POSITIVE_INFINITY }, deps)
  const there = new SealPool({ hereUs: 0 }, deps)
  const own = crypto.generate()
  const key = parsePublicKey(own.publicKey)
  const message = random.bytes(150)
  const signature = own.sign(message)
  const { ephemeral } = crypto.begin()
  const rows: Row[] = []
  for (const count of [1, 4, 16, 64]) {
    const verify = (pool: SealPool) => (): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, () => pool.verify(key, message, signature)))
    const answer = (pool: SealPool) => (): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, () => pool.respond(own, ephemeral)))
    rows.push(rowOf(`${count} signatures verified`, await measure(verify(here)), await measure(verify(there))))
    rows.push(rowOf(`${count} creates answered`, await measure(answer(here)), await measure(answer(there))))
  }
  report('signatures and handshakes asked for in one turn', rows)
  await Promise.all([here.stop(), there.stop()])
}

async function main(): Promise<void> {
  const sodium = sodiumPrimitives()
  const bench = new Bench({ time: 500 })
  for (const curve of [sodium, nodePrimitives]) if (curve !== null) addTasks(bench, curve)
  await runTasks('cryptography of the overlays', bench)
  const crypto = makeOverlayCrypto(random)
  await layers(crypto)
  await floods(crypto)
}

await main()
