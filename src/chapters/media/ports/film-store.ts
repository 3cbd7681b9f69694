// Where facts of films are kept over restarts.

import type { FilmFacts } from '../core/film-facts.ts'

/** Facts by the film's tag (`<infohash>-<index>`): what a tag names never changes. Nothing here rejects. */
export interface FilmStore {
  /** Null: it has none. */
  get(tag: string): Promise<FilmFacts | null>
  /** Keeps them as long as there is room; the oldest go first. */
  put(tag: string, facts: FilmFacts): Promise<void>
}
