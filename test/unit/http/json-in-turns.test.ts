// JSON made in turns: the same text as JSON.stringify gives, and the loop turns while it is made.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonInTurns } from '../../../src/http/json-in-turns.ts'
import { ListedJson } from '../../../src/http/route.ts'

type Values = Iterable<unknown> | AsyncIterable<unknown>

async function text(name: string, values: Values, signal = new AbortController().signal): Promise<string> {
  const parts: Uint8Array[] = []
  await jsonInTurns(new ListedJson(name, () => []).frame, values, part => void parts.push(part), signal)
  return Buffer.concat(parts).toString()
}

const many = (count: number) => Array.from({ length: count }, (_, i) => ({ i, name: `"ünï" ${i}` }))

async function* later(values: Iterable<unknown>) {
  yield* values
}

test('it says what JSON.stringify says, of values at hand and of those that come', async () => {
  const lists: unknown[][] = [
    [],
    [1, null, 'x', {}, []],
    many(5000),
    [{ name: 'a', files: many(200), peers: [], absent: undefined }, { name: 'b' }],
    many(60).map(one => ({ ...one, files: many(one.i * 3), trackers: [{ url: 'u' }] })),
    ['x'.repeat(600_000), many(51)],
  ]
  for (const list of lists) {
    assert.equal(await text('the list', list), JSON.stringify({ 'the list': list }))
    assert.equal(await text('l', later(list)), JSON.stringify({ l: list }))
  }
})

test('a list in a value may be made as it is written', async () => {
  function* made(count: number) {
    yield* many(count)
  }
  const values = [{ files: made(3) }, { none: made(0) }, { some: made(100), after: 1 }]
  assert.equal(
    await text('l', later(values)),
    JSON.stringify({ l: [{ files: many(3) }, { none: [] }, { some: many(100), after: 1 }] }),
  )
})

test('no turn writes more than some hundred values, and none is taken before its turn', async () => {
  let [turns, taken, most, before] = [0, 0, 0, 0]
  function* counted() {
    for (const one of many(10_000)) {
      taken += 1
      yield one
    }
  }
  let next = setImmediate(function turn() {
    turns += 1
    most = Math.max(most, taken - before)
    before = taken
    next = setImmediate(turn)
  })
  await text('files', counted())
  await text('downloads', later([{ files: counted() }]))
  clearImmediate(next)
  assert.ok(turns >= 80, `${turns} turns`)
  assert.ok(most <= 500, `${most} values in a turn`)
})

test('what the values throw on their way rejects', async () => {
  async function* broken() {
    yield 1
    throw new Error('gone')
  }
  await assert.rejects(text('l', broken()), /gone/)
})

test('a signal ends the work in the same turn and closes the values', async () => {
  for (const shape of ['plain', 'async', 'nested']) {
    const gone = new AbortController()
    let [taken, closed] = [0, false]
    const values = (function* () {
      try {
        for (const one of many(5000)) {
          taken += 1
          yield one
        }
      } finally {
        closed = true
      }
    })()
    setImmediate(() => gone.abort())
    const given = shape === 'plain' ? values : shape === 'async' ? later(values) : later([{ files: values }])
    await assert.rejects(text('l', given, gone.signal), { name: 'AbortError' }, shape)
    assert.ok(taken > 0 && taken < 1000, `${shape}: ${taken}`)
    assert.equal(closed, true, shape)
  }
})

test('what takes the parts may refuse them', async () => {
  const refuse = () => {
    throw new Error('no room')
  }
  await assert.rejects(
    jsonInTurns(new ListedJson('l', () => []).frame, many(5000), refuse, new AbortController().signal),
    /no room/,
  )
})
