// The specification's fields and JSON types, written down here once more and held against what a running node answers:
// exactly these keys, exactly these types. Nothing is imported from the code under test, so a field that is renamed,
// dropped or given another type anywhere between engine and wire fails here.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { makeTorrent } from '../kit/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'object' | 'string or null'
type Table = Readonly<Record<string, FieldType>>
type Json = Record<string, unknown>

/** Spec 2.1, in its order. */
const DOWNLOAD: Table = {
  name: 'string',
  infohash: 'string',
  progress: 'number',
  status: 'string',
  size: 'integer',
  eta: 'integer',
  speed_down: 'number',
  speed_up: 'number',
  num_peers: 'integer',
  num_seeds: 'integer',
  total_up: 'integer',
  total_down: 'integer',
  total_pieces: 'integer',
  ratio: 'number',
  hops: 'integer',
  anon_download: 'boolean',
  safe_seeding: 'boolean',
  max_upload_speed: 'integer',
  max_download_speed: 'integer',
  destination: 'string',
  availability: 'number',
  error: 'string',
  time_added: 'integer',
  vod_mode: 'boolean',
  vod_prebuffering_progress: 'number',
  vod_prebuffering_progress_consec: 'number',
  trackers: 'list',
}
/** Decisions part 2, row num_peers; `queued`: src/decisions/0229; `infohash_v2`: 0253; from `labels` on: 0260. */
const DOWNLOAD_EXTRA: Table = {
  num_connected_peers: 'integer',
  num_connected_seeds: 'integer',
  queued: 'boolean',
  infohash_v2: 'string or null',
  labels: 'list',
  sequential: 'boolean',
  seeding_ratio: 'number',
  seeding_time: 'integer',
  super_seeding: 'boolean',
  moving_to: 'string',
}

const FILE: Table = { index: 'integer', name: 'string', size: 'integer', included: 'boolean', progress: 'number' }
/** src/decisions/0260. */
const FILE_EXTRA: Table = { priority: 'integer' }
const LINKED_EXTRA: Table = { stream_url: 'string' }

const TRACKER: Table = { url: 'string', status: 'string', peers: 'integer' }

const PEER: Table = {
  ip: 'string',
  dtotal: 'integer',
  downrate: 'integer',
  uinterested: 'boolean',
  wstate: 'string',
  optimistic: 'boolean',
}
/** Decisions part 2, row peers. */
const PEER_EXTRA: Table = {
  id: 'string',
  port: 'integer',
  client: 'string',
  direction: 'string',
  uprate: 'integer',
  utotal: 'integer',
  uchoked: 'boolean',
  dinterested: 'boolean',
  dchoked: 'boolean',
  snubbed: 'boolean',
  completed: 'number',
  speed: 'number',
  upload_only: 'boolean',
  seed: 'boolean',
  connection_type: 'integer',
  rstate: 'string',
  encryption: 'string',
}

/** Spec 3.1. */
const STATUSES = [
  'ALLOCATING_DISKSPACE',
  'WAITING4HASHCHECK',
  'HASHCHECKING',
  'DOWNLOADING',
  'SEEDING',
  'STOPPED',
  'STOPPED_ON_ERROR',
  'METADATA',
  'CIRCUITS',
].map(name => `DLSTATUS_${name}`)

const STATE: Table = { state: 'string', last_exception: 'string or null' }

/** Decisions part 6, for the events that this test sees. */
const EVENTS: Readonly<Record<string, Table | null>> = {
  events_start: { tribler_started: 'boolean', version: 'string' },
  tribler_started: null,
  torrent_finished: { infohash: 'string', name: 'string' },
}

const checks: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: value => typeof value === 'string',
  integer: value => Number.isSafeInteger(value),
  number: value => Number.isFinite(value),
  boolean: value => typeof value === 'boolean',
  list: value => Array.isArray(value),
  object: value => typeof value === 'object' && value !== null && !Array.isArray(value),
  'string or null': value => value === null || typeof value === 'string',
}

/** Exactly the keys of `tables`, each of its type. */
function assertRecord(value: unknown, ...tables: readonly Table[]): asserts value is Json {
  const table: Table = Object.assign({}, ...tables) as Table
  assert.ok(checks.object(value), `not an object: ${JSON.stringify(value)}`)
  const record = value as Json
  assert.deepEqual(Object.keys(record).sort(), Object.keys(table).sort())
  for (const [field, type] of Object.entries(table)) {
    assert.ok(checks[type](record[field]), `${field} is ${JSON.stringify(record[field])}, not of type ${type}`)
  }
}

