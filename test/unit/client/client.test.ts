// Requests by the names of routes: what is sent, and what the compiler refuses. `@ts-expect-error` is an error itself
// where the line below it compiles.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from '@sinclair/typebox'
import { Client } from '../../../src/client/client.ts'
import type { CoreRoutes, Download } from '../../../src/client/core-routes.ts'
import { requestOf, type SentRequest } from '../../../src/client/request.ts'
import type { ParametersOf, ReplyOf, RouteShape, RoutesOf } from '../../../src/client/routes.ts'

test('segments of the path are encoded, each for itself', () => {
  const path = { channelid: 'a/b', url: 'http://x/?y=ü&z=%20' }
  assert.deepEqual(requestOf('DELETE /channels/{channelid}/feeds/{url}', { path }), {
    method: 'DELETE',
    path: '/channels/a%2Fb/feeds/http%3A%2F%2Fx%2F%3Fy%3D%C3%BC%26z%3D%2520',
    body: {},
  })
})

test('of GET the parameters are a query: lists once for each value, flags as words, nothing of what is undefined', () => {
  const parameters = { q: 'a b&c=d+', files: [0, 12], none: [], paused: true, since: undefined, limit: 5 }
  assert.deepEqual(requestOf('GET /search', { parameters }), {
    method: 'GET',
    path: '/search?q=a%20b%26c%3Dd%2B&files%5B%5D=0&files%5B%5D=12&paused=true&limit=5',
    body: undefined,
  })
  assert.equal(requestOf('GET /search', { parameters: { q: undefined } }).path, '/search')
})

test('of everything else they are the body, which is an object where there are none', () => {
  const parameters = { labels: ['a'], safe: false }
  assert.deepEqual(requestOf('PUT /downloads', { parameters }).body, parameters)
  assert.deepEqual(requestOf('POST /recheck', {}), { method: 'POST', path: '/recheck', body: {} })
})

test('beside a body of its own they are a query', () => {
  const raw = new Uint8Array([1])
  const sent = requestOf('POST /downloads', { parameters: { labels: ['a', 'b'] }, raw })
  assert.deepEqual(sent, { method: 'POST', path: '/downloads?labels%5B%5D=a&labels%5B%5D=b', body: raw })
})

type Sent = SentRequest<Uint8Array>

function recording(answer: unknown): {
  sent: [Sent, string | undefined][]
  client: Client<CoreRoutes, Uint8Array, string>
} {
  const sent: [Sent, string | undefined][] = []
  const client = new Client<CoreRoutes, Uint8Array, string>((request, signal) => {
    sent.push([request, signal])
    return Promise.resolve(answer)
  })
  return { sent, client }
}

test('a call sends one request, hands the signal on and gives what was answered', async () => {
  const { sent, client } = recording({ reasons: [] })
  const path = { infohash: 'ab' }
  const { reasons } = await client.call('GET /downloads/{infohash}/explain', { path, signal: 'stop' })
  assert.deepEqual(reasons, [])
  assert.deepEqual(sent, [[{ method: 'GET', path: '/downloads/ab/explain', body: undefined }, 'stop']])
  assert.equal(client.request('GET /downloads/{infohash}/torrent', { path }).path, '/downloads/ab/torrent')
})

/** Never called: it is there for the compiler. */
export async function refused(): Promise<unknown> {
  const { client } = recording(null)
  const path = { infohash: 'ab' }
  // @ts-expect-error -- no such route
  await client.call('GET /nothing')
  // @ts-expect-error -- another method
  await client.call('PUT /downloads/{infohash}/explain', { path })
  // @ts-expect-error -- a segment is missing
  await client.call('GET /downloads/{infohash}/explain')
  // @ts-expect-error -- another segment
  await client.call('GET /downloads/{infohash}/explain', { path: { hash: 'ab' } })
  // @ts-expect-error -- a parameter it does not take
  await client.call('GET /downloads', { parameters: { get_all: true } })
  // @ts-expect-error -- a value it does not take
  await client.call('PATCH /downloads/{infohash}', { path, parameters: { state: 'go' } })
  // @ts-expect-error -- a parameter that it needs
  await client.call('DELETE /downloads/{infohash}', { path })
  // @ts-expect-error -- it takes no parameters
  await client.call('GET /state', { parameters: {} })
  // @ts-expect-error -- it needs a body of its own
  await client.call('POST /downloads', { parameters: { paused: true } })
  // @ts-expect-error -- it does not answer JSON
  await client.call('GET /metrics')
  // @ts-expect-error -- a field it does not answer
  return (await client.call('GET /state')).status
}

const schema = Type.Object({ wanted: Type.Optional(Type.Boolean()) })
const reply = Type.Object({ found: Type.Array(Type.Object({ name: Type.String() })) })

/** A list of routes, one of them with a path that its type does not know. */
type Made = RoutesOf<
  [
    RouteShape & { method: 'GET'; path: '/things'; kind: 'json'; parameters: typeof schema; reply: typeof reply },
    RouteShape & { method: 'POST'; path: `${string}/rpc`; kind: 'json' },
  ]
>

/** Each is in the other. */
type Same<A, B> = [A, B] extends [B, A] ? true : false

/** True for each: or this file does not compile. */
export const facts: [
  Same<keyof Made, 'GET /things'>,
  Same<ReplyOf<Made, 'GET /things'>['found'][number], { name: string }>,
  Same<ParametersOf<Made, 'GET /things'>['wanted'], boolean | undefined>,
  Same<Download['infohash'], string>,
  Same<Download['infohash_v2'], string | null>,
] = [true, true, true, true, true]
