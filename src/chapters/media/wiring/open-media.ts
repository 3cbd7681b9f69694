// The service of films, there from the first moment; what it works with is loaded when facts are first asked for, or
// when a film is played that is not all there.

import type { Kernel, OpenedChapter } from '../../../node/kernel.ts'
import { OpenedAtFirstUse } from '../../../node/opened-at-first-use.ts'
import { SharedKey } from '../../../node/shared-parts.ts'
import { filmForecast } from '../service/film-forecasts.ts'
import { FollowedFilms } from '../service/followed-films.ts'
import { filmDuration } from '../service/film-duration.ts'
import type { MediaRouteServices, MediaService, MediaTexts } from '../service/media-api.ts'
import type { MediaParts } from './media-parts.ts'

/** What chapters that play films know of them. */
export const filmFacts = new SharedKey<MediaService & MediaTexts>('media: facts of films')

/** Opens the chapter. */
export function openMedia({ stateDir, clock, log, downloads, shared }: Kernel): OpenedChapter {
  const media = new OpenedAtFirstUse<MediaParts>()
  const services: MediaRouteServices = {
    media: {
      kept: async (...asked) => (await media.open()).facts.kept(...asked),
      facts: async (...asked) => (await media.open()).facts.facts(...asked),
      texts: async (...asked) => (await media.open()).texts.texts(...asked),
      forecast: (...asked) => filmForecast(downloads, ...asked),
    },
  }
  let followed: FollowedFilms | null = null
  const films = (): FollowedFilms =>
    (followed ??= new FollowedFilms({ watch: async (...asked) => (await media.open()).facts.watch(...asked) }))
  shared.offer(filmFacts, services.media)
  return {
    services,
    start({ rangeArena }) {
      media.ready(async () => {
        const { makeMedia } = await import('./media-parts.ts')
        return makeMedia({ stateDir, clock, log: log.part('media'), downloads, arena: rangeArena })
      })
      downloads.films.setSource({
        follow: (...asked) => films().follow(...asked),
        duration: (...asked) => filmDuration(services.media, ...asked),
      })
      return Promise.resolve()
    },
    stop(limitMs) {
      downloads.films.setSource(null)
      return media.stop(limitMs)
    },
  }
}
