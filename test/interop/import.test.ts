// Torrents of real clients taken over: Transmission, qBittorrent and libtorrent download or check them, end, and the
// node seeds what they had at once, from where it lies, without hashing it; what was changed behind their backs is
// found.

import assert from 'node:assert/strict'
import { copyFile, mkdir, open, readdir, readFile, rename, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import type { ImportedTorrent, ImportPage } from '../../src/services/api.ts'
import {
  differences,
  makeTestFolder,
  type TestFolder,
  writeContent,
  writeTorrent,
} from '../kit/content/content-on-disk.ts'
import { downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { type HttpTracker, startHttpTracker } from '../kit/peers/http-tracker.ts'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { claimHosts, type LoopbackHosts } from '../kit/nodes/loopback-hosts.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, runCli, startNode } from '../kit/nodes/node-process.ts'
import { QbittorrentPeer } from '../kit/peers/qbittorrent-peer.ts'
import { needs } from '../kit/requirements.ts'
import { TransmissionPeer } from '../kit/peers/transmission-peer.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 1024 * 1024
const PIECE = 64 * 1024
const NAME = 'two'
const FILES = [
  { path: 'first.bin', length: 3 * MIB + 11 },
  { path: 'below/second.bin', length: 2 * MIB + 5 },
]
const ALONE = { timeout: 120_000 }

interface Scene {
  readonly made: MadeTorrent
  readonly torrentPath: string
  /** Where the content lies. */
  readonly data: string
}

describe('importing from other clients', { concurrency: 1 }, () => {
  let hosts: LoopbackHosts
  let folder: TestFolder
  let tracker: HttpTracker
  let scenes = 0

  before(async () => {
    hosts = await claimHosts()
    folder = await makeTestFolder()
    tracker = await startHttpTracker(hosts.next())
  })
  after(async () => {
    await tracker?.stop()
    await folder?.remove()
    await hosts?.release()
  })

  const scene = async (withContent: boolean): Promise<Scene> => {
    const seed = ++scenes
    const made = makeTorrent({
      name: NAME,
      files: FILES,
      pieceLength: PIECE,
      seed: seed * 10,
      announce: [[tracker.url]],
    })
    const data = await folder.sub(`data-${seed}`)
    if (withContent) await writeContent(made, data, NAME)
    return { made, data, torrentPath: await writeTorrent(made, folder.path) }
  }
  const node = async (t: TestContext): Promise<NodeProcess> => {
    const started = await startNode({ settings: { 'libtorrent.interface': hosts.next() } })
    t.after(() => started.stop())
    return started
  }
  const libtorrent = async (t: TestContext): Promise<LibtorrentPeer> => {
    const peer = await LibtorrentPeer.start(hosts.next())
    t.after(() => peer.stop())
    return peer
  }

  /** One leecher that knows nothing else gets it from the node, whole. */
  const fetched = async (t: TestContext, { made, torrentPath }: Scene, by: string): Promise<void> => {
    const to = await folder.sub(`fetched-${by}`)
    const leecher = await libtorrent(t)
    await leecher.complete(await leecher.add({ torrent: torrentPath, dir: to }), 60_000)
    assert.deepEqual(await differences(made, to, NAME), [])
  }

  test('Transmission downloads, the node seeds on; damage is found', {
    ...ALONE,
    skip: needs('netns', 'transmission-daemon', 'libtorrent'),
  }, async t => {
    const one = await scene(false)
    const from = await folder.sub('transmission-from')
    await writeContent(one.made, from, NAME)
    const seeder = await libtorrent(t)
    await seeder.add({ torrent: one.torrentPath, dir: from, seed_mode: true })
    const home = await folder.sub('transmission-home')
    const client = await TransmissionPeer.start(hosts.next(), home)
    t.after(() => client.stop())
    await client.add(one.torrentPath, one.data)
    await client.complete()
    const set = {
      labels: ['films', 'a b'],
      seedRatioLimit: 2.5,
      seedRatioMode: 1,
      uploadLimit: 7777,
      uploadLimited: true,
    }
    await client.call('torrent-set', { ids: [one.made.infoHash], 'priority-high': [1], ...set })
    await client.quit()
    await seeder.stop()

    const before = await seen(home, one.data)
    const importing = await node(t)
    // With --sample 0 nothing at all may be hashed.
    const end = await runCli(['import', home, '--from', 'transmission', '--sample', '0', '--json', ...at(importing)])
    assert.equal(end.code, 0, end.stderr)
    const [result] = (JSON.parse(end.stdout) as { results: ImportedTorrent[] }).results
    assert.deepEqual(
      [result?.result, result?.pieces_kept, result?.pieces_to_check, result?.reasons],
      ['imported', result?.pieces, 0, []],
    )
    const record = await downloadComplete(importing, one.made.infoHash, 20_000)
    assert.deepEqual(
      [record.destination, record.labels, record.seeding_ratio, record.max_upload_speed],
      [one.data, ['films', 'a b'], 2.5, 7_777_000],
    )
    assert.ok(record.total_down >= one.made.content.length, `${record.total_down}`)
    assert.deepEqual(await priorities(importing, one), [4, 7])
    assert.equal(await hashJobs(importing), 0)
    await fetched(t, one, 'transmission')
    assert.equal(await hashJobs(importing), 0)
    assert.deepEqual(await seen(home, one.data), before)

    const again = await importInto(importing, 'transmission', home)
    assert.equal(again[0]?.result, 'exists')

    await damage(join(one.data, NAME, 'below/second.bin'), 300_000)
    const other = await node(t)
    const [changed] = await importInto(other, 'transmission', home)
    assert.deepEqual([changed?.result, changed?.reasons.map(({ code }) => code)], ['checking', ['time_differs']])
    const found = await downloadUntil(
      other,
      one.made.infoHash,
      ({ status }) => status === 'DLSTATUS_DOWNLOADING',
      30_000,
    )
    assert.ok(found.progress < 1 && found.progress > 0.9, `${found.progress}`)
  })

  test('Transmission was not done: unfinished files have other names', {
    ...ALONE,
    skip: needs('netns', 'transmission-daemon'),
  }, async t => {
    const one = await scene(true)
    await rename(join(one.data, NAME, 'first.bin'), join(one.data, NAME, 'first.bin.part'))
    await cut(join(one.data, NAME, 'first.bin.part'), 2 * MIB)
    const home = await folder.sub('partial-home')
    const client = await TransmissionPeer.start(hosts.next(), home)
    t.after(() => client.stop())
    await client.add(one.torrentPath, one.data)
    const partly = async (): Promise<boolean> => (await client.missing()) < 2 * MIB
    await waitFor('Transmission has looked at the files', partly, 30_000)
    await client.quit()
    const importing = await node(t)
    const [result] = await importInto(importing, 'transmission', home)
    assert.equal(result?.result, 'paused', JSON.stringify(result))
    assert.deepEqual(
      result?.reasons.map(({ code }) => code),
      ['file_missing', 'partial_name'],
    )
    const { status } = await downloadRecord(importing, one.made.infoHash)
    assert.equal(status, 'DLSTATUS_STOPPED')
    assert.ok((await readdir(join(one.data, NAME))).includes('first.bin.part'))
  })

  test('qBittorrent had checked it, the node seeds on, also elsewhere; damage is found', {
    ...ALONE,
    skip: needs('netns', 'qbittorrent-nox', 'libtorrent'),
  }, async t => {
    const [one, two] = [await scene(true), await scene(true)]
    const client = await QbittorrentPeer.start(hosts.next(), await folder.sub('qbittorrent-home'))
    t.after(() => client.stop())
    const options = { category: 'films/hd', tags: 'x,y', ratioLimit: '1.5', upLimit: '5000000' }
    await client.add(one.torrentPath, one.data, options)
    await client.add(two.torrentPath, two.data, { paused: 'true' })
    await client.until(one.made.infoHash, ({ progress }) => progress === 1)
    await client.call('torrents/recheck', new URLSearchParams({ hashes: two.made.infoHash }))
    await client.until(two.made.infoHash, ({ progress, state }) => progress === 1 && state === 'pausedUP')
    await client.quit()

    // As if the client had seen the folder under another name.
    const moved = await folder.sub('moved')
    await rename(one.data, join(moved, 'one'))
    const importing = await node(t)
    const lost = await importInto(importing, 'qbittorrent', client.backup, { dry_run: true })
    assert.deepEqual(lost.map(({ result }) => result).sort(), ['imported', 'refused'])
    const map = [[one.data, join(moved, 'one')]]
    const before = await seen(client.backup, moved)
    const dry = await importInto(importing, 'qbittorrent', client.backup, { dry_run: true, map })
    assert.deepEqual(
      dry.map(({ result }) => result),
      ['imported', 'imported'],
    )
    assert.equal((await importing.get<{ downloads: unknown[] }>('/downloads')).downloads.length, 0)
    const results = await importInto(importing, 'qbittorrent', client.backup, { map })
    assert.deepEqual(
      results.map(({ result, pieces_sampled: sampled, pieces, pieces_kept: kept }) => [result, sampled, kept - pieces]),
      [
        ['imported', 1, 0],
        ['imported', 1, 0],
      ],
    )
    const record = await downloadComplete(importing, one.made.infoHash, 20_000)
    assert.deepEqual(
      [record.labels, record.seeding_ratio, record.max_upload_speed, record.destination],
      [['films/hd', 'x', 'y'], 1.5, 5_000_000, join(moved, 'one')],
    )
    const stopped = await downloadRecord(importing, two.made.infoHash)
    assert.deepEqual([stopped.status, stopped.progress], ['DLSTATUS_STOPPED', 1])
    await fetched(t, one, 'qbittorrent')
    assert.deepEqual(await seen(client.backup, moved), before)

    await cut(join(moved, 'one', NAME, 'first.bin'), MIB)
    const other = await node(t)
    const damaged = (await importInto(other, 'qbittorrent', client.backup, { map })).find(
      ({ infohash }) => infohash === one.made.infoHash,
    )
    assert.deepEqual([damaged?.result, damaged?.reasons[0]?.code], ['checking', 'size_differs'])
    const found = await downloadUntil(
      other,
      one.made.infoHash,
      ({ status }) => status === 'DLSTATUS_DOWNLOADING',
      30_000,
    )
    assert.ok(found.progress > 0.4 && found.progress < 0.8, `${found.progress}`)
  })

  test("libtorrent's own resume data, with and without the torrent in it; a wrong piece is found by the sample", {
    ...ALONE,
    skip: needs('netns', 'libtorrent'),
  }, async t => {
    const [one, two] = [await scene(true), await scene(true)]
    const resumes = await folder.sub('resumes')
    const client = await libtorrent(t)
    for (const [at, { made, torrentPath, data }] of [one, two].entries()) {
      const id = await client.add({ torrent: torrentPath, dir: data })
      await client.complete(id)
      await client.call('save', { id, path: join(resumes, `${made.infoHash}.resume`), info: at === 0 })
      if (at === 1) await copyFile(torrentPath, join(resumes, `${made.infoHash}.torrent`))
    }
    await client.stop()
    // Other bytes with the times of before: nobody can see it from outside.
    const file = join(two.data, NAME, 'first.bin')
    const { atime, mtime } = await stat(file)
    for (let at = 0; at < FILES[0]!.length; at += PIECE) await damage(file, at)
    await utimes(file, atime, mtime)
    await damage(join(two.data, NAME, 'below/second.bin'), 0, true)

    const importing = await node(t)
    const results = await importInto(importing, 'libtorrent', resumes, { sample: 16 })
    const of = (made: MadeTorrent) => results.find(({ infohash }) => infohash === made.infoHash)
    assert.deepEqual([of(one.made)?.result, of(one.made)?.reasons], ['imported', []])
    assert.equal(of(two.made)?.reasons.at(-1)?.code, 'sample_wrong')
    await downloadComplete(importing, one.made.infoHash, 20_000)
    await fetched(t, one, 'libtorrent')
    const half = await downloadUntil(
      importing,
      two.made.infoHash,
      ({ status }) => status === 'DLSTATUS_DOWNLOADING',
      30_000,
    )
    assert.ok(half.progress > 0.2 && half.progress < 0.5, `${half.progress}`)
  })
})

/** Options of the command line for a node. */
function at({ baseUrl, stateDir }: NodeProcess): string[] {
  return ['--url', baseUrl, '--state-dir', stateDir]
}

/** Every torrent of the folder, by the route. */
async function importInto(
  importing: NodeProcess,
  from: string,
  folder: string,
  more: object = {},
): Promise<ImportedTorrent[]> {
  const reply = await importing.request('POST', '/import', { from, folder, ...more })
  assert.equal(reply.status, 200, reply.body.toString())
  return reply.json<ImportPage>().results
}

async function priorities(importing: NodeProcess, { made }: Scene): Promise<number[]> {
  const { files = [] } = await downloadRecord(importing, made.infoHash, '?get_files=1')
  return files.map(({ priority }) => priority)
}

/** Jobs of worker threads that hashed what lies on the disk. */
async function hashJobs(importing: NodeProcess): Promise<number> {
  const text = (await importing.request('GET', '/metrics')).body.toString()
  return Number(/^tributary_job_run_seconds_count\{job="pieces\.hash"\} (\d+)/m.exec(text)?.[1] ?? 0)
}

/** Names, sizes and times of everything in the folders. */
async function seen(...folders: string[]): Promise<string[]> {
  const lists = folders.map(async folder => {
    const names = await readdir(folder, { recursive: true })
    const facts = names.sort().map(async name => {
      const { size, mtimeMs } = await stat(join(folder, name))
      return `${name} ${size} ${mtimeMs}`
    })
    return Promise.all(facts)
  })
  return (await Promise.all(lists)).flat()
}

/** Another byte at a place of a file; its time of change is later by an hour, or as it was. */
async function damage(path: string, at: number, keepTime = false): Promise<void> {
  const { atime, mtime } = await stat(path)
  const bytes = (await readFile(path)).subarray(at, at + 1)
  const file = await open(path, 'r+')
  await file.write(Buffer.from([(bytes[0] ?? 0) ^ 1]), 0, 1, at)
  await file.close()
  await utimes(path, atime, keepTime ? mtime : new Date(mtime.getTime() + 3_600_000))
}

/** Cuts a file. */
async function cut(path: string, length: number): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true })
  const file = await open(path, 'r+')
  await file.truncate(length)
  await file.close()
}
