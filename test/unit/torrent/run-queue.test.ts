// The order of the queue and its limits, without torrents and without time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Place, type RunLimits, RunQueue } from '../../../src/torrent/session/run-queue.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const OPEN: RunLimits = { downloads: -1, seeds: -1, all: -1, dontCountSlow: true }

function makeQueue(limits: Partial<RunLimits>) {
  const queue = new RunQueue<string>({ ...OPEN, ...limits })
  /** All steps that follow, as `+name` and `-name`. */
  const steps = (): string => {
    const done: string[] = []
    for (let step = queue.next(); step !== null; step = queue.next()) {
      done.push(`${step.action === 'start' ? '+' : '-'}${step.place.member}`)
    }
    return done.join(' ')
  }
  return { queue, steps }
}

function enterAll(queue: RunQueue<string>, kind: 'download' | 'seed', names: string): Place<string>[] {
  return [...names].map(name => {
    const place = queue.place(name)
    queue.enter(place, kind)
    return place
  })
}

test('without limits everything runs at once and there is nothing to do', () => {
  const { queue, steps } = makeQueue({})
  const places = [...enterAll(queue, 'download', 'abc'), ...enterAll(queue, 'seed', 'xyz')]
  assert.ok(places.every(place => place.state === 'running'))
  assert.equal(steps(), '')
})

test('downloads go in the order of adding; the next begins when one leaves or turns into a seed', () => {
  const { queue, steps } = makeQueue({ downloads: 2 })
  const [a, b, c, d, e] = enterAll(queue, 'download', 'abcde') as [Place<string>, ...Place<string>[]]
  assert.deepEqual(
    [a, b, c, d, e].map(place => place?.state),
    ['running', 'running', 'waiting', 'waiting', 'waiting'],
  )
  queue.leave(a)
  assert.equal(steps(), '+c')
  // A resumed one waits in its place, and nobody who runs makes room for it.
  assert.equal(queue.enter(a, 'download'), false)
  assert.equal(steps(), '')
  queue.turned(b as Place<string>, 'seed')
  assert.equal(steps(), '+a')
  queue.leave(c as Place<string>)
  assert.equal(steps(), '+d')
})

test('asking twice changes nothing; who asks when others wait does not pass them', () => {
  const { queue, steps } = makeQueue({ downloads: 1 })
  const [a, b] = enterAll(queue, 'download', 'ab') as [Place<string>, Place<string>]
  assert.equal(queue.enter(a, 'download'), true)
  assert.equal(queue.enter(b, 'download'), false)
  queue.leave(a)
  const late = queue.place('c')
  assert.equal(queue.enter(late, 'download'), false)
  assert.equal(steps(), '+b')
})

test('lower limits hold the last, higher ones start the first; 0 holds all', () => {
  const { queue, steps } = makeQueue({})
  enterAll(queue, 'download', 'abcd')
  queue.setLimits({ ...OPEN, downloads: 2 })
  assert.equal(steps(), '-d -c')
  queue.setLimits({ ...OPEN, downloads: 0 })
  assert.equal(steps(), '-b -a')
  queue.setLimits({ ...OPEN, downloads: 3 })
  assert.equal(steps(), '+a +b +c')
  queue.setLimits(OPEN)
  assert.equal(steps(), '+d')
})

test('slow ones do not count; one that is fast again costs the last its place', () => {
  const { queue, steps } = makeQueue({ downloads: 1 })
  const [a] = enterAll(queue, 'download', 'abc') as [Place<string>]
  queue.setSlow(a, true)
  assert.equal(steps(), '+b')
  queue.setSlow(a, false)
  assert.equal(steps(), '-b')
  queue.setSlow(a, true)
  assert.equal(steps(), '+b')
  queue.setLimits({ ...OPEN, downloads: 1, dontCountSlow: false })
  assert.equal(steps(), '-b')
})

