// DELETE with its data of a torrent of 200,000 folders, stopped after a few were made, asked for each of them twice and
// gave no answer within a minute. Only what is there is visited now, and what is not the torrent's stays.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { SystemClock } from '../../../src/io/clock.ts'
import { TorrentFolder } from '../../../src/io/files/torrent-folder.ts'
import { VolumeLanes } from '../../../src/io/files/volume-lanes.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { deepTorrent, manyFilesTorrent } from '../../kit/content/heavy-torrents.ts'

/** Lanes that count how often a folder was visited. */
class CountingLanes extends VolumeLanes {
  visits = 0

  constructor() {
    super({ statePath: null }, { clock: new SystemClock(), mounts: [], readMounts: () => Promise.resolve([]) })
  }

  override run<T>(...[place, call, options]: Parameters<VolumeLanes['run']>): Promise<T> {
    this.visits += 1
    return super.run(place, call, options) as Promise<T>
  }
}

async function rig(t: TestContext, metainfo: Uint8Array) {
  const destination = await mkdtemp(path.join(os.tmpdir(), 'tributary-made-'))
  t.after(() => rm(destination, { recursive: true, force: true }))
  const lanes = new CountingLanes()
  const folder = new TorrentFolder({ destination, files: decodeMetainfo(metainfo).files }, lanes, null)
  await folder.root()
  lanes.visits = 0
  return { destination, lanes, folder }
}

test('only folders that were made are visited, and they go with the one above them', async t => {
  const { destination, lanes, folder } = await rig(t, manyFilesTorrent(5000, true))
  for (const made of ['d0', 'd1', 'd4999'])
    await mkdir(path.join(destination, 'own folders', made), { recursive: true })
  await writeFile(path.join(destination, 'own folders', 'd1', 'file 1.bin'), 'x')
  await folder.remove()
  assert.deepEqual(await readdir(destination), [])
  assert.ok(lanes.visits < 20, `${lanes.visits} visits for three folders of 5,000`)
})

test('looking at the files of folders that were never made visits none of them', async t => {
  const { destination, lanes, folder } = await rig(t, manyFilesTorrent(5000, true))
  assert.ok((await folder.facts()).every(({ exists }) => !exists))
  assert.ok(lanes.visits < 5, `${lanes.visits} visits for nothing`)
  await mkdir(path.join(destination, 'own folders', 'd7'), { recursive: true })
  await writeFile(path.join(destination, 'own folders', 'd7', 'file 7.bin'), 'x')
  lanes.visits = 0
  const there = (await folder.facts()).filter(({ exists }) => exists)
  assert.deepEqual([there.length, there[0]?.index, there[0]?.sizeBytes], [1, 7, 1])
  assert.ok(lanes.visits < 10, `${lanes.visits} visits for one folder of 5,000`)
})

test('folders are made many in a visit, and deleted so', async t => {
  const { destination, lanes, folder } = await rig(t, manyFilesTorrent(5000, true))
  await folder.prepare()
  assert.equal((await readdir(path.join(destination, 'own folders'))).length, 5000)
  assert.ok(lanes.visits < 100, `${lanes.visits} visits to make 5,000 folders`)
  lanes.visits = 0
  await folder.facts()
  assert.ok(lanes.visits < 100, `${lanes.visits} visits to look at 5,000 folders`)
  lanes.visits = 0
  await folder.remove()
  assert.deepEqual(await readdir(destination), [])
  assert.ok(lanes.visits < 100, `${lanes.visits} visits to delete 5,000 folders`)
})

test('deep folders are made, looked at and deleted', async t => {
  const { destination, lanes, folder } = await rig(t, deepTorrent(40, 62))
  await folder.prepare()
  assert.equal((await readdir(destination, { recursive: true })).length, 40 * 62 + 1)
  assert.ok(lanes.visits < 40 * 62 * 3, `${lanes.visits} visits to make ${40 * 62} folders`)
  assert.ok((await folder.facts()).every(({ exists }) => !exists))
  await folder.remove()
  assert.deepEqual(await readdir(destination), [])
})

test('looking, making and a look for the records end at their abort', async t => {
  const { folder } = await rig(t, manyFilesTorrent(2000, true))
  await assert.rejects(folder.prepare(AbortSignal.abort()), { code: 'Aborted' })
  await assert.rejects(folder.facts(AbortSignal.abort()), { code: 'Aborted' })
})

test('a folder with more entries than one visit deletes is emptied', async t => {
  const { destination, lanes, folder } = await rig(t, manyFilesTorrent(1000))
  const place = path.join(destination, 'many files', 'd0')
  await mkdir(place, { recursive: true })
  for (let file = 0; file < 1000; file++) await writeFile(path.join(place, `file ${file}.bin`), '')
  await folder.remove()
  assert.deepEqual(await readdir(destination), [])
  assert.ok(lanes.visits < 12, `${lanes.visits} visits`)
})

test("what is not the torrent's stays, whatever it is", async t => {
  const { destination, folder } = await rig(t, manyFilesTorrent(100, true))
  const at = (...parts: string[]): string => path.join(destination, 'own folders', ...parts)
  await folder.prepare()
  const outside = await mkdtemp(path.join(os.tmpdir(), 'tributary-outside-'))
  t.after(() => rm(outside, { recursive: true, force: true }))
  await writeFile(path.join(outside, 'file 7.bin'), 'precious')
  await rm(at('d7'), { recursive: true })
  await symlink(outside, at('d7'))
  await writeFile(at('d3', 'notes.txt'), 'mine')
  await mkdir(at('d4', 'mine'))
  await mkdir(at('d5', 'file 5.bin'))
  await mkdir(at('d100'))
  await writeFile(at('d6', 'file 6.bin'), 'x')
  await folder.remove()
  assert.deepEqual((await readdir(at())).sort(), ['d100', 'd3', 'd4', 'd5', 'd7'])
  assert.ok(existsSync(path.join(outside, 'file 7.bin')))
  assert.deepEqual([await readdir(at('d3')), await readdir(at('d4')), await readdir(at('d5'))].flat(), [
    'notes.txt',
    'mine',
    'file 5.bin',
  ])
})
