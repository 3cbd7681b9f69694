// Which film comes after another in a torrent: by season and episode where names tell them, else in the order of names,
// with numbers read as numbers. Pure. Names are those of strangers, of any length.

/** What is looked at of a file. */
export interface EpisodeFile {
  readonly index: number
  /** Path in the torrent with `/`. */
  readonly name: string
  /** It is fetched: what a user left out is nobody's next film. */
  readonly included: boolean
}

/** Place in a series. `last` = `episode`, but for files that hold several. */
export interface Episode {
  readonly season: number
  readonly episode: number
  readonly last: number
}

/** Looked at of a name: its end, where what tells files of a series apart stands. */
const MAX_NAME = 400
const FILM = /\.(mp4|m4v|webm|mkv|mov|ogv|avi|ts|m2ts|wmv|mpg|mpeg)$/i
const SOUND = /\.(mp3|m4a|m4b|aac|flac|wav|ogg|oga|opus)$/i
/** Beside the films of a torrent, and none of them. */
const BESIDE = /(?:^|[/ ._-])(?:sample|trailer|extras?|featurettes?|behind the scenes|deleted scenes)(?:[/ ._-]|$)/i

const SEASON_EPISODE = /(?:^|[^a-z0-9])s(\d{1,2})[ ._-]{0,3}e(\d{1,3})(?:[ ._]?-?[ ._]?e(\d{1,3}))?(?!\d)/i
const CROSS = /(?:^|[^a-z0-9])(\d{1,2})x(\d{2,3})(?!\d)/i
const EPISODE = /(?:^|[^a-z])(?:episode|episodio|épisode|folge|ep|e)[ ._-]{0,3}(\d{1,3})(?!\d)/i
const SEASON = /(?:^|[^a-z])(?:season|staffel|saison|temporada|s)[ ._-]{0,3}(\d{1,2})(?!\d)/i
/** `02 - Name`, `Name - 02`: in a folder of a season alone. */
const NUMBER = /^(\d{1,3})(?=[ ._-]|$)|[ _]-[ _](\d{1,3})(?=[ ._[(-]|$)/

/** Season and episode that a name tells; null where it tells none. */
export function episodeOf(path: string): Episode | null {
  const end = path.slice(-MAX_NAME)
  const name = end.slice(end.lastIndexOf('/') + 1).replace(/\.[a-z0-9]{2,4}$/i, '')
  const whole = SEASON_EPISODE.exec(name) ?? CROSS.exec(name)
  if (whole !== null) return episode(whole[1], whole[2], whole[3])
  const folder = end.slice(0, Math.max(0, end.lastIndexOf('/')))
  const season = SEASON.exec(name)?.[1] ?? SEASON.exec(folder.slice(folder.lastIndexOf('/') + 1))?.[1]
  const numbered = EPISODE.exec(name)
  if (numbered !== null) return episode(season ?? '1', numbered[1])
  const number = season === undefined ? null : NUMBER.exec(name)
  return number === null ? null : episode(season, number[1] ?? number[2])
}

function episode(season: string | undefined, first: string | undefined, last?: string): Episode {
  const start = Number(first)
  return { season: Number(season), episode: start, last: Math.max(start, Number(last ?? start)) }
}

/** Numbers in names count as numbers: part 2 before part 10. */
function sortKey(name: string): string {
  return name.toLowerCase().replace(/\d{1,15}/g, digits => digits.padStart(15, '0'))
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1)
}

/** The films before and after one; null where there is none. */
export interface Neighbours<T> {
  readonly previous: T | null
  readonly next: T | null
}

/** Neighbours of the file with this index: films of films, sounds of sounds. */
export function neighboursOf<T extends EpisodeFile>(files: readonly T[], index: number): Neighbours<T> {
  const current = files.find(file => file.index === index)
  const kind = current === undefined ? null : [FILM, SOUND].find(pattern => pattern.test(current.name))
  if (current === undefined || kind === undefined || kind === null) return { previous: null, next: null }
  const beside = BESIDE.test(current.name)
  const others = files.filter(
    file => file !== current && file.included && kind.test(file.name) && BESIDE.test(file.name) === beside,
  )
  const place = episodeOf(current.name)
  return place === null ? byName(others, current) : byEpisode(others, current, place)
}

interface Keyed<T> {
  readonly file: T
  readonly key: string
}

function byName<T extends EpisodeFile>(others: readonly T[], current: T): Neighbours<T> {
  const own = sortKey(current.name)
  let previous: Keyed<T> | null = null
  let next: Keyed<T> | null = null
  for (const file of others) {
    const key = sortKey(file.name)
    if (key < own && (previous === null || key > previous.key)) previous = { file, key }
    if (key > own && (next === null || key < next.key)) next = { file, key }
  }
  return { previous: previous?.file ?? null, next: next?.file ?? null }
}

/** A number that grows from episode to episode. */
function numberOf(season: number, episode: number): number {
  return season * 1000 + episode
}

// Of several files of one episode that in the same folder, then the first by name.
function byEpisode<T extends EpisodeFile>(others: readonly T[], current: T, place: Episode): Neighbours<T> {
  const folder = folderOf(current.name)
  const choose = (side: 1 | -1, from: number): T | null => {
    let best: { file: T; away: number; key: string } | null = null
    for (const file of others) {
      const found = episodeOf(file.name)
      if (found === null) continue
      const away = side * (numberOf(found.season, side === 1 ? found.episode : found.last) - from)
      if (away <= 0) continue
      const key = `${folderOf(file.name) === folder ? 0 : 1}${sortKey(file.name)}`
      if (best === null || away < best.away || (away === best.away && key < best.key)) best = { file, away, key }
    }
    return best?.file ?? null
  }
  return {
    previous: choose(-1, numberOf(place.season, place.episode)),
    next: choose(1, numberOf(place.season, place.last)),
  }
}
