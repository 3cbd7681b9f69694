// Tells the player of the dashboard what a film is before it plays.

import { NodeApi } from '../../../web/node/api.ts'
import { session } from '../../../web/node/context.ts'
import type { FilmSource } from '../../../web/film-source.ts'
import type { MediaRoutes } from '../client/routes.ts'

const api = new NodeApi<MediaRoutes>(session.node)
/** Facts of a film that comes in take as long as its first pieces. */
const WAIT_SEC = 30

/** What is known of a file. */
export const filmFacts: FilmSource = async (infohash, fileindex, signal) => {
  const path = { infohash, fileindex }
  const parameters = { wait: WAIT_SEC, keyframes: false }
  const name = 'GET /downloads/{infohash}/media/{fileindex}'
  const { facts } = (await api.call(name, { path, parameters, signal })).media
  if (facts === null) return null
  const tracks = facts.tracks.map(({ codec_string: codecString, default: isDefault, ...track }) => ({
    ...track,
    codecString,
    isDefault,
  }))
  return { container: facts.container, durationSec: facts.duration, tracks }
}
