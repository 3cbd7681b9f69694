// Writes the pack of the set that the catalogue holds. Records come a part at a time, in the order of their ids.

import { AppError } from '../../../base/errors.ts'
import type { ChannelCatalogue } from '../ports/channel-catalogue.ts'
import type { PackTorrents, PackWriter } from '../ports/pack-torrents.ts'
import { packFileOf, packFrame, packName } from '../wire/pack-files.ts'
import type { ChannelHead, RecordId } from '../wire/types.ts'
import type { Metainfo } from '../../../wire/metainfo/torrent-types.ts'

/** Bytes of records taken from the catalogue at a time. */
const PART_BYTES = 512 * 1024

/**
 * The torrent of the head's set, on the disk and not seeded yet; null: the catalogue does not hold this set (any more).
 * Rejects as the catalogue and PackWriter do, and with AppError Aborted when `signal` has fired.
 */
export async function makePack(
  head: ChannelHead,
  catalogue: Pick<ChannelCatalogue, 'heldRecords'>,
  packs: Pick<PackTorrents, 'write'>,
  signal: AbortSignal,
): Promise<Metainfo | null> {
  const writer = await packs.write(packName(head))
  try {
    const written = await writeSet(head, catalogue, writer, signal)
    if (written === head.records) return await writer.finish()
  } catch (error) {
    await writer.abandon()
    throw error
  }
  await writer.abandon()
  return null
}

/** How many records the catalogue had, never more than one too many. */
async function writeSet(
  head: ChannelHead,
  catalogue: Pick<ChannelCatalogue, 'heldRecords'>,
  writer: PackWriter,
  signal: AbortSignal,
): Promise<number> {
  let after: RecordId | null = null
  let written = 0
  while (written <= head.records) {
    if (signal.aborted) throw new AppError('Aborted')
    const part: readonly { readonly id: RecordId; readonly bytes: Uint8Array }[] = await catalogue.heldRecords(
      head.channel,
      after,
      PART_BYTES,
    )
    const last = part.at(-1)
    if (last === undefined) break
    for (const [file, frames] of framesByFile(part, head.records)) await writer.append(file, Buffer.concat(frames))
    after = last.id
    written += part.length
  }
  return written
}

function framesByFile(
  part: readonly { readonly id: RecordId; readonly bytes: Uint8Array }[],
  records: number,
): Map<string, Uint8Array[]> {
  const files = new Map<string, Uint8Array[]>()
  for (const { id, bytes } of part) {
    const file = packFileOf(id, records)
    const frames = files.get(file) ?? []
    frames.push(packFrame(bytes))
    files.set(file, frames)
  }
  return files
}
