// Where readers of files ask what is known of their films: of whom the node has for that, if anybody.

import type { InfoHash } from '../../base/ids.ts'
import type { FilmFacts, FilmFactsSource } from '../../torrent/streams/film-facts.ts'

const NOTHING = (): void => undefined

/** The one who knows films, once there is one. */
export class KnownFilms {
  #source: FilmFactsSource | null = null

  /** From now on readers ask `source`; null: nobody. */
  setSource(source: FilmFactsSource | null): void {
    this.#source = source
  }

  /** See FilmFactsSource.follow(). */
  follow(infoHash: InfoHash, fileIndex: number, tell: (facts: FilmFacts) => void): () => void {
    return this.#source?.follow(infoHash, fileIndex, tell) ?? NOTHING
  }
}
