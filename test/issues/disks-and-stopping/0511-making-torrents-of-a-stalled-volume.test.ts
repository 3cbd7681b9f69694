// A volume that stops to answer in the middle of a torrent's hashing: the request gets its error in time, makers
// elsewhere are free, and when it answers again the same torrents are made. A folder on which a volume is mounted
// counts for that volume.

import assert from 'node:assert/strict'
import { realpath, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AppError } from '../../../src/base/errors.ts'
import { VolumeLanes } from '../../../src/io/files/volume-lanes.ts'
import type { StateRecord } from '../../../src/services/api.ts'
import { makeTorrent } from '../../../src/services/making/new-torrent.ts'
import { newTorrentOptions } from '../../../src/services/making/new-torrent-options.ts'
import { makeTestFolder } from '../../kit/content/content-on-disk.ts'
import { followEvents } from '../../kit/nodes/followed-events.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { needs } from '../../kit/requirements.ts'
import { makeStalledMount, type StalledMount } from '../../kit/doubles/stalled-mount.ts'
import { StoreRig } from '../../kit/doubles/store-rig.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../kit/wait-for.ts'

const skip = needs('root', 'mounts', 'bindfs')
/** Hashing takes so long that it is still under way when its first step is reported; nothing of it lies on the disk. */
const FILE_BYTES = 2 ** 29
/** The bound is 5 s after the volume was asked last; a busy machine may need some more. */
const TOLD_MS = 15_000
const PIECE_BYTES = 2 ** 20
/** Files of a folder, each as long as what is hashed in one step (newPieceRuns). */
const FILES = 3
const RUN_BYTES = 16 * PIECE_BYTES

interface Made {
  readonly status: number
  readonly code: string
  readonly infoHash: string
}

/** Asks for a torrent; 0 when nothing is answered in time. */
async function make(node: NodeProcess, path: string): Promise<Made> {
  const asked = node.request('POST', '/createtorrent', { path, piece_length: PIECE_BYTES }).catch(() => null)
  let late: NodeJS.Timeout | undefined
  const never = new Promise<null>(resolve => {
    late = setTimeout(() => resolve(null), TOLD_MS)
  })
  const reply = await Promise.race([asked, never]).finally(() => clearTimeout(late))
  if (reply === null) return { status: 0, code: 'no answer', infoHash: '' }
  const text = reply.body.toString()
  const found = (name: string): string => new RegExp(`"${name}":"(\\w+)"`).exec(text)?.[1] ?? ''
  return { status: reply.status, code: found('code'), infoHash: found('infohash') }
}

/** Both are being hashed when the volume stops; how they are answered. */
async function stallWithin(node: NodeProcess, mount: StalledMount, paths: readonly string[]): Promise<Made[]> {
  const end = new AbortController()
  try {
    const steps = await followEvents(node, ['torrent_creation_progress', 'torrent_created'], end.signal)
    const asked = paths.map(path => make(node, path))
    const has = (path: string): boolean => steps.some(({ event }) => event?.['path'] === path)
    await waitFor('hashing', () => paths.every(has), 10_000)
    mount.stall()
    assert.ok(
      steps.every(({ event }) => Number(event?.['progress']) < 1),
      JSON.stringify(steps),
    )
    return await Promise.all(asked)
  } finally {
    end.abort()
  }
}

test('a volume that stalls while torrents are made of it', { skip, timeout: 90_000 }, async () => {
  const folder = await makeTestFolder()
  const mount = await makeStalledMount(await folder.sub('volume'))
  const behind = join(folder.path, 'volume/behind/film.bin')
  const node = await startNode({ stateDir: await folder.sub('state') })
  try {
    await writeFile(behind, 'film')
    await truncate(behind, FILE_BYTES)
    const paths = [join(mount.path, 'film.bin'), mount.path]
    await Promise.all(paths.map(path => stat(path)))
    const stalled = await stallWithin(node, mount, paths)
    assert.deepEqual(
      stalled.map(({ status, code }) => `${status} ${code}`),
      ['503 VolumeStalled', '503 VolumeStalled'],
    )
    const elsewhere = await make(node, behind)
    assert.equal(elsewhere.status, 200, 'neither of the two makers is held')

    mount.recover()
    await node.until<StateRecord>('/state', state => state.volumes.every(volume => !volume.stalled))
    const [file, whole] = await Promise.all(paths.map(path => make(node, path)))
    assert.deepEqual([file?.status, whole?.status], [200, 200])
    assert.equal(file?.infoHash, elsewhere.infoHash)
  } finally {
    mount.recover()
    await node.stop()
    await mount.remove()
    await folder.remove()
  }
})

/** A volume that stops on demand. */
class StoppingLanes extends VolumeLanes {
  stops = false
  readonly #again: (() => void)[] = []

  override run<T>(path: string, call: () => Promise<T>, flush = false): Promise<T> {
    const held = (): Promise<T> =>
      this.stops ? new Promise<void>(resolve => this.#again.push(resolve)).then(call) : call()
    return super.run(path, held, flush)
  }

  recover(): void {
    this.stops = false
    for (const go of this.#again.splice(0)) go()
  }
}

function stoppingLanes(clock: VirtualClock): StoppingLanes {
  const mounts = [
    { point: '/', type: 'ext4', readOnly: false, device: '8:1' },
    { point: '/proc', type: 'proc', readOnly: false, device: '0:5' },
  ]
  const readMounts = () => Promise.resolve(mounts)
  return new StoppingLanes({ threads: 4, statePath: '/proc/state' }, { clock, mounts, readMounts })
}

for (const [name, stopsAt] of [
  ['while the next file is opened', 1],
  ['after all was hashed, before the files are looked at once more', FILES],
] as const) {
  test(`a volume that stalls ${name}`, async t => {
    const clock = new VirtualClock()
    const lanes = stoppingLanes(clock)
    const rig = new StoreRig(t, {}, { lanes })
    const path = await realpath(rig.folder)
    for (let at = 0; at < FILES; at += 1) {
      await writeFile(join(path, `${at}`), '')
      await truncate(join(path, `${at}`), RUN_BYTES)
    }
    const { signal } = new AbortController()
    const content = await rig.stores.contents(null).list(path, signal)
    let steps = 0
    const progress = (): void => {
      steps += 1
      if (steps === stopsAt) lanes.stops = true
    }
    const options = newTorrentOptions({ path, piece_length: PIECE_BYTES }, { createdBy: 'test', nowSec: 1 })
    const made = makeTorrent(content, options, { signal, depth: 1, toSeed: false, progress })
    let ended: unknown = null
    made.catch((error: unknown) => (ended = error))
    await waitFor('the stop', () => lanes.stops)
    await clock.advance(12_000)
    await waitFor('an answer', () => ended, 5000).finally(() => lanes.recover())
    assert.equal((ended as AppError).code, 'VolumeStalled')
  })
}
