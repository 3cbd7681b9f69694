// What every row of the specification's table refuses, generated from it: no key, a wrong one, foreign hosts and pages,
// parameters that are missing or of a wrong type, unknown names in paths, other methods, broken and huge bodies. Each
// refusal has the envelope of part 7 and changes nothing.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { askRoute, assertRefused, formsOf, makeWorld, pathOf, segmentsOf, send } from './rig.ts'
import { SPEC_ROUTES, type SpecRoute, type World } from './routes.ts'
import type { Json, Shape } from './shapes.ts'
import { specParts, withChapters } from './spec-parts.ts'

const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const
const UNKNOWN_HASH = 'f'.repeat(40)
const MIB = 1024 * 1024

let world: World
let node: NodeProcess
let facts = ''
/** Segments of paths that chapters have made. */
let lasting: Readonly<Record<string, string>> = {}
before(async () => {
  world = await makeWorld(await mkdtemp(path.join(os.tmpdir(), 'tributary-refusals-')))
  node = await startNode()
  world = await withChapters(node, world)
  for (const part of specParts) lasting = { ...lasting, ...(await part.segments?.(node, world)) }
  await node.request('PUT', '/downloads', { uri: world.torrentFile, destination: world.folder })
  await node.until<{ downloads: Json[] }>(
    '/downloads',
    ({ downloads }) => downloads[0]?.['status'] === 'DLSTATUS_SEEDING',
  )
  facts = await whatCouldChange()
})
after(async () => {
  await node.stop()
  await rm(world.folder, { recursive: true, force: true })
})

/** The settings, and of the download and of chapters what a request could have changed. */
async function whatCouldChange(): Promise<string> {
  const { settings } = await node.get<{ settings: Json }>('/settings')
  const { downloads } = await node.get<{ downloads: Json[] }>('/downloads?get_files=1')
  const stable = downloads.map(({ infohash, status, destination, files, hops, total_pieces, safe_seeding }) => {
    return { infohash, status, destination, files, hops, total_pieces, safe_seeding }
  })
  const ofChapters: unknown[] = []
  for (const part of specParts) ofChapters.push(await part.changeable?.(node, world))
  return JSON.stringify({ settings, stable, ofChapters })
}

const targetOf = (route: SpecRoute): string => pathOf(route, { ...segmentsOf(route, world), ...lasting })

/** A good request of a row, as parameters. */
function goodOf(route: SpecRoute): Json {
  return route.asks(world)[0]?.parameters ?? {}
}

/** Values that are not of a type; JSON has more ways to be wrong than pairs. */
function wrongValues(type: Shape, inJson: boolean): readonly unknown[] {
  const texts = (values: readonly unknown[], json: readonly unknown[]) => (inJson ? [...values, ...json] : values)
  if (type === 'boolean') return texts(['maybe', '2'], [2, [true], { a: 1 }])
  if (type === 'integer') return texts(['x', '1.5', '1e3', '99999999999999999999'], [1.5, [], true, { a: 1 }])
  if (type === 'string') return texts([], [5, true, { a: 1 }])
  if (typeof type === 'object' && 'list' in type) return texts([['x'], ['1.5'], ['-1']], [[null, 'x'], { a: 1 }, [[0]]])
  return texts(['nonsense', 'STOP'], [5, ['stop'], { a: 1 }])
}

