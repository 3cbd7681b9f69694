// Webhooks over a log and a network in memory: what is sent, how it is signed, what happens when it is not taken.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { HttpPost } from '../../../src/ports/http-post.ts'
import type { NodeValues } from '../../../src/ports/records.ts'
import { EventHub } from '../../../src/services/events/events.ts'
import { Webhooks, type WebhookSettings } from '../../../src/services/events/webhooks.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { MemoryEventLog } from './memory-event-log.ts'
import { HandClock } from './service-doubles.ts'

const A = 'https://a.example/hook?token=1'
const B = 'https://b.example/hook'

class MemoryValues implements NodeValues {
  readonly values = new Map<string, Uint8Array>()
  writes = 0

  async get(key: string): Promise<Uint8Array | null> {
    return this.values.get(key) ?? null
  }

  async set(key: string, value: Uint8Array): Promise<void> {
    this.writes += 1
    this.values.set(key, value)
  }

  async getOrSet(key: string, value: Uint8Array): Promise<Uint8Array> {
    const known = this.values.get(key)
    if (known !== undefined) return known
    await this.set(key, value)
    return value
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
}

/** A node's worth of webhooks; `log` and `values` outlive a restart. */
class World {
  readonly clock = new HandClock()
  readonly log: MemoryEventLog
  readonly values: MemoryValues
  readonly posts: HttpPost[] = []
  settings: WebhookSettings = { urls: [A], types: new Set(), secret: '' }
  /** What is answered, by url; an Error is thrown. Default 200. */
  readonly answers = new Map<string, number | Error | Promise<number>>()
  readonly hub: EventHub
  readonly hooks: Webhooks