const made = makeTorrent({
  name: 'folder',
  files: [
    { path: 'one/ä film.mp4', length: 700_000 },
    { path: 'empty.txt', length: 0 },
    { path: 'two.bin', length: 20_000 },
  ],
  announce: [['http://127.0.0.1:9/announce']],
})

let folder = ''
let seeder: NodeProcess
let node: NodeProcess
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-table-'))
  await writeFile(path.join(folder, 'folder.torrent'), made.torrent)
  for (const file of made.files) {
    const place = path.join(folder, 'folder', file.path)
    await mkdir(path.dirname(place), { recursive: true })
    await writeFile(place, file.content)
  }
  // Slow, so that the records of a download under way can be seen.
  seeder = await startNode({ settings: { 'libtorrent.max_upload_rate': 150_000 } })
  node = await startNode()
  await seeder.request('PUT', '/downloads', { uri: path.join(folder, 'folder.torrent'), destination: folder })
  await listed(seeder, record => record['status'] === 'DLSTATUS_SEEDING')
})
after(async () => {
  await Promise.all([seeder.stop(), node.stop()])
  await rm(folder, { recursive: true, force: true })
})

const EVERYTHING = '/downloads?get_peers=1&get_pieces=1&get_files=1'
const ALL_EXTRAS: Table = { files: 'list', peers: 'list', pieces: 'string' }

/** The only download of a node, as soon as it is `done`, with everything that can be asked for. */
async function listed(from: NodeProcess, done: (record: Json) => boolean): Promise<Json> {
  const first = (answer: { downloads: Json[] }) => answer.downloads[0] ?? {}
  return first(await from.until<{ downloads: Json[] }>(EVERYTHING, answer => done(first(answer))))
}

function assertDownload(record: Json): void {
  assertRecord(record, DOWNLOAD, DOWNLOAD_EXTRA, ALL_EXTRAS)
  assert.ok(STATUSES.includes(String(record['status'])), String(record['status']))
  assert.match(String(record['infohash']), /^[0-9a-f]{40}$/)
  for (const file of record['files'] as unknown[]) assertRecord(file, FILE, FILE_EXTRA)
  for (const peer of record['peers'] as unknown[]) assertRecord(peer, PEER, PEER_EXTRA)
  for (const tracker of record['trackers'] as unknown[]) assertRecord(tracker, TRACKER)
}

