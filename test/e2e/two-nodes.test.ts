// Two nodes of this project: one seeds, the other looks, fetches, streams, restarts and forgets. Driven through HTTP.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { DownloadRecord, FileRecord } from '../../src/services/api.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
const made = makeTorrent({
  name: 'show',
  pieceLength: 64 * 1024,
  files: [
    { path: 'film.mp4', length: 6 * MIB },
    { path: 'empty.txt', length: 0 },
    { path: 'sub/ünï.bin', length: MIB + 1 },
  ],
})
type List = { downloads: DownloadRecord[] }
interface Rates {
  step: number
  speed_down: number[]
}
interface WireEvent {
  id: number
  type: string
  event?: Record<string, unknown>
}

/** Events after `since`, until one of type `last`. */
async function eventsUntil(node: NodeProcess, since: number, last: string): Promise<WireEvent[]> {
  const reply = await fetch(`${node.baseUrl}/events?since=${since}`, { headers: { 'x-api-key': node.key } })
  const seen: WireEvent[] = []
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of reply.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) if (line !== '') seen.push(JSON.parse(line) as WireEvent)
    if (seen.some(event => event.type === last)) break
  }
  return seen
}

describe('two nodes', { concurrency: 1 }, () => {
  let folder = ''
  let seeder: NodeProcess
  let leecher: NodeProcess
  let magnet = ''
  let to = ''

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-two-'))
    to = path.join(folder, 'to')
    for (const file of made.files) {
      const place = path.join(folder, 'from', 'show', file.path)
      await mkdir(path.dirname(place), { recursive: true })
      await writeFile(place, file.content)
    }
    await writeFile(path.join(folder, 'show.torrent'), made.torrent)
    seeder = await startNode()
    const uri = path.join(folder, 'show.torrent')
    await seeder.request('PUT', '/downloads', { uri, destination: path.join(folder, 'from') })
    await seeder.until<List>('/downloads', ({ downloads }) => downloads[0]?.status === 'DLSTATUS_SEEDING')
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    magnet = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.1:${variables.ports['libtorrent~port']}`
    leecher = await startNode({ stateDir: path.join(folder, 'leecher') })
  })
  after(async () => {
    await leecher?.stop()
    await seeder?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('existing data is checked, not fetched', async () => {
    const [record] = (await seeder.get<List>('/downloads')).downloads
    assert.equal(record?.total_down, 0)
    assert.equal(record?.progress, 1)
  })

  test('torrentinfo of a magnet: metadata from a peer, nothing added, no file made', async () => {
    const target = `/torrentinfo?torrent=${encodeURIComponent(magnet)}`
    const [first, second] = await Promise.all([leecher.request('GET', target), leecher.request('GET', target)])
    assert.equal(first.status, 200, first.body.toString())
    const info = first.json<{ metainfo: { info: { name: string; files: unknown[] } }; download_exists: boolean }>()
    assert.equal(info.metainfo.info.name, 'show')
    assert.equal(info.metainfo.info.files.length, 3)
    assert.equal(info.download_exists, false)
    assert.deepEqual(second.body, first.body)
    assert.deepEqual((await leecher.get<List>('/downloads')).downloads, [])
    const left = await readdir(path.join(folder, 'leecher', 'downloads')).catch(() => [])
    assert.deepEqual(left, [])
  })

  test('a magnet is fetched, selected files only, then the rest; each completion is an event', async () => {
    const added = await leecher.request('PUT', '/downloads', { uri: magnet, destination: to, selected_files: [2] })
    assert.deepEqual(added.json(), { started: true, infohash: made.infoHash })
    const first = await eventsUntil(leecher, 0, 'torrent_finished')
    assert.equal(first[0]?.type, 'events_start')
    assert.deepEqual(first.at(-1)?.event, { infohash: made.infoHash, name: 'show' })
    const { files } = await leecher.get<{ files: FileRecord[] }>(`/downloads/${made.infoHash}/files`)
    assert.deepEqual(
      files.map(file => [file.name, file.included, file.progress === 1]),
      [
        ['film.mp4', false, false],
        ['empty.txt', false, true],
        ['sub/ünï.bin', true, true],
      ],
    )
    const all = await leecher.request('PATCH', `/downloads/${made.infoHash}`, { selected_files: [0, 1, 2] })
    assert.equal(all.status, 200, all.body.toString())
    const second = await eventsUntil(leecher, first.at(-1)?.id ?? 0, 'torrent_finished')
    assert.ok((second.at(-1)?.id ?? 0) > (first.at(-1)?.id ?? 0))
    for (const file of made.files) {
      assert.ok((await readFile(path.join(to, 'show', file.path))).equals(file.content), file.path)
    }
  })

  test('stop, restart, resume: still stopped, then seeding without a byte fetched again', async () => {
    await leecher.request('PATCH', `/downloads/${made.infoHash}`, { state: 'stop' })
    const [before] = (await leecher.get<List>('/downloads')).downloads
    assert.equal(before?.status, 'DLSTATUS_STOPPED')
    await leecher.kill('SIGKILL')
    leecher = await startNode({ stateDir: path.join(folder, 'leecher') })
    const [record] = (await leecher.get<List>('/downloads')).downloads
    assert.equal(record?.status, 'DLSTATUS_STOPPED')
    assert.equal(record?.time_added, before?.time_added)
    await leecher.request('PATCH', `/downloads/${made.infoHash}`, { state: 'resume' })
    const seeding = await leecher.until<List>(
      '/downloads?get_files=1',
      ({ downloads }) => downloads[0]?.status === 'DLSTATUS_SEEDING',
    )
    const total = made.content.length
    assert.ok((seeding.downloads[0]?.total_down ?? 0) < total + 4 * 64 * 1024, 'nothing was fetched again')
    await leecher.request('PATCH', `/downloads/${made.infoHash}`, { state: 'recheck' })
    const checked = await leecher.until<List>(
      '/downloads',
      ({ downloads }) => downloads[0]?.status === 'DLSTATUS_SEEDING',
    )
    assert.equal(checked.downloads[0]?.progress, 1)
  })

  test('a signed link streams without a key, while a reader is open the record says so', async () => {
    const { files } = await leecher.get<{ files: (FileRecord & { stream_url: string })[] }>(
      `/downloads/${made.infoHash}/files`,
    )
    const link = new URL(files[0]?.stream_url ?? '', leecher.baseUrl)
    const part = await fetch(link, { headers: { range: 'bytes=1000-1999' } })
    assert.equal(part.status, 206)
    const content = Buffer.from(made.files[0]?.content ?? [])
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(content.subarray(1000, 2000)))
    const slow = await fetch(link)
    const reader = slow.body?.getReader()
    await reader?.read()
    const { downloads } = await leecher.get<List>('/downloads')
    assert.equal(downloads[0]?.vod_mode, true)
    assert.equal(downloads[0]?.vod_prebuffering_progress, 1)
    await reader?.cancel()
    await leecher.until<List>('/downloads', list => list.downloads[0]?.vod_mode === false)
  })

  test('a recheck finds what was damaged, and it is fetched again', async () => {
    const film = path.join(to, 'show', 'film.mp4')
    const bytes = await readFile(film)
    await writeFile(film, bytes.fill(0, 100_000, 300_000))
    await leecher.request('PATCH', `/downloads/${made.infoHash}`, { state: 'recheck' })
    await leecher.request('PUT', '/downloads', { uri: magnet })
    const wanted = made.files[0]?.content ?? new Uint8Array()
    await waitFor('the film is whole again', async () => (await readFile(film)).equals(wanted))
    await leecher.until<List>('/downloads', ({ downloads }) => downloads[0]?.status === 'DLSTATUS_SEEDING')
  })

  test('how fast it was is there after a restart too', async () => {
    const at = (range: string): string => `/downloads/${made.infoHash}/rates?range=${range}`
    const cameIn = ({ speed_down: down, step }: Rates): number => down.reduce((sum, rate) => sum + rate * step, 0)
    await leecher.until<Rates>(at('hour'), rates => cameIn(rates) > 190_000)
    await leecher.stop()
    leecher = await startNode({ stateDir: path.join(folder, 'leecher') })
    await leecher.until<List>('/downloads', ({ downloads }) => downloads[0]?.status === 'DLSTATUS_SEEDING')
    const day = await leecher.get<Rates>(at('day'))
    assert.deepEqual([day.step, day.speed_down.length], [600, 144])
    assert.ok(cameIn(day) > 180_000, `${cameIn(day)} bytes came in`)
    assert.equal((await leecher.request('GET', at('year'))).status, 400)
    assert.equal((await leecher.request('GET', `/downloads/${'ab'.repeat(20)}/rates`)).status, 404)
  })

  test('settings take effect at once: the rate limit stands in the record', async () => {
    const changed = await leecher.request('POST', '/settings', { libtorrent: { max_download_rate: 54_321 } })
    assert.deepEqual(changed.json(), { modified: true, restart_required: [], overridden: [] })
    assert.equal((await leecher.get<List>('/downloads')).downloads[0]?.max_download_speed, 54_321)
  })

  test('removing deletes the data of the torrent and nothing else', async () => {
    await writeFile(path.join(to, 'show', 'mine.txt'), 'not of the torrent')
    const removed = await leecher.request('DELETE', `/downloads/${made.infoHash}`, { remove_data: true })
    assert.deepEqual(removed.json(), { infohash: made.infoHash, removed: true })
    assert.deepEqual(await readdir(path.join(to, 'show')), ['mine.txt'])
    assert.deepEqual((await leecher.get<List>('/downloads')).downloads, [])
  })
})
