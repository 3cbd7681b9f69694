// What keeps a browser from playing a film, told from what its media element shows. Pure.

/** `format`: nothing plays; `picture`, `sound`: the rest plays without it; `stopped`: no more comes from the node. */
export type Trouble = 'format' | 'picture' | 'sound' | 'stopped'

/** Sound that is there has been decoded after so many seconds of play. */
const SOUND_BY_SEC = 2

/** What is known of a film that plays. */
export interface PlayedFacts {
  /** Path in the torrent. */
  readonly name: string
  /** Pixels; 0: the browser decodes no picture. */
  readonly width: number
  /** Seconds that were played. */
  readonly playedSec: number
  /** Bytes of sound that the browser has decoded; null where it does not tell. */
  readonly soundBytes: number | null
}

/** Names of files that hold pictures. Those of `.webm` and `.ogg` may be sound alone. */
const FILM_NAME = /\.(mp4|m4v|mkv|mov|avi|ts|m2ts|wmv|mpg|mpeg|ogv)$/i

/** What is missing of a film that plays; null: nothing, as far as one can see. */
export function missingOf({ name, width, playedSec, soundBytes }: PlayedFacts): Trouble | null {
  if (width === 0) return FILM_NAME.test(name) ? 'picture' : null
  return soundBytes === 0 && playedSec >= SOUND_BY_SEC ? 'sound' : null
}

/** What an error of a media element means. `code`: of MediaError; `linkWorks`: the node still answers to the link. */
export function troubleOf(code: number, linkWorks: boolean): Trouble {
  // 3: cannot be decoded, 4: not supported, which also is what is said of a link that fails.
  return linkWorks && (code === 3 || code === 4) ? 'format' : 'stopped'
}
