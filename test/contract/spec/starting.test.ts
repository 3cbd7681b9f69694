// What a node answers from the first moment on (decisions part 1, row of statuses): the rows of the table that must not
// wait, with exactly their fields, while it says STARTING; and what changes downloads: 503 with Retry-After.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { type Answer, askRoute, assertRefused, pathOf, segmentsOf } from './rig.ts'
import { SPEC_ROUTES, type SpecRoute } from './routes.ts'
import { assertValue, type Json } from './shapes.ts'

/** As many are loaded in as many turns of the loop: the start takes a while. */
const DOWNLOADS = 300
const TRIES = 10

const isEarly = ({ part, method, path: at }: SpecRoute): boolean =>
  method === 'GET' && (['4.9', '4.10', '4.11'].includes(part) || at === '/downloads') && at !== '/debug/memory/dump'
const early = SPEC_ROUTES.filter(isEarly)
const late = SPEC_ROUTES.filter(({ path: at, method }) => at === '/downloads/{infohash}' || method === 'PUT').filter(
  ({ part }) => part === '4.1',
)

const infohashOf = (at: number): string => at.toString(16).padStart(40, '0')

let stateDir = ''
before(async () => {
  stateDir = await mkdtemp(path.join(os.tmpdir(), 'tributary-starting-'))
  const node = await startNode({ stateDir })
  for (let at = 1; at <= DOWNLOADS; at += 20) {
    const uris = Array.from({ length: 20 }, (_, more) => `magnet:?xt=urn:btih:${infohashOf(at + more)}`)
    await Promise.all(uris.map(uri => node.request('PUT', '/downloads', { uri })))
  }
  await node.stop()
})
after(() => rm(stateDir, { recursive: true, force: true }))

interface Heard {
  readonly route: SpecRoute
  readonly answer: Answer
}

/** Answers that a node gave between two times of saying STARTING. */
async function heardWhileStarting(routes: readonly SpecRoute[]): Promise<Heard[]> {
  for (let tries = 0; tries < TRIES; tries++) {
    const node = await startNode({ stateDir, until: 'listening' })
    try {
      if (!(await isStarting(node))) continue
      const places = { torrentFile: '/nowhere', folder: stateDir, channelid: infohashOf(2) }
      const world = { infohash: infohashOf(1), ...places, upload: '', link: '', magnet: '' }
      const target = (route: SpecRoute) => pathOf(route, segmentsOf(route, world))
      const heard = await Promise.all(
        routes.map(async route => ({
          route,
          answer: await askRoute(node, route, target(route), route.asks(world)[0]?.parameters),
        })),
      )
      if (await isStarting(node)) return heard
    } finally {
      await node.stop()
    }
  }
  throw new Error('it always had started before it was asked')
}

async function isStarting(node: NodeProcess): Promise<boolean> {
  return (await node.get<{ state: string }>('/state')).state === 'STARTING'
}

test('what must not wait is answered while the node starts, with the fields of the table', async () => {
  const heard = await heardWhileStarting(early)
  assert.equal(heard.length, early.length)
  for (const { route, answer } of heard) {
    const at = `${route.method} ${route.path}`
    assert.equal(answer.status, 200, `${at}: ${answer.body.toString().slice(0, 300)}`)
    assert.ok('json' in route.answer, at)
    assertValue(answer.json(), route.answer.json, at)
    // Every download of the store is there, loaded or not.
    if (route.path === '/downloads') assert.equal((answer.json()['downloads'] as Json[]).length, DOWNLOADS)
  }
})

test('changes of downloads wait: 503 that says when to come back', async () => {
  for (const { route, answer } of await heardWhileStarting(late)) {
    const at = `${route.method} ${route.path}`
    assert.equal(assertRefused(answer, 503, at), 'NotReady')
    assert.match(String(answer.headers['retry-after']), /^\d+$/, at)
  }
})
