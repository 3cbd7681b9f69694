// Asks the disk, after it was full, whether there is space again: by writing one block of a piece that is missing
// anyway. Unverified bytes there do no harm: the piece counts as missing until all of it has been hashed.

import { AppError } from '../../base/errors.ts'
import { blockBytes } from '../../base/lengths.ts'
import { firstMissing } from '../../base/piece-set.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'

/** True when a block could be written, or something else than space is missing: then the start itself will tell. */
export async function probeSpace(core: TorrentCore, content: TorrentContent): Promise<boolean> {
  const { budget } = core.engine.shared
  const last = content.lengths.pieceCount - 1
  const piece = firstMissing(content.picker.have, 0, last)
  if (piece > last || !budget.take()) return true
  const slot = budget.lease()
  if (slot === null) {
    budget.giveBack()
    return false
  }
  try {
    const length = blockBytes(content.lengths, piece, 0)
    slot.bytes.fill(0)
    await content.store.writeBlocks(piece, [{ begin: 0, length, slot }])
    return true
  } catch (error) {
    return !(error instanceof AppError && error.code === 'DiskFull')
  } finally {
    budget.release(slot)
    await content.store.close()
  }
}
