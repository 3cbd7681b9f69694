// When a circuit is pinged, and when it is given up.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CircuitHealth } from '../../../../../src/chapters/circuits/core/circuit-health.ts'
import { CIRCUIT_PING_MS, PINGS_KEPT, BAD_CELLS } from '../../../../../src/chapters/circuits/core/circuit-health.ts'
import type { OwnCircuit } from '../../../../../src/chapters/circuits/core/own-circuit.ts'

interface Counts {
  cellsUp: number
  cellsDown: number
  cellsBad: number
  bytesUp: number
  bytesDown: number
  ready: boolean
}

function watched(): { counts: Counts; health: CircuitHealth } {
  const counts: Counts = { cellsUp: 0, cellsDown: 0, cellsBad: 0, bytesUp: 0, bytesDown: 0, ready: true }
  return { counts, health: new CircuitHealth(counts as unknown as OwnCircuit, 0) }
}

/** Steps each second; each ping is answered when `answers` says so. Answers when it was given up, and why. */
function run(
  { counts, health }: ReturnType<typeof watched>,
  seconds: number,
  each: (second: number) => { sends?: boolean; hears?: boolean; answers?: boolean },
): { at: number; dead: string } | null {
  for (let second = 1; second <= seconds; second++) {
    const { sends = false, hears = false, answers = false } = each(second)
    if (sends) counts.cellsUp++
    if (hears) counts.cellsDown++
    const { dead, ping } = health.step(second * 1_000, true)
    if (dead !== null) return { at: second, dead }
    if (!ping) continue
    health.sent(second, second * 1_000)
    if (answers && health.answered(second, second * 1_000 + 80)) counts.cellsDown++
  }
  return null
}

test('an idle circuit is pinged each 7.5 s and lives while it answers', () => {
  const one = watched()
  let pings = 0
  assert.equal(
    run(one, 120, () => ({ answers: true })),
    null,
  )
  for (let n = 0; n < 3; n++) pings += one.health.step(200_000 + n, true).ping ? 1 : 0
  assert.equal(pings, 3, 'due, and due until it is sent')
  assert.ok(Math.abs((one.health.rttMs ?? 0) - 80) < 1)
  assert.equal(one.health.loss, 0)
})

test('silence after sending brings the ping forward, and two failures end it', () => {
  const idle = run(watched(), 60, () => ({}))
  const used = run(watched(), 60, () => ({ sends: true }))
  assert.equal(used?.dead, 'it does not answer')
  assert.ok((used?.at ?? 99) <= 10, `${used?.at} s`)
  assert.ok((idle?.at ?? 99) * 1_000 <= CIRCUIT_PING_MS + 8_000, `${idle?.at} s`)
})

test('lost pings beside cells that come are loss and no death; too many are', () => {
  const one = watched()
  assert.equal(
    run(one, 60, second => ({ hears: true, answers: second % 3 !== 0 })),
    null,
  )
  const lossy = run(watched(), 900, second => ({ hears: true, answers: second < 30 }))
  assert.equal(lossy?.dead, 'it loses too much')
})

test('cells that cannot be read end it only when they are many, and a part of all', () => {
  const few = watched()
  few.counts.cellsBad = BAD_CELLS.least - 1
  assert.equal(few.health.step(1_000, true).dead, null)
  const many = watched()
  many.counts.cellsDown = 100_000
  many.counts.cellsBad = 5_000
  assert.equal(many.health.step(1_000, true).dead, null)
  many.counts.cellsBad = 20_000
  assert.equal(many.health.step(2_000, true).dead, 'it corrupts cells')
})

test('answers to no ping of ours count nothing, and what is kept is bounded', () => {
  const one = watched()
  assert.equal(one.health.answered(7, 100), false)
  run(one, 3_000, second => ({ hears: true, answers: second % 2 === 0 || second > 100 }))
  one.health.sent(9, 4_000_000)
  assert.ok(one.health.answered(9, 4_000_010))
  assert.equal(one.health.answered(9, 4_000_011), false, 'once')
  assert.ok(one.health.loss <= 1 && PINGS_KEPT === 16)
})
