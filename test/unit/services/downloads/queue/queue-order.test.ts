// The order of the queue as data: where moves lead, that few numbers change, and that they never run out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueueMove } from '../../../../../src/services/downloads/queue/queue-api.ts'
import { QueueOrder } from '../../../../../src/services/downloads/queue/queue-order.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'

function rig(names: string) {
  const order = new QueueOrder<string>()
  for (const name of names) order.enter(name, order.next())
  const line = (): string => [...names].sort((a, b) => (order.position(a) ?? 0) - (order.position(b) ?? 0)).join('')
  /** The line after a move; `changed`: how many numbers that took. */
  const move = (moved: string, to: QueueMove): { line: string; changed: number } => {
    const changes = order.plan(new Set(moved), to)
    order.apply(changes)
    return { line: line(), changed: changes.length }
  }
  return { order, line, move }
}

const moved = (names: string, to: QueueMove): string => rig('abcdef').move(names, to).line

test('to the top, to the bottom, one place, to a position, before another: those moved keep their order', () => {
  assert.equal(moved('d', { step: 'top' }), 'dabcef')
  assert.equal(moved('fb', { step: 'top' }), 'bfacde')
  assert.equal(moved('be', { step: 'bottom' }), 'acdfbe')
  assert.equal(moved('c', { step: 'up' }), 'acbdef')
  assert.equal(moved('c', { step: 'down' }), 'abdcef')
  assert.equal(moved('bcf', { step: 'up' }), 'bcadfe', 'each run passes one')
  assert.equal(moved('abe', { step: 'up' }), 'abcedf', 'what is first stays there')
  assert.equal(moved('adef', { step: 'down' }), 'bacdef', 'and what is last')
  assert.equal(moved('bd', { step: 'down' }), 'acbedf')
  assert.equal(moved('e', { position: 1 }), 'aebcdf')
  assert.equal(moved('ab', { position: 3 }), 'cdeabf')
  assert.equal(moved('a', { position: 99 }), 'bcdefa')
  assert.equal(moved('ae', { before: 'c' }), 'baecdf')
  assert.equal(moved('ce', { before: 'c' }), 'abcedf', 'also before one of them')
})

test('what is there already changes nothing, and a move changes as few numbers as it can', () => {
  for (const [names, to] of [
    ['a', { step: 'top' }],
    ['ab', { step: 'up' }],
    ['ef', { step: 'bottom' }],
    ['abcdef', { step: 'down' }],
    ['c', { position: 2 }],
    ['b', { before: 'c' }],
  ] as const) {
    assert.deepEqual(rig('abcdef').move(names, to), { line: 'abcdef', changed: 0 }, names)
  }
  assert.equal(rig('abcdef').move('f', { step: 'top' }).changed, 1)
  assert.equal(rig('abcdef').move('bcde', { step: 'up' }).changed, 1, 'the one that was passed')
})

test('a new one is behind all others, also behind those that were moved to the bottom', () => {
  const { order, move } = rig('abc')
  move('a', { step: 'bottom' })
  order.enter('n', order.next())
  assert.equal(order.position('n'), 3)
  order.forget('b')
  assert.equal(order.position('n'), 2)
  assert.equal(order.position('b'), null)
})

test('numbers of a store that are taken, or are none, become others close by, or at the end', () => {
  const order = new QueueOrder<string>()
  assert.equal(order.enter('a', 1), 1)
  assert.equal(order.enter('b', 2), 2)
  const twice = order.enter('c', 1)
  assert.ok(twice > 1 && twice < 2)
  assert.equal(order.enter('a', 9), 1, 'one that is in stays')
  for (const [name, wrong] of [
    ['d', Number.NaN],
    ['e', 1e300],
    ['f', Number.POSITIVE_INFINITY],
  ] as const) {
    const given = order.enter(name, wrong)
    assert.ok(Number.isFinite(given) && given > 2, name)
  }
  assert.deepEqual(
    ['a', 'c', 'b', 'd', 'e', 'f'].map(name => order.position(name)),
    [0, 1, 2, 3, 4, 5],
  )
})

test('ten thousand moves into one gap keep the order, no two numbers are alike, and few change', () => {
  const names = Array.from({ length: 64 }, (_, n) => String.fromCodePoint(0x100 + n)).join('')
  const { order, line, move } = rig(names)
  let expected = [...names]
  let most = 0
  for (let n = 0; n < 10_000; n += 1) {
    const one = expected[n % 2 === 0 ? 63 : 0] as string
    const others = expected.filter(name => name !== one)
    others.splice(32, 0, one)
    expected = others
    most = Math.max(most, move(one, { position: 32 }).changed)
  }
  assert.equal(line(), expected.join(''))
  assert.equal(new Set([...names].map(name => order.position(name))).size, 64)
  assert.ok(most <= 64, `${most} at a time`)
})

test('random moves lead to the same line as moving items of a list, and plans that come to nothing leave no trace', () => {
  const random = new SeededRandom(558)
  const names = 'abcdefghijkl'
  const { order, line, move } = rig(names)
  let expected = [...names]
  for (let n = 0; n < 2000; n += 1) {
    const chosen = expected.filter(() => random.below(10) < 3)
    const others = expected.filter(name => !chosen.includes(name))
    const position = random.below(others.length + 1)
    if (random.below(10) < 2) order.plan(new Set(chosen), { step: 'bottom' })
    expected = [...others.slice(0, position), ...chosen, ...others.slice(position)]
    assert.equal(move(chosen.join(''), { position }).line, expected.join(''))
  }
  assert.equal(line(), expected.join(''))
})

test('a move among a hundred thousand takes milliseconds', () => {
  const order = new QueueOrder<string>()
  for (let n = 0; n < 100_000; n += 1) order.enter(String(n), order.next())
  const begunMs = performance.now()
  order.apply(order.plan(new Set(['99999']), { step: 'top' }))
  assert.equal(order.position('99999'), 0)
  assert.equal(order.position('0'), 1)
  assert.ok(performance.now() - begunMs < 500)
})
