// A torrent that forgets, in a simulated swarm: a film, a small bound, and what it is looked at by.

import assert from 'node:assert/strict'
import { countBits } from '../../../src/base/piece-set.ts'
import { ALL_FILES } from '../../../src/ports/progress-journal.ts'
import type { FileReader, TorrentHandle, TorrentSpec } from '../../../src/torrent/types.ts'
import { type MadeTorrent, makeTorrent } from '../content/make-torrent.ts'
import { MEMORY_MARK } from '../doubles/memory-piece-store.ts'
import { assertHolds, type SimNode, type SimSwarm } from './sim-swarm.ts'

export const KIB = 1024
export const MIB = 1024 * KIB
export const PIECE = 256 * KIB
export const BOUND = 4 * MIB
/** Around one slow reader: its window, what it reads, and the zones of the index. */
export const NEAR = 8 * MIB + 512 * KIB + 6 * MIB
export const CONTROLS = { maxDownloadRate: 0, maxUploadRate: 0, filePriorities: new Map(), sequential: false }
export const FORGETS = { ...CONTROLS, forgets: true }

export const film = makeTorrent({ length: 40 * MIB, pieceLength: PIECE, announce: [['http://t.example/announce']] })

export function heldBytes(handle: TorrentHandle): number {
  return countBits(handle.haveBits()) * PIECE
}

/** Pieces whose bytes take room on the disk. */
export function onDisk(node: SimNode, torrent: MadeTorrent): number {
  return node.disk.content(torrent.infoHash)?.written.reduce((sum, one) => sum + one, 0) ?? 0
}

/** Fails when the records claim a piece whose bytes are not those of the film. */
export function assertClaims(node: SimNode): void {
  const { have } = node.journal.resume(film.infoHash, film.content.length / PIECE)
  const { bytes } = node.disk.content(film.infoHash) ?? { bytes: new Uint8Array(0) }
  for (let piece = 0; piece < film.content.length / PIECE; piece++) {
    if (((have[piece >> 3] ?? 0) & (0x80 >> (piece & 7))) === 0) continue
    const [from, to] = [piece * PIECE, (piece + 1) * PIECE]
    const same = Buffer.compare(bytes.subarray(from, to), film.content.subarray(from, to)) === 0
    assert.ok(same, `piece ${piece} is claimed and not there`)
  }
}

/** Calls `once` with the first pieces that the records are told to forget from now on, when they are told. */
export function onDrop(node: SimNode, once: (pieces: readonly number[]) => void): void {
  const dropped = node.journal.piecesDropped.bind(node.journal)
  let done = false
  node.journal.piecesDropped = (infoHash, pieces) => {
    if (!done) once(pieces)
    done = true
    return dropped(infoHash, pieces)
  }
}

export async function forgetful(
  swarm: SimSwarm,
  spec: Partial<TorrentSpec> = {},
): Promise<{ node: SimNode; handle: TorrentHandle }> {
  const node = await swarm.node({ session: { readCacheBytes: BOUND } })
  const handle = node.add(film, { ...spec, controls: FORGETS })
  await swarm.clock.until('it runs', () => handle.snapshot().status === 'downloading', 10_000)
  // Whenever bytes go, the records have said so before: a kill at this moment claims nothing that is not there.
  node.disk.beforePunch = pieces => {
    const { have } = node.journal.resume(film.infoHash, film.content.length / PIECE)
    const claimed = pieces.filter(piece => ((have[piece >> 3] ?? 0) & (0x80 >> (piece & 7))) !== 0)
    assert.deepEqual(claimed, [], 'the records claim what is about to go')
  }
  return { node, handle }
}

/** Reads from `from` up to `to` and compares; `after` each part. */
export async function readOn(
  swarm: SimSwarm,
  node: SimNode,
  reader: FileReader,
  [from, to]: readonly [number, number],
  after: () => void = () => undefined,
): Promise<void> {
  for (let at = from; at < to; ) {
    let there = 0
    let failure: unknown = null
    void Promise.resolve(reader.waitFor(at)).then(
      bytes => {
        there = bytes
      },
      (error: unknown) => {
        failure = error
      },
    )
    await swarm.clock.until(`byte ${at}`, () => there > 0 || failure !== null, 120_000)
    if (failure !== null) throw failure
    const slot = node.ranges.lease()
    assert.ok(slot)
    let count = -1
    void reader.read(at, Math.min(slot.bytes.length, to - at, there), slot).then(
      read => {
        count = read
      },
      (error: unknown) => {
        failure = error
      },
    )
    await swarm.clock.until(`the read at ${at}`, () => count >= 0 || failure !== null, 120_000)
    const same = Buffer.compare(slot.bytes.subarray(0, count), film.content.subarray(at, at + count)) === 0
    node.ranges.release(slot)
    if (failure !== null) throw failure
    assert.ok(count > 0 && same, `wrong bytes at ${at}`)
    at += count
    after()
  }
}

/**
 * A node that has the whole film and forgets; `own`: it is noted as the torrent's, and of its making.
 * `leftMs`: the time of the file when it was left, which now is 1.
 */
export async function whole(
  swarm: SimSwarm,
  own: 'found' | 'made',
  before: (node: SimNode) => void = () => undefined,
  leftMs = 1,
): Promise<{ node: SimNode; handle: TorrentHandle }> {
  const node = await swarm.node({ session: { readCacheBytes: BOUND } })
  const pieces = film.content.length / PIECE
  node.disk.put(film.infoHash, film.content, pieces)
  if (own === 'made') await node.journal.noteMadeFile(film.infoHash, 0, MEMORY_MARK)
  else await node.journal.noteOwnFiles(film.infoHash, [ALL_FILES])
  before(node)
  const files = [{ index: 0, exists: true, sizeBytes: film.content.length, mtimeMs: leftMs }]
  const resume = { have: new Uint8Array(pieces / 8).fill(0xff), suspect: [], files, newestMs: 0 }
  await node.journal.checkpoint(film.infoHash, resume.have, files)
  const handle = node.add(film, { controls: FORGETS, resume })
  await swarm.clock.until('it runs', () => handle.snapshot().status === 'downloading', 10_000)
  return { node, handle }
}

export const PIECES = film.content.length / PIECE

/** Fails unless all of it is had, is there, and is what the records say. */
export function assertUntouched(node: SimNode, handle: TorrentHandle): void {
  assert.equal(heldBytes(handle), film.content.length)
  assertHolds(node, film)
  assert.deepEqual(node.disk.punched, [])
  const { have } = node.journal.resume(film.infoHash, PIECES)
  assert.equal(countBits(have), PIECES)
}
