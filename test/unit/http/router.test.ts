// Finding routes: fixed paths, segments, decoding, methods.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { route } from '../../../src/http/route.ts'
import { Router, allowedMethods, routeFor } from '../../../src/http/router.ts'

const make = (method: 'GET' | 'PUT' | 'DELETE', path: string) =>
  route({
    id: `${method} ${path}`,
    method,
    path,
    kind: 'bytes',
    scope: 'open',
    tag: '',
    summary: '',
    parameters: null,
    reply: null,
    errors: [],
    sample: { path, status: 200 },
    run: () => ({ contentType: '', body: new Uint8Array(0) }),
  })

const router = new Router([
  make('GET', '/a'),
  make('PUT', '/a'),
  make('DELETE', '/a/{x}'),
  make('GET', '/a/{x}/b/{y}'),
  make('GET', '/a/b'),
])
const found = (path: string, method = 'GET') => {
  const match = router.find(path)
  const route = match === null ? null : routeFor(match, method)
  return route === null ? null : [route.id, match?.path]
}

test('fixed paths come before names', () => {
  assert.deepEqual(found('/a/b'), ['GET /a/b', {}])
  assert.deepEqual(found('/a/c', 'DELETE'), ['DELETE /a/{x}', { x: 'c' }])
})

test('segments are decoded, once', () => {
  assert.deepEqual(found('/a/%2Fx%252F/b/%C3%A4'), ['GET /a/{x}/b/{y}', { x: '/x%2F', y: 'ä' }])
  assert.equal(found('/a/%ff/b/1'), null)
  assert.equal(found('/a//b/1'), null)
})

test('what is not there is null', () => {
  for (const path of ['/', '', '/A', '/a/', '/a/b/c', `/${'x/'.repeat(1000)}`])
    assert.equal(router.find(path), null, path)
})

test('HEAD is GET, and Allow lists every method', () => {
  assert.equal(found('/a', 'HEAD')?.[0], 'GET /a')
  const match = router.find('/a')
  assert.ok(match !== null)
  assert.equal(allowedMethods(match), 'GET, HEAD, PUT')
  assert.equal(routeFor(match, 'DELETE'), null)
})

test('two routes of one place are a mistake', () => {
  assert.throws(() => new Router([make('GET', '/a/{x}'), make('GET', '/a/{y}')]), /two routes/)
})

test('a path asked for again, or after many others, is found as at first', () => {
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 600; n++) assert.deepEqual(found(`/a/${n}/b/y`), ['GET /a/{x}/b/{y}', { x: `${n}`, y: 'y' }])
  }
  const long = 'z'.repeat(5000)
  assert.deepEqual(found(`/a/${long}`, 'DELETE'), ['DELETE /a/{x}', { x: long }])
})

test('routes that come later are asked for once, by the first path that is not among the others', () => {
  let asked = 0
  const late = new Router([make('GET', '/a')], () => {
    asked++
    return [make('GET', '/late/{x}'), make('PUT', '/late')]
  })
  assert.ok(late.find('/a') !== null)
  assert.equal(asked, 0, 'a path of the first ones needs no other')
  assert.deepEqual(late.find('/late/1')?.path, { x: '1' })
  assert.equal(late.find('/nowhere'), null)
  assert.ok(late.find('/late') !== null && late.find('/late/2') !== null && late.find('/a') !== null)
  assert.equal(asked, 1)
})
