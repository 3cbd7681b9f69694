// Tells readers of films that come in what is known of them: how fast they are played, where their index lies. Each
// film is asked for once, whoever plays it, and only while somebody does.

import type { FilmFactsSource, PlayedFile } from '../../../services/downloads/streams-api.ts'
import { mediaTypeOf } from '../../../http/media-types.ts'
import type { FilmFacts as WindowFacts } from '../../../torrent/streams/film-facts.ts'
import type { MediaWatching } from './media-api.ts'
import { windowFacts } from './window-facts.ts'

/** Films that are asked for at a time: half of what is read at a time, so that who asks for facts finds a place. */
const MAX_ASKED = 16
/** Films of which all is known that are remembered: a player opens a reader for each place it jumps to. */
const MAX_KNOWN = 16
const NOTHING = (): void => undefined

type Tell = (facts: WindowFacts) => void

/** A film that is asked for. */
interface AskedFilm {
  readonly tells: Set<Tell>
  readonly asker: AbortController
  /** Null: nothing yet. */
  told: WindowFacts | null
}

/** Who knows films, for readers of downloads. */
export class FollowedFilms implements Pick<FilmFactsSource, 'follow'> {
  readonly #media: MediaWatching
  readonly #asked = new Map<string, AskedFilm>()
  /** The oldest first. */
  readonly #known = new Map<string, WindowFacts>()

  constructor(media: MediaWatching) {
    this.#media = media
  }

  /** Films that are asked for. */
  get asked(): number {
    return this.#asked.size
  }

  follow(file: PlayedFile, tell: Tell): (() => void) | null {
    if (!isPlayed(file.name)) return NOTHING
    const key = `${file.infoHash}-${file.fileIndex}`
    const known = this.#known.get(key)
    if (known !== undefined) {
      tell(known)
      return NOTHING
    }
    const film = this.#asked.get(key) ?? this.#ask(key, file)
    if (film === null) return null
    film.tells.add(tell)
    if (film.told !== null) tell(film.told)
    return () => {
      film.tells.delete(tell)
      if (film.tells.size === 0) this.#end(key, film)
    }
  }

  /** Null: too many are asked for, and players of this one do without for now. */
  #ask(key: string, file: PlayedFile): AskedFilm | null {
    if (this.#asked.size >= MAX_ASKED) return null
    const film: AskedFilm = { tells: new Set(), asker: new AbortController(), told: null }
    this.#asked.set(key, film)
    void this.#watch(key, file, film)
    return film
  }

  async #watch(key: string, { infoHash, fileIndex }: PlayedFile, film: AskedFilm): Promise<void> {
    try {
      await this.#media.watch(infoHash, String(fileIndex), film.asker, facts => {
        film.told = windowFacts(facts)
        if (film.told !== null) for (const tell of film.tells) tell(film.told)
      })
      if (film.told !== null) this.#remember(key, film.told)
    } catch {
      // Not a film, too many at once, nobody plays it any more: its readers go on as without facts.
    } finally {
      this.#end(key, film)
    }
  }

  #end(key: string, film: AskedFilm): void {
    film.asker.abort()
    if (this.#asked.get(key) === film) this.#asked.delete(key)
  }

  #remember(key: string, facts: WindowFacts): void {
    this.#known.delete(key)
    this.#known.set(key, facts)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }
}

/** Pictures that move, or sound, by the ending of the name. */
function isPlayed(name: string): boolean {
  return /^(?:video|audio)\//.test(mediaTypeOf(name) ?? '')
}
