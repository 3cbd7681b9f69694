// Watch and forget as users of the built node meet it: films that are streamed through a cache far smaller than they
// are take no more room than that, are served right again and again, and stay whole when they are told to.

import assert from 'node:assert/strict'
import { linkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { nativeMissing } from '../kit/native-hashes.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 2 ** 20
/** Of each film. */
const SIZE = 24 * MIB
const BOUND = 2 * MIB
/** Room that names and odd pages take. */
const SLACK = MIB

describe('watch and forget', { skip: nativeMissing }, () => {
  const names = ['one.mkv', 'two.mkv']
  const made = makeTorrent({
    name: 'films',
    files: names.map(path => ({ path, length: SIZE })),
    pieceLength: 256 * 1024,
  })
  let folder: TestFolder
  let seeder: NodeProcess
  let node: NodeProcess
  let place: string
  let peer: string

  before(async () => {
    folder = await makeTestFolder()
    const home = await folder.sub('seeded')
    await writeContent(made, home, 'films')
    seeder = await startNode({ settings: { 'libtorrent.interface': '127.0.0.2' } })
    await downloadComplete(seeder, await addDownload(seeder, await writeTorrent(made, folder.path), home))
    const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
    peer = `127.0.0.2:${variables.ports['libtorrent~port']}`
    place = await folder.sub('cache')
    node = await startNode({ stateDir: await folder.sub('state'), settings: { 'disk.watch_cache_bytes': BOUND } })
  })
  after(async () => {
    await node?.stop()
    await seeder?.stop()
    await folder?.remove()
  })

  const pathOf = (film: number) => join(place, 'films', names[film] ?? '')
  const room = (film: number) => statSync(pathOf(film)).blocks * 512

  async function assertRange(film: number, from: number, to: number): Promise<void> {
    const range = { range: `bytes=${from}-${to - 1}` }
    const reply = await node.request('GET', `/downloads/${made.infoHash}/stream/${film}`, undefined, range)
    assert.equal(reply.status, 206)
    const right = made.files[film]?.content.subarray(from, to) ?? new Uint8Array(0)
    assert.ok(reply.body.equals(right), `range ${from}-${to} of film ${film} differs`)
  }

  test('streamed whole it keeps the bound, is never told to peers, and plays again', { timeout: 120_000 }, async () => {
    const magnet = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=${peer}`
    await addDownload(node, magnet, place, { watch_and_forget: true })
    const added = await downloadUntil(node, made.infoHash, record => record.status === 'DLSTATUS_DOWNLOADING')
    assert.equal(added.watch_and_forget, true)
    const { reasons } = await node.get<{ reasons: { code: string }[] }>(`/downloads/${made.infoHash}/explain`)
    assert.equal(reasons[0]?.code, 'nobody_reads')
    for (const round of [1, 2]) {
      for (const film of [0, 1]) await assertRange(film, 0, SIZE)
      await waitFor(`the cache of round ${round}`, () => room(0) + room(1) <= BOUND + SLACK, 20_000)
    }
    const record = await downloadRecord(node, made.infoHash)
    assert.ok(record.progress * 2 * SIZE <= BOUND, `${record.progress}`)
    assert.equal(record.status, 'DLSTATUS_DOWNLOADING')
    const seen = await downloadRecord(seeder, made.infoHash, '?get_peers=1')
    for (const { completed } of seen.peers ?? []) assert.equal(completed, 0, 'a peer knows of a piece')
    // Ten places at random, several at a time.
    const places = Array.from({ length: 10 }, (_, i) => ((i * 7919) % 23) * MIB)
    await Promise.all(places.map((from, i) => assertRange(i % 2, from, from + MIB)))
  })

  test('over a restart it has what it says, and goes on', { timeout: 120_000 }, async () => {
    const { stateDir } = node
    await node.kill('SIGKILL')
    node = await startNode({ stateDir, settings: { 'disk.watch_cache_bytes': BOUND } })
    await downloadUntil(node, made.infoHash, record => record.status === 'DLSTATUS_DOWNLOADING')
    await node.request('PATCH', `/downloads/${made.infoHash}`, { state: 'recheck' })
    await downloadUntil(node, made.infoHash, record => record.status === 'DLSTATUS_DOWNLOADING')
    await assertRange(1, 5 * MIB, 15 * MIB)
    await waitFor('the cache', () => room(0) + room(1) <= BOUND + SLACK, 20_000)
  })

  test('told to stay the films come whole; then one with another name keeps every byte', {
    timeout: 120_000,
  }, async () => {
    await node.request('PATCH', `/downloads/${made.infoHash}`, { watch_and_forget: false })
    const whole = await downloadComplete(node, made.infoHash)
    assert.equal(whole.watch_and_forget, false)
    for (const film of [0, 1]) await assertRange(film, 0, SIZE)
    assert.ok(room(0) >= SIZE && room(1) >= SIZE)
    linkSync(pathOf(0), join(place, 'kept.mkv'))
    await node.request('PATCH', `/downloads/${made.infoHash}`, { watch_and_forget: true })
    await waitFor('the other has gone', () => room(1) <= SLACK, 20_000)
    assert.ok(room(0) >= SIZE, 'bytes that have another name are gone')
    await assertRange(0, 0, SIZE)
  })
})
