// How long one film plays, for parts of the node that show many and need nothing else.

import type { Asker } from '../../../services/downloads/streams-api.ts'
import type { MediaService } from './media-api.ts'

/** Seconds by what is there of the film; null: it is none, too many are read, or that is not known yet. Never rejects. */
export async function filmDuration(
  media: MediaService,
  infoHash: string,
  fileIndex: number,
  asker: Asker,
): Promise<number | null> {
  try {
    const { facts } = await media.facts(infoHash, String(fileIndex), 0, asker)
    return facts?.duration ?? null
  } catch {
    return null
  }
}
