// The service of films in segments, there from the first moment; what it works with is loaded when one is first asked
// for.

import type { Kernel, OpenedChapter } from '../../../node/kernel.ts'
import { OpenedAtFirstUse } from '../../../node/opened-at-first-use.ts'
import { filmFacts } from '../../media/wiring/open-media.ts'
import type { HlsRouteServices } from '../service/hls-api.ts'
import type { HlsFilms } from '../service/hls-films.ts'
import { mediaSettingsOf } from './settings-hls.ts'

/** Opens the chapter. */
export function openHls({ clock, downloads, log, settings, shared }: Kernel): OpenedChapter {
  const hls = new OpenedAtFirstUse<HlsFilms>()
  const media = shared.take(filmFacts)
  const services: HlsRouteServices = {
    hls: {
      plan: async (...asked) => (await hls.open()).plan(...asked),
      texts: async (...asked) => (await hls.open()).texts(...asked),
      segment: async (...asked) => (await hls.open()).segment(...asked),
    },
  }
  return {
    services,
    metrics: () => hls.opened?.families() ?? [],
    start({ rangeArena }) {
      hls.ready(async () => {
        const { makeHls } = await import('./hls-parts.ts')
        const { ffmpeg } = mediaSettingsOf(settings.values)
        return makeHls({ clock, downloads, media, arena: rangeArena, log: log.part('hls'), ffmpeg })
      })
      return Promise.resolve()
    },
    stop: limitMs => hls.stop(limitMs),
  }
}
