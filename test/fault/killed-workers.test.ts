// Threads killed in the middle of the ring: what they had is lost and hashed again, what others have is not touched,
// and the ring is whole again.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError } from '../../src/base/errors.ts'
import type { PieceStore } from '../../src/ports/piece-store.ts'
import { makeRigTorrent, type RigTorrent, StoreRig } from '../kit/doubles/store-rig.ts'

const KIB = 1024
const PIECES = 120

/** Hands a piece in until it is on the disk; returns how often a thread died with it. */
async function committed(rig: StoreRig, torrent: RigTorrent, store: PieceStore, piece: number): Promise<number> {
  for (let lost = 0; lost < 50; lost++) {
    const verdict = await rig
      .withBlocks(torrent, piece, blocks => store.commit(piece, blocks))
      .catch((error: unknown) => error)
    if (verdict === 'ok') return lost
    assert.ok(verdict instanceof AppError && verdict.code === 'WorkerLost', String(verdict))
  }
  return assert.fail('the threads never got so far')
}

test('threads die with every third batch: each piece is hashed again, and the ring has all its room', async t => {
  const worker = new URL('./dying-piece-worker.js', import.meta.url)
  const rig = new StoreRig(t, { worker, threads: 2, threadsOnly: true })
  const torrent = makeRigTorrent(rig.folder, [{ path: 'film', length: PIECES * 64 * KIB - 5 }], 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  let lost = 0
  for (let first = 0; first < PIECES; first += 8) {
    const pieces = Array.from({ length: Math.min(8, PIECES - first) }, (_, at) => first + at)
    for (const times of await Promise.all(pieces.map(piece => committed(rig, torrent, store, piece)))) lost += times
  }
  assert.ok(lost > 5, `only ${lost} commits were lost`)
  assert.deepEqual(readFileSync(join(rig.folder, 'film')), Buffer.from(torrent.content))
  const { ringEntries, outsideRing } = rig.stores.stats()
  assert.deepEqual({ ringEntries, outsideRing }, { ringEntries: 0, outsideRing: 0 })
  await store.close()
})
