// Every row of the specification's table, asked of a built node over a socket: the status, the type, and exactly the
// fields and types it says, in each form in which parameters may come. Generated from routes.ts; downloads and events
// in their several states below. A field that is renamed, dropped or given another type anywhere between engine and
// wire fails here.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type NodeProcess, type NodeReply, startNode } from '../../kit/nodes/node-process.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { DOWNLOAD, EVENTS } from './records.ts'
import { type Answer, askRoute, formsOf, made, makeWorld, pathOf, segmentsOf, send } from './rig.ts'
import { type Ask, SPEC_ROUTES, type SpecRoute, type World } from './routes.ts'
import { assertValue, type Json, type Shape } from './shapes.ts'
import { prepare, specSettings, withChapters } from './spec-parts.ts'

let world: World
let seeder: NodeProcess
let node: NodeProcess
/** Where the torrent file is for those that fetch it. */
const server = createServer((_request, reply) => reply.end(made.torrent))
before(async () => {
  world = await makeWorld(await mkdtemp(path.join(os.tmpdir(), 'tributary-table-')))
  // Slow, so that the records of a download under way can be seen.
  seeder = await startNode({
    settings: {
      'libtorrent.max_upload_rate': 150_000,
      'network.allow_private': '127.0.0.0/8',
      ...specSettings,
    },
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  // With a UDP port: what the statistics count.
  node = await startNode({ settings: { 'libtorrent.dht': true, 'libtorrent.dht_bootstrap': '' } })
  await addTo(seeder)
  await listed(seeder, record => record['status'] === 'DLSTATUS_SEEDING')
  const link = `http://127.0.0.1:${(server.address() as AddressInfo).port}/folder.torrent`
  world = await withChapters(seeder, { ...world, link })
})
after(async () => {
  await Promise.all([seeder.stop(), node.stop()])
  server.close()
  await rm(world.folder, { recursive: true, force: true })
})

function addTo(to: NodeProcess): Promise<NodeReply> {
  return to.request('PUT', '/downloads', { uri: world.torrentFile, destination: world.folder })
}

/** The only download of a node, as soon as it is `done`, with everything that can be asked for. */
async function listed(from: NodeProcess, done: (record: Json) => boolean): Promise<Json> {
  const first = (answer: { downloads: Json[] }) => answer.downloads[0] ?? {}
  const all = '/downloads?get_peers=1&get_pieces=1&get_files=1'
  return first(await from.until<{ downloads: Json[] }>(all, answer => done(first(answer))))
}

function assertAnswered(route: SpecRoute, ask: Ask, answer: Answer, at: string): void {
  assert.equal(answer.status, route.status, `${at}: ${answer.body.toString().slice(0, 300)}`)
  const type = answer.headers['content-type'] ?? ''
  if ('json' in route.answer) {
    assert.equal(type, 'application/json', at)
    assertValue(answer.json(), route.answer.json, at, ask.asked ?? [])
  } else if ('bytes' in route.answer) {
    assert.match(type, route.answer.bytes, at)
    if (route.answer.disposition !== undefined) {
      assert.match(answer.headers['content-disposition'] ?? '', route.answer.disposition, at)
    }
    assert.ok(answer.body.length > 0, at)
  } else {
    const first =
      answer.body
        .toString()
        .split('\n')
        .find(line => line !== '') ?? ''
    assertValue(JSON.parse(first), { fields: { type: { values: ['events_start'] } }, extra: eventEnvelope(true) }, at)
  }
}

function eventEnvelope(payload: boolean): Record<string, Shape> {
  return { id: 'integer', ...(payload ? { event: 'any' } : {}) }
}

describe('every row answers as the table says', { concurrency: 1 }, () => {
  for (const route of SPEC_ROUTES) {
    test(`${route.part} ${route.method} ${route.path}`, async () => {
      const plainTarget = pathOf(route, segmentsOf(route, world))
      for (const ask of route.asks(world)) {
        for (const form of formsOf(route)) {
          // The row before may have removed it.
          await addTo(seeder)
          const { segments, parameters } = await prepare(seeder, world, ask)
          const target = pathOf(route, { ...segmentsOf(route, world), ...segments })
          // A profile is stopped after it was started, and nobody starts it twice.
          const at = `${route.method} ${target} ${JSON.stringify(parameters).slice(0, 200)} as ${form}`
          const answer = await askRoute(seeder, route, target, parameters, { form })
          assertAnswered(route, ask, answer, at)
          if (route.path === '/debug/profiler' && route.method !== 'GET') break
        }
      }
      if (route.method === 'GET') await assertHead(route, plainTarget, route.asks(world)[0] ?? {})
    })
  }
})

/** HEAD tells the same without a body; of a stream 200 and the whole length (decisions part 2). */
async function assertHead(route: SpecRoute, target: string, { parameters }: Ask): Promise<void> {
  if ('events' in route.answer || route.path === '/debug/memory/dump') return
  const query = new URLSearchParams((parameters ?? {}) as Record<string, string>).toString()
  const answer = await send(seeder, 'HEAD', query === '' ? target : `${target}?${query}`, null)
  assert.deepEqual([answer.status, answer.body.length], [200, 0], target)
}

function assertDownload(record: Json): void {
  assertValue(record, DOWNLOAD, 'record', ['files', 'peers', 'pieces'])
  assert.match(String(record['infohash']), /^[0-9a-f]{40}$/)
}

test('downloads have the fields of 2.1 in each of their states', async () => {
  await addTo(seeder)
  await listed(seeder, record => record['status'] === 'DLSTATUS_SEEDING')
  await seeder.request('POST', '/settings', { libtorrent: { max_upload_rate: 150_000 } })
  const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const uri = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.1:${variables.ports['libtorrent~port']}`
  await node.request('PUT', '/downloads', { uri, destination: path.join(world.folder, 'got') })
  assertDownload(await listed(node, record => record['infohash'] === made.infoHash))
  const running = await listed(node, record => Number(record['progress']) > 0 && Number(record['progress']) < 1)
  assertDownload(running)
  assert.equal((running['files'] as unknown[]).length, 3)
  assert.equal((running['peers'] as unknown[]).length, 1)
  assertDownload(await listed(seeder, record => (record['peers'] as unknown[]).length === 1))
  assertDownload(await listed(node, record => record['status'] === 'DLSTATUS_SEEDING'))
  await node.request('PATCH', `/downloads/${made.infoHash}`, { state: 'stop' })
  assertDownload(await listed(node, record => record['status'] === 'DLSTATUS_STOPPED'))
})

test('files stand in the order of the torrent, complete where the data is', async () => {
  const { files } = await seeder.get<{ files: Json[] }>(`/downloads/${made.infoHash}/files`)
  assert.deepEqual(
    files.map(file => [file['index'], file['name'], file['size'], file['progress']]),
    [
      [0, 'one/ä film.mp4', 700_000, 1],
      [1, 'empty.txt', 0, 1],
      [2, 'two.bin', 20_000, 1],
    ],
  )
})

test('a stream has the bytes it says, and the ports of part 2.14 and 2.15 are those in use', async () => {
  const stream = await send(seeder, 'GET', `/downloads/${made.infoHash}/stream/0`, null)
  assert.equal(stream.headers['content-range'], 'bytes 0-699999/700000')
  assert.deepEqual(stream.body, Buffer.from(made.files[0]?.content ?? []))
  const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const { settings, ports } = await seeder.get<{ settings: Json; ports: Json }>('/settings')
  assert.equal(variables.ports['http_api~port'], seeder.port)
  assert.equal(variables.ports['video_server~port'], seeder.port)
  assert.ok((variables.ports['libtorrent~port'] ?? 0) > 0)
  assert.deepEqual(ports, variables.ports)
  assert.equal((settings['libtorrent'] as Json)['port'], 0)
})

test('statistics are the figures of this run: zero where nothing runs, growing where it does', async () => {
  const statistics = (from: NodeProcess, name: string) =>
    from.get<Record<string, Json & Json[]>>(`/statistics/${name}`).then(answer => Object.values(answer)[0] as Json)
  // One has neither uTP, DHT nor overlays.
  assert.deepEqual(await statistics(seeder, 'communities'), [])
  const silent = await statistics(seeder, 'dispersy')
  for (const name of ['runtime', 'total_downloaded', 'total_uploaded', 'packets_sent', 'packets_received']) {
    assert.equal(silent[name], 0, name)
  }
  assert.match(String(silent['lan_address']), /^127\.0\.0\.1:\d+$/)
  assert.equal(silent['wan_address'], '0.0.0.0:0')
  const overlays = (await statistics(node, 'communities')) as unknown as Json[]
  assert.deepEqual(overlays[0]?.['identifier'], 'mainline_dht4')
  assert.match(String(overlays[0]?.['member']), /^[0-9a-f]{40}$/)
  const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const before = await statistics(node, 'dispersy')
  await pingDht(variables.ports['libtorrent~port'] ?? 0)
  const heard = await statistics(node, 'dispersy')
  assert.ok(Number(heard['packets_received']) >= Number(before['packets_received']) + 1)
  assert.ok(Number(heard['packets_sent']) >= Number(before['packets_sent']) + 1)
  assert.ok(Number(heard['total_downloaded']) > Number(before['total_downloaded']))
  assert.ok(Number(heard['runtime']) > 0 && Number(heard['runtime']) >= Number(before['runtime']))
  const tribler = await statistics(node, 'tribler')
  assert.ok(Number(tribler['database_size']) > 4096)
  const [metadata] = tribler['torrent_queue_stats'] as Json[]
  assert.deepEqual(metadata, { failed: 0, total: 1, pending: 0, success: 1, type: 'DHT' })
  const refused = await node.request('PUT', '/downloads', { uri: 'http://127.0.0.1:9/x.torrent' })
  assert.equal(refused.status, 502)
  const { torrent_queue_stats: queues } = await statistics(node, 'tribler')
  assert.deepEqual((queues as Json[])[1], { failed: 1, total: 1, pending: 0, success: 0, type: 'HTTP' })
})

/** Asks the node's DHT for a sign of life; settles when it came. */
async function pingDht(port: number): Promise<void> {
  const { createSocket } = await import('node:dgram')
  const socket = createSocket('udp4')
  const answered = new Promise<void>(resolve => {
    socket.on('message', () => resolve())
  })
  socket.send(Buffer.from(`d1:ad2:id20:${'x'.repeat(20)}e1:q4:ping1:t2:aa1:y1:qe`), port, '127.0.0.1')
  await answered
  socket.close()
}

test('events come as server-sent ones where those are asked for', async () => {
  const accept = { headers: { accept: 'text/event-stream' } }
  const answer = await send(node, 'GET', '/events?since=0', null, accept)
  assert.equal(answer.headers['content-type'], 'text/event-stream')
  const [, data = ''] = /^data: (.*)$/m.exec(answer.body.toString()) ?? []
  assertValue(JSON.parse(data), { fields: { type: { values: ['events_start'] } }, extra: eventEnvelope(true) }, 'event')
})

test('events have the keys of decisions part 6', async () => {
  const stop = new AbortController()
  const reply = await fetch(`${node.baseUrl}/events?since=0`, {
    headers: { 'x-api-key': node.key },
    signal: stop.signal,
  })
  let text = ''
  const reading = (async () => {
    for await (const chunk of reply.body ?? []) text += Buffer.from(chunk).toString()
  })().catch(() => undefined)
  const awaited = ['"torrent_finished"', '"downloads_added"']
  await waitFor('every event', () => awaited.every(type => text.includes(type)) && text.endsWith('\n'))
  stop.abort()
  await reading
  const lines = text.split('\n').filter(line => line !== '')
  const records = lines.map(line => JSON.parse(line) as Json)
  assert.deepEqual(
    records.slice(0, 2).map(record => record['type']),
    ['events_start', 'tribler_started'],
  )
  // An addition may come on either side of those of part 6.
  const others = records.slice(2).map(record => String(record['type']))
  assert.deepEqual(others.toSorted(), ['downloads_added', 'torrent_finished'])
  for (const record of records.filter(({ type }) => type !== 'downloads_added')) {
    const payload = EVENTS[String(record['type'])] ?? null
    assertValue(record, { fields: { type: 'string' }, extra: eventEnvelope(payload !== null) }, 'event')
    if (payload !== null) assertValue(record['event'], payload, String(record['type']))
  }
})
