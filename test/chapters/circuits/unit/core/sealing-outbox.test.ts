// Layers of many cells at a worker: under load only, the same bytes in the same order, and never a cell without its
// layers.

import { type TestContext, test } from 'node:test'
import assert from 'node:assert/strict'
import { OpeningLayer } from '../../../../../src/chapters/circuits/core/opening-layer.ts'
import { OwnCircuit } from '../../../../../src/chapters/circuits/core/own-circuit.ts'
import {
  GATHER_WINDOW_MS,
  LATE_MS,
  MAX_GATHERED,
  REST_MS,
  SealingOutbox,
} from '../../../../../src/chapters/circuits/core/sealing-outbox.ts'
import { SlotRing } from '../../../../../src/chapters/circuits/core/slot-ring.ts'
import { SystemRandom } from '../../../../../src/io/random.ts'
import { SealPool } from '../../../../../src/chapters/overlay/sealing/seal-pool.ts'
import type { OverlayCryptoPool } from '../../../../../src/chapters/overlay/ports/overlay-crypto-pool.ts'
import { testCrypto } from '../../kit/made-circuit-node.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { waitFor } from '../../../../kit/wait-for.ts'

const to = { ip: '1.2.3.4', port: 5 }
/** Cells of a turn that a worker gets, and those that fill the window before. */
const MANY = 150
const HOPS = 3

interface Made {
  readonly circuit: OwnCircuit
  readonly outbox: SealingOutbox
  /** Cells that left, in hex. */
  readonly left: string[]
  readonly clock: { ms: number }
  /** Ends the turn. */
  turn(): void
  /** Sends texts numbered from `first`; before that a window full of others, so that load is known. */
  send(first: number, count: number): void
  loaded(): void
}

/** A circuit of three hops with fixed keys. `pool` null: each cell gets its layers at once. */
function made(pool: Pick<OverlayCryptoPool, 'sealAll'> | null): Made {
  const clock = { ms: 0 }
  const turns: (() => void)[] = []
  const left: string[] = []
  const outbox = new SealingOutbox({
    pool: pool ?? { sealAll: () => Promise.reject(new Error('nobody asks')) },
    clock: { now: () => clock.ms },
    atEndOfTurn: run => turns.push(run),
    unsent: () => 0,
  })
  const circuit = new OwnCircuit(
    { id: 7, purpose: 'data', goalHops: HOPS, required: null, lastKind: 'exit', createdMs: 0, createdAtMs: 0 },
    {
      prefix: new Uint8Array(22),
      ring: new SlotRing(),
      send: cell => left.push(Buffer.from(cell).toString('hex')),
      ...(pool === null ? {} : { outbox }),
    },
  )
  circuit.setFirstHop(to)
  for (let hop = 0; hop < HOPS; hop++) {
    const keys = testCrypto.session(
      Uint8Array.from({ length: 72 }, (_, at) => at + hop),
      'originator',
    )
    const common = { publicKey: new Uint8Array(74), member: '', address: null }
    circuit.addHop({ ...common, seal: keys.forward, open: new OpeningLayer(keys.backward), wipe: () => keys.wipe() })
  }
  const send = (first: number, count: number): void => {
    for (let n = first; n < first + count; n++) circuit.send(Buffer.from(`text ${n} `.padEnd(20 + (n % 900), 'x')))
  }
  return {
    circuit,
    outbox,
    left,
    clock,
    send,
    turn() {
      for (const run of turns.splice(0)) run()
    },
    loaded() {
      clock.ms = 100
      send(0, MANY)
      clock.ms += GATHER_WINDOW_MS
    },
  }
}

function realPool(t: TestContext): SealPool {
  const pool = new SealPool({}, { crypto: testCrypto, random: new SystemRandom(), log: silentLog })
  t.after(() => pool.stop())
  return pool
}

