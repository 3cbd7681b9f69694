// Keys: only the key itself is the key, whatever its length and whatever was compared before; further keys are known by
// their hashes and open what their scopes say.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { Secret } from '../../../src/base/secret.ts'
import { KeyRing, NOBODY, OWNER, presentedKey } from '../../../src/http/auth.ts'
import type { Scope } from '../../../src/http/route.ts'
import type { KeyScope, StoredKey } from '../../../src/ports/key-list.ts'

const none = { current: () => [] }

function ringWith(...keys: [key: string, scopes: KeyScope[]][]): KeyRing {
  const stored = keys.map(
    ([key, scopes], at): StoredKey => ({
      name: `k${at}`,
      scopes,
      label: null,
      hash: createHash('sha256').update(key).digest(),
    }),
  )
  return new KeyRing(new Secret('first'), { current: () => stored })
}

test('only the key is accepted, whatever was compared before', () => {
  for (const key of ['k', 'secret', 'é'.repeat(40), 'x'.repeat(255), 'x'.repeat(256), 'x'.repeat(1000)]) {
    const ring = new KeyRing(new Secret(key), none)
    const wrong = [
      '',
      '\0',
      `${key}\0`,
      `${key}x`,
      `${key}${'x'.repeat(2000)}`,
      key.slice(1),
      `X${key.slice(1)}`,
      key.repeat(2),
    ]
    for (const presented of wrong) {
      assert.equal(ring.holderOf(key), OWNER)
      assert.equal(ring.holderOf(presented), null, JSON.stringify(presented.slice(0, 20)))
    }
    assert.equal(ring.required, true)
    ring.wipe()
    for (const presented of [key, '', '\0'.repeat(key.length)]) assert.equal(ring.holderOf(presented), null)
  }
})

test('an empty key switches the check off', () => {
  const ring = new KeyRing(Secret.none, none)
  assert.equal(ring.required, false)
  assert.equal(ring.holderOf('anything'), OWNER)
})

test('a further key opens what its scopes say', () => {
  const all: Scope[] = ['open', 'read', 'stream', 'add', 'admin', 'spend', 'owner']
  const opened = (scopes: KeyScope[]): string[] => {
    const holder = ringWith(['other', ['read']], ['key', scopes]).holderOf('key')
    return all.filter(scope => holder?.may(scope))
  }
  assert.deepEqual(opened(['read']), ['open', 'read'])
  assert.deepEqual(opened(['stream']), ['open', 'stream'])
  assert.deepEqual(opened(['add', 'read']), ['open', 'read', 'add'])
  assert.deepEqual(opened(['admin']), ['open', 'read', 'stream', 'add', 'admin'])
  assert.deepEqual(opened(['spend']), ['open', 'spend'])
  assert.deepEqual(opened(['owner']), all)
  assert.deepEqual(opened([]), ['open'])
  assert.deepEqual(
    all.filter(scope => OWNER.may(scope)),
    all,
  )
  assert.deepEqual(
    all.filter(scope => NOBODY.may(scope)),
    ['open'],
  )
})

test('a further key is accepted whole only, and never by its hash', () => {
  const long = 'x'.repeat(300)
  const ring = ringWith(['key', ['read']], [long, ['read']])
  const hash = createHash('sha256').update('key').digest()
  for (const wrong of ['', 'ke', 'key\0', 'keyx', hash.toString('hex'), hash.toString('latin1'), 'first '])
    assert.equal(ring.holderOf(wrong), null, JSON.stringify(wrong))
  assert.notEqual(ring.holderOf('key'), null)
  assert.equal(ring.holderOf(long), null, 'keys have at most 256 characters')
  assert.equal(ring.holderOf('first'), OWNER)
})

test('a key is taken from the header, Bearer, and the query of GET and HEAD', () => {
  const places = { method: 'GET', apiKey: '', authorization: '', query: new URLSearchParams() }
  const bearer = (authorization: string): string | null => presentedKey({ ...places, authorization })
  assert.equal(presentedKey({ ...places, apiKey: 'a', authorization: 'Bearer b' }), 'a')
  assert.equal(bearer('Bearer b'), 'b')
  assert.equal(bearer('bEARER   b '), 'b')
  for (const wrong of ['', 'b', 'Bearer', 'Bearer ', 'Bearer a b', 'Basic YTpi', 'Bearerb'])
    assert.equal(bearer(wrong), null, wrong)
  const query = new URLSearchParams('key=&apikey=q')
  assert.equal(presentedKey({ ...places, query }), 'q')
  assert.equal(presentedKey({ ...places, method: 'PUT', query }), null)
})

test('a key in the first header is found by one look at it alone', () => {
  const looks: string[] = []
  const places = {
    method: 'GET',
    get apiKey(): string {
      looks.push('apiKey')
      return 'a'
    },
    get authorization(): string {
      looks.push('authorization')
      return ''
    },
    query: new URLSearchParams(),
  }
  assert.equal(presentedKey(places), 'a')
  assert.deepEqual(looks, ['apiKey'])
})

test('a holder knows when its key is taken back, made again, or may less', () => {
  const keyOf = (key: string, scopes: KeyScope[]): StoredKey => ({
    name: 'tv',
    scopes,
    label: null,
    hash: createHash('sha256').update(key).digest(),
  })
  let keys = [keyOf('key', ['read', 'stream'])]
  const holder = new KeyRing(new Secret('first'), { current: () => keys }).holderOf('key')
  const still = (): string[] => (['read', 'stream', 'add'] as const).filter(scope => holder?.stillMay?.(scope))
  assert.deepEqual(still(), ['read', 'stream'])
  // As the list does when its file is read again.
  for (const { hash } of keys) hash.fill(0)
  keys = [keyOf('key', ['read'])]
  assert.deepEqual(still(), ['read'])
  keys = [keyOf('another key', ['read'])]
  assert.deepEqual(still(), [])
  keys = []
  assert.deepEqual(still(), [])
  assert.equal(OWNER.stillMay, null)
})
