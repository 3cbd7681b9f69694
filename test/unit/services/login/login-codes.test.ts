// Codes that sign a browser in: once, in time, from near, bounded, and not lost when no key could be made.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../../src/base/errors.ts'
import type { KeyScope } from '../../../../src/ports/key-list.ts'
import type { KeyRecord, KeysService, NewKeyRecord } from '../../../../src/services/callers-api.ts'
import { LOGIN_CODE_MS, LoginCodes, MAX_LOGIN_CODES } from '../../../../src/services/login/login-codes.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

const hasCode = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

class KeysDouble implements KeysService {
  readonly made: KeyRecord[] = []
  failure: AppError | null = null
  list(): { keys: KeyRecord[] } {
    return { keys: this.made }
  }
  async add(name: string, scopes: readonly string[]): Promise<NewKeyRecord> {
    if (this.failure !== null) throw this.failure
    this.made.push({ name, scopes: [...scopes] as KeyScope[], label: null, created: 0 })
    return { name, scopes: [...scopes] as KeyScope[], label: null, key: `key of ${name}` }
  }
  async remove(name: string): Promise<{ name: string; removed: true }> {
    return { name, removed: true }
  }
}

function rig(): { codes: LoginCodes; keys: KeysDouble; clock: VirtualClock; offer: (anywhere?: boolean) => string } {
  const clock = new VirtualClock()
  const keys = new KeysDouble()
  const codes = new LoginCodes({ clock, random: new SeededRandom(7), keys })
  const offer = (anywhere = false): string => codes.offer({ scopes: ['read', 'stream'], anywhere }).code
  return { codes, keys, clock, offer }
}

test('a code of 192 bits gives a key of the scopes that were asked for, once', async () => {
  const { codes, keys } = rig()
  const offer = codes.offer({ scopes: ['stream', 'read'], anywhere: false })
  assert.match(offer.code, /^[A-Za-z0-9_-]{32}$/)
  assert.deepEqual(codes.look(offer.id), { id: offer.id, state: 'waiting', name: '' })
  assert.deepEqual(await codes.take(offer.code, 'firefox-linux', true), {
    name: 'firefox-linux',
    scopes: ['read', 'stream'],
    label: null,
    key: 'key of firefox-linux',
  })
  assert.deepEqual(codes.look(offer.id), { id: offer.id, state: 'used', name: 'firefox-linux' })
  await assert.rejects(codes.take(offer.code, 'firefox-linux', true), hasCode('LoginCodeUsed'))
  assert.equal(keys.made.length, 1)
})

test('of two that use a code at once one is too late', async () => {
  const { codes, keys, offer } = rig()
  const code = offer()
  const both = await Promise.allSettled([codes.take(code, 'a', true), codes.take(code, 'b', true)])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  assert.equal(keys.made.length, 1)
})

test('a code works for ten minutes', async () => {
  const { codes, clock, offer } = rig()
  const [early, late] = [offer(), codes.offer({ scopes: ['read'], anywhere: false })]
  await clock.advance(LOGIN_CODE_MS - 1)
  await codes.take(early, 'a', true)
  await clock.advance(1)
  await assert.rejects(codes.take(late.code, 'a', true), hasCode('LoginCodeExpired'))
  assert.equal(codes.look(late.id).state, 'expired')
})

test('a code that is used from elsewhere is refused there and spent; one for anywhere works', async () => {
  const { codes, keys, offer } = rig()
  const code = offer()
  await assert.rejects(codes.take(code, 'a', false), hasCode('LoginCodeElsewhere'))
  await assert.rejects(codes.take(code, 'a', true), hasCode('LoginCodeUsed'))
  assert.deepEqual(keys.made, [])
  await codes.take(offer(true), 'a', false)
  assert.equal(keys.made.length, 1)
})

test('what is no code of this node, taken back, or pushed out by newer ones opens nothing', async () => {
  const { codes, keys, offer } = rig()
  const code = offer()
  for (const wrong of ['', code.slice(1), `${code}A`, code.toLowerCase(), '\0'.repeat(32), 'x'.repeat(64)])
    await assert.rejects(codes.take(wrong, 'a', true), hasCode('LoginCodeUnknown'), wrong)
  const withdrawn = codes.offer({ scopes: ['read'], anywhere: true })
  assert.equal(codes.withdraw(withdrawn.id).state, 'used')
  await assert.rejects(codes.take(withdrawn.code, 'a', true), hasCode('LoginCodeUsed'))
  for (let made = 0; made < MAX_LOGIN_CODES; made++) offer()
  await assert.rejects(codes.take(code, 'a', true), hasCode('LoginCodeUnknown'))
  assert.throws(() => codes.look('1'), hasCode('LoginCodeUnknown'))
  assert.throws(() => codes.withdraw('nobody'), hasCode('LoginCodeUnknown'))
  assert.deepEqual(keys.made, [])
})

test('a code whose key could not be made works later', async () => {
  const { codes, keys, offer } = rig()
  const code = offer()
  keys.failure = new AppError('DiskFull')
  await assert.rejects(codes.take(code, 'a', true), hasCode('DiskFull'))
  keys.failure = null
  assert.equal((await codes.take(code, 'a', true)).name, 'a')
})

test('a second device of a name gets a number', async () => {
  const { codes, offer } = rig()
  const names: string[] = []
  for (let device = 0; device < 3; device++) names.push((await codes.take(offer(), 'phone', true)).name)
  assert.deepEqual(names, ['phone', 'phone-2', 'phone-3'])
  assert.equal((await codes.take(offer(), 'x'.repeat(64), true)).name.length, 60)
})

test('scopes that do not exist are refused', () => {
  const { codes } = rig()
  for (const scopes of [[], ['open'], ['read', 'everything']])
    assert.throws(() => codes.offer({ scopes, anywhere: false }), hasCode('InvalidParameter'))
})