test('the common limit counts slow ones, and downloads go before seeds', () => {
  const { queue, steps } = makeQueue({ all: 2, downloads: 2 })
  const [x] = enterAll(queue, 'seed', 'xyz') as [Place<string>]
  assert.equal(steps(), '')
  queue.setSlow(x, true)
  assert.equal(steps(), '')
  const [a] = enterAll(queue, 'download', 'abc') as [Place<string>]
  // The idle seed first, then the other.
  assert.equal(steps(), '-x +a -y +b')
  queue.setLimits({ ...OPEN, all: 1, downloads: 2 })
  assert.equal(steps(), '-b')
  queue.leave(a)
  assert.equal(steps(), '+b')
})

test('a download that finishes goes to the end of the line of seeds', () => {
  const { queue, steps } = makeQueue({ downloads: 1, seeds: 1 })
  const [x] = enterAll(queue, 'seed', 'xy') as [Place<string>]
  const [a] = enterAll(queue, 'download', 'ab') as [Place<string>]
  queue.turned(a, 'seed')
  assert.equal(steps(), '-a +b')
  queue.leave(x)
  assert.equal(steps(), '+y')
})

test('one that is found complete when it begins waits with the seeds', () => {
  const { queue, steps } = makeQueue({ downloads: 1, seeds: 1 })
  enterAll(queue, 'seed', 'x')
  const [a] = enterAll(queue, 'download', 'ab') as [Place<string>]
  assert.equal(queue.enter(a, 'seed'), false)
  assert.equal(steps(), '+b')
})

test('how many wait before one is told of the first alone', () => {
  const queue = new RunQueue<string>({ downloads: 1, seeds: -1, all: -1, dontCountSlow: true })
  const places = ['a', 'b', 'c', 'd', 'e'].map(name => queue.place(name))
  for (const place of places) queue.enter(place, 'download')
  const ahead = () => places.map(place => queue.ahead(place, 2))
  assert.deepEqual(ahead(), [null, 0, 1, 2, null], 'the first runs, of the last more than two go before it')
  queue.leave(places[1] as (typeof places)[number])
  assert.deepEqual(ahead(), [null, null, 0, 1, 2])
})

test('seeds take turns: each is held once before any is held twice', () => {
  const { queue, steps } = makeQueue({ seeds: 2 })
  enterAll(queue, 'seed', 'vwxyz')
  const held: string[] = []
  for (let turn = 0; turn < 10; turn += 1) {
    held.push(queue.rotateSeed()?.member ?? '')
    assert.match(steps(), /^\+.$/)
  }
  assert.equal(held.join(''), 'vwxyzvwxyz')
  assert.equal(makeQueue({ seeds: 1 }).queue.rotateSeed(), null)
})

test('whatever happens, limits hold afterwards and no slot stays empty', () => {
  const random = new SeededRandom(77)
  const limits = { downloads: 3, seeds: 4, all: 6, dontCountSlow: true }
  const { queue, steps } = makeQueue(limits)
  const places = Array.from({ length: 40 }, (_, i) => queue.place(String(i)))
  for (let round = 0; round < 3000; round += 1) {
    const place = places[random.below(places.length)] as Place<string>
    const kind = random.below(2) === 0 ? 'download' : 'seed'
    const what = random.below(5)
    if (what === 0) queue.leave(place)
    else if (what === 1) queue.turned(place, kind)
    else if (what === 2) queue.setSlow(place, random.below(2) === 0)
    else if (what === 3) queue.rotateSeed()
    else queue.enter(place, kind)
    steps()
    const running = places.filter(one => one.state === 'running')
    const counted = (of: string) => running.filter(one => one.kind === of && !one.slow).length
    const waiting = (of: string) => places.filter(one => one.kind === of && one.state === 'waiting').length
    assert.ok(
      counted('download') <= limits.downloads && counted('seed') <= limits.seeds && running.length <= limits.all,
    )
    assert.equal(counted('download'), queue.counted('download').length)
    const full = running.length === limits.all
    assert.ok(full || waiting('seed') === 0 || counted('seed') === limits.seeds)
    const seeds = running.some(one => one.kind === 'seed')
    assert.ok((full && !seeds) || waiting('download') === 0 || counted('download') === limits.downloads)
  }
})