test('changes answer with the fields of spec 4.1, downloads with those of 2.1 in each of their states', async () => {
  const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const uri = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.1:${variables.ports['libtorrent~port']}`
  const added = await node.request('PUT', '/downloads', { uri, destination: path.join(folder, 'got') })
  assertRecord(added.json(), { started: 'boolean', infohash: 'string' })
  const waiting = await listed(node, record => record['infohash'] === made.infoHash)
  assertDownload(waiting)
  const running = await listed(node, record => Number(record['progress']) > 0 && Number(record['progress']) < 1)
  assertDownload(running)
  assert.equal((running['files'] as unknown[]).length, 3)
  assert.equal((running['peers'] as unknown[]).length, 1)
  assertDownload(await listed(seeder, record => (record['peers'] as unknown[]).length === 1))
  assertDownload(await listed(node, record => record['status'] === 'DLSTATUS_SEEDING'))
  const changed = await node.request('PATCH', `/downloads/${made.infoHash}`, { state: 'stop' })
  assertRecord(changed.json(), { infohash: 'string', modified: 'boolean' })
  assertDownload(await listed(node, record => record['status'] === 'DLSTATUS_STOPPED'))
})

test('the list holds the parts asked for and no others', async () => {
  for (const part of ['peers', 'pieces', 'files'] as const) {
    const { downloads } = await seeder.get<{ downloads: Json[] }>(`/downloads?get_${part}=1`)
    assertRecord(downloads[0], DOWNLOAD, DOWNLOAD_EXTRA, { [part]: part === 'pieces' ? 'string' : 'list' })
  }
  const answer = await seeder.get<{ downloads: Json[] }>('/downloads')
  assertRecord(answer, { downloads: 'list' })
  assertRecord(answer.downloads[0], DOWNLOAD, DOWNLOAD_EXTRA)
})

test('files have their fields, and a link each', async () => {
  const answer = await seeder.get<{ files: Json[] }>(`/downloads/${made.infoHash}/files`)
  assertRecord(answer, { files: 'list' })
  for (const file of answer.files) assertRecord(file, FILE, FILE_EXTRA, LINKED_EXTRA)
  assert.deepEqual(
    answer.files.map(file => [file['index'], file['name'], file['size'], file['progress']]),
    [
      [0, 'one/ä film.mp4', 700_000, 1],
      [1, 'empty.txt', 0, 1],
      [2, 'two.bin', 20_000, 1],
    ],
  )
})

test('torrentinfo', async () => {
  const uri = encodeURIComponent(path.join(folder, 'folder.torrent'))
  const answer = await seeder.get(`/torrentinfo?torrent=${uri}`)
  assertRecord(answer, { metainfo: 'object', infohash: 'string', download_exists: 'boolean' })
  const { info } = answer['metainfo'] as { info: Json }
  assertRecord(info, { name: 'string', 'piece length': 'integer', pieces: 'string', files: 'list' })
})

test('settings, variables, state, health', async () => {
  const settings = await seeder.get('/settings')
  assertRecord(settings, { settings: 'object', ports: 'object' })
  for (const section of Object.values(settings['settings'] as Json)) assert.ok(checks.object(section))
  for (const port of Object.values(settings['ports'] as Json)) assert.ok(checks.integer(port))
  const change = await seeder.request('POST', '/settings', { libtorrent: { port: '-1' } })
  assertRecord(change.json(), { modified: 'boolean', restart_required: 'list' })
  const answer = await seeder.get<{ variables: { ports: Json } }>('/variables')
  assertRecord(answer, { variables: 'object' })
  assertRecord(answer.variables.ports, { 'http_api~port': 'integer', 'libtorrent~port': 'integer' })
  const state = await seeder.get('/state')
  assertRecord(state, STATE)
  assert.equal(state['state'], 'STARTED')
  assertRecord(await seeder.get('/healthz'), { status: 'string' })
})

test('events', async () => {
  const stop = new AbortController()
  const reply = await fetch(`${node.baseUrl}/events?since=0`, {
    headers: { 'x-api-key': node.key },
    signal: stop.signal,
  })
  let text = ''
  const reading = (async () => {
    for await (const chunk of reply.body ?? []) text += Buffer.from(chunk).toString()
  })().catch(() => undefined)
  await waitFor('every event', () => text.includes('"torrent_finished"') && text.endsWith('\n'))
  stop.abort()
  await reading
  const records = text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Json)
  assert.deepEqual(
    records.map(record => record['type']),
    Object.keys(EVENTS),
  )
  for (const record of records) {
    const payload = EVENTS[String(record['type'])] ?? null
    assertRecord(record, { id: 'integer', type: 'string' }, payload === null ? {} : { event: 'object' })
    if (payload !== null) assertRecord(record['event'], payload)
  }
})

test('errors have the envelope of spec part 7', async () => {
  const failures = [
    await node.request('GET', '/nothing'),
    await node.request('GET', '/state', undefined, { 'x-api-key': 'wrong' }),
    await node.request('PUT', '/downloads', { uri: 'gopher://x' }),
    await node.request('PATCH', `/downloads/${made.infoHash}`, { anon_hops: 2 }),
    await node.request('POST', '/settings', { libtorrent: { port: 'x' } }),
    await node.request('GET', `/downloads/${made.infoHash}/stream/9`),
  ]
  assert.deepEqual(
    failures.map(reply => reply.status),
    [404, 401, 400, 503, 400, 404],
  )
  for (const reply of failures) {
    const body = reply.json<{ error: unknown }>()
    assertRecord(body, { error: 'object' })
    assertRecord(body.error, { handled: 'boolean', code: 'string', message: 'string' })
    assert.equal(body.error['handled'], true)
  }
})

test('removal', async () => {
  const removed = await node.request('DELETE', `/downloads/${made.infoHash}`, 'remove_data=1')
  assertRecord(removed.json(), { infohash: 'string', removed: 'boolean' })
})