test('a quiet circuit seals its cells in the call; no worker is ever started', t => {
  const pool = realPool(t)
  const [quiet, plain] = [made(pool), made(null)]
  for (let n = 0; n < 50; n++) {
    quiet.clock.ms += 1
    for (const one of [quiet, plain]) one.send(n * 20, 20)
    assert.equal(quiet.left.length, (n + 1) * 20)
  }
  assert.deepEqual(quiet.left, plain.left)
  assert.equal(pool.stats().threads, 0)
})

test('under load a turn of cells goes to the worker: the same bytes, in order, those sent meanwhile behind them', async t => {
  const pool = realPool(t)
  const [loaded, plain] = [made(pool), made(null)]
  for (const one of [loaded, plain]) one.loaded()
  loaded.send(1_000, MANY)
  assert.equal(loaded.left.length, MANY, 'the turn is not over')
  loaded.turn()
  assert.equal(loaded.left.length, MANY, 'they are away')
  assert.equal(loaded.outbox.batches, 1)
  // It is quiet again, and they are not to overtake.
  loaded.clock.ms += 1_000
  loaded.send(2_000, 5)
  await waitFor('the worker', () => loaded.left.length === 2 * MANY)
  // Few: here, at the end of the turn.
  loaded.turn()
  assert.equal(loaded.left.length, 2 * MANY + 5)
  loaded.send(3_000, 1)
  plain.send(1_000, MANY)
  plain.send(2_000, 5)
  plain.send(3_000, 1)
  assert.deepEqual(loaded.left, plain.left)
  assert.equal(pool.stats().threads, 1)
  assert.equal(loaded.outbox.lost, 0)
})

test('what is at the worker when a circuit ends never leaves', async t => {
  const pool = realPool(t)
  let back: Promise<readonly boolean[]> | undefined
  const one = made({ sealAll: (keys, cells) => (back = pool.sealAll(keys, cells)) })
  one.loaded()
  one.send(1_000, MANY)
  one.turn()
  one.circuit.end()
  one.send(2_000, 3)
  assert.equal((await back)?.length, MANY)
  await new Promise(resolve => setImmediate(resolve))
  one.turn()
  assert.equal(one.left.length, MANY)
})

test('cells whose layers failed never leave, and the next ones do', async () => {
  const one = made({ sealAll: () => Promise.reject(new Error('the worker died')) })
  one.loaded()
  one.send(1_000, MANY)
  one.turn()
  await new Promise(resolve => setImmediate(resolve))
  one.send(2_000, 2)
  one.turn()
  assert.equal(one.left.length, MANY + 2)
})

test('a worker that answers late is left alone for a while', async () => {
  const answers: (() => void)[] = []
  const one = made({
    sealAll: (keys, cells) =>
      new Promise(resolve => {
        answers.push(() =>
          resolve(cells.map(c => keys.every((key, i) => key.seal(c.bytes, c.start - 8 * i, c.end + 16 * i)))),
        )
      }),
  })
  one.loaded()
  one.send(1_000, MANY)
  one.turn()
  one.clock.ms += LATE_MS + 1
  for (const answer of answers.splice(0)) answer()
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(one.left.length, 2 * MANY)
  one.send(2_000, MANY)
  one.clock.ms += GATHER_WINDOW_MS
  one.send(2_500, MANY)
  one.turn()
  assert.equal(one.left.length, 4 * MANY, 'made here')
  assert.equal(one.outbox.batches, 1)
  one.clock.ms += REST_MS
  one.send(3_000, MANY)
  one.clock.ms += GATHER_WINDOW_MS
  one.send(4_000, MANY)
  one.turn()
  assert.equal(one.outbox.batches, 2)
})

test('cells that wait are bounded; the rest is lost and counted', () => {
  const one = made({ sealAll: () => new Promise(() => undefined) })
  one.loaded()
  one.send(1_000, MAX_GATHERED + 7)
  assert.equal(one.outbox.lost, 7)
})
