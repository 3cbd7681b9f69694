// Where readers of files ask what is known of their films: of whom the node has for that, if anybody.

import type { FilmFacts } from '../../torrent/streams/film-facts.ts'
import type { Asker, FilmFactsSource, PlayedFile } from './streams-api.ts'

const NOTHING = (): void => undefined

/** The one who knows films, once there is one. */
export class KnownFilms {
  #source: FilmFactsSource | null = null

  /** From now on readers ask `source`; null: nobody. */
  setSource(source: FilmFactsSource | null): void {
    this.#source = source
  }

  /** See FilmFactsSource.follow(). */
  follow(file: PlayedFile, tell: (facts: FilmFacts) => void): (() => void) | null {
    return this.#source === null ? NOTHING : this.#source.follow(file, tell)
  }

  /** See FilmFactsSource.duration(). */
  async duration(infoHash: string, fileIndex: number, asker: Asker): Promise<number | null> {
    return (await this.#source?.duration(infoHash, fileIndex, asker)) ?? null
  }
}