test('a hundred thousand waiting cost little a change', () => {
  const { queue, steps } = makeQueue({ downloads: 5 })
  const places = Array.from({ length: 100_000 }, (_, i) => queue.place(String(i)))
  for (const place of places) queue.enter(place, 'download')
  const startMs = performance.now()
  for (let i = 0; i < 1000; i += 1) {
    queue.leave(places[i] as Place<string>)
    assert.equal(steps(), `+${i + 5}`)
  }
  const took = performance.now() - startMs
  assert.ok(took < 1000, `1,000 changes took ${took} ms`)
})

test('a change of the order counts at once: who runs makes room for who goes before it now', () => {
  const { queue, steps } = makeQueue({ downloads: 2 })
  const [a, b, c, d] = enterAll(queue, 'download', 'abcd') as [
    Place<string>,
    Place<string>,
    Place<string>,
    Place<string>,
  ]
  queue.rank(d, -1)
  assert.equal(steps(), '-b +d')
  queue.rank(c, 1.5)
  assert.equal(steps(), '', 'it waits behind b')
  queue.rank(a, 10)
  assert.equal(steps(), '-a +b', 'who goes to the end makes room too')
  assert.deepEqual(
    [a, b, c, d].map(place => place.state),
    ['waiting', 'running', 'waiting', 'running'],
  )
  queue.leave(d)
  assert.equal(steps(), '+c')
  assert.equal(queue.ahead(a, 5), 0)
})

test('a place given at the beginning counts, and that of a seed only once it is a download again', () => {
  const { queue, steps } = makeQueue({ downloads: 1, seeds: 1 })
  const late = queue.place('late', 7)
  const early = queue.place('early', 3)
  assert.equal(queue.enter(late, 'download'), true)
  assert.equal(queue.enter(early, 'download'), false)
  assert.equal(steps(), '', 'nobody who runs makes room for one that was resumed')
  const [x, y] = ['x', 'y'].map((name, n) => queue.place(name, 10 + n)) as [Place<string>, Place<string>]
  assert.equal(queue.enter(x, 'seed'), true)
  assert.equal(queue.enter(y, 'seed'), false)
  queue.rank(y, 1)
  assert.equal(steps(), '')
  queue.turned(y, 'download')
  assert.equal(steps(), '')
  queue.leave(late)
  assert.equal(steps(), '+y')
})

test('an order that changes all the time breaks no limit and leaves nobody out of its lists', () => {
  const random = new SeededRandom(23)
  const { queue, steps } = makeQueue({ downloads: 3, seeds: 2, all: 4 })
  const places = Array.from({ length: 30 }, (_, n) => queue.place(String(n), n))
  let next = 100
  for (let n = 0; n < 4000; n += 1) {
    const place = places[random.below(places.length)] as Place<string>
    const dice = random.below(1000) / 1000
    if (dice < 0.4) queue.rank(place, dice < 0.2 ? -(next += 1) : (next += 1))
    else if (dice < 0.7) queue.enter(place, dice < 0.6 ? 'download' : 'seed')
    else if (dice < 0.85) queue.leave(place)
    else queue.setSlow(place, dice < 0.9)
    steps()
    const running = places.filter(({ state }) => state === 'running')
    const counted = running.filter(({ kind, slow }) => kind === 'download' && !slow)
    assert.ok(running.length <= 4)
    assert.ok(counted.length <= 3)
    const waiting = places.filter(({ kind, state }) => kind === 'download' && state === 'waiting')
    assert.equal(queue.waiting('download'), waiting.length)
  }
})
