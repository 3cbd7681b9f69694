// Who finds out how long films are.

import type { Asker } from '../../../services/downloads/streams-api.ts'

/** Seconds that a file plays; null: it is no film, or says nothing of it. May read the file. Rejects when not now. */
export type FilmDurations = (infohash: string, fileIndex: number, asker: Asker) => Promise<number | null>
