// How long one film plays, for parts of the node that show many and need nothing else.

import { AppError } from '../../../base/errors.ts'
import type { Asker } from '../../../services/downloads/streams-api.ts'
import type { MediaService } from './media-api.ts'

/**
 * Seconds: by facts that are kept, which wakes no download, else by what is there of the film. Null: it is none, or
 * says nothing of it. AppErrors as MediaService.facts() when it cannot be found out now.
 */
export async function filmDuration(
  media: MediaService,
  infoHash: string,
  fileIndex: number,
  asker: Asker,
): Promise<number | null> {
  const kept = await media.kept(infoHash, fileIndex)
  if (kept !== null) return kept.duration
  try {
    const { facts } = await media.facts(infoHash, String(fileIndex), 0, asker)
    return facts?.duration ?? null
  } catch (error) {
    if (error instanceof AppError && error.code === 'MediaUnreadable') return null
    throw error
  }
}
