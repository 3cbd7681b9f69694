// The look for new versions over a network in memory and virtual time: when the URL is asked, and what is reported.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { VersionCheck } from '../../../src/services/updates/version-check.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const DAY = 24 * 3600 * 1000

class World {
  readonly clock = new VirtualClock()
  readonly values = new Map<string, Uint8Array>()
  readonly asked: string[] = []
  readonly told: unknown[] = []
  url = 'https://a.example/latest'
  answer: string | Error | Promise<never> = '1.2.4'
  check = this.make()

  make(): VersionCheck {
    return new VersionCheck({
      clock: this.clock,
      random: new SeededRandom(1),
      log: silentLog,
      events: { emit: (type: string, event?: unknown) => this.told.push(type, event) },
      values: {
        get: async key => this.values.get(key) ?? null,
        set: async (key, value) => void this.values.set(key, value),
        getOrSet: async (_key, value) => value,
      },
      http: {
        fetch: async (uri, signal) => {
          this.asked.push(uri)
          if (this.answer instanceof Error) throw this.answer
          if (typeof this.answer === 'string') return { kind: 'bytes', bytes: Buffer.from(this.answer) }
          return new Promise((_resolve, reject) =>
            signal?.addEventListener('abort', () => reject(new AppError('Aborted'))),
          )
        },
        close: () => Promise.resolve(),
      },
      version: '1.2.3',
      url: () => this.url,
    })
  }
}

test('a newer version is reported once, also over a restart; the next one is reported again', async () => {
  const at = new World()
  at.check.settingsChanged()
  await at.clock.advance(10_000)
  assert.deepEqual(at.told, ['new_version_available', { version: '1.2.4' }])
  await at.clock.advance(3 * DAY)
  await at.check.stop()
  at.check = at.make()
  at.check.settingsChanged()
  await at.clock.advance(DAY)
  assert.equal(at.told.length, 2)
  at.answer = '{"tag_name": "v2.0.0", "name": "x"}'
  await at.clock.advance(2 * DAY)
  assert.deepEqual(at.told.slice(2), ['new_version_available', { version: '2.0.0' }])
  await at.check.stop()
  assert.equal(at.clock.pending, 0)
})

test('the same or an older version, and nonsense, tell nothing', async () => {
  for (const answer of [
    '1.2.3',
    'v1.0',
    '1.2.3-rc.1',
    '',
    '<html>',
    '{',
    '{"version": 5}',
    '[]',
    '{"version":"latest"}',
  ]) {
    const at = new World()
    at.answer = answer
    at.check.settingsChanged()
    await at.clock.advance(DAY)
    assert.ok(at.asked.length > 0)
    assert.deepEqual(at.told, [], answer)
    await at.check.stop()
  }
})

test('without an address nobody is asked; one that is set counts at once, one that is taken away too', async () => {
  const at = new World()
  at.url = ''
  at.check.settingsChanged()
  await at.clock.advance(3 * DAY)
  assert.deepEqual(at.asked, [])
  at.url = 'https://b.example/'
  at.check.settingsChanged()
  await at.clock.advance(10_000)
  assert.deepEqual(at.asked, ['https://b.example/'])
  at.url = ''
  at.check.settingsChanged()
  await at.clock.advance(10 * DAY)
  assert.equal(at.asked.length, 1)
  assert.equal(at.clock.pending, 0)
})

test('it asks about once a day, and after failures more and more seldom', async () => {
  const at = new World()
  at.check.settingsChanged()
  await at.clock.advance(10 * DAY)
  assert.ok(at.asked.length >= 9 && at.asked.length <= 12, String(at.asked.length))
  at.answer = new AppError('SourceFailed')
  at.asked.length = 0
  await at.clock.advance(10 * DAY)
  assert.ok(at.asked.length >= 10 && at.asked.length <= 18, String(at.asked.length))
  await at.check.stop()
})

test('stop does not wait for an answer that never comes', async () => {
  const at = new World()
  at.answer = new Promise<never>(() => undefined)
  at.check.settingsChanged()
  await at.clock.advance(10_000)
  assert.equal(at.asked.length, 1)
  await at.check.stop()
  assert.equal(at.clock.pending, 0)
})