  constructor(before?: World) {
    this.log = before?.log ?? new MemoryEventLog()
    this.values = before?.values ?? new MemoryValues()
    this.hub = new EventHub({
      log: silentLog,
      version: '1',
      started: () => true,
      now: () => 0,
      after: (ms, run) => this.clock.after(ms, run),
    })
    this.hooks = new Webhooks({
      clock: this.clock,
      random: new SeededRandom(1),
      log: silentLog,
      http: { post: order => this.#post(order), close: () => Promise.resolve() },
      events: this.log,
      values: this.values,
      follow: (since, deliver) => this.hub.follow(since, deliver),
      settings: () => this.settings,
    })
  }

  async start(): Promise<this> {
    await this.hub.open(this.log)
    await this.hooks.start()
    await settle()
    return this
  }

  /** A finished download. */
  async finish(name: string): Promise<void> {
    this.hub.emit('torrent_finished', { infohash: 'ab', name })
    await settle()
  }

  /** Names of the finished downloads that `url` was told of. */
  told(url = A): string[] {
    return this.posts
      .filter(post => post.url === url)
      .map(post => (JSON.parse(Buffer.from(post.body).toString()) as { event: { name: string } }).event.name)
  }

  /** Lets time go on in steps of a second. */
  async later(ms: number): Promise<void> {
    for (let at = 0; at < ms; at += 1000) {
      this.clock.advance(1000)
      await settle()
    }
  }

  #post(order: HttpPost): Promise<number> {
    this.posts.push(order)
    const answer = this.answers.get(order.url) ?? 200
    if (answer instanceof Error) return Promise.reject(answer)
    const aborted = new Promise<never>((_, reject) => {
      order.signal.addEventListener('abort', () => reject(new AppError('Aborted')))
    })
    return Promise.race([Promise.resolve(answer), aborted])
  }
}

test('an event arrives as JSON with its number, signed over the bytes of the body', async () => {
  const world = new World()
  world.settings = { ...world.settings, secret: 'geheim' }
  await world.start()
  await world.finish('film ü')
  assert.equal(world.posts.length, 1)
  const [post] = world.posts
  assert.ok(post)
  assert.equal(post.url, A)
  const body = Buffer.from(post.body)
  const { id, type, time, event } = JSON.parse(body.toString()) as Record<string, unknown>
  assert.deepEqual([id, type, event], [1, 'torrent_finished', { infohash: 'ab', name: 'film ü' }])
  assert.equal(typeof time, 'number')
  assert.equal(post.headers['content-type'], 'application/json')
  assert.equal(post.headers['x-tributary-event'], 'torrent_finished')
  assert.equal(post.headers['x-tributary-delivery'], '1')
  const mac = createHmac('sha256', 'geheim').update(body).digest('hex')
  assert.equal(post.headers['x-tributary-signature'], `sha256=${mac}`)
  await world.hooks.stop()
})

test('only chosen types are sent, and nothing is signed without a secret', async () => {
  const world = new World()
  world.settings = { ...world.settings, types: new Set(['torrent_error']) }
  await world.start()
  await world.finish('x')
  world.hub.emit('torrent_error', { infohash: 'ab', error: 'full' })
  await settle()
  assert.deepEqual(
    world.posts.map(post => post.headers['x-tributary-event']),
    ['torrent_error'],
  )
  assert.equal(world.posts[0]?.headers['x-tributary-signature'], undefined)
  await world.hooks.stop()
})

test('what is not taken is sent again with growing pauses, in order, and holds up no other address', async () => {
  const world = new World()
  world.settings = { ...world.settings, urls: [A, B] }
  await world.start()
  world.answers.set(A, 503)
  await world.finish('one')
  world.answers.set(A, new AppError('SourceFailed'))
  await world.finish('two')
  assert.deepEqual(world.told(B), ['one', 'two'])
  assert.deepEqual(world.told(A), ['one'])
  await world.later(7_000)
  assert.deepEqual(world.told(A), ['one', 'one'])
  await world.later(7_000)
  assert.deepEqual(world.told(A), ['one', 'one'], 'the second pause is twice as long')
  await world.later(6_000)
  assert.equal(world.told(A).length, 3)
  world.answers.delete(A)
  await world.later(30_000)
  assert.deepEqual(world.told(A), ['one', 'one', 'one', 'one', 'two'])
  await world.hooks.stop()
})

test('no pause is longer than an hour and a quarter', async () => {
  const world = await new World().start()
  world.answers.set(A, 500)
  await world.finish('one')
  for (let hour = 0; hour < 20; hour++) {
    world.clock.advance(4_500_000)
    await settle()
  }
  assert.equal(world.posts.length, 21)
  await world.hooks.stop()
})

test('after a restart it goes on where it was: what was taken is not sent again, what was not is', async () => {
  const first = await new World().start()
  await first.finish('one')
  first.answers.set(A, 500)
  await first.finish('two')
  await first.hooks.stop()
  await first.hub.close()
  const second = await new World(first).start()
  assert.deepEqual(second.told(), ['two'])
  await second.finish('three')
  assert.deepEqual(second.told(), ['two', 'three'])
  await second.hooks.stop()
})

test('a kill between answer and note sends once more, never once less', async () => {
  const first = await new World().start()
  await first.finish('one')
  const noted = first.values.values.get('webhooks') ?? new Uint8Array()
  await first.finish('two')
  // As if the last write had not come to the disk.
  first.values.values.set('webhooks', noted)
  const second = await new World(first).start()
  assert.deepEqual(second.told(), ['two'])
  await Promise.all([first.hooks.stop(), second.hooks.stop()])
})

test('an address that is new hears what happens from now on; one that went and came back too', async () => {
  const world = await new World().start()
  await world.finish('one')
  world.settings = { ...world.settings, urls: [A, B] }
  await world.hooks.settingsChanged()
  await settle()
  assert.deepEqual(world.told(B), [])
  await world.finish('two')
  assert.deepEqual(world.told(B), ['two'])
  world.settings = { ...world.settings, urls: [B] }
  await world.hooks.settingsChanged()
  await world.finish('three')
  world.settings = { ...world.settings, urls: [A, B] }
  await world.hooks.settingsChanged()
  await world.finish('four')
  assert.deepEqual(world.told(A), ['one', 'two', 'four'])
  assert.deepEqual(world.told(B), ['two', 'three', 'four'])
  await world.hooks.stop()
})

test('a long log is read in parts; one request at a time', async () => {
  const world = new World()
  let release = (_status: number): void => undefined
  const held = new Promise<number>(resolve => {
    release = resolve
  })
  world.answers.set(A, held)
  await world.start()
  for (let n = 0; n < 250; n++) world.hub.emit('torrent_finished', { infohash: 'ab', name: `${n}` })
  await settle()
  assert.equal(world.posts.length, 1)
  world.answers.delete(A)
  release(200)
  for (let turn = 0; turn < 40; turn++) await settle()
  assert.deepEqual(
    world.told(),
    Array.from({ length: 250 }, (_, n) => `${n}`),
  )
  await world.hooks.stop()
})

test('a stop ends a request that hangs; places of addresses that went are forgotten; without addresses nothing is kept', async () => {
  const world = await new World().start()
  world.answers.set(A, new Promise<number>(() => undefined))
  await world.finish('one')
  assert.equal(world.posts.length, 1)
  world.settings = { ...world.settings, urls: [] }
  await world.hooks.settingsChanged()
  assert.equal(Buffer.from(world.values.values.get('webhooks') ?? []).toString(), '{}')
  await world.hooks.stop()
  const none = new World()
  none.settings = { ...none.settings, urls: [] }
  await none.start()
  await none.finish('x')
  assert.equal(none.values.writes, 0)
  assert.equal(none.posts.length, 0)
  await none.hooks.stop()
})

test('more than sixteen addresses are not served', async () => {
  const world = new World()
  world.settings = { ...world.settings, urls: Array.from({ length: 20 }, (_, n) => `https://h${n}.example/`) }
  await world.start()
  await world.finish('x')
  assert.equal(world.posts.length, 16)
  await world.hooks.stop()
})

test('places that cannot be read count as none', async () => {
  const world = new World()
  for (const text of ['', 'no json', '[1]', 'null', '{"x":"y"}']) {
    world.values.values.set('webhooks', Buffer.from(text))
    const next = await new World(world).start()
    await next.finish('x')
    assert.deepEqual(next.told(), ['x'], text)
    await next.hooks.stop()
    await next.hub.close()
  }
})
