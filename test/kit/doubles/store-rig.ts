// A FilePieceStores with small arenas over a fresh folder, and torrents with known content to put into it. Used by the
// tests of the piece path.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { testedHash } from '../hash-path.ts'
import { BLOCK_BYTES } from '../../../src/base/lengths.ts'
import { SharedArena } from '../../../src/pools/arena.ts'
import {
  FilePieceStores,
  type FilePieceStoresDeps,
  type FilePieceStoresOptions,
} from '../../../src/pools/piece-stores.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { ReceivedBlock, StoreLayout } from '../../../src/ports/piece-store.ts'
import type { TorrentFile } from '../../../src/wire/metainfo/torrent-types.ts'
import { silentLog } from './silent-log.ts'

/** A clock that stands until it is moved; its timers never run. */
export class StandingClock implements Clock {
  nowMs = 0
  now(): number {
    return this.nowMs
  }
  wallMs(): number {
    return this.nowMs
  }
  after(): { cancel(): void } {
    return { cancel: () => undefined }
  }
  every(): { cancel(): void } {
    return { cancel: () => undefined }
  }
}

/** A file of a test torrent. */
export interface RigFile {
  readonly path: string
  readonly length: number
  readonly padding?: boolean
}

/** A torrent with all its bytes. */
export interface RigTorrent {
  readonly layout: StoreLayout
  readonly content: Uint8Array
}

/** Makes a torrent whose bytes follow from `seed`; padding is zeroes. */
export function makeRigTorrent(
  destination: string,
  files: readonly RigFile[],
  pieceLength: number,
  seed = 1,
): RigTorrent {
  let offset = 0
  const placed: TorrentFile[] = files.map(({ path, length, padding }, index) => {
    const file = { index, path: path.split('/'), length, offset, padding: padding === true }
    offset += length
    return file
  })
  const content = new Uint8Array(offset)
  for (const file of placed) {
    if (file.padding) continue
    for (let i = file.offset; i < file.offset + file.length; i++) content[i] = (i * 31 + seed * 17 + (i >> 9)) & 0xff
  }
  const pieceCount = Math.ceil(offset / pieceLength)
  const pieceHashes = new Uint8Array(pieceCount * 20)
  for (let piece = 0; piece < pieceCount; piece++) {
    const bytes = content.subarray(piece * pieceLength, (piece + 1) * pieceLength)
    pieceHashes.set(createHash('sha1').update(bytes).digest(), piece * 20)
  }
  return {
    content,
    layout: {
      key: `rig-${seed}`,
      destination,
      files: placed,
      totalLength: offset,
      pieceLength,
      pieceCount,
      pieceHashes,
      v2: null,
    },
  }
}

/** The stores under test with everything they need; ends itself with the test and checks that no slot is left lent. */
export class StoreRig {
  readonly folder: string
  readonly clock = new StandingClock()
  readonly blockArena = new SharedArena({ id: 'block', bytes: 2 * 1024 * 1024 })
  readonly rangeArena = new SharedArena({ id: 'range', bytes: 1024 * 1024 })
  readonly stores: FilePieceStores
  readonly losses: number[] = []

  constructor(t: TestContext, options: FilePieceStoresOptions = {}, deps: Partial<FilePieceStoresDeps> = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'tributary-store-'))
    this.stores = new FilePieceStores(
      { threads: 2, hash: testedHash, ...options },
      {
        blockArena: this.blockArena,
        rangeArena: this.rangeArena,
        clock: this.clock,
        log: silentLog,
        onRepeatedLoss: () => this.losses.push(1),
        ...deps,
      },
    )
    t.after(async () => {
      await this.stores.stop(5000)
      rmSync(this.folder, { recursive: true, force: true })
      assert.equal(this.blockArena.freeCount, this.blockArena.slotCount, 'a block slot is still lent')
      assert.equal(this.rangeArena.freeCount, this.rangeArena.slotCount, 'a range slot is still lent')
    })
  }

  /** The blocks of a piece in slots, in the order of `order` (default: falling, so that order matters). */
  lease(torrent: RigTorrent, piece: number, keep: (begin: number) => boolean = () => true): ReceivedBlock[] {
    const { pieceLength } = torrent.layout
    const bytes = torrent.content.subarray(piece * pieceLength, (piece + 1) * pieceLength)
    const blocks: ReceivedBlock[] = []
    for (let begin = 0; begin < bytes.length; begin += BLOCK_BYTES) {
      if (!keep(begin)) continue
      const slot = this.blockArena.lease()
      assert.ok(slot, 'the arena of the test is too small')
      const part = bytes.subarray(begin, begin + BLOCK_BYTES)
      slot.bytes.set(part)
      blocks.push({ begin, length: part.length, slot })
    }
    return blocks.reverse()
  }

  release(blocks: readonly ReceivedBlock[]): void {
    for (const { slot } of blocks) this.blockArena.release(slot)
  }

  /** Runs `use` on the blocks of a piece and gives their slots back. */
  async withBlocks<T>(torrent: RigTorrent, piece: number, use: (blocks: ReceivedBlock[]) => Promise<T>): Promise<T> {
    const blocks = this.lease(torrent, piece)
    try {
      return await use(blocks)
    } finally {
      this.release(blocks)
    }
  }
}
