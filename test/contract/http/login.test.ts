// The exchange of a sign-in code over a real socket: who may ask, from where, how often; and that no code is logged.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { ask, envelope, KEY, type Running, startServer } from './harness.ts'
import { CODE } from './login-double.ts'

const SPENDING = 'key-that-spends-and-is-admin-and-more'
const ADMIN = 'key-that-is-admin-and-nothing-more-00'
const OWNING = 'key-that-may-what-the-first-one-may-0'
const stored = (
  [
    [SPENDING, ['admin', 'spend']],
    [ADMIN, ['admin']],
    [OWNING, ['owner']],
  ] as const
).map(([key, scopes], at) => ({ name: `k${at}`, hash: createHash('sha256').update(key).digest(), scopes, label: null }))

let server: Running
before(async () => {
  server = await startServer({ furtherKeys: { current: () => stored } })
})
after(() => server.stop())

const exchange = (to: Running, code: string, headers: Record<string, string> = {}) =>
  ask(to.port, '/login', { method: 'POST', key: false, headers, body: JSON.stringify({ code, name: 'phone' }) })
const offer = (key: string, body: object) =>
  ask(server.port, '/login', {
    method: 'PUT',
    key: false,
    headers: { 'X-Api-Key': key },
    body: JSON.stringify(body),
  })

test('a code gives a key without one, from this machine; behind a proxy it counts as from elsewhere', async () => {
  const { calls } = server.double
  const near = await exchange(server, CODE)
  assert.deepEqual([near.status, near.json()], [200, { name: 'phone', scopes: ['read'], label: null, key: 'k' }])
  assert.deepEqual(calls.at(-1), ['takeLogin', 'phone', true])
  await exchange(server, CODE, { 'X-Forwarded-For': '203.0.113.7' })
  assert.deepEqual(calls.at(-1), ['takeLogin', 'phone', false])
})

test('pages of other origins and other hosts are refused before a code is looked at', async () => {
  const calls = server.double.calls.length
  for (const [headers, code] of [
    [{ Origin: 'http://page.example' }, 'ForeignOrigin'],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 'ForeignOrigin'],
    [{ Host: 'rebound.example' }, 'ForeignHost'],
  ] as const) {
    const answer = await exchange(server, CODE, headers)
    assert.deepEqual([answer.status, envelope(answer).code], [403, code])
  }
  assert.equal(server.double.calls.length, calls)
})

test('a link gives what its maker has, and never more', async () => {
  const { calls } = server.double
  for (const [key, scopes] of [
    [KEY, ['owner']],
    [OWNING, ['owner']],
    [SPENDING, ['admin', 'spend']],
    [ADMIN, ['admin']],
  ] as const) {
    const answer = await offer(key, {})
    assert.equal((answer.json() as { path: string }).path, `/#/login/${CODE}`)
    assert.deepEqual(calls.at(-1), ['offerLogin', { scopes, anywhere: false }])
  }
  const before = calls.length
  for (const [key, scopes] of [
    [ADMIN, ['owner']],
    [ADMIN, ['read', 'spend']],
    [SPENDING, ['owner']],
  ] as const) {
    assert.equal(envelope(await offer(key, { scopes })).code, 'ScopeMissing')
    const made = { name: 'n', scopes }
    const headers = { 'X-Api-Key': key }
    const put = await ask(server.port, '/keys', { method: 'PUT', key: false, headers, body: JSON.stringify(made) })
    assert.equal(envelope(put).code, 'ScopeMissing')
  }
  assert.equal(calls.length, before, 'it did something')
})

test('wrong codes of an address are answered ever later, then not at all; keys are not slowed by them', async t => {
  const clock = new VirtualClock()
  const other = await startServer({}, 8, { clock })
  t.after(() => other.stop())
  for (let free = 0; free < 3; free++)
    assert.equal(envelope(await exchange(other, `wrong-${free}`)).code, 'LoginCodeUnknown')
  let answered = 0
  const late = Array.from({ length: 8 }, async (_, at) => {
    const answer = await exchange(other, `late-${at}`)
    answered += 1
    return envelope(answer).code
  })
  await waitFor('the bound', async () => {
    const answer = await exchange(other, CODE)
    return answer.status === 503 && envelope(answer).code === 'TooManyRequests'
  })
  assert.equal(answered, 0)
  assert.equal((await ask(other.port, '/state')).status, 200)
  await clock.advance(8_000)
  assert.deepEqual(await Promise.all(late), new Array(8).fill('LoginCodeUnknown'))
  assert.equal((await exchange(other, CODE)).status, 200)
})

test('codes, right or wrong, are in no line of the log', async () => {
  await exchange(server, 'wrong-code-that-nobody-may-read')
  await offer(KEY, {})
  const text = server.log.lines.join('\n')
  for (const secret of [CODE, 'wrong-code-that-nobody-may-read']) assert.ok(!text.includes(secret))
})
