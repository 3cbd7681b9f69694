// GET /metrics of the built node: what it counts is what happened.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { chooseHash } from '../../src/pools/hash-choice.ts'
import type { DownloadRecord } from '../../src/services/api.ts'
import { testedHash } from '../kit/hash-path.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'

const PIECE = 64 * 1024
const made = makeTorrent({ name: 'film.mp4', length: 20 * PIECE + 5, pieceLength: PIECE })
type Series = Map<string, number>

let folder = ''
let seeder: NodeProcess
let leecher: NodeProcess
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-metrics-'))
  await writeFile(path.join(folder, 'film.mp4'), made.files[0]?.content ?? '')
  await writeFile(path.join(folder, 'film.torrent'), made.torrent)
  ;[seeder, leecher] = await Promise.all([startNode(), startNode()])
})
after(async () => {
  await Promise.all([seeder.stop(), leecher.stop()])
  await rm(folder, { recursive: true, force: true })
})

async function scraped(node: NodeProcess): Promise<Series> {
  const reply = await node.request('GET', '/metrics', undefined, {
    'x-api-key': '',
    authorization: `Bearer ${node.key}`,
  })
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  const rows = reply.body.toString().split('\n')
  return new Map(
    rows
      .filter(row => row !== '' && !row.startsWith('#'))
      .map(row => [row.slice(0, row.lastIndexOf(' ')), Number(row.slice(row.lastIndexOf(' ') + 1))]),
  )
}

const finished = ({ downloads }: { downloads: DownloadRecord[] }) => downloads[0]?.status === 'DLSTATUS_SEEDING'

test('bytes, pieces, peers, torrents, answers and first bytes', async () => {
  const size = 20 * PIECE + 5
  await seeder.request('PUT', '/downloads', { uri: path.join(folder, 'film.torrent'), destination: folder })
  await seeder.until('/downloads', finished)
  const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const uri = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.1:${variables.ports['libtorrent~port']}`
  await leecher.request('PUT', '/downloads', { uri, destination: path.join(folder, 'to') })
  await leecher.until('/downloads', finished)
  const stream = await leecher.request('GET', `/downloads/${made.infoHash}/stream/0`, undefined, { range: 'bytes=5-9' })
  assert.equal(stream.status, 206)
  const down = await scraped(leecher)
  assert.equal(down.get('tributary_payload_bytes_total{direction="down"}'), size)
  assert.equal(down.get('tributary_pieces_total{verdict="verified"}'), 21)
  assert.equal(down.get('tributary_pieces_total{verdict="failed"}'), 0)
  assert.equal(down.get('tributary_torrents{status="seeding"}'), 1)
  assert.equal(down.get('tributary_stream_first_byte_seconds_count'), 1)
  assert.equal(down.get('tributary_stream_first_byte_seconds_bucket{le="+Inf"}'), 1)
  assert.equal(down.get('tributary_http_request_duration_seconds_count{route="downloads.add"}'), 1)
  assert.equal(down.get('tributary_http_responses_total{code="206"}'), 1)
  // The program made of all modules finds the machine code as the modules do.
  const hashPath = chooseHash(testedHash).path?.path ?? 'node'
  assert.equal(down.get(`tributary_hash_path{path="${hashPath}"}`), 1)
  const up = await scraped(seeder)
  assert.equal(up.get('tributary_payload_bytes_total{direction="up"}'), size)
  assert.equal(up.get('tributary_pieces_total{verdict="verified"}'), 0, 'what was there already did not come in')
})

test('what was counted stays when the download goes', async () => {
  const before = await scraped(leecher)
  const removed = await leecher.request('DELETE', `/downloads/${made.infoHash}`, { remove_data: true })
  assert.equal(removed.status, 200)
  const now = await scraped(leecher)
  assert.equal(now.get('tributary_torrents{status="seeding"}'), undefined)
  for (const [name, value] of before)
    if (/_total|_count|_bucket/.test(name)) assert.ok((now.get(name) ?? 0) >= value, `${name} fell`)
})

test('the process, and how late its loop is once somebody asks', async () => {
  const rows = await scraped(leecher)
  assert.ok((rows.get('process_resident_memory_bytes') ?? 0) > 30e6)
  assert.ok((rows.get('process_open_fds') ?? 0) > 5)
  assert.ok(Math.abs((rows.get('process_start_time_seconds') ?? 0) - Date.now() / 1000) < 600)
  let delays = 0
  const end = performance.now() + 10_000
  while (delays === 0 && performance.now() < end) {
    delays = (await scraped(leecher)).get('tributary_event_loop_delay_seconds_count') ?? 0
  }
  assert.ok(delays > 0, 'the loop is watched after the first scrape')
})

test('no key, no figures', async () => {
  const reply = await leecher.request('GET', '/metrics', undefined, { 'x-api-key': '' })
  assert.equal(reply.status, 401)
})
