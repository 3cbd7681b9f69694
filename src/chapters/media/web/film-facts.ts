// Tells the player of the dashboard what a film is before it plays, and the texts inside of it.

import { NodeApi } from '../../../web/node/api.ts'
import { session } from '../../../web/node/context.ts'
import type { FilmSource, FilmTextPart } from '../../../web/film-source.ts'
import type { KnownFilm } from '../../../web/model/film/film-way.ts'
import { coveredIn, type Span } from '../../../wire/subtitles/spans.ts'
import { timedText } from '../../../wire/subtitles/timed-text.ts'
import type { MediaRoutes } from '../client/routes.ts'

const api = new NodeApi<MediaRoutes>(session.node)
/** Facts of a film that comes in take as long as its first pieces. */
const WAIT_SEC = 30

async function facts(infohash: string, fileindex: number, signal: AbortSignal): Promise<KnownFilm | null> {
  const path = { infohash, fileindex }
  const parameters = { wait: WAIT_SEC, keyframes: false }
  const name = 'GET /downloads/{infohash}/media/{fileindex}'
  const found = (await api.call(name, { path, parameters, signal })).media.facts
  if (found === null) return null
  const tracks = found.tracks.map(({ codec_string: codecString, default: isDefault, forced: isForced, ...track }) => ({
    ...track,
    codecString,
    isDefault,
    isForced,
  }))
  const { container, fragmented: isFragmented, duration: durationSec } = found
  return { container, isFragmented, durationSec, tracks }
}

async function texts(
  infohash: string,
  fileindex: number,
  track: number,
  { fromSec: from, toSec: to }: Span,
  signal: AbortSignal,
): Promise<FilmTextPart> {
  const path = { infohash, fileindex, track }
  const name = 'GET /downloads/{infohash}/media/{fileindex}/subtitles/{track}'
  const text = await (await api.open(name, { path, parameters: { from, to }, signal })).text()
  return { cues: timedText(text.split('\n'), true), covered: coveredIn(text) }
}

/** Films as the node knows them. */
export const filmFacts: FilmSource = { facts, texts }