describe('refusals', { concurrency: 1 }, () => {
  for (const route of SPEC_ROUTES) {
    const title = `${route.part} ${route.method} ${route.path}`

    test(`${title}: only with the key, from here, by its own page`, async () => {
      const ask = (headers: Record<string, string>) =>
        askRoute(node, route, targetOf(route), goodOf(route), { headers })
      for (const key of ['', 'wrong', `${node.key}0`, node.key.slice(1)]) {
        assert.equal(assertRefused(await ask({ 'x-api-key': key }), 401, title), 'Unauthorized')
      }
      assert.equal(assertRefused(await ask({ host: 'rebound.example' }), 403, title), 'ForeignHost')
      // Before the key, so that a rebound page learns nothing.
      assert.equal(assertRefused(await ask({ host: 'rebound.example', 'x-api-key': '' }), 403, title), 'ForeignHost')
      if (route.method === 'GET') return
      const foreign: Record<string, string>[] = [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }]
      for (const headers of foreign) {
        assert.equal(assertRefused(await ask(headers), 403, title), 'ForeignOrigin')
      }
    })

    test(`${title}: where else the key may stand`, async () => {
      const ask = (target: string, headers: Record<string, string>) =>
        send(node, route.method, target, null, { headers: { 'x-api-key': '', ...headers } })
      const refused = async (target: string, headers: Record<string, string>) =>
        assert.equal(assertRefused(await ask(target, headers), 401, title), 'Unauthorized')
      const target = targetOf(route)
      // Never in a cookie: those are shared by all ports of a host.
      await refused(target, { cookie: `api_key=${node.key}` })
      await refused(target, { authorization: `Basic ${node.key}` })
      const inQuery = [`${target}?key=${node.key}`, `${target}?apikey=${node.key}`]
      if (route.method !== 'GET') return Promise.all(inQuery.map(each => refused(each, {}))).then(() => undefined)
      if (route.path === '/debug/memory/dump') return
      assert.notEqual((await ask(target, { authorization: `Bearer ${node.key}` })).status, 401)
      for (const each of inQuery) assert.notEqual((await ask(each, {})).status, 401, each)
      await refused(`${target}?key=${node.key}x`, {})
    })

    test(`${title}: parameters that are missing or wrong`, async () => {
      for (const form of formsOf(route)) {
        for (const [name, { type, required, refused = [] }] of Object.entries(route.parameters)) {
          const others = Object.fromEntries(
            Object.entries(goodOf(route)).filter(([other]) => required || other !== name),
          )
          const at = `${title} ${name} as ${form}`
          if (required) {
            const { [name]: _, ...rest } = others
            assert.equal(
              assertRefused(await askRoute(node, route, targetOf(route), rest, { form }), 400, at),
              'MissingParameter',
            )
          }
          for (const wrong of [...wrongValues(type, form === 'json' && route.method !== 'GET'), ...refused]) {
            // Alone where that is a rule of its own.
            const parameters = route.method === 'PATCH' ? { [name]: wrong } : { ...others, [name]: wrong }
            const answer = await askRoute(node, route, targetOf(route), parameters, { form })
            const code = assertRefused(answer, 400, `${at} = ${JSON.stringify(wrong)}`)
            assert.equal(code, 'InvalidParameter', `${at} = ${JSON.stringify(wrong)}`)
          }
        }
      }
    })

    test(`${title}: names in its path that are not there`, async () => {
      const wrong: Record<string, string>[] = []
      if (route.path.includes('{infohash}')) {
        for (const infohash of [UNKNOWN_HASH, 'zz', 'x'.repeat(40), '...', `${world.infohash}0`]) {
          wrong.push({ infohash, fileindex: '0' })
        }
      }
      if (route.path.includes('{fileindex}')) {
        for (const fileindex of ['3', '-1', 'x', '1.5', '99999999999'])
          wrong.push({ infohash: world.infohash, fileindex })
      }
      if (route.path.includes('{channelid}')) {
        for (const channelid of [UNKNOWN_HASH, 'zz', 'x'.repeat(40), '...', `${world.channelid}0`])
          wrong.push({ ...lasting, channelid })
      }
      if (route.path.includes('{playlistid}')) {
        for (const id of ['0', '-1', 'x', '1.5', '99999999999', '9'.repeat(20)]) wrong.push({ playlistid: id })
      }
      for (const segments of wrong) {
        const target = pathOf(route, { ...segmentsOf(route, world), ...segments })
        const answer = await askRoute(node, route, target, goodOf(route))
        const code = assertRefused(answer, 404, target)
        assert.match(code, /^(Download|File|Channel|Playlist)?NotFound$/)
        // Looked for among peers for half a minute before it says so.
        if (target === `/channels/subscribed/${UNKNOWN_HASH}`) assert.equal(code, 'ChannelNotFound')
      }
    })

    if (route.method !== 'GET') {
      test(`${title}: bodies that are none, or too large`, async () => {
        const readsBody = Object.keys(route.parameters).length > 0 || route.path === '/settings'
        if (!readsBody) return
        for (const body of ['{"uri":', '{"a" 1}', '{]']) {
          assert.equal(assertRefused(await send(node, route.method, targetOf(route), body), 400, title), 'BadRequest')
        }
        const huge = await send(node, route.method, targetOf(route), Buffer.alloc(16 * MIB + 1, 0x20))
        assert.equal(assertRefused(huge, 413, title), 'BodyTooLarge')
      })
    }
  }

  test('other methods of a path: 405 that names those it has', async () => {
    for (const routePath of new Set(SPEC_ROUTES.map(route => route.path))) {
      const rows = SPEC_ROUTES.filter(row => row.path === routePath)
      const target = targetOf(rows[0] as SpecRoute)
      const { headers } = await send(node, 'OPTIONS', target, null)
      const allowed = String(headers['allow']).split(', ')
      for (const { method } of rows) assert.ok(allowed.includes(method), `${method} ${target}: ${allowed}`)
      for (const method of METHODS.filter(each => !allowed.includes(each))) {
        const answer = await send(node, method, target, null)
        assert.equal(assertRefused(answer, 405, `${method} ${target}`), 'MethodNotAllowed')
        assert.equal(answer.headers['allow'], allowed.join(', '))
      }
    }
  })

  test('unknown paths: 404 with the key, 401 without', async () => {
    for (const target of [
      '/nothing',
      '/dashboard',
      '/download',
      '/settings/libtorrent',
      '/statistics',
      '/debug',
      '/debug/x/y',
      '/%00',
    ]) {
      assert.equal(assertRefused(await send(node, 'GET', target, null), 404, target), 'NotFound')
      const stranger = await send(node, 'GET', target, null, { headers: { 'x-api-key': '' } })
      assert.equal(assertRefused(stranger, 401, target), 'Unauthorized')
    }
  })

  test('settings that are unknown, too deep, or of another type or range: 400 that names the path', async () => {
    const good = { max_download_rate: 9 }
    const faults: [Json, string][] = [
      [{ libtorrent: { ...good, nope: 1 } }, 'libtorrent.nope'],
      [{ libtorrent: good, nope: { x: 1 } }, 'nope.x'],
      [{ libtorrent: good, general: { log_level: { deep: { deeper: 1 } } } }, 'general.log_level.deep'],
      [{ libtorrent: good, general: 5 }, 'general'],
      [{ libtorrent: good, general: [] }, 'general'],
      [{ libtorrent: { ...good, port: 'x' } }, 'libtorrent.port'],
      [{ libtorrent: { ...good, port: 65_536 } }, 'libtorrent.port'],
      [{ libtorrent: { ...good, utp: 'maybe' } }, 'libtorrent.utp'],
      [{ libtorrent: { ...good, encryption: 'sometimes' } }, 'libtorrent.encryption'],
      [{ libtorrent: { ...good, dht_bootstrap: 'a:1' } }, 'libtorrent.dht_bootstrap'],
      [{ libtorrent: { ...good, max_upload_rate: null } }, 'libtorrent.max_upload_rate'],
    ]
    for (const [body, name] of faults) {
      const answer = await send(node, 'POST', '/settings', JSON.stringify(body))
      assert.equal(assertRefused(answer, 400, name), 'InvalidSetting')
      const { message } = answer.json()['error'] as Json
      assert.ok(String(message).includes(`setting ${name} `), String(message))
    }
  })

  test('none of it changed anything', async () => {
    assert.equal(await whatCouldChange(), facts)
    assert.equal((await node.get<Json>('/state'))['last_exception'], null)
  })
})
