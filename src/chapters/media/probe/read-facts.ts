// The facts of any film from a source of bytes: the whole work of the thread, callable without one.

import { DecodeError } from '../../../base/errors.ts'
import { type ByteRange, type ByteSource, NotHere, OverBudget, ReadFailed } from '../core/byte-source.ts'
import type { FilmReading } from '../core/film-facts.ts'
import { HEAD_BUDGET_BYTES } from '../core/limits.ts'
import { MeteredSource } from '../core/metered-source.ts'
import { readFilm } from '../core/read-film.ts'

/** Why there is nothing. */
export type NotRead =
  /** Nothing is known before this is there. */
  | { readonly kind: 'missing'; readonly range: ByteRange }
  /** It never will be read; `why`: a sentence without its beginning. `isCostly`: to try cost the thread its life. */
  | { readonly kind: 'unreadable'; readonly why: string; readonly isCostly?: true }
  /** The disk's fault. */
  | { readonly kind: 'failed'; readonly why: string }

/** What became of it. */
export type FactsOutcome = { readonly kind: 'read'; readonly reading: FilmReading } | NotRead

/** Reads them. Rejects only for bugs. */
export async function readFacts(source: ByteSource): Promise<FactsOutcome> {
  const metered = new MeteredSource(source, HEAD_BUDGET_BYTES)
  try {
    const found = readFilm(metered)
    if ('facts' in found) return { kind: 'read', reading: found }
    // Most films never need the package.
    const { readStream } = await import('./stream-film.ts')
    return { kind: 'read', reading: await readStream(metered, found) }
  } catch (error) {
    return notRead(error)
  }
}

/** Why, by what reading threw. Throws it again when it is a bug. */
export function notRead(error: unknown): NotRead {
  if (error instanceof NotHere) return { kind: 'missing', range: error.range }
  if (error instanceof ReadFailed) return { kind: 'failed', why: error.message }
  if (error instanceof DecodeError || error instanceof OverBudget) return { kind: 'unreadable', why: error.message }
  throw error
}
