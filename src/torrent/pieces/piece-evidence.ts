// Digests of the blocks of a piece, for smart ban: from memory, or read back when the piece had been spilled. Computed
// only for pieces that fail, or pass after having failed; a digest is the SHA-1 of the block, of torrents with a v2
// part (BEP 52) its leaf hash: peers can be asked for the right ones.

import { createHash } from 'node:crypto'
import { BLOCK_BYTES, blockBytes, blockCount } from '../../base/lengths.ts'
import type { ReceivedBlock } from '../../ports/piece-store.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'

/** The digests of one torrent's pieces. */
export class PieceEvidence {
  readonly #core: TorrentCore

  constructor(core: TorrentCore) {
    this.#core = core
  }

  /** Whether there are digests to be made of a piece that passed, or did not. */
  wanted(piece: number, passed: boolean): boolean {
    return this.#core.content !== null && (!passed || this.#core.smartBan.isSuspect(piece))
  }

  /**
   * Digest of every block by block number; null when they are not needed. `blocks` = all blocks of the piece in memory,
   * null: they are on disk.
   */
  async digests(piece: number, passed: boolean, blocks: readonly ReceivedBlock[] | null): Promise<string[] | null> {
    const content = this.#core.content
    if (content === null || !this.wanted(piece, passed)) return null
    const algorithm = content.metainfo.v2 === null ? 'sha1' : 'sha256'
    return blocks === null ? this.#readBack(content, piece, algorithm) : fromMemory(blocks, algorithm)
  }

  async #readBack(content: TorrentContent, piece: number, algorithm: string): Promise<string[]> {
    const count = blockCount(content.lengths, piece)
    const { arena } = this.#core.engine.shared.uploadSlots
    const slot = await arena.leaseLater()
    try {
      const digests: string[] = []
      for (let block = 0; block < count; block += 1) {
        const offset = piece * content.lengths.pieceLength + block * BLOCK_BYTES
        const length = blockBytes(content.lengths, piece, block)
        const read = await content.store.read(offset, length, arena, slot)
        digests.push(digestOf(slot.bytes.subarray(0, read), algorithm))
      }
      return digests
    } finally {
      arena.release(slot)
    }
  }
}

function fromMemory(blocks: readonly ReceivedBlock[], algorithm: string): string[] {
  const digests: string[] = []
  for (const block of blocks) {
    digests[block.begin / BLOCK_BYTES] = digestOf(block.slot.bytes.subarray(0, block.length), algorithm)
  }
  return digests
}

function digestOf(bytes: Uint8Array, algorithm: string): string {
  return createHash(algorithm).update(bytes).digest('base64')
}
